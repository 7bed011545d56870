// A fleet: many appliances, divided over instances of Node-RED (docs/fleets.md).
import type { Stop } from '../stop'

/** The engine of a fleet was lost, so that this instance works for no appliance; or it is back. */
export interface EngineChange {
  isUp: boolean
  /** Unix ms. */
  at: number
  /** Of a return: since when it was lost, Unix ms, and for how long. */
  since?: number
  outageMs?: number
}

/**
 * Which appliances of an inventory this instance works for. It goes by the key of an appliance, see
 * `keyOf`: a name may become that of another one, while the former is still at work.
 */
export interface Share {
  /** True while this instance works for the appliance: from `onTaken` until `onGiving` is called. */
  owns(key: string): boolean
  /**
   * True while it may send to the appliance, by a monotonic clock. Asked before each request goes out;
   * undefined where ownership cannot end.
   */
  readonly maySend?: (key: string) => boolean
  /**
   * Has the instance that owns an appliance carry out a command, and returns its answer. Undefined
   * where the instances cannot reach each other.
   * @param waitMs how long it waits while nobody owns the appliance; two TTL by default
   * @throws GatewayError what the owner throws; `UNAVAILABLE` when nobody owns it for so long, or the
   * engine is away: not carried out; `OUTCOME_UNKNOWN` when an owner may have begun a change and is
   * gone; `INVALID_INPUT` for what cannot be sent; `CLOSED` after the stop
   */
  readonly send?: (command: KeyedCommand, stop?: Stop, waitMs?: number) => Promise<unknown>
  /** How the instances agree; undefined where there is nothing to agree on. */
  readonly state?: () => ShareState
  /** Where this instance publishes what happens on its appliances; undefined where it need not. */
  readonly gathering?: Gathering
  /** What the next owner of an appliance has to know; undefined where ownership does not move. */
  readonly memory?: ShareMemory
  /**
   * Of an appliance that this instance owns, to be asked when its work begins: grows with each owner,
   * and with each appliance that gets the same name.
   */
  readonly token?: (key: string) => number | undefined
  /** Which part of the inventory has an appliance, and which one this instance has: `2/3`, where parts are fixed. */
  readonly parts?: (key: string) => { part: string; own: string }
  /** Gives everything away, after what is under way has ended. */
  close(): Promise<void>
}

/** What a lease knows of the fleet. */
export interface ShareState {
  /**
   * Whether this instance takes part; otherwise it works for no appliance. `joining`: within the quiet
   * time. `lost`: the lease could not be renewed, or was ended.
   */
  readonly phase: 'joining' | 'member' | 'lost' | 'closed'
  /** Who is there, as far as is known; only this one, or none, without a connection. */
  readonly members: readonly Member[]
  /** Why it does not take part. */
  readonly reason?: string
}

/** What follows the ownership of a share. */
export interface ShareFollower {
  /** `owns` has changed for some of the appliances. */
  onTaken(): void
  /**
   * These are about to be given away, or must no longer be worked for: resolves once nothing more is
   * sent to them.
   */
  onGiving(owned: (key: string) => boolean): Promise<void>
  /** A digest of the inventory, by which instances compare theirs; undefined while there is none. */
  inventory?(): string | undefined
  /** Does for another instance what its message asks for. @throws GatewayError */
  carryOut(command: Command): Promise<unknown>
  /** The state of the share has changed. */
  onState(state: ShareState): void
  /** The engine was lost, or is back. */
  onEngine(change: EngineChange): void
}

/** A record of the engine. */
export interface Entry {
  readonly value: string
  /** Grows with each write to the records of a fleet. */
  readonly revision: number
}

/** What a watch of the records reports. */
export interface RecordWatch {
  /** An entry without a value was deleted. */
  readonly onEntry: (key: string, entry: Entry | undefined) => void
  /** All records of now have been reported. */
  readonly onReady: () => void
}

/**
 * The records of a fleet on its engine: small texts that are changed by comparing revisions. A write that
 * shows that the engine has lost records rejects.
 */
