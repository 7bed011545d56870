// Which device of an appliance is shown, offered where there are several.
import { element, say } from '../../editor/element'
import type { Lookup, Place } from '../../wire'
import { request } from './api'
import { text } from './text'

const AGAIN_MS = 30_000

export function createDeviceChoice(id: string, onChoose: (deviceId: string) => void) {
  let devices: Lookup['devices'] = []
  let askedAt = -Infinity
  const choice: HTMLSelectElement = element('select', {
    id,
    onchange: () => onChoose(choice.value),
  })
  const label = element('label', { htmlFor: id }, text('device'))
  const row = element('div.media-gateway-sidebar-tools', { hidden: true }, label, choice)

  return {
    element: row,
    show(isOpen: boolean, deviceId: string | undefined): void {
      row.hidden = !isOpen || devices.length < 2
      // Filling it with the same again would close it while the user chooses.
      say(choice, ...devices.map((one) => new Option(one.name, one.id)))
      choice.value = deviceId ?? ''
    },
    /** Not too often. @returns the one to show instead, without an ID for the only one */
    async find(
      { id: gatewayId, appliance }: Place,
      deviceId?: string,
    ): Promise<{ id?: string } | undefined> {
      if (Date.now() - askedAt < AGAIN_MS) return undefined
      askedAt = Date.now()
      const { answer } = await request('lookup', { connection: { id: gatewayId }, appliance })
      if (!answer) return undefined
      devices = answer.devices
      if (devices.some((device) => device.id === deviceId)) return undefined
      return devices.length > 1 ? devices[0] : {}
    },
    forget(): void {
      devices = []
      askedAt = -Infinity
    },
  }
}
