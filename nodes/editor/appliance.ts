// What the appliance of an open form has, requested once for all parts of the form.
import type { Lookup, Planned, PlanQuestion } from '../wire'
import { RequestError } from './ask'
import { isVariable } from './checks'
import { askAppliance, hasInventory } from './connection'
import { field } from './fields'
import { text } from './text'

export interface Look {
  loading: boolean
  /** During a reload, the previous result. */
  found?: Lookup
  failure?: RequestError
}

export type Appliance = ReturnType<typeof openAppliance>

/**
 * Returns the appliance of an open form, with one request for each gateway, appliance and device.
 * @param lookIn the one of an inventory to look in; undefined while none is chosen
 */
export function openAppliance(node: EditorNode, lookIn: () => string | undefined) {
  // Looked up once: when a response arrives, another form may be open.
  const gateway = field(node, 'gateway')
  const device = field(node, 'device')
  const deviceType = field(node, 'deviceType')
  const listeners: (() => void)[] = []
  let look: Look = { loading: false }
  let chosen: string | undefined
  let asked: string | undefined
  let turn = 0

  const deviceNow = () =>
    namedDevice({ type: deviceType.val() ?? '', value: device.val() ?? '' }) ?? chosen

  function gatewayNow(): EditorNode {
    const id = gateway.val() ?? ''
    const found = RED.nodes.node(id)
    if (hasInventory(found) && lookIn() === undefined) {
      throw new RequestError(text('picker.chooseAppliance'))
    }
    if (found) return found
    throw new RequestError(text(id.startsWith('${') ? 'picker.gatewayLater' : 'picker.noGateway'))
  }

  /** The appliance of an inventory; nothing for a gateway without one. */
  const place = (): { appliance?: string } => {
    const appliance = lookIn()
    return appliance === undefined ? {} : { appliance }
  }

  function show(next: Look): void {
    look = next
    for (const listener of listeners) listener()
  }

  async function update({ again = false } = {}): Promise<void> {
    const deviceId = deviceNow()
    const wanted = signature(RED.nodes.node(gateway.val() ?? ''), lookIn()) ?? gateway.val() ?? ''
    const isSame = wanted === asked
    if (isSame && !again && (look.loading || !lacks(look, deviceId))) return
    asked = wanted
    const mine = ++turn
    try {
      const config = gatewayNow()
      show({ loading: true, found: isSame ? look.found : undefined })
      const found = await lookAt(config, place(), deviceId, again)
      // The gateway was switched meanwhile.
      if (mine === turn) show({ loading: false, found })
    } catch (failure) {
      if (mine === turn) show({ loading: false, failure: failure as RequestError })
    }
    // The device may have been switched too.
    if (mine === turn) await update()
  }

  return {
    now: () => look,
    /** Requests what is not known yet or, with `again`, in any case. */
    update: (options?: { again?: boolean }): void => void update(options),
    /** Uses this device while the form names none. */
    choose(deviceId: string): void {
      chosen = deviceId || undefined
      void update()
    },
    /** Calls back when there may be something new to show. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    /**
     * Reads a route in sent form, its secrets hidden.
     * @throws RequestError
     */
    async definition(routeId: string): Promise<unknown> {
      const what = { ...place(), deviceId: look.found?.deviceId ?? deviceNow(), routeId }
      const { definition } = await askAppliance('definition', gatewayNow(), what)
      return definition
    },
    /**
     * Asks what a definition would change on the device that the form names, or on the only one.
     * @throws RequestError
     */
    plan(what: PlanQuestion): Promise<Planned> {
      const deviceId = namedDevice({ type: deviceType.val() ?? '', value: device.val() ?? '' })
      return askAppliance('plan', gatewayNow(), { ...what, ...place(), deviceId }, { again: true })
    },
  }
}

/** The device that a form names; undefined where only a message or the appliance decides. */
export function namedDevice({ type, value }: { type: string; value: string }): string | undefined {
  const id = value.trim()
  return type === 'id' && id !== '' && !isVariable(id) ? id : undefined
}

/** True when the wanted routes are those of another device than the known ones. */
function lacks({ found }: Look, deviceId: string | undefined): boolean {
  if (!found || deviceId === undefined || deviceId === found.deviceId) return false
  return found.devices.some(({ id }) => id === deviceId)
}

/** The present values that decide where a config node leads. */
function signature(
  node: EditorNode | null | undefined,
  appliance: string | undefined,
): string | undefined {
  if (!node) return undefined
  const { id, d, changed, credentials, baseUrl, fingerprint, tls, proxy, timeout } = node
  const { inventory, inventoryType, inventoryHosts, secretPrefix } = node
  return JSON.stringify([
    [id, d, changed, credentials, baseUrl, fingerprint, tls, proxy, timeout],
    [inventory, inventoryType, inventoryHosts, secretPrefix, appliance],
  ])
}

async function lookAt(
  node: EditorNode,
  place: { appliance?: string },
  deviceId: string | undefined,
  again: boolean,
): Promise<Lookup> {
  try {
    return await askAppliance('lookup', node, { ...place, deviceId }, { again })
  } catch (error) {
    const isGone = error instanceof RequestError && error.code === 'NOT_FOUND'
    if (deviceId === undefined || !isGone) throw error
    // The device is gone: show those that exist.
    return askAppliance('lookup', node, place)
  }
}
