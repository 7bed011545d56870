// Instances that share slots over an engine, in virtual time, with all that can go wrong between them.
import type { Clock } from '../../../client/clock'
import { openOwnership } from '../../../client/fleet/ownership'
import { advice } from '../../../client/fleet/ownership/view'
import type { EngineLink, Entry, ShareState, Store } from '../../../client/fleet/types'

export const TTL = 15_000
export const BEAT = TTL / 5

/** Time that passes only from one event to the next. After each, `check` is called. */
export class Time {
  now = 0
  check: () => void = () => undefined
  #order = 0
  readonly #queue: Array<{ at: number; order: number; run: () => void }> = []

  later(ms: number, run: () => void): void {
    const event = { at: this.now + ms, order: this.#order++, run }
    let low = 0
    let high = this.#queue.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#queue[middle]!
      if (other.at > event.at || (other.at === event.at && other.order > event.order)) {
        low = middle + 1
      } else high = middle
    }
    this.#queue.splice(low, 0, event)
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (let next = this.#queue.at(-1); next && next.at <= until; next = this.#queue.at(-1)) {
      this.#queue.pop()
      this.now = next.at
      next.run()
      this.check()
      // All that follows from it at once.
      await new Promise(setImmediate)
      this.check()
    }
    this.now = until
    this.check()
  }

