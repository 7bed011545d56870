// What the appliance of an open form has, requested once for all parts of the form.
import { CONNECTION, type Lookup, type Planned, type PlanQuestion } from '../wire'
import { RequestError } from './ask'
import { isVariable } from './checks'
import { askAppliance, hasInventory } from './connection'
import { field } from './fields'
import { createLook } from './look'
import { language, text } from './text'

export type Appliance = ReturnType<typeof openAppliance>

/** The appliance of an open form, with one request for each gateway, appliance and device. */
export function openAppliance(node: EditorNode, lookIn: () => string | undefined) {
  // Looked up once: when a response arrives, another form may be open.
  const gateway = field(node, 'gateway')
  const device = field(node, 'device')
  const deviceType = field(node, 'deviceType')
  const look = createLook<Lookup>()
  let chosen: string | undefined
  let asked: string | undefined

  const deviceInForm = () =>
    namedDevice({ type: deviceType.val() ?? '', value: device.val() ?? '' })
  const deviceNow = () => deviceInForm() ?? chosen

  function gatewayNow(): EditorNode {
    const id = gateway.val() ?? ''
    const found = RED.nodes.node(id)
    if (hasInventory(found) && lookIn() === undefined) {
      throw new RequestError(text('picker.chooseAppliance'))
    }
    const isSetLater = id.startsWith('${') || (found && isSetByInstance(found))
    if (isSetLater) throw new RequestError(text('picker.gatewayLater'))
    if (found) return found
    throw new RequestError(text('picker.noGateway'))
  }

  async function update({ again = false } = {}): Promise<void> {
    const deviceId = deviceNow()
    const wanted = signature(RED.nodes.node(gateway.val() ?? ''), lookIn()) ?? gateway.val() ?? ''
    const isSame = wanted === asked
    const { loading, found } = look.now()
    if (isSame && !again && (loading || !lacks(found, deviceId))) return
    asked = wanted
    const isLatest = await look.read(isSame ? found : undefined, () =>
      lookAt(gatewayNow(), lookIn(), deviceId, again),
    )
    // The device may have been switched meanwhile.
    if (isLatest) await update()
  }

  return {
    now: look.now,
    onChange: look.onChange,
    /** Requests what is not known yet or, with `again`, in any case. */
    update: (options?: { again?: boolean }): void => void update(options),
    /** Uses this device while the form names none. */
    choose(deviceId: string): void {
      chosen = deviceId || undefined
      void update()
    },
    /** Reads a route in sent form, its secrets hidden. @throws RequestError */
    async definition(routeId: string): Promise<unknown> {
      const { found } = look.now()
      const what = { appliance: lookIn(), deviceId: found?.deviceId ?? deviceNow(), routeId }
      const { definition } = await askAppliance('definition', gatewayNow(), what)
      return definition
    },
    /** What a definition would change on the device of the form, or the only one. @throws RequestError */
    plan(what: PlanQuestion): Promise<Planned> {
      const body = { ...what, appliance: lookIn(), deviceId: deviceInForm() }
      return askAppliance('plan', gatewayNow(), body, { again: true })
    },
  }
}

/** Within a subflow, a variable has another value in each instance. */
const isSetByInstance = ({ z, baseUrl }: EditorNode): boolean =>
  RED.nodes.subflow(z) !== undefined && isVariable(String(baseUrl))

/** The device that a form names; undefined where only a message or the appliance decides. */
export function namedDevice({ type, value }: { type: string; value: string }): string | undefined {
  const id = value.trim()
  return type === 'id' && id !== '' && !isVariable(id) ? id : undefined
}

/** True when the wanted routes are those of another device than the known ones. */
function lacks(found: Lookup | undefined, deviceId: string | undefined): boolean {
  if (!found || deviceId === undefined || deviceId === found.deviceId) return false
  return found.devices.some(({ id }) => id === deviceId)
}

/** The present values that decide where a config node leads. */
function signature(
  node: EditorNode | null | undefined,
  appliance: string | undefined,
): string | undefined {
  if (!node) return undefined
  const { id, d, changed, credentials } = node
  const values = CONNECTION.map((name) => node[name])
  return JSON.stringify([id, d, changed, credentials, values, appliance])
}

async function lookAt(
  node: EditorNode,
  appliance: string | undefined,
  deviceId: string | undefined,
  again: boolean,
): Promise<Lookup> {
  const asked = { appliance, language: language() }
  try {
    return await askAppliance('lookup', node, { ...asked, deviceId }, { again })
  } catch (error) {
    const isGone = error instanceof RequestError && error.code === 'NOT_FOUND'
    if (deviceId === undefined || !isGone) throw error
    // The device is gone: show those that exist.
    return askAppliance('lookup', node, asked)
  }
}
