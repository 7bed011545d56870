import type { Bucket as NatsBucket, KV, KvEntry, Kvm } from '@nats-io/kv'
import type { Entry, Store } from '../types'
import type { Link } from './link'
import { openedOn, unlessChanged, type Opened } from './opened'

/** The records of one bucket. Each call rejects as `use`. */
export interface Bucket extends Opened<KV>, Pick<Store, 'get' | 'create' | 'update' | 'remove'> {}

export interface BucketOptions {
  name: string
  replicas: number
  /** Milliseconds that each call may take. */
  timeout: number
  log: (level: 'info' | 'warn', text: string) => void
}

/** A bucket that exists is used as it is; one that does not is created when it is first used. */
export function openBucket(link: Link, options: BucketOptions): Bucket {
  const { name, replicas, timeout, log } = options
  let isCompared = false

  async function open(engine: Kvm): Promise<KV> {
    // Read from the leader of the bucket, since a replica may be behind. A leader that was just
    // replaced may be so too: that is why each write compares the revision.
    const wanted = { replicas, history: 1, allow_direct: false, storage: 'file' as const }
    const bucket = await engine.create(name, wanted)
    if (!isCompared) {
      isCompared = true
      const { replicas: found } = await bucket.status()
      if (found !== replicas) {
        log(
          'warn',
          `The bucket "${name}" on the engine has ${found} replicas instead of ${replicas}. It is used as it is.`,
        )
      }
    }
    return bucket
  }

  const kept = openedOn(link, timeout, open)
  return {
    ...kept,
    async get(key) {
      const entry = await kept.use((bucket) => bucket.get(key))
      return entry ? entryIn(entry) : undefined
    },
    create: (key, value) => kept.use((bucket) => unlessChanged(bucket.create(key, value))),
    update: (key, value, revision) =>
      kept.use((bucket) => unlessChanged(bucket.update(key, value, revision))),
    remove: (key, revision) =>
      kept.use(async (bucket) => {
        const { jsm, stream } = bucket as NatsBucket
        // A mark of the deletion would stay for ever; what is older than this sequence is removed without one.
        await jsm.streams.purge(stream, { filter: `$KV.${name}.${key}`, seq: revision + 1 })
      }),
  }
}

/** Undefined for the mark of a deleted record. */
export const entryIn = ({ operation, value, revision }: KvEntry): Entry | undefined =>
  operation === 'PUT' ? { value: new TextDecoder().decode(value), revision } : undefined
