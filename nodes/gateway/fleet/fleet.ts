import {
  GatewayError,
  asGatewayError,
  closedError,
  identityOf,
  ofConfiguration,
  say,
  thrownAs,
  type Identity,
} from '../../../client/errors'
import { Stop } from '../../../client/stop'
import type { Connection } from '../../../client/connection/connection'
import { carryOut, type Remote } from '../../runtime/remote'
import { createSemaphore } from '../../../client/connection/concurrency'
import type { Language } from '../../../client/model/watch'
import { slotOf } from '../../../client/fleet/slots'
import { createOpenMemory, type OpenMemory } from '../../../client/watch/takeover'
import type { Share, ShareFollower } from '../../../client/fleet/lease'
import { applianceKey, type UsableRow } from '../../../client/model/inventory'
import type { Appliance, Fleet, Follower, ListedAppliance } from '../../runtime/gateway-node'
import { newAppliance, type OwnAppliance } from '../appliance'
import { gatherFrom } from './gather'
import { unknownAppliance, type Inventory } from '../inventory'
import {
  DIFFERING_MS,
  createHeldRemoval,
  createLasting,
  digestOf,
  keptAs,
  listed,
  rowsInUse,
} from '../inventory-check'
import { hostIn, type Open } from '../options'

export interface FleetOptions {
  /** The config node, as errors name it. */
  node: Identity
  /** Opens its share, and tells the follower how that changes. @throws GatewayError `CONFIG` */
  openShare: (follower: ShareFollower) => Share
  /**
   * Opens the connection to an appliance.
   * @throws GatewayError `CONFIG`
   */
  open: (row: UsableRow, more: Omit<Parameters<Open>[1], 'log'>) => Connection
  secretPrefix: () => string
  /** Something was done for another instance. */
  note: (remote: Remote) => void
  /** Of the texts of events on the engine. */
  language: Language
  log: (level: 'info' | 'warn' | 'error', text: string) => void
}

export type OwnFleet = ReturnType<typeof createFleet>

/** What is wrong, at which level it is logged, and whether Catch nodes get it. */
interface Trouble {
  error: GatewayError
  /** Logged once, when it begins; undefined where others log it. */
  level?: 'info' | 'warn' | 'error'
  /** Catch nodes get it. */
  isAlert?: boolean
  /** It is why there are no appliances at all. */
  isWhole?: boolean
}

interface Entry {
  row: UsableRow
  /** Which appliance it is, whatever its name. */
  key: string
  /** Of the key: by it the instances divide appliances. */
  slot: number
  /** This instance works for it. */
  isOwned: boolean
  /** With leases, from then until the work has ended. */
  token?: number
  /** The followers know of it. */
  isFollowed: boolean
  /** Made when it is first used. */
  appliance?: OwnAppliance
}

/** How many connections are closed at once: all of a large fleet would time out together. */
const CLOSED_AT_ONCE = 200
/** Of what is wrong, in the log at once. */
const MOST_LOGGED = 10

