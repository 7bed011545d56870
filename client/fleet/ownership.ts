// Which slots this instance works for, agreed with the other instances over records on an engine.
// Why two of them never act for the same slot at once is proved in docs/project/architecture.md,
// "One owner for each slot".
import { randomUUID } from 'node:crypto'
import { MONOTONIC, type Clock } from '../clock'
import { Stop, inTime, within } from '../stop'
import { FREE, memberKey, memberText, slotKey } from './ownership/records'
import { View, advice, type Sighted } from './ownership/view'
import { SLOTS } from './slots'
import type { EngineLink, Entry, Member, ShareState, Store } from './types'

export interface OwnershipOptions {
  store: Store
  link: EngineLink
  /** As people call this instance. */
  name: string
  /** How long a lease lasts without renewal, in ms. It is renewed each fifth of it. */
  ttlMs: number
  clock?: Clock
  /** How many slots there are; tests take fewer. The same for all instances. */
  slots?: number
  /** A digest of its inventory, by which instances compare theirs; undefined while there is none. */
  inventory: () => string | undefined
  /** Makes the id of a life. */
  newId?: () => string
  /** Work for these may begin: `owns` is true for them. */
  onTaken(slots: readonly number[]): void
  /**
   * Work for these must stop. Resolves once nothing more is sent for them. `maySend` stays true until
   * then where the lease still allows it, but no longer than 0.35 TTL.
   */
  onGiving(slots: readonly number[]): Promise<void>
  /** The state has changed. */
  onState(state: ShareState): void
  log: (level: 'info' | 'warn', text: string) => void
}

/** A slot that the engine has confirmed as ours. */
interface Hold {
  /** Of the record that names this life. */
  readonly revision: number
  /** Until when its work may send, by the clock: without end, or what it needs to stop. In the past, there is none. */
  until: number
}

/** One life of this instance. */
interface Life {
  readonly id: string
  /** Counts its renewals: those that were written, and the last one that the engine has confirmed. */
  beats: number
  confirmed: number
  /** When that one was sent. */
  sentAt: number
  /** Its record was ended or lost: it can never renew again. */
  isOver: boolean
}

/** How often a lease is renewed, in TTL. Others end a life after a whole one. */
const BEAT = 0.2
/** Nothing is sent so long after the last confirmed renewal went out, in TTL. */
const FENCE = 0.9
/** Work is stopped so long after it, in TTL, to be over before the fence. */
const STOP = 0.55
/** How long the end of work may take, in TTL: from where it is stopped until the fence. */
const STOPPING = 0.35
/** An instance that has not joined so long after its start counts as one that has lost its lease, in TTL. */
const PATIENCE = 2
/** How long the engine may take for one answer, in TTL: two may be lost before work is stopped. */
const ANSWER = 0.15
/** Why a lease is lost though no answer of the engine is missing: this process was held up. */
const LATE = 'It was not renewed in time.'
/** Before anything by the clock. */
const PAST = Number.NEGATIVE_INFINITY
const WRITES_AT_ONCE = 8
/** After so long the record of an ended life is deleted, in TTL. */
const FORGOTTEN = 20
/** How long after the end of a watch the next one begins. */
const AGAIN_MS = 50
/** How long a slot is kept from others while its work has not ended. */
const GIVING_MS = 8000
/** How long a close waits for the end of work, and then for that of the member record: 4 s together. */
const CLOSING_MS = 3200
const ENDING_MS = 800