  /** @returns after how many ms it was so */
  async until(what: () => boolean, limitMs: number, stepMs = 10): Promise<number> {
    const from = this.now
    while (!what()) {
      if (this.now - from > limitMs) throw new Error(`Not so after ${limitMs} ms.`)
      await this.pass(stepMs)
    }
    return this.now - from
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Written {
  key: string
  value: string | undefined
  revision: number
}

/** Records that are compared and set, and connections that break. */
export class Engine {
  readonly records = new Map<string, Entry>()
  readonly watchers = new Set<(written: Written) => void>()
  /** Told when records were lost on connections that live. */
  readonly losers = new Set<() => void>()
  readonly removed: string[] = []
  /** Counts writes, and those by key. */
  writes = 0
  readonly writesOf = new Map<string, number>()
  isUp = true
  createdAt = 1_000_000
  #revision = 0
  #log: Written[] = []

  write(key: string, value: string | undefined, isReported = true): number {
    const written = { key, value, revision: ++this.#revision }
    this.#log.push(written)
    this.#apply(written)
    this.writes++
    this.writesOf.set(key, (this.writesOf.get(key) ?? 0) + 1)
    if (isReported) for (const watcher of this.watchers) watcher(written)
    return written.revision
  }

  create(key: string, value: string): number | undefined {
    return this.records.has(key) ? undefined : this.write(key, value)
  }

  update(key: string, value: string, revision: number): number | undefined {
    return this.records.get(key)?.revision === revision ? this.write(key, value) : undefined
  }

  /** Loses the last writes, though it had confirmed them. Their revisions will be used again. */
  lose(count: number): void {
    this.#log = this.#log.slice(0, Math.max(0, this.#log.length - count))
    this.#revision = this.#log.at(-1)?.revision ?? 0
    this.records.clear()
    for (const written of this.#log) this.#apply(written)
  }

  wipe(): void {
    this.createdAt += 1000
    this.lose(this.#log.length)
  }

  /** Loses writes while all connections live: who watches finds out at its next look. */
  loseQuietly(change: () => void): void {
    change()
    for (const lost of this.losers) lost()
  }

  get revision(): number {
    return this.#revision
  }

  remove(key: string, revision: number): void {
    if (this.records.get(key)?.revision !== revision) return
    this.#log.push({ key, value: undefined, revision: this.#revision })
    this.records.delete(key)
    this.removed.push(key)
  }

  /** Records of lives that have ended are deleted, with or without a word to those who watch. */
  expire(isReported: boolean): void {
    const ended = [...this.records].filter(
      ([key, { value }]) => key.startsWith('member.') && value.includes('"ended":true'),
    )
    for (const [key] of ended) this.write(key, undefined, isReported)
  }

  #apply({ key, value, revision }: Written): void {
    if (value === undefined) this.records.delete(key)
    else this.records.set(key, { value, revision })
  }
}

/** One process: a clock of its own rate, a connection to the engine, and its work. */
export class Instance {
  readonly id: string
  #lives = 0
  readonly ownership: ReturnType<typeof openOwnership>
  readonly states: ShareState[] = []
  readonly logged: string[] = []
  /** What the work was told. */
  readonly taken: number[][] = []
  readonly given: number[][] = []
  readonly working = new Set<number>()
  /** What it was told that makes no sense. */
  readonly wrong: string[] = []
  isAlive = true
  isLeaving = false
  isFrozen = false
  isCut = false
  /** Requests of this process so far, by what they are. */
  requests = 0
  /** How many of the next answers are lost. */
  loseAnswers = 0
  /** How long the end of its work takes, in ms; undefined: it never ends. */
  stopping: number | undefined = 20
  /** The engine does not answer, though the connection stays. */
  isUnanswered = false
  /** Its watch reports nothing. */
  isBlind = false
  /** The highest revision that its present connection has shown. */
  #seen = 0
  #createdAt = 0
  #inbox: Array<() => void> = []
  /** Which connection there is, and which one the process believes to have. */
  #connection = 0
  #known = 0
  #toldAt = 0
  #isUp: boolean
  readonly #watchers = new Set<(written: Written) => void>()
  /** Why it cannot connect again. */
  refusal?: string
  readonly #listeners = new Set<(isUp: boolean) => void>()
  /** Requests that wait in the library for the next connection. */
  #unsent: Array<() => void> = []

  constructor(
    readonly world: World,
    readonly name: string,
    readonly rate: number,
    connectedSince?: number,
    ttlMs = TTL,
  ) {
    this.id = `${name}-${world.instances.length}`
    this.#isUp = world.engine.isUp
    this.#seen = world.engine.revision
    this.#createdAt = world.engine.createdAt
    this.ownership = openOwnership({
      store: this.#store(),
      link: this.#link(connectedSince),
      clock: this.clock,
      name,
      ttlMs,
      slots: world.slots,
      inventory: () => undefined,
      newId: () => `${this.id}-${this.#lives++}`,
      onTaken: (slots) => {
        this.taken.push([...slots])
        for (const slot of slots) {
          if (this.working.has(slot)) this.wrong.push(`${slot} taken twice`)
          this.working.add(slot)
        }
      },
      onGiving: (slots) => {
        this.given.push([...slots])
        for (const slot of slots) if (!this.working.has(slot)) this.wrong.push(`${slot} not held`)
        return new Promise((resolve) => {
          const { stopping } = this
          for (const slot of slots) this.working.delete(slot)
          if (stopping !== undefined) this.clock.after(stopping, resolve)
        })
      },
      onState: (state) => this.states.push(state),
      log: (level, text) => this.logged.push(`${level} ${text}`),
    })
  }

  readonly clock: Clock = {
    now: () => 1_000_000 + this.world.time.now * this.rate,
    after: (ms, callback) => {
      let isOff = false
      this.#later(ms / this.rate, () => {
        if (!isOff) callback()
      })
      return () => {
        isOff = true
      }
    },
  }

  /** Of its present life. */
  get life(): string {
    return `${this.id}-${this.#lives - 1}`
  }

  get isUsable(): boolean {
    return this.isAlive && !this.isCut && this.world.engine.isUp
  }

  kill(): void {
    this.isAlive = false
    this.#break()
  }

  /** Leaves as a process does that is stopped in good order. */
  async leave(): Promise<void> {
    this.isLeaving = true
    await this.ownership.close()
    this.kill()
  }

  freeze(): void {
    this.isFrozen = true
  }

  /** All that has become due meanwhile happens, one after the other. */
  thaw(): void {
    if (!this.isFrozen) return
    this.isFrozen = false
    const inbox = this.#inbox
    this.#inbox = []
    for (const run of inbox) this.#later(0, run)
  }

  cut(noticedAfterMs = this.world.delay()): void {
    if (this.isCut) return
    this.isCut = true
    this.dropped(noticedAfterMs)
  }

  mend(): void {
    if (!this.isCut) return
    this.isCut = false
    this.reconnect()
  }

  /** The connection breaks; the process notices somewhat later. */
  dropped(noticedAfterMs = this.world.delay()): void {
    this.#break()
    this.#tell(noticedAfterMs, false)
  }

  reconnect(): void {
    if (!this.isUsable) return
    const { world } = this
    const connection = ++this.#connection
    this.#later(2 * world.delay() + 2 * world.longest, () => {
      if (connection !== this.#connection || !this.isUsable) return
      this.#tell(0, true, connection)
    })
  }

  #break(): void {
    this.#connection++
    for (const watcher of this.#watchers) this.world.engine.watchers.delete(watcher)
    this.#watchers.clear()
  }

  /** The process learns of it, of one thing after the other. */
  #tell(ms: number, isUp: boolean, connection = this.#connection): void {
    const { time } = this.world
    this.#toldAt = Math.max(this.#toldAt, time.now + ms)
    this.#later(this.#toldAt - time.now, () => {
      if (this.#isUp === isUp) return
      this.#isUp = isUp
      this.#known = connection
      if (isUp) {
        this.#seen = this.world.engine.revision
        this.#createdAt = this.world.engine.createdAt
      }
      for (const listener of this.#listeners) listener(isUp)
      if (isUp) for (const send of this.#unsent.splice(0)) send()
    })
  }

  /** In this process: not while it is frozen, and never once it is dead. */
  #later(ms: number, run: () => void): void {
    const inTurn = (): void => {
      if (!this.isAlive) return
      if (this.isFrozen) this.#inbox.push(inTurn)
      else run()
    }
    this.world.time.later(ms, inTurn)
  }

