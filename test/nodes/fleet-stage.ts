// A fleet of two appliances, with a share that is moved by hand.
import { GatewayError } from '../../client/errors'
import { openConnection } from '../../client/connection/connection'
import { watchDevice } from '../../client/watch/registry'
import { applianceKey } from '../../client/model/inventory'
import { slotOf } from '../../client/fleet/slots'
import type { UsableRow } from '../../client/model/inventory'
import type { Share, ShareFollower } from '../../client/fleet/lease'
import { createFleet, type OwnFleet } from '../../nodes/gateway/fleet/fleet'
import type { Appliance, Follower } from '../../nodes/runtime/gateway-node'
import { startSimulator, type Simulator } from '../../simulator'
import { liveInOwnTime } from '../support/own-time'
import { until } from '../support/until'

export const ACCOUNT = { username: 'haiadmin', password: 'manager' }

/** Of the appliance that was last called this. */
const slots = new Map<string, number>()
export const slotNamed = (name: string): number => slots.get(name)!

/** Owns what it is told to. */
export class Moved implements Share {
  readonly owned = new Set<number>()
  mayNot = new Set<number>()
  follower!: ShareFollower
  isClosed = false

  owns = (slot: number): boolean => this.owned.has(slot)
  maySend = (slot: number): boolean => !this.mayNot.has(slot)
  take(...names: string[]): void {
    for (const name of names) this.owned.add(slotNamed(name))
    this.follower.onTaken(names.map(slotNamed))
  }
  give(...names: string[]): Promise<void> {
    const given = names.map(slotNamed)
    for (const slot of given) this.owned.delete(slot)
    return this.follower.onGiving(given)
  }
  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

export let simulators: Simulator[]
export let share: Moved
export let fleet: OwnFleet
export let told: string[]
export let logged: string[]
export let ends: Map<Appliance, () => void>

export function row(name: string, { url }: Simulator, more: object = {}): UsableRow {
  const made = { name, baseUrl: url, ...ACCOUNT, ...more }
  slots.set(name, slotOf(applianceKey(made)))
  return made
}
export const follower: Follower = {
  added(appliance) {
    told.push(`+${appliance.appliance}`)
    const end = watchDevice(appliance.client(), { onEvents: () => undefined })
    ends.set(appliance, end)
  },
  removed(appliance) {
    told.push(`-${appliance.appliance}`)
    ends.get(appliance)?.()
  },
}
export const codeOf = (name: string): string => {
  try {
    fleet.find(name).client()
    return 'found'
  } catch (error) {
    return (error as GatewayError).code
  }
}

/** A fleet for each test, which is closed after it, and leaves nothing open. */
export function stageFleet(): void {
  beforeEach(async () => {
    liveInOwnTime(10)
    simulators = await Promise.all([0, 1].map(() => startSimulator({ routes: 1 })))
    // In another slot.
    while (new Set(simulators.map(({ url }) => slotOf(new URL(url).host))).size < 2) {
      await simulators.pop()!.stop()
      simulators.push(await startSimulator({ routes: 1 }))
    }
    share = new Moved()
    told = []
    logged = []
    ends = new Map()
    fleet = newFleet()
  })

  afterEach(async () => {
    await fleet.close()
    should(share.isClosed).be.true()
    for (const simulator of simulators) {
      await until(() => simulator.openSessions === 0 && simulator.openSockets === 0)
      await simulator.stop()
    }
  })
}

/** Begins anew, with more for the share. */
export async function renew(more: Partial<Share>): Promise<void> {
  await fleet.close()
  share = Object.assign(new Moved(), more)
  fleet = newFleet()
}

function newFleet(): OwnFleet {
  const made = createFleet({
    node: { id: 'gateway', name: 'sites', host: '' },
    openShare(by) {
      share.follower = by
      return share
    },
    open: ({ baseUrl, username = '', password = '' }, more) =>
      openConnection({ baseUrl, username, password, ...more, pollInterval: 1000 }),
    secretPrefix: () => 'SRT_',
    note: () => undefined,
    language: 'en-US',
    log: (_, text) => logged.push(text),
  })
  const [one, two] = simulators as [Simulator, Simulator]
  made.update({ rows: [row('one', one), row('two', two)], faults: [] })
  return made
}