/** Joins the instances that share slots over this store, and takes part until it is closed. */
export function openOwnership(options: OwnershipOptions) {
  const { store, link, name, ttlMs, inventory, log, clock = MONOTONIC, slots = SLOTS } = options
  const beatMs = BEAT * ttlMs
  const over = new Stop()
  const answered = <T>(work: Promise<T>): Promise<T> =>
    inTime(ANSWER * ttlMs, work, () => new Error('The engine does not respond.'), { after })

  const holds = new Map<number, Hold>()
  /** Slots for which a write or an end of work is under way. */
  const busy = new Set<number>()
  /** Slots whose write got no answer; tried again at the next beat. */
  const heldOff = new Set<number>()
  /** Settles when all work that was to be stopped has stopped, or has had its time. */
  let stops: Promise<unknown> = Promise.resolve()
  let writes = 0
  /** What the present watch has shown; undefined without a connection. */
  let view: View | undefined
  /** Nothing is taken and no life begins before. */
  let quietUntil = 0
  /** What is held is not worked for before. */
  let resumeAt = PAST
  let life = newLife()
  let renewing: Promise<void> | undefined
  let cancelStop: (() => void) | undefined
  let cancelRetry: (() => void) | undefined
  let reason: string | undefined
  let closing: Promise<void> | undefined
  let isClosed = false
  let published = { text: '', phase: 'joining' }
  const patientUntil = clock.now() + PATIENCE * ttlMs
  let advised: { of: string; lives: Array<string | undefined> } | undefined

  function newLife(): Life {
    const id = options.newId?.() ?? randomUUID()
    return { id, beats: 0, confirmed: 0, sentAt: PAST, isOver: false }
  }

  /** From then on this life sends nothing; by the clock. */
  const fence = (): number => life.sentAt + FENCE * ttlMs
  /** From then on it must stop its work. */
  const stopAt = (): number => life.sentAt + STOP * ttlMs

  /** Calls back after `ms` milliseconds, unless the share is closed by then. @returns cancels it */
  function after(ms: number, callback: () => void): () => void {
    const cancel = clock.after(Math.max(0, ms), () => {
      unhookTimer()
      callback()
    })
    const unhookTimer = over.onStop(cancel)
    return () => {
      unhookTimer()
      cancel()
    }
  }

  /** Resolves when the work has settled, or after `ms` milliseconds. */
  const settled = (ms: number, work: Promise<unknown>): Promise<unknown> =>
    within(ms, work, { after }).catch(() => undefined)

  /** What comes after it does not wait for the next beat. */
  function beQuiet(since = clock.now()): void {
    quietUntil = since + ttlMs
    after(quietUntil - clock.now() + 1, look)
  }

  // The connection.

  /** @param former what was known on the same connection */
  function connect(ms = 0, former?: View): void {
    const opened = new View(clock, ttlMs, former)
    view = opened
    after(ms, () => {
      if (view === opened) void watch(opened)
    })
  }

  /** Until its end, when the next one begins. */
  async function watch(opened: View): Promise<void> {
    const onEntry = (key: string, entry: Entry | undefined): void => {
      if (view !== opened) return
      opened.note(key, entry)
      if (opened.isComplete) seen()
    }
    const onReady = (): void => {
      if (view === opened) ready(opened)
    }
    const hasLost = await store.watch({ onEntry, onReady }, opened.over).catch((error: Error) => {
      if (view === opened) reason = error.message
      return false
    })
    if (view !== opened) return
    if (hasLost) lostRecords()
    connect(AGAIN_MS, hasLost ? undefined : opened)
  }

  function disconnect(): void {
    view?.over.now()
    view = undefined
  }

  const unhook = link.onChange((isUp) => {
    disconnect()
    if (isUp) {
      beQuiet()
      connect()
    } else reason = link.reason
    publish()
  })

  /** Others may have been promised what the engine does not know any more: as after a reconnection. */
  function lostRecords(): void {
    log('warn', 'The engine has lost records: nothing is taken over for one TTL.')
    reason = 'The engine has lost records.'
    beQuiet()
  }

  function ready(opened: View): void {
    opened.complete()
    if (opened.hasLost) lostRecords()
    if (clock.now() >= fence() && life.confirmed > 0) {
      // Who was ended meanwhile cannot be sure that the engine still knows it: rule 3.
      resumeAt = quietUntil
      stopAll()
    }
    compare()
    look()
  }

  /** A record has changed. */
  function seen(): void {
    compare()
    if (view?.life(life.id)?.ended) renew()
    reconcile()
  }

  /** What is held must be exactly what was written: otherwise it is ours no more. */
  function compare(): void {
    // All of it is being stopped, which the fence limits.
    if (life.isOver || !view) return
    const gone = [...holds].filter(([slot, { revision }]) => {
      const record = view!.slot(slot)
      return record?.value !== life.id || record.revision !== revision
    })
    if (gone.length === 0) return
    // Past the fence all of them are lost, which is said once: the records come one by one.
    if (clock.now() < fence()) {
      log('warn', `The engine does not name ${name} for ${gone.length} of its slots any more.`)
    }
    for (const [slot] of gone) holds.delete(slot)
    stopped(workingIn(gone))
  }

  // This life.

  function beat(): void {
    after(beatMs, beat)
    heldOff.clear()
    look()
  }

  function look(): void {
    tendOthers()
    renew()
    reconcile()
  }

  function renew(): void {
    cancelRetry?.()
    if (renewing || isClosed || life.isOver || !view?.isComplete) return
    if (life.confirmed === 0 && (closing || clock.now() < quietUntil)) return
    renewing = renewOnce(view).finally(() => {
      renewing = undefined
      publish()
    })
  }

  async function renewOnce(opened: View): Promise<void> {
    const from = clock.now()
    try {
      if (!(await writeMember(opened))) {
        startOver()
        return
      }
      // A timer may come a little early: it could not find out by itself whether it is time.
      cancelStop?.()
      cancelStop = after(stopAt() - clock.now(), () => stopAll())
      if (isHealthy()) reason = undefined
      reconcile()
    } catch (error) {
      reason = (error as Error).message
      cancelRetry = after(from + beatMs / 4 - clock.now(), renew)
    }
  }

  /**
   * Writes the record of this life: creates it at first, and replaces it by its revision from then on.
   * @param opened an answer that is not from this connection confirms nothing, since the engine may
   *   have lost records in between
   * @param ended others need not wait
   * @returns false when this life is over
   * @throws when it is not known whether it was written, or it was not. The next renewal finds out
   */
  async function writeMember(opened: View, ended?: boolean): Promise<boolean> {
    const key = memberKey(life.id)
    const ifPresent = <T>(answer: T): T => {
      if (view === opened) return answer
      throw new Error('The connection to the engine was lost.')
    }
    // Who may have been ended must not trust a number: after a rollback numbers are used again.
    if (clock.now() >= fence()) ifPresent(await readAgain(opened, key, opened.revisionOf(key)))
    // Twice: an earlier renewal whose answer was lost may have got through.
    for (let tries = 0; tries < 2; tries++) {
      const record = opened.life(life.id)
      const { confirmed } = life
      // An older one than was confirmed: the engine has lost records.
      life.isOver = record ? record.ended === true || !(record.beat >= confirmed) : confirmed > 0
      if (life.isOver) return false
      const count = ++life.beats
      const sentAt = clock.now()
      const text = memberText({ name, beat: count, inventory: inventory(), ttl: ttlMs, ended })
      const written = ifPresent(await put(opened, key, text))
      if (written === undefined) continue
      Object.assign(life, { confirmed: count, sentAt })
      return true
    }
    throw new Error('The record of this instance changes while it is written.')
  }

  /** This life is over: nothing more is written for it, and all work stops. */
  function startOver(): void {
    const ended = life
    reason = 'The lease was ended by another instance, or the engine has lost it.'
    cancelStop?.()
    beQuiet()
    stopAll()
    // What was known may be of records that are lost.
    disconnect()
    if (link.isUp) connect()
    void stops.then(() => {
      if (life !== ended || isClosed) return
      holds.clear()
      life = newLife()
      publish()
    })
  }

  function isHealthy(): boolean {
    return view?.isComplete === true && isLeased()
  }

  const isLeased = (): boolean => !life.isOver && clock.now() < stopAt()

  // The others.

  /**
   * Replaces the very record that is known, or creates it. The view knows then what is there.
   * @returns the new revision; undefined when it was another one
   */
  async function put(opened: View, key: string, value: string): Promise<number | undefined> {
    const known = opened.revisionOf(key)
    const revision = await answered(store.put(key, value, known))
    if (revision === undefined) await readAgain(opened, key, known)
    else opened.note(key, { value, revision })
    return revision
  }

  async function readAgain(opened: View, key: string, known: number): Promise<void> {
    opened.correct(key, await answered(store.get(key)), known)
  }

  /** Ends the lives that do not renew, and forgets those that ended long ago: a few at a time. */
  function tendOthers(): void {
    if (!view?.isComplete || closing) return
    const again = (): void => undefined
    for (const one of view.silent()) if (one.id !== life.id) end(view, one).catch(again)
    const forgettable = view.forgettable(FORGOTTEN * ttlMs).slice(0, WRITES_AT_ONCE)
    for (const one of forgettable) forget(view, one).catch(again)
  }

  /** Its own renewals fail from then on. */
  async function end(opened: View, { id, name: other }: Sighted): Promise<void> {
    const value = memberText({ name: other, beat: 0, ttl: 0, ended: true })
    const written = await put(opened, memberKey(id), value)
    if (written !== undefined) log('warn', `${other || id} is gone: others take its slots.`)
    if (view === opened) reconcile()
  }

  /** Each life leaves a record. Whoever is first deletes it. */
  async function forget(opened: View, { id, revision }: Sighted): Promise<void> {
    await answered(store.remove(memberKey(id), revision))
    opened.correct(memberKey(id), undefined, revision)
  }

  function members(): Member[] {
    const others = view?.members().filter(({ id }) => id !== life.id) ?? []
    if (life.confirmed === 0 || life.isOver) return others
    return [...others, { name, id: life.id, inventory: inventory() }]
  }

  // The slots.

  /** Brings what is held nearer to what should be. Called whenever something has changed. */
  function reconcile(): void {
    if (!closing && isHealthy()) {
      const begin: number[] = []
      const give: number[] = []
      const lives = advisedLives()
      for (let slot = 0; slot < slots; slot++) {
        if (busy.has(slot)) continue
        const isMine = lives[slot] === life.id
        const hold = holds.get(slot)
        if (hold && isMine) {
          if (!isWorking(hold) && clock.now() >= resumeAt) begin.push(slot)
        } else if (isWorking(hold)) give.push(slot)
        else if (isMine ? mayTake(slot) : holderOf(slot) === life.id) {
          void write(view!, slot, isMine ? life.id : FREE)
        }
      }
      stopped(give)
      for (const slot of begin) holds.get(slot)!.until = Infinity
      if (begin.length > 0) options.onTaken(begin)
    }
    publish()
  }

  function advisedLives(): Array<string | undefined> {
    const present = members()
    const of = present.map(({ id }) => id).join(' ')
    if (advised?.of !== of) advised = { of, lives: advice(present, slots) }
    return advised.lives
  }

  const holderOf = (slot: number): string | undefined => view?.slot(slot)?.value

  /** Also where the record names this life, though it does not hold the slot: an answer or a record was lost. */
  function mayTake(slot: number): boolean {
    if (clock.now() < quietUntil) return false
    const holder = holderOf(slot)
    return !holder || holder === life.id || view?.life(holder)?.ended === true
  }

  /** Takes a slot for this life or, with an empty holder, sets it free. A few at a time. */
  async function write(opened: View, slot: number, holder: string): Promise<void> {
    if (writes >= WRITES_AT_ONCE || heldOff.has(slot)) return
    const present = life
    writes++
    busy.add(slot)
    holds.delete(slot)
    try {
      const revision = await put(opened, slotKey(slot), holder)
      // An answer of a former connection or life proves nothing of now.
      if (revision === undefined || view !== opened || life !== present) return
      if (holder === FREE || life.isOver || closing) return
      holds.set(slot, { revision, until: PAST })
      compare()
    } catch {
      heldOff.add(slot)
    } finally {
      writes--
      busy.delete(slot)
      reconcile()
    }
  }

  /** Stops all that is worked for. What is held stays ours on the engine. */
  function stopAll(limitMs?: number): void {
    stopped(workingIn(holds), limitMs)
  }

  /** Stops work. Nothing more goes out once it has stopped, or has had its time. */
  function stopped(which: readonly number[], limitMs = STOPPING * ttlMs): void {
    if (which.length === 0) return
    const ended = which.flatMap((slot) => holds.get(slot) ?? [])
    const until = clock.now() + limitMs
    for (const slot of which) busy.add(slot)
    for (const hold of ended) hold.until = until
    // What has gone out may still be under way.
    const stop = settled(Math.max(limitMs, GIVING_MS), options.onGiving(which)).then(() => {
      for (const hold of ended) hold.until = PAST
      for (const slot of which) busy.delete(slot)
      reconcile()
    })
    stops = Promise.all([stops, stop])
  }

  // The state, for whoever shows it.

  function state(): ShareState {
    const phase = phaseNow()
    if (phase === 'member' || phase === 'closed') return { phase, members: members() }
    const ofLoss = life.confirmed > 0 ? LATE : 'It cannot join the fleet.'
    // What keeps it away now may be another thing than what has ended the connection.
    const why = link.reason ?? reason ?? (phase === 'lost' ? ofLoss : undefined)
    return { phase, members: members(), reason: why }
  }

  /** Who waits to join again after a loss, or has waited too long, does not work as it should. */
  function phaseNow(): ShareState['phase'] {
    if (isClosed) return 'closed'
    const now = clock.now()
    if (isLeased() && now >= resumeAt) return 'member'
    return published.phase === 'joining' && now < patientUntil ? 'joining' : 'lost'
  }

  function publish(): void {
    const present = state()
    const { phase } = present
    const text = JSON.stringify(present)
    if (text === published.text) return
    if (phase === 'lost' && published.phase === 'member') {
      log('warn', `The lease is lost, and all work stops: ${present.reason}`)
    }
    if (phase === 'member' && published.phase !== phase)
      log('info', `${name} takes part in the fleet.`)
    published = { text, phase }
    options.onState(present)
  }

  async function closeOnce(): Promise<void> {
    stopAll(CLOSING_MS)
    await settled(CLOSING_MS, stops)
    holds.clear()
    isClosed = true
    const ending = async (): Promise<void> => {
      if (view && life.beats > 0 && !life.isOver) await writeMember(view, true)
    }
    await settled(ENDING_MS, ending())
    over.now()
    unhook()
    disconnect()
    publish()
  }

  // A redeploy uses the connection again, and need not wait.
  beQuiet(link.since)
  if (link.isUp) connect()
  after(beatMs, beat)
  after(patientUntil - clock.now() + 1, publish)

  return {
    /** Whether this instance works for the slot. */
    owns: (slot: number): boolean => isWorking(holds.get(slot)) && clock.now() < fence(),
    /**
     * Whether a request may go out: false from 0.9 TTL after the last confirmed renewal was sent. By
     * the clock alone; cheap, to be asked immediately before each request.
     */
    maySend: (slot: number): boolean =>
      clock.now() < Math.min(holds.get(slot)?.until ?? PAST, fence()),
    /**
     * A number that grows with each owner of the slot; undefined where this instance does not hold it. It
     * also grows with time, by all that is written: what it is asked for later may have come from a
     * slot that was taken later.
     */
    token: (slot: number): number | undefined => (holds.has(slot) ? store.latest : undefined),
    state,
    /**
     * Stops all work and ends the member record, which sets all slots free at once; within 4 s. Without an
     * engine they become free when the lease has expired.
     */
    close: (): Promise<void> => (closing ??= closeOnce()),
  }
}

const isWorking = (hold: Hold | undefined): boolean => hold?.until === Infinity

const workingIn = (holds: Iterable<[number, Hold]>): number[] =>
  [...holds].flatMap(([slot, hold]) => (isWorking(hold) ? [slot] : []))