  #ask<T>(work: (engine: Engine) => T): Promise<T> {
    const { world } = this
    this.requests++
    return new Promise((resolve, reject) => {
      if (!this.#isUp) {
        this.#later(1, () => reject(new Error('not connected')))
        return
      }
      const send = (): void => {
        const connection = this.#known
        world.time.later(world.delay(), () => {
          if (connection !== this.#connection) {
            if (world.random() < world.unsent) this.#unsent.push(send)
            return
          }
          const result = work(world.engine)
          const isLost = this.isUnanswered || this.loseAnswers > 0 || world.random() < world.loss
          if (this.loseAnswers > 0) this.loseAnswers--
          if (isLost) return
          world.time.later(world.delay(), () => {
            if (connection === this.#connection) this.#later(0, () => resolve(result))
          })
        })
      }
      send()
    })
  }

  get #hasLost(): boolean {
    const { createdAt, revision } = this.world.engine
    return createdAt !== this.#createdAt || revision < this.#seen
  }

  #store(): Store {
    const latest = (): number => this.#createdAt + this.#seen
    return {
      get: (key) => this.#ask((engine) => engine.records.get(key)),
      put: (key, value, revision) =>
        this.#write((engine) =>
          revision === 0 ? engine.create(key, value) : engine.update(key, value, revision),
        ),
      remove: (key, revision) => this.#ask((engine) => engine.remove(key, revision)),
      get latest() {
        return latest()
      },
      watch: ({ onEntry, onReady }, over) =>
        new Promise((resolve, reject) => {
          const { world } = this
          const { engine } = world
          let isReady = false
          const report = ({ key, value, revision }: Written): void => {
            if (this.#watchers.has(watcher)) this.#seen = Math.max(this.#seen, revision)
            onEntry(key, value === undefined ? undefined : { value, revision })
          }
          over.onStop(() => {
            this.#watchers.delete(watcher)
            engine.watchers.delete(watcher)
            engine.losers.delete(lost)
          })
          const end = (settle: () => void): void => {
            if (over.stopped) return
            over.now()
            settle()
          }
          const look = (): void => {
            if (!this.#watchers.has(watcher)) return
            const hasLost = this.#hasLost
            if (hasLost) {
              this.#createdAt = engine.createdAt
              this.#seen = engine.revision
            }
            end(() => resolve(hasLost))
          }
          // It looks at each beat, and has got no answer while the engine lost something.
          const lost = (): void => this.#later(world.random() * BEAT + world.delay(), look)
          const watcher = (written: Written): void => {
            this.#later(world.delay(), () => report(written))
            // Twice, and out of order.
            if (world.random() < world.repeats) {
              this.#later(2 * world.longest + 10 * world.delay(), () => report(written))
            }
          }
          this.#ask(() => {
            if (over.stopped) return
            this.#watchers.add(watcher)
            engine.watchers.add(watcher)
            engine.losers.add(lost)
            const all = [...engine.records].map(([key, entry]) => ({ key, ...entry }))
            if (this.isBlind) return
            this.#later(world.delay(), () => {
              if (this.#hasLost) {
                look()
                return
              }
              // All is read again from time to time.
              this.#later(20 * BEAT, look)
              for (const written of all) report(written)
              isReady = true
              onReady()
            })
          }).catch((error: Error) => end(() => reject(error)))
          // Two requests, and two looks at what it has reported.
          this.#later(4 * BEAT, () => {
            if (!isReady) end(() => reject(new Error('The engine does not report its records.')))
          })
        }),
    }
  }

  async #write(work: (engine: Engine) => number | undefined): Promise<number | undefined> {
    const before = this.#seen
    const revision = await this.#ask(work)
    if (revision === undefined) return undefined
    if (revision <= before) throw new Error('records were lost')
    this.#seen = Math.max(this.#seen, revision)
    return revision
  }

  #link(since?: number): EngineLink {
    const isUp = (): boolean => this.#isUp
    const reason = (): string | undefined =>
      this.refusal ?? (this.#isUp ? undefined : 'The connection was cut.')
    return {
      get isUp() {
        return isUp()
      },
      since,
      get reason() {
        return reason()
      },
      onChange: (listener) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
  }
}

