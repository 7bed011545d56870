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

/** What a lease knows of the fleet. */
export interface ShareState {
  /**
   * Whether this instance takes part; otherwise it works for no appliance. `joining`: it has only
   * just been started. `lost`: the lease could not be renewed, or was ended, or it has waited too long.
   */
  readonly phase: 'joining' | 'member' | 'lost' | 'closed'
  /** Who is there, as far as is known; only this one, or none, without a connection. */
  readonly members: readonly Member[]
  /** Why it does not take part. */
  readonly reason?: string
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
   * Grows with each write, as far as it was seen, even after all records were lost: the latest revision,
   * and when the records were begun, in Unix ms by the clock of the engine.
   */
  readonly latest: number
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
  onChange(listener: (isUp: boolean) => void): () => void
}

/** What this instance says of itself and knows of the others. */
export interface Member {
  /** As people call it, such as a host name. */
  readonly name: string
  /** Of one life of an instance: a restart has a new one. */
  readonly id: string
  /** The same where the inventory is the same; undefined where it is not known. */
  readonly inventory?: string
}

/** What is to be done on an appliance by the instance that owns it. JSON. */
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
