import type { KV, KvStatus, KvWatchEntry } from '@nats-io/kv'
import { Stop } from '../../stop'
import type { Entry, Store } from '../types'
import { isPresent, type Bucket, type Stored } from './bucket'
import type { Link } from './link'
import { pause } from './pause'

/** @param checkMs how often a watch looks whether it misses something */
export function createStore(link: Link, bucket: Bucket, checkMs: number, ended: Stop): Store {
  return {
    async get(key) {
      const stored = await bucket.get(key)
      return stored && entryOf(stored)
    },
    create: (key, value) => bucket.create(key, value),
    update: (key, value, revision) => bucket.update(key, value, revision),
    watch(onEntry, onReady) {
      const stop = new Stop()
      const unhook = ended.onStop(() => stop.now())
      void follow(link, bucket, { onEntry, onReady, checkMs, stop })
      return Promise.resolve(() => {
        unhook()
        stop.now()
      })
    },
  }
}

const entryOf = ({ value, revision }: Stored): Entry => ({
  value: new TextDecoder().decode(value),
  revision,
})

interface Watch {
  onEntry: (key: string, entry: Entry | undefined) => void
  onReady: () => void
  checkMs: number
  stop: Stop
}

/**
 * Watches in sessions. Each begins with all records as they are now, and ends with the connection, with
 * the bucket, or when it misses something. So there is one way to catch up, whatever has happened.
 */
async function follow(link: Link, bucket: Bucket, watch: Watch): Promise<void> {
  const { onReady, stop } = watch
  const known = new Set<string>()
  let isReady = false
  const ready = (): void => {
    if (isReady || stop.stopped) return
    isReady = true
    onReady()
  }
  while (!stop.stopped) {
    await link.up(stop)
    if (stop.stopped) return
    // What went wrong shows where the engine is used; here it only has to begin again.
    await session(bucket, watch, known, ready).catch(() => undefined)
    await pause(100 + 200 * Math.random(), stop)
  }
}

async function session(
  bucket: Bucket,
  { onEntry, checkMs, stop }: Watch,
  known: Set<string>,
  ready: () => void,
): Promise<void> {
  const before = await bucket.use((kv) => kv.status())
  const entries = await watchOf(bucket)
  const over = new Stop()
  const unhook = stop.onStop(() => over.now())
  over.onStop(() => entries.stop())
  const found = new Set<string>()
  let isComplete = false
  let seen = 0

  function complete(): void {
    isComplete = true
    seen = Math.max(seen, sequenceIn(before))
    for (const key of known) {
      if (found.has(key)) continue
      known.delete(key)
      onEntry(key, undefined)
    }
    ready()
  }
  function report(entry: KvWatchEntry): void {
    const { key, revision, delta } = entry
    seen = Math.max(seen, revision)
    if (!isPresent(entry)) {
      found.delete(key)
      if (known.delete(key)) onEntry(key, undefined)
    } else {
      found.add(key)
      known.add(key)
      onEntry(key, entryOf(entry))
    }
    if (!isComplete && delta === 0) complete()
  }

  /** The engine may lose a watch, or the bucket, without a word on a connection that lives. */
  async function check(): Promise<void> {
    let last = seen
    while (!over.stopped) {
      await pause(checkMs, over)
      if (over.stopped) return
      const status = await bucket.use((kv) => kv.status()).catch(() => undefined)
      if (!status) continue
      if (createdIn(status) !== createdIn(before) || seen < last) over.now()
      last = sequenceIn(status)
    }
  }

  const checking = check()
  try {
    if (before.values === 0) complete()
    for await (const entry of entries) {
      if (over.stopped) break
      report(entry)
    }
  } finally {
    over.now()
    unhook()
    await checking
  }
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

const sequenceIn = ({ streamInfo }: KvStatus): number => streamInfo.state.last_seq
const createdIn = ({ streamInfo }: KvStatus): string => String(streamInfo.created)
