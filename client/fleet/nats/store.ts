import type { KV, KvStatus } from '@nats-io/kv'
import { Stop, pause } from '../../stop'
import type { RecordWatch, Store } from '../types'
import { entryIn, type Bucket } from './bucket'
import { engineAway } from './failures'
import type { Link } from './link'

/**
 * Which records the engine must have, since this connection has seen them: those of the bucket that was
 * made then, up to this revision.
 */
interface Seen {
  createdAt: number
  revision: number
}

/** After so many looks a watch reads all records again, so that no mistake in them lasts. */
const MOST_LOOKS = 20

/** @param checkMs how often a watch looks whether it misses something */
export function createStore(link: Link, bucket: Bucket, checkMs: number, ended: Stop): Store {
  /** Of the present connection. */
  let seen: Seen = { createdAt: 0, revision: 0 }
  link.beforeUp((connection) => bucket.of(connection))
  link.beforeUp(async (connection) => {
    seen = stateIn(await (await bucket.of(connection)).status())
  })

  /** A revision that was there before is none of this bucket, or not of this state of it. */
  async function written(write: Promise<number | undefined>): Promise<number | undefined> {
    const present = seen
    const before = present.revision
    const revision = await write
    if (revision === undefined) return undefined
    if (revision <= before) throw engineAway('records were lost')
    present.revision = Math.max(present.revision, revision)
    return revision
  }

  return {
    get createdAt() {
      return seen.createdAt
    },
    get: (key) => bucket.get(key),
    create: (key, value) => written(bucket.create(key, value)),
    update: (key, value, revision) => written(bucket.update(key, value, revision)),
    remove: (key, revision) => bucket.remove(key, revision),
    watch(watch) {
      const stop = new Stop()
      const unhook = ended.onStop(() => stop.now())
      const end = (hasLost: boolean, reason?: string): void => {
        unhook()
        if (!stop.stopped) watch.onEnd(hasLost, reason)
      }
      session(bucket, watch, { seen, checkMs, stop }).then(end, (error: Error) =>
        end(false, error.message),
      )
      return () => stop.now()
    },
  }
}

const stateIn = ({ streamInfo }: KvStatus): Seen => ({
  createdAt: Date.parse(String(streamInfo.created)),
  revision: streamInfo.state.last_seq,
})

/**
 * One watch, from all records as they are now until the connection or the bucket ends, or something is
 * missing: so there is one way to catch up, whatever has happened.
 * @returns whether the engine has lost records
 */
async function session(
  bucket: Bucket,
  { onEntry, onReady }: RecordWatch,
  { seen, checkMs, stop }: { seen: Seen; checkMs: number; stop: Stop },
): Promise<boolean> {
  const over = new Stop()
  let hasLost = false
  /** The latest revision that the watch has reported. */
  let reported = 0

  /** Compares with what the engine must have. @returns the latest revision that it has */
  async function look(): Promise<{ latest: number; isEmpty: boolean }> {
    const { createdAt, revision } = seen
    const status = await bucket.use((kv) => kv.status())
    const now = stateIn(status)
    hasLost = now.createdAt !== createdAt || now.revision < revision
    if (hasLost) Object.assign(seen, now)
    seen.revision = Math.max(seen.revision, now.revision)
    return { latest: now.revision, isEmpty: status.values === 0 }
  }

  /** The engine may lose a watch, or the bucket, without a word on a connection that lives. */
  async function check(): Promise<void> {
    let before = 0
    for (let looks = 1; !over.stopped; looks++) {
      await pause(checkMs, over)
      if (over.stopped) return
      const now = await look().catch(() => undefined)
      // It was there at the look before, and has not been reported since.
      const misses = now !== undefined && reported < before
      // An engine that does not answer may be another one afterwards, with as many records.
      if (hasLost || misses || !now || looks >= MOST_LOOKS) over.now()
      before = now?.latest ?? before
    }
  }

  const { latest, isEmpty } = await look()
  if (hasLost || stop.stopped) return hasLost
  const entries = await watchOf(bucket)
  const unhook = stop.onStop(() => over.now())
  over.onStop(() => entries.stop())
  const checking = check()
  let isReady = false
  const ready = (): void => {
    if (isReady || over.stopped) return
    isReady = true
    reported = Math.max(reported, latest)
    onReady()
  }
  try {
    if (isEmpty) ready()
    for await (const entry of entries) {
      if (over.stopped) break
      const { key, revision, delta } = entry
      reported = Math.max(reported, revision)
      seen.revision = Math.max(seen.revision, revision)
      onEntry(key, entryIn(entry))
      if (delta === 0) ready()
    }
  } finally {
    over.now()
    unhook()
    await checking
  }
  return hasLost
}

/** A watch that begins too late for its limit ends at once. */
async function watchOf(bucket: Bucket): ReturnType<KV['watch']> {
  let isLate = false
  try {
    return await bucket.use(async (kv) => {
      const entries = await kv.watch()
      if (isLate) entries.stop()
      return entries
    })
  } catch (error) {
    isLate = true
    throw error
  }
}
