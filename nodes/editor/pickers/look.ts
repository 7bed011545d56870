// What the appliance of an open form has: asked once, for all pickers of the form.
import { Unanswered } from '../ask'
import { askAppliance } from '../connection'
import { text } from '../text'

export interface FoundDevice {
  id: string
  name?: string
  statusCode?: string
  status?: string
}

export interface FoundDestination {
  id?: string
  name?: string
  started?: boolean
  state?: string
  summaryStatusCode?: string
}

export interface FoundRoute {
  id: string
  name?: string
  state?: string
  summaryStatusCode?: string
  destinations?: FoundDestination[]
}

export interface Found {
  devices: FoundDevice[]
  /** The device that was asked for, or the only one. */
  deviceId?: string
  routes?: FoundRoute[]
}

export interface Look {
  loading: boolean
  /** At a reload that of before. */
  found?: Found
  failure?: Unanswered
}

/** Where to look, as the form says. */
export interface Place {
  /** The ID of a config node, or what else its field may hold. */
  gateway: string
  /** Where one is named. */
  deviceId?: string
}

/**
 * Looks at the appliance when told, once for each gateway and device; `changed` is called
 * when there is something new to show.
 */
export function createLook(placeNow: () => Place, changed: () => void) {
  let look: Look = { loading: false }
  let asked: string | undefined
  let turn = 0

  /** Asks where it has not been asked yet, or in any case. */
  async function update({ again = false } = {}): Promise<void> {
    const { gateway, deviceId } = placeNow()
    const node = RED.nodes.node(gateway)
    const wanted = node ? signature(node) : gateway
    const isSame = wanted === asked
    if (isSame && !again && (look.loading || !lacks(look, deviceId))) return
    asked = wanted
    const mine = ++turn
    look = node
      ? { loading: true, found: isSame ? look.found : undefined }
      : { loading: false, failure: noGateway(gateway) }
    changed()
    if (!node) return

    const result = await lookAt(node, deviceId, again).then(
      (found): Look => ({ loading: false, found }),
      (failure: Unanswered): Look => ({ loading: false, failure }),
    )
    // The gateway was switched meanwhile.
    if (mine !== turn) return
    look = result
    changed()
    // So may have been the device.
    void update()
  }

  return { now: () => look, update }
}

/** Whether the routes of another device are wanted than those that are known. */
function lacks({ found }: Look, deviceId: string | undefined): boolean {
  if (!found || deviceId === undefined || deviceId === found.deviceId) return false
  return found.devices.some(({ id }) => id === deviceId)
}

function signature({ id, d, changed, credentials, ...node }: EditorNode): string {
  const { baseUrl, fingerprint, tls, proxy, timeout } = node
  return JSON.stringify([id, d, changed, credentials, baseUrl, fingerprint, tls, proxy, timeout])
}

function noGateway(value: string): Unanswered {
  const isVariable = value.startsWith('${')
  return new Unanswered(text(isVariable ? 'picker.gatewayLater' : 'picker.noGateway'))
}

async function lookAt(
  node: EditorNode,
  deviceId: string | undefined,
  again: boolean,
): Promise<Found> {
  try {
    return await askAppliance('lookup', node, { deviceId }, { again })
  } catch (error) {
    const isGone = error instanceof Unanswered && error.code === 'NOT_FOUND'
    if (deviceId === undefined || !isGone) throw error
    // The device is gone: show those that there are.
    return askAppliance('lookup', node, {})
  }
}