/** Keeps the appliances of an inventory: each that is owned has one connection, whoever uses it. */
export function createFleet(options: FleetOptions) {
  const { node, log } = options
  let entries = new Map<string, Entry>()
  let rowTroubles: readonly Trouble[] = []
  let latest: Inventory = { rows: [], faults: [] }
  /** Why the inventory could not be read, the last time. */
  let failure: GatewayError | undefined
  /** Of the inventory as it is now; undefined until it has been read. */
  let digest: string | undefined
  let closed = false
  /** Why there is no share. */
  let unusable: GatewayError | undefined
  /** What was to be said when it was looked at last. */
  let logged: ReadonlySet<string> = new Set()
  const stop = new Stop()
  const followers = new Set<Follower>()
  const users = new Set<object>()
  /** Former appliances that are being closed, each by what settles at its end. */
  const leaving = new Map<Promise<unknown>, Entry>()
  const closing = createSemaphore(CLOSED_AT_ONCE)
  const removal = createHeldRemoval(() => update(latest))
  const differing = createLasting(DIFFERING_MS, tellChanged)

  const ofNode = (error: GatewayError): GatewayError => ofConfiguration(error, node)

  let share: Share | undefined
  let gatherer: ReturnType<typeof gatherFrom> | undefined
  /** What the watches of an appliance have open, where its next owner is another instance. */
  let openMemory: OpenMemory | undefined

  /** Not before the inventory is known: others would give up appliances of which nothing is known here. */
  function join(): void {
    if (share || closed || digest === undefined) return
    try {
      share = options.openShare({
        onTaken: takeOwned,
        onGiving: give,
        async carryOut(command) {
          const { appliance } = command
          await formerOf(appliance)
          if (!entries.get(appliance)?.isOwned) {
            throw new GatewayError('UNAVAILABLE', say('notOwned'))
          }
          return carryOut(find(appliance), command, stop, options.note)
        },
        inventory: () => digest,
        onState: tellChanged,
        onEngine(change) {
          for (const follower of followers) follower.engine?.(change)
        },
      })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      unusable = error
      tellChanged()
      return
    }
    unusable = undefined
    const { gathering, memory } = share
    openMemory = memory && createOpenMemory(memory, { log, stop })
    if (gathering) gatherer = gatherFrom(fleet, gathering, options)
    takeOwned()
  }

  /** Resolves when nothing more is sent to those that are leaving; undefined where none is. */
  function overOf(isMeant: (former: Entry) => boolean): Promise<unknown> | undefined {
    const overs = [...leaving].flatMap(([over, former]) => (isMeant(former) ? [over] : []))
    return overs.length > 0 ? Promise.all(overs) : undefined
  }

  /** Of what had this name, or was this appliance. */
  const formerOf = (name: string, key = entries.get(name)?.key): Promise<unknown> | undefined =>
    overOf((former) => former.row.name === name || former.key === key)

  function applianceOf(entry: Entry): OwnAppliance {
    const { slot } = entry
    const { name, baseUrl } = entry.row
    const identity = identityOf({ id: node.id, name, inventory: node.name }, hostIn(baseUrl))
    const open = (): Connection => {
      if (!entry.isOwned)
        throw asGatewayError(elsewhere(name, slot), { name: 'find-appliance' }, identity)
      const maySend = share?.maySend
      const memory = openMemory
      const connection = options.open(entry.row, {
        node: identity,
        maySend: maySend && (() => maySend(slot)),
        saved: memory && (() => memory.read(name, () => entry.isOwned)),
        onWatched() {
          memory?.keep(name, connection, entry.token)
          gatherer?.show(name)
        },
      })
      return connection
    }
    return (entry.appliance ??= newAppliance({
      appliance: name,
      slot,
      token: () => entry.token,
      identity,
      open,
      secretPrefix: options.secretPrefix,
      isKept: () => users.size > 0,
      warn: (text) => log('warn', `${name}: ${text}`),
    }))
  }

  /** The error of one of another share: it is known, and nothing is sent to it. */
  function elsewhere(appliance: string, slot: number): GatewayError {
    const parts = share?.parts?.(slot)
    if (parts) {
      const said = say('applianceInPart', { appliance, ...parts })
      return new GatewayError('UNAVAILABLE', said, { reason: 'other-part', retryable: false })
    }
    const said = say('applianceElsewhere', { appliance })
    // Without the engine nobody knows whose it is.
    return withoutLease() ?? new GatewayError('UNAVAILABLE', said)
  }

  /** Begins to work for all that the share has and nobody here works for yet. */
  function takeOwned(): void {
    if (closed || !share) return
    for (const entry of entries.values()) {
      if (entry.isOwned || !share.owns(entry.slot)) continue
      entry.isOwned = true
      entry.token = share.token?.(entry.slot)
      void announce(entry)
    }
    tellChanged()
  }

  /** Followers begin when the former appliance, by name or address, has sent its last request. */
  async function announce(entry: Entry): Promise<void> {
    const { row, key } = entry
    const { name } = row
    for (let former = formerOf(name, key); former; former = formerOf(name, key)) await former
    if (closed || entries.get(name) !== entry || !entry.isOwned || entry.isFollowed) return
    entry.isFollowed = true
    for (const follower of followers) add(follower, entry)
  }

  const add = (follower: Follower, entry: Entry): void =>
    void guarded(entry.row.name, () => follower.added(applianceOf(entry)))

  /** A follower that throws keeps nothing from the others. */
  async function guarded(name: string, tell: () => void | Promise<void>): Promise<void> {
    try {
      await tell()
    } catch (error) {
      log('warn', `${name}: ${thrownAs(error)}`)
    }
  }

  /**
   * Ends all work for an appliance, which is leaving until that is over. What follows it stops at once;
   * its connection waits for what is under way as at every close.
   */
  function retire(entry: Entry): void {
    const { appliance, row, isFollowed, token } = entry
    const { name } = row
    Object.assign(entry, { isOwned: false, isFollowed: false, appliance: undefined })
    if (appliance) {
      const told = isFollowed
        ? [...followers].map((one) => guarded(name, () => one.removed(appliance)))
        : []
      const { opened } = appliance
      const kept = opened && openMemory?.end(name, opened, token)
      const ended = closing.run(() => appliance.close())
      const all = Promise.all([...told, kept, ended])
      const over: Promise<unknown> = all.then(() => leaving.delete(over))
      leaving.set(over, entry)
    }
    entry.token = undefined
  }

  /** Also of those that have left the inventory, or had another name, a moment ago and are still at it. */
  async function give(slots: readonly number[]): Promise<void> {
    const given = new Set(slots)
    for (const entry of entries.values()) if (given.has(entry.slot)) retire(entry)
    tellChanged()
    await overOf(({ slot }) => given.has(slot))
  }

  /** Why no appliance is owned, where that is not as it should be. */
  function withoutLease(): GatewayError | undefined {
    const { phase, reason = '' } = share?.state?.() ?? {}
    if (phase !== 'lost') return undefined
    return new GatewayError('UNAVAILABLE', say('engineLost', { reason }))
  }

  /** The instances that have another inventory. */
  const others = (): string[] =>
    (share?.state?.().members ?? [])
      .flatMap(({ name, inventory = digest }) => (inventory === digest ? [] : name))
      .sort()

  /** What is wrong now: of the fleet, of its inventory, and of the rows of that. */
  function troubles(): Trouble[] {
    const isRead = digest !== undefined
    const instances = differing.isOver ? others().join(', ') : ''
    const differs = instances === '' ? undefined : say('inventoryDiffers', { instances })
    const ofAll: Array<Partial<Trouble>> = [
      { error: unusable, level: 'error', isAlert: true, isWhole: true },
      { error: failure, level: 'warn', isAlert: isRead, isWhole: !isRead },
      // The lease has logged it.
      { error: withoutLease(), isWhole: true },
      { error: differs && new GatewayError('CONFIG', differs), level: 'warn' },
      { error: removal.error, level: 'warn', isAlert: true },
    ]
    return [
      ...ofAll.flatMap(({ error, ...told }) => (error ? { error: ofNode(error), ...told } : [])),
      ...rowTroubles,
    ]
  }

  /** Logs what is wrong and was not before, and tells the followers. */
  function tellChanged(): void {
    if (!closed) differing.set(others().length > 0 ? 'yes' : undefined)
    const lines = troubles().map(({ level, error }) => ({ level, text: error.message }))
    const foreign = listed(latest.ignored ?? [])
    if (foreign !== '')
      lines.unshift({ level: 'info', text: `Inventory: not used are ${foreign}.` })
    const news = lines.filter(({ level, text }) => level && !logged.has(text))
    logged = new Set(lines.map(({ text }) => text))
    for (const { level, text } of news.slice(0, MOST_LOGGED)) log(level!, text)
    const more = news.length - MOST_LOGGED
    if (more > 0) log('warn', `Inventory: ${more} more rows cannot be used.`)
    for (const follower of followers) follower.changed?.()
  }

  /** The inventory was read: at first, or after a change of it. */
  function update(inventory: Inventory): void {
    const before = entries
    const { rows: inUse, faulty, gone } = rowsInUse(inventory, before)
    const rows = removal.holds(gone, before.size) ? [...inUse, ...gone] : inUse
    rowTroubles = faulty
    entries = new Map()
    for (const row of rows) {
      const known = before.get(row.name)
      entries.set(row.name, known && isSame(known.row, row) ? known : newEntry(row))
    }
    const former = [...before.values()].filter((one) => entries.get(one.row.name) !== one)
    for (const one of former) retire(one)
    if (digest !== undefined) logChange(before, former)
    latest = inventory
    failure = undefined
    digest = digestOf(rows)
    if (share) takeOwned()
    else join()
  }

  function logChange(before: ReadonlyMap<string, Entry>, former: readonly Entry[]): void {
    const added = [...entries.keys()].filter((name) => !before.has(name)).length
    const removed = former.map(({ row }) => row.name).filter((name) => !entries.has(name))
    if (added + former.length === 0) return
    const changed = former.length - removed.length
    const names = removed.length > 0 ? `: ${listed(removed)}` : ''
    log('info', `Inventory: ${added} added, ${changed} changed, ${removed.length} removed${names}.`)
  }

  const faultOf = (name: string): GatewayError | undefined =>
    rowTroubles.find(({ error }) => error.cause.appliance === name)?.error

  function find(name: string): Appliance {
    if (closed) throw closedError()
    if (unusable) throw ofNode(unusable)
    const entry = entries.get(name)
    if (entry) return applianceOf(entry)
    const fault = faultOf(name)
    if (fault) throw fault
    if (digest === undefined)
      throw ofNode(failure ?? new GatewayError('CONFIG', say('inventoryWaiting')))
    throw unknownAppliance(name, [...entries.keys()])
  }

  const fleet = {
    names: () => [...entries.keys()],
    faults: () => troubles().map(({ error }) => error),
    ignored: () => latest.ignored ?? [],
    alerts: () => troubles().flatMap(({ error, isAlert }) => (isAlert ? error : [])),
    get isMember(): boolean {
      return share !== undefined && (share.state?.().phase ?? 'member') === 'member'
    },
    get failure(): GatewayError | undefined {
      return troubles().find(({ isWhole }) => isWhole)?.error
    },
    get share(): Share | undefined {
      return share
    },
    owns: (name) =>
      entries.get(name)?.isOwned ??
      (faultOf(name) !== undefined && share?.owns(slotOf(name)) === true),
    find,
    former: (name) => formerOf(name),
    list: () =>
      [...entries.values()].map(({ row, isOwned, appliance }): ListedAppliance => ({
        name: row.name,
        address: row.baseUrl,
        fingerprint: row.fingerprint,
        isOwned,
        connection: appliance?.opened,
        failovers: appliance?.failovers,
      })),
    follow(follower) {
      followers.add(follower)
      for (const entry of entries.values()) if (entry.isFollowed) add(follower, entry)
      follower.changed?.()
      return () => void followers.delete(follower)
    },
    /**
     * Opens the share, where that has failed: after a deploy, as another config node may have taken
     * part in the fleet until then.
     */
    join,
    update,
    /** The inventory could not be read. What was read before stays in use. */
    fail: (error: GatewayError): void => {
      removal.end()
      failure = digest === undefined ? error : keptAs(error, 'inventoryKept')
      tellChanged()
    },
    /** Adds a user of all appliances: while there is one, open sessions stay open. */
    register: (user: object): void => void users.add(user),
    deregister: (user: object): void => {
      users.delete(user)
      for (const { appliance } of entries.values()) appliance?.linger()
    },
    /** Gives everything away. Never rejects. */
    async close(): Promise<void> {
      closed = true
      removal.end()
      differing.set()
      // The share gives up in time, also when an appliance does not respond.
      const given = share?.close().catch(() => undefined)
      for (const entry of entries.values()) retire(entry)
      await Promise.all([given, gatherer?.end(), overOf(() => true)])
      stop.now()
    },
  } satisfies Omit<Fleet, 'hasNames' | 'readOnly' | 'ready'> & Record<string, unknown>
  return fleet
}

function newEntry(row: UsableRow): Entry {
  const key = applianceKey(row)
  return { row, key, slot: slotOf(key), isOwned: false, isFollowed: false }
}

/** What reads an inventory gives all rows their members in the same order. */
const isSame = (one: UsableRow, other: UsableRow): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
