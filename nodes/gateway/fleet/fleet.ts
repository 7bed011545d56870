import {
  GatewayError,
  asGatewayError,
  closedError,
  identityOf,
  ofConfiguration,
  savedIn,
  say,
  Stop,
  type Connection,
  type GatewayOptions,
  type Identity,
  thrownAs,
} from '../../../client/internal'
import { carryOut, type Remote } from '../../runtime/elsewhere'
import { createSemaphore } from '../../../client/connection/concurrency'
import { createOutageLog } from '../../../client/connection/outage-log'
import type { Language } from '../../../client/model/watch'
import type { Inventory, UsableRow } from '../../../client/fleet/inventory'
import { createPictures } from '../../../client/fleet/pictures'
import type { Share } from '../../../client/fleet/types'
import type { Appliance, Fleet, Follower, ListedAppliance } from '../../runtime/gateway-node'
import { newAppliance, type OwnAppliance } from '../appliance'
import { createAgreement, digestOf } from './agreement'
import { gatherFrom } from './gather'
import { hostIn } from '../options'
import type { OpenShare } from './share'

export interface FleetOptions {
  /** The config node, as errors name it. */
  node: { id: string; name: string }
  readOnly: boolean
  /** Settles when the inventory has been read once, or could not be. */
  ready: Promise<void>
  /** @throws GatewayError `CONFIG` */
  openShare: OpenShare
  /**
   * Opens the connection to an appliance.
   * @throws GatewayError `CONFIG`
   */
  open: (
    row: UsableRow,
    identity: Identity,
    ownership: Pick<GatewayOptions, 'maySend' | 'saved'>,
  ) => Connection
  secretPrefix: () => string
  /** Something was done for another instance. */
  note: (remote: Remote) => void
  /** Of the texts of events on the engine. */
  language: Language
  log: (level: 'info' | 'warn', text: string) => void
}

/** A fleet, for the config node that has made it. */
export interface OwnFleet extends Fleet {
  /**
   * Opens the share, where that has failed: after a deploy, as another config node may have taken part in
   * the fleet until then.
   */
  join(): void
  /** The inventory was read: at first, or after a change of it. */
  update(inventory: Inventory): void
  /** The inventory could not be read. What was read before stays in use. */
  fail(error: GatewayError): void
  /** Adds a user of all appliances: while there is one, open sessions stay open. */
  register(user: object): void
  deregister(user: object): void
  /** Gives everything away. Never rejects. */
  close(): Promise<void>
}

/** An appliance of the inventory. */
interface Entry {
  row: UsableRow
  /** This instance works for it. */
  isOwned: boolean
  /** The followers know of it. */
  isFollowed: boolean
  /** Made when it is first used. */
  appliance?: OwnAppliance
}

/** How many connections are closed at once: all of a large fleet would time out together. */
const CLOSED_AT_ONCE = 200
/** Of the faults of an inventory, in the log. */
const MOST_LOGGED = 10