export interface WorldOptions {
  slots: number
  seed?: number
}

export class World {
  readonly time = new Time()
  readonly engine = new Engine()
  readonly instances: Instance[] = []
  readonly slots: number
  readonly random: () => number
  /** How long a message takes at least and at most, in ms. */
  shortest = 1
  longest = 5
  /** The share of answers that are lost, and of events that come again. */
  loss = 0
  repeats = 0
  /** The share of requests on a broken connection that are sent on the next one. */
  unsent = 0.5
  /** Each slot for which two instances could have sent at the same moment. */
  readonly doubles: string[] = []
  #wanted: { lives: string; owners: string[] } | undefined

  constructor({ slots, seed = 1 }: WorldOptions) {
    this.slots = slots
    this.random = randomFrom(seed)
    this.time.check = () => this.#look()
  }

  delay(): number {
    return this.shortest + this.random() * (this.longest - this.shortest)
  }

  start(
    name: string,
    { rate = 1, connectedSince = undefined as number | undefined, ttlMs = TTL } = {},
  ): Instance {
    const instance = new Instance(this, name, rate, connectedSince, ttlMs)
    this.instances.push(instance)
    return instance
  }

  get alive(): Instance[] {
    return this.instances.filter(({ isAlive }) => isAlive)
  }

  /** The engine goes away, and may come back without some of its records. */
  stopEngine(): void {
    if (!this.engine.isUp) return
    this.engine.isUp = false
    for (const instance of this.alive) instance.dropped()
  }

  startEngine(): void {
    if (this.engine.isUp) return
    this.engine.isUp = true
    for (const instance of this.alive) instance.reconnect()
  }

  restartEngine(change: () => void): void {
    this.stopEngine()
    change()
    this.startEngine()
  }

  ownersOf(slot: number): string[] {
    return this.alive.filter(({ ownership }) => ownership.owns(slot)).map(({ id }) => id)
  }

  /** Who owns each slot, by instance; empty where there is not exactly one. */
  owners(): string[] {
    return Array.from({ length: this.slots }, (_, slot) => {
      const owners = this.ownersOf(slot)
      return owners.length === 1 ? owners[0]! : ''
    })
  }

  /** Who should own each slot once all is quiet. */
  wanted(): string[] {
    const staying = this.alive.filter(({ isLeaving }) => !isLeaving)
    const lives = staying.map(({ life }) => life).join(' ')
    if (this.#wanted?.lives !== lives) {
      const ids = new Map(staying.map(({ id, life }) => [life, id]))
      const members = staying.map(({ name, life }) => ({ id: life, name }))
      const owners = advice(members, this.slots).map((life) => ids.get(life!) ?? '')
      this.#wanted = { lives, owners }
    }
    return this.#wanted.owners
  }

  /** Each slot has one owner, the right one, and the work knows it. */
  isSettled(): boolean {
    const { alive } = this
    const has = (owner: string, slot: number): boolean =>
      alive.every(
        ({ id, ownership, working }) =>
          ownership.owns(slot) === (id === owner) && working.has(slot) === (id === owner),
      )
    return alive.length > 0 && this.wanted().every(has)
  }

  #look(): void {
    for (let slot = 0; slot < this.slots; slot++) {
      let who: string | undefined
      for (const { isAlive, ownership, id } of this.instances) {
        if (!isAlive || !ownership.maySend(slot)) continue
        if (who) this.doubles.push(`slot ${slot} at ${this.time.now}: ${who} and ${id}`)
        who = id
      }
    }
  }
}