export interface Store {
  /**
   * When the records were begun, in Unix ms by the clock of the engine. Added to a revision,
   * it gives a number that keeps growing even after all records were lost.
   */
  readonly createdAt: number
  /** The present record; undefined where there is none. Read where writes are decided. */
  get(key: string): Promise<Entry | undefined>
  /**
   * Replaces the record with this revision, or writes one that must not exist, for 0.
   * @returns the new revision; undefined when another one is present
   */
  put(key: string, value: string, revision: number): Promise<number | undefined>
  /** Deletes a record that still has this revision. Those who watch are not told. */
  remove(key: string, revision: number): Promise<void>
  /**
   * Reports all records, and then each change, until it ends: the next one has to begin with all records.
   * @param over ends it; stopped once it has ended
   * @returns whether the engine does not have all that it had on this connection
   * @throws when no watch was possible
   */
  watch(watch: RecordWatch, over: Stop): Promise<boolean>
}

/** Whether the engine can be used, as far as is known. */
export interface EngineLink {
  readonly isUp: boolean
  /** Since when it is without interruption, by the clock; undefined while it is not. */
  readonly since?: number
  /** While it cannot be used: why the latest attempt has failed. */
  readonly reason?: string
  /** Each loss and each return of the connection. @returns removes the listener */
  onChange(listener: (isUp: boolean, reason?: string) => void): () => void
}

/** What this instance says of itself and knows of the others. */
export interface Member {
  /** As people call it, such as a host name. */
  readonly name: string
  /** Of one life of an instance: a restart has a new one. */
  readonly id: string
  /** How many slots it owns. */
  readonly slots: number
  /** The same where the inventory is the same; undefined where it is not known. */
  readonly inventory?: string
}

/** What is to be done on an appliance by the instance that owns it. JSON; Buffers are kept. */
export interface Command {
  readonly appliance: string
  /** Whose owner is asked. */
  readonly slot: number
  /** False: it changes nothing, and may be repeated. */
  readonly writes: boolean
  /** The name of the instance that sends it. */
  readonly from: string
  /** For the one who carries it out. */
  readonly body: unknown
}

/** A command for the owner of the appliance with this key. */
export interface KeyedCommand extends Omit<Command, 'from' | 'slot'> {
  readonly key: string
}

/**
 * Where events and states of all instances come together, for a day. Each call throws a GatewayError:
 * `UNAVAILABLE` when the engine does not respond, `INVALID_INPUT` for what is too large for it.
 */
export interface Gathering {
  /** Milliseconds from one beat of an owner to the next. */
  readonly beatMs: number
  /** One subject for each event: `media-gateway.<fleet>.event.<appliance>.<event>`. */
  publish(appliance: string, event: { event: string }, token: number): Promise<void>
  /**
   * Replaces the state of an appliance, `media-gateway.<fleet>.state.<appliance>`.
   * @returns false when that of a later owner, with a higher token, is there
   */
  show(appliance: string, state: object, token: number): Promise<boolean>
  /** Says that an owner is there: `media-gateway.<fleet>.owner.<owner>`. */
  beat(owner: string, facts: object): Promise<void>
}

/** What somebody who works for an appliance remembers of it, for the next owner. */
export interface ShareMemory {
  /**
   * What was written with the highest token, and this token; undefined where nothing was, or nothing
   * that can be read.
   * @param of who remembers it: the same on all instances
   * @throws GatewayError `UNAVAILABLE` when the engine does not respond
   */
  read(of: string, appliance: string): Promise<{ memory?: unknown; token: number } | undefined>
  /**
   * Replaces it, unless something with a higher token is there already.
   * @param memory JSON; undefined forgets it
   * @returns false when something of a later owner is there
   * @throws GatewayError `UNAVAILABLE` when the engine does not respond: it may have been written all the
   * same; `INVALID_INPUT` when it is too large
   */
  write(of: string, appliance: string, memory: unknown, token: number): Promise<boolean>
}