/** Keeps the appliances of an inventory: each that is owned has one connection, whoever uses it. */
export function createFleet(options: FleetOptions): OwnFleet {
  const { node, log } = options
  let entries = new Map<string, Entry>()
  let rowFaults: readonly GatewayError[] = []
  let faultNames: ReadonlySet<string | undefined> = new Set()
  /** Why the inventory could not be read, the last time. */
  let failure: GatewayError | undefined
  let wasRead = false
  /** Of the inventory as it is now. */
  let digest: string | undefined
  let closed = false
  let unusable: GatewayError | undefined
  const stop = new Stop()
  const followers = new Set<Follower>()
  const users = new Set<object>()
  /** Former appliances that are being closed, by their names. */
  const leaving = new Map<string, Promise<void>>()
  const closing = createSemaphore(CLOSED_AT_ONCE)
  const agreement = createAgreement(() => {
    for (const { message } of disagreement()) log('warn', message)
    tellChanged()
  })

  const ofNode = (error: GatewayError): GatewayError =>
    ofConfiguration(error, { ...node, host: '' })
  const identityIn = ({ name, baseUrl }: UsableRow): Identity =>
    identityOf({ id: node.id, name, inventory: node.name }, hostIn(baseUrl))

  let share: Share | undefined
  let stopGathering = (): Promise<void> => Promise.resolve()
  /** What a former owner has left of an appliance. */
  let pictureOf: ReturnType<typeof createPictures> | undefined

  /** Not before the inventory is known: others would give up appliances of which nothing is known here. */
  function join(): void {
    if (share || closed || !wasRead) return
    try {
      share = options.openShare({
        onTaken: takeOwned,
        onGiving: give,
        async carryOut(command) {
          const { appliance } = command
          await leaving.get(appliance)
          return carryOut(owned(appliance), command, stop, options.note)
        },
        inventory: () => digest,
        onState({ members }) {
          agreement.compare(digest, members)
          tellChanged()
        },
        onEngine(change) {
          for (const follower of followers) follower.engine?.(change)
        },
      })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      unusable = ofNode(error)
      tellChanged()
      return
    }
    unusable = undefined
    const { gathering } = share
    if (gathering) {
      const outages = createOutageLog(
        log,
        'The pictures on the engine can be read and written again.',
      )
      pictureOf = createPictures(gathering, {
        isWanted: (name) => entries.get(name)?.isOwned === true,
        onSuccess: (name) => outages.recovered(`read ${name}`),
        onFailure: (name, { message }) =>
          outages.failed(
            `read ${name}`,
            'read',
            `The pictures of former owners cannot be read from the engine, among them that of "${name}": ${message} Watches begin as at a first start, and go on with what was open as soon as it can be read.`,
          ),
        stop,
      })
      stopGathering = gatherFrom(fleet, {
        gathering,
        token: (name) => share?.token?.(name),
        language: options.language,
        onFailure: (name, text) => log('warn', `${name}: ${text}`),
        onKept: (name) => outages.recovered(`write ${name}`),
        onNotKept: (name, { message }) =>
          outages.failed(
            `write ${name}`,
            'write',
            `The pictures on the engine cannot be written, among them that of "${name}": ${message} Each is tried again at the next poll.`,
          ),
        onEnd(name) {
          outages.remove(`read ${name}`)
          outages.remove(`write ${name}`)
        },
      })
    }
    takeOwned()
  }

  function applianceOf(entry: Entry): OwnAppliance {
    const { row } = entry
    const { name } = row
    const identity = identityIn(row)
    const by = share
    const maySend = by?.maySend && ((): boolean => by.maySend?.(name) ?? false)
    const handed = pictureOf
    return (entry.appliance ??= newAppliance({
      appliance: name,
      identity,
      open: () =>
        options.open(row, identity, {
          maySend,
          saved: handed && (async () => savedIn(await handed(name))),
        }),
      secretPrefix: options.secretPrefix,
      isKept: () => users.size > 0,
      warn: (text) => log('warn', `${name}: ${text}`),
    }))
  }

  /** Begins to work for all that the share has and nobody here works for yet. */
  function takeOwned(): void {
    if (closed || !share) return
    for (const [name, entry] of entries) {
      if (entry.isOwned || !share.owns(name)) continue
      entry.isOwned = true
      announce(entry)
    }
    tellChanged()
  }

  /** Followers begin when the former appliance of this name has sent its last request. */
  function announce(entry: Entry): void {
    const { name } = entry.row
    const former = leaving.get(name)
    if (former) {
      void former.then(() => {
        const isPresent = entries.get(name) === entry && entry.isOwned && !entry.isFollowed
        if (isPresent && !closed) announce(entry)
      })
      return
    }
    entry.isFollowed = true
    for (const follower of followers) add(follower, entry)
  }

  function add(follower: Follower, entry: Entry): void {
    try {
      follower.added(applianceOf(entry))
    } catch (error) {
      log('warn', `${entry.row.name}: ${thrownAs(error)}`)
    }
  }

  /**
   * Ends all work for an appliance. What follows it stops at once; its connection waits for what is under
   * way as at every close. Never rejects.
   */
  function retire(entry: Entry): Promise<void> {
    const { appliance, row, isFollowed } = entry
    const { name } = row
    const former = leaving.get(name)
    entry.isOwned = false
    entry.isFollowed = false
    entry.appliance = undefined
    if (!appliance) return former ?? Promise.resolve()
    const told = isFollowed ? [...followers].map((follower) => remove(follower, appliance)) : []
    const ended = closing.run(() => appliance.close())
    const over = Promise.all([former, ...told, ended]).then(() => {
      if (leaving.get(name) === over) leaving.delete(name)
    })
    leaving.set(name, over)
    return over
  }

  async function remove(follower: Follower, appliance: Appliance): Promise<void> {
    try {
      await follower.removed(appliance)
    } catch (error) {
      log('warn', `${appliance.appliance}: ${thrownAs(error)}`)
    }
  }

  async function give(isGiven: (name: string) => boolean): Promise<void> {
    const given = [...entries.values()].filter(({ row }) => isGiven(row.name))
    const over = given.map(retire)
    tellChanged()
    await Promise.all(over)
    // Some may have left the inventory a moment ago, and still be at it.
    await Promise.all([...leaving].filter(([name]) => isGiven(name)).map(([, former]) => former))
  }

  function tellChanged(): void {
    for (const follower of followers) follower.changed?.()
  }

  function owned(name: string): Appliance {
    if (entries.get(name)?.isOwned) return find(name)
    throw new GatewayError('UNAVAILABLE', say('notOwned'))
  }

  /** Why no appliance is owned, where that is not as it should be. */
  function lost(): GatewayError | undefined {
    const { phase, reason = '' } = share?.state?.() ?? {}
    if (phase !== 'lost') return undefined
    return ofNode(new GatewayError('UNAVAILABLE', say('engineLost', { reason })))
  }

  /** Other instances have another inventory. */
  function disagreement(): GatewayError[] {
    const { others } = agreement
    if (others.length === 0) return []
    const instances = others.join(', ')
    return [ofNode(new GatewayError('CONFIG', say('inventoryDiffers', { instances })))]
  }

  function update({ rows, faults }: Inventory): void {
    const before = entries
    const counts = { added: 0, changed: 0, removed: 0 }
    entries = new Map()
    for (const row of rows) {
      const known = before.get(row.name)
      before.delete(row.name)
      if (!known) counts.added++
      if (known && isSame(known.row, row)) entries.set(row.name, known)
      else entries.set(row.name, { row, isOwned: false, isFollowed: false })
      if (!known || isSame(known.row, row)) continue
      counts.changed++
      void retire(known)
    }
    for (const gone of before.values()) {
      counts.removed++
      void retire(gone)
    }
    logChange(counts, faults)
    rowFaults = faults
    faultNames = new Set(faults.map(({ cause }) => cause.appliance))
    failure = undefined
    wasRead = true
    digest = digestOf(rows)
    agreement.compare(digest, share?.state?.().members ?? [])
    if (share) takeOwned()
    else join()
  }

  function logChange({ added, changed, removed }: Counts, faults: readonly GatewayError[]): void {
    if (wasRead && added + changed + removed > 0) {
      log('info', `Inventory: ${added} added, ${changed} changed, ${removed} removed.`)
    }
    const known = new Set(rowFaults.map(({ message }) => message))
    const news = faults.filter(({ message }) => !known.has(message))
    for (const { message } of news.slice(0, MOST_LOGGED)) log('warn', message)
    const more = news.length - MOST_LOGGED
    if (more > 0) log('warn', `Inventory: ${more} more rows cannot be used.`)
  }

  function find(name: string): Appliance {
    if (closed) throw closedError()
    if (unusable) throw unusable
    const entry = entries.get(name)
    if (entry) return entry.isOwned ? applianceOf(entry) : elsewhere(entry.row)
    const fault = rowFaults.find(({ cause }) => cause.appliance === name)
    if (fault) throw fault
    if (!wasRead) throw failure ?? ofNode(new GatewayError('CONFIG', say('inventoryWaiting')))
    const cause = { appliance: name }
    throw new GatewayError('NOT_FOUND', say('applianceNotFound', { appliance: name }), cause)
  }

  /** One of another share: it is known, and nothing is sent to it. */
  function elsewhere(row: UsableRow): Appliance {
    const { name } = row
    const identity = identityIn(row)
    const refusal = new GatewayError('UNAVAILABLE', say('applianceElsewhere', { appliance: name }))
    return {
      appliance: name,
      identity,
      client() {
        throw asGatewayError(refusal, { name: 'find-appliance' }, identity)
      },
      secretPrefix: options.secretPrefix,
      failovers: new Set(),
      register: () => undefined,
      deregister: () => undefined,
    }
  }

  const fleet: OwnFleet = {
    readOnly: options.readOnly,
    ready: options.ready,
    names: () => [...entries.keys()],
    faults: () => [
      ...[unusable ?? failure ?? lost() ?? []].flat(),
      ...disagreement(),
      ...rowFaults,
    ],
    get failure() {
      return unusable ?? (wasRead ? lost() : failure)
    },
    get state() {
      return share?.state
    },
    get send() {
      return share?.send
    },
    get memory() {
      return share?.memory
    },
    get token() {
      return share?.token
    },
    owns: (name) =>
      entries.get(name)?.isOwned ?? (faultNames.has(name) && share?.owns(name) === true),
    find,
    former: (name) => leaving.get(name),
    list: () =>
      [...entries.values()].map(({ row, isOwned, appliance }): ListedAppliance => ({
        name: row.name,
        address: row.baseUrl,
        isOwned,
        connection: appliance?.opened,
        failovers: appliance?.failovers,
      })),
    follow(follower) {
      followers.add(follower)
      for (const entry of entries.values()) if (entry.isFollowed) add(follower, entry)
      follower.changed?.()
      return () => {
        followers.delete(follower)
      }
    },
    join,
    update,
    fail(error) {
      failure = ofNode(wasRead ? kept(error) : error)
      log('warn', failure.message)
      tellChanged()
    },
    register: (user) => void users.add(user),
    deregister(user) {
      users.delete(user)
      if (users.size > 0 || closed) return
      for (const { appliance } of entries.values()) appliance?.linger()
    },
    async close() {
      closed = true
      agreement.close()
      // The share gives up in time, also when an appliance does not respond.
      const given = share?.close().catch(() => undefined)
      const over = [...entries.values()].map(retire)
      await Promise.all([given, stopGathering(), ...over, ...leaving.values()])
      stop.now()
    },
  }
  return fleet
}

interface Counts {
  added: number
  changed: number
  removed: number
}

const isSame = (one: UsableRow, other: UsableRow): boolean =>
  one.baseUrl === other.baseUrl &&
  one.fingerprint === other.fingerprint &&
  one.username === other.username &&
  one.password === other.password

const kept = (error: GatewayError): GatewayError =>
  new GatewayError(error.code, [...error.sentences, say('inventoryKept')], error.cause)
