import type { Bucket as NatsBucket, KV, KvEntry, Kvm } from '@nats-io/kv'
import type { Entry } from '../types'
import type { Link } from './link'
import { codeOf, openedOn, unlessChanged } from './opened'
import type { EngineOptions } from './options'

/** The records of one bucket. Each call rejects as `use`. */
export type Bucket = ReturnType<typeof openBucket>

/** A bucket that exists is used as it is; one that does not is created when it is first used. */
export function openBucket(
  link: Link,
  name: string,
  { replicas, log }: Pick<EngineOptions, 'replicas' | 'log'>,
) {
  let isCompared = false

  async function open(engine: Kvm): Promise<KV> {
    // Read from the leader of the bucket, since a replica may be behind. A leader that was just
    // replaced may be so too: that is why each write compares the revision.
    const wanted = { replicas, history: 1, allow_direct: false, storage: 'file' as const }
    const create = (): Promise<KV> => engine.create(name, wanted)
    const bucket = await create().catch((error: unknown) => {
      // "subjects overlap with an existing stream": of the same bucket, which another instance has just created.
      if (codeOf(error) !== 10065) throw error
      return create()
    })
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

  const opened = openedOn(link, open)
  const { use } = opened
  return {
    ...opened,
    get: (key: string) =>
      use(async (bucket) => {
        const entry = await bucket.get(key)
        return entry ? entryIn(entry) : undefined
      }),
    put: (key: string, value: string, revision: number) =>
      use((bucket) =>
        unlessChanged(
          revision === 0 ? bucket.create(key, value) : bucket.update(key, value, revision),
        ),
      ),
    remove: (key: string, revision: number) =>
      use(async (bucket) => {
        const { jsm, stream } = bucket as NatsBucket
        // A mark of the deletion would stay for ever; what is older than this sequence is removed without one.
        await jsm.streams.purge(stream, { filter: `$KV.${name}.${key}`, seq: revision + 1 })
      }),
  }
}

/** Undefined for the mark of a deleted record. */
export const entryIn = ({ operation, value, revision }: KvEntry): Entry | undefined =>
  operation === 'PUT' ? { value: new TextDecoder().decode(value), revision } : undefined

/** When the bucket was made, by the clock of the engine, and its latest revision; with the keys of all its records. */
export async function stateOf(bucket: KV, hasKeys = false) {
  const { jsm, stream, prefix } = bucket as NatsBucket
  const { created, state } = await jsm.streams.info(
    stream,
    hasKeys ? { subjects_filter: `${prefix}.>` } : undefined,
  )
  return {
    state: { createdAt: Date.parse(String(created)), revision: state.last_seq },
    keys: Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length + 1)),
  }
}
