import { pause, type Stop } from '../../stop'
import type { RecordWatch, Store } from '../types'
import { entryIn, stateOf, type Bucket } from './bucket'
import { engineAway } from './failures'
import type { Link } from './link'

/** After so many looks a watch reads all records again, so that no mistake in them lasts. */
const MOST_LOOKS = 20

/** @param checkMs how often a watch looks whether it misses something */
export function createStore(link: Link, bucket: Bucket, checkMs: number): Store {
  /**
   * Which records the engine must have, since the present connection has seen them: those of the bucket
   * that was made then, up to this revision.
   */
  let seen = { createdAt: 0, revision: 0 }
  link.beforeUp(async (connection) => {
    seen = (await stateOf(await bucket.of(connection))).state
  })

  /** A revision that was there before is none of this bucket, or not of this state of it. */
  async function put(...write: Parameters<Store['put']>): Promise<number | undefined> {
    const present = seen
    const before = present.revision
    const revision = await bucket.put(...write)
    if (revision === undefined) return undefined
    if (revision <= before) throw engineAway('records were lost')
    present.revision = Math.max(present.revision, revision)
    return revision
  }

  /**
   * From all records as they are now until the connection or the bucket ends, or something is missing: so
   * there is one way to catch up, whatever has happened.
   */
  async function watch({ onEntry, onReady }: RecordWatch, over: Stop): Promise<boolean> {
    const present = seen
    let hasLost = false
    let isReady = false
    const known = new Set<string>()
    /** The records that the watch has not reported yet; undefined until they have been looked for. */
    let missing: Set<string> | undefined
    /** The latest revision at the latest look, and the latest that the watch has reported. */
    let [latest, reported] = [0, 0]
    let checking: Promise<void> | undefined

    /**
     * Only what is there after the watch has begun says that nothing is missing. A record that changes
     * meanwhile comes after all others, and how many follow is not what the engine says then.
     */
    function readyIfAll(): void {
      if (isReady || hasLost || over.stopped || missing?.size !== 0) return
      isReady = true
      reported = Math.max(reported, latest)
      onReady()
    }

    /** Compares with what the engine must have. */
    async function look(): Promise<void> {
      const { createdAt, revision } = present
      const { state: now, keys } = await bucket.use((kv) => stateOf(kv, !isReady))
      hasLost = now.createdAt !== createdAt || now.revision < revision
      if (hasLost) Object.assign(present, now)
      present.revision = Math.max(present.revision, now.revision)
      missing = new Set(keys.filter((key) => !known.has(key)))
      latest = now.revision
      readyIfAll()
    }

    /**
     * The engine may lose a watch, or the bucket, without a word on a connection that lives. Returns when
     * it has. Rejects when it does not answer: it may be another one afterwards, with as many records.
     */
    async function check(): Promise<void> {
      let before = 0
      for (let looks = 0; looks < MOST_LOOKS && !over.stopped; looks++) {
        await pause(checkMs, over)
        if (over.stopped) return
        await look()
        // It was there at the look before, and has not been reported since.
        if (hasLost || reported < before) return
        before = latest
      }
    }

    try {
      const entries = await bucket.use(async (kv) => {
        const all = await kv.watch()
        // At once where it has begun too late for its limit.
        over.onStop(() => all.stop())
        return all
      })
      await look()
      if (hasLost || over.stopped) return hasLost
      checking = check()
        .catch(() => undefined)
        .finally(() => over.now())
      for await (const entry of entries) {
        if (over.stopped) break
        const { key, revision } = entry
        known.add(key)
        missing?.delete(key)
        reported = Math.max(reported, revision)
        present.revision = Math.max(present.revision, revision)
        onEntry(key, entryIn(entry))
        readyIfAll()
      }
    } finally {
      over.now()
      await checking
    }
    return hasLost
  }

  return {
    get latest() {
      return seen.createdAt + seen.revision
    },
    get: bucket.get,
    put,
    remove: bucket.remove,
    watch,
  }
}
