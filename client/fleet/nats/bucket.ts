import type { KV, KvEntry } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { GatewayError } from '../../errors'
import { engineAway, inTime, reasonOf } from './failures'
import type { Link } from './link'

/** A record as it is stored. */
export interface Stored {
  readonly value: Uint8Array
  readonly revision: number
}

/**
 * The records of one bucket. Whatever the engine does not answer in time rejects with `UNAVAILABLE`:
 * a write may have been made all the same.
 */
export interface Bucket {
  get(key: string): Promise<Stored | undefined>
  /** @returns its revision; undefined when there is such a record */
  create(key: string, value: Uint8Array | string): Promise<number | undefined>
  /** @returns the new revision; undefined when the record with this one is no longer present */
  update(key: string, value: Uint8Array | string, revision: number): Promise<number | undefined>
  /** Deletes a record that still has this revision, without leaving a mark of it. */
  remove(key: string, revision: number): Promise<void>
  /** The bucket on a connection that is not up yet. It is made if there is none. */
  of(connection: NatsConnection): Promise<KV>
  /** Anything else that is done with the bucket of the present connection. */
  use<T>(work: (bucket: KV) => Promise<T>): Promise<T>
}

export interface BucketOptions {
  name: string
  replicas: number
  /** Milliseconds that each call may take. */
  timeout: number
  /** It is opened when it is used: a connection counts as up without it. */
  isLazy?: boolean
  log: (level: 'info' | 'warn', text: string) => void
}

/** A bucket that exists is used as it is; one that does not is created. */
export function openBucket(link: Link, options: BucketOptions): Bucket {
  const { name, replicas, timeout, isLazy, log } = options
  let opened: { by: NatsConnection; bucket: Promise<KV> } | undefined
  let isCompared = false

  async function open(connection: NatsConnection): Promise<KV> {
    const { Kvm } = require('@nats-io/kv') as typeof import('@nats-io/kv')
    // Read from the leader of the bucket, since a replica may be behind. A leader that was just
    // replaced may be so too: that is why each write compares the revision.
    const wanted = { replicas, history: 1, allow_direct: false, storage: 'file' as const }
    const bucket = await new Kvm(connection).create(name, wanted)
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

  function present(connection: NatsConnection): Promise<KV> {
    if (opened?.by !== connection) {
      const bucket = open(connection)
      const mine = (opened = { by: connection, bucket })
      bucket.catch(() => {
        if (opened === mine) opened = undefined
      })
    }
    return opened.bucket
  }
  if (!isLazy) link.beforeUp(async (connection) => void (await present(connection)))

  async function attempt<T>(work: (bucket: KV) => Promise<T>): Promise<T> {
    const { connection } = link
    if (!connection) throw engineAway('not connected')
    try {
      return await work(await present(connection))
    } catch (error) {
      if (!isMissing(error)) throw error
      // The bucket was removed meanwhile: nothing was done in it.
      opened = undefined
      return work(await present(connection))
    }
  }

  async function use<T>(work: (bucket: KV) => Promise<T>): Promise<T> {
    try {
      return await inTime(timeout, attempt(work))
    } catch (error) {
      throw error instanceof GatewayError ? error : engineAway(reasonOf(error))
    }
  }

  const unlessChanged = (write: (bucket: KV) => Promise<number>): Promise<number | undefined> =>
    use(async (bucket) => {
      try {
        return await write(bucket)
      } catch (error) {
        if (isOtherRevision(error)) return undefined
        throw error
      }
    })

  async function purge(key: string, revision: number): Promise<void> {
    const { connection } = link
    if (!connection) throw engineAway('not connected')
    // A mark of the deletion would stay for ever; what is older than this sequence is removed without one.
    const wanted = { filter: `$KV.${name}.${key}`, seq: revision + 1 }
    const subject = `$JS.API.STREAM.PURGE.KV_${name}`
    const answer = await connection.request(subject, JSON.stringify(wanted), { timeout })
    const { error } = answer.json<{ error?: { description?: string } }>()
    if (error) throw engineAway(String(error.description))
  }

  return {
    use,
    of: present,
    remove: (key, revision) => use(() => purge(key, revision)),
    async get(key) {
      const entry = await use((bucket) => bucket.get(key))
      return entry && isPresent(entry) ? entry : undefined
    },
    create: (key, value) => unlessChanged((bucket) => bucket.create(key, value)),
    update: (key, value, revision) =>
      unlessChanged((bucket) => bucket.update(key, value, revision)),
  }
}

/** False for the mark of a deleted record. */
export const isPresent = ({ operation }: KvEntry): boolean => operation === 'PUT'

export const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** "wrong last sequence", of one server and of a cluster. */
export const isOtherRevision = (error: unknown): boolean =>
  codeOf(error) === 10071 || codeOf(error) === 10164

/** "stream not found"; and a write to which nothing listens, which is what the client makes of it. */
const isMissing = (error: unknown): boolean =>
  codeOf(error) === 10059 || (error instanceof Error && error.name === 'JetStreamNotEnabled')
