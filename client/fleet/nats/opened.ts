import type { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { GatewayError } from '../../errors'
import { answered, engineAway, reasonOf } from './failures'
import type { Link } from './link'

/**
 * Something on the engine that is opened once for each connection.
 * @param open makes it if there is none
 */
export function openedOn<T>(link: Link, open: (engine: Kvm) => Promise<T>) {
  let latest: { by: NatsConnection; opened: Promise<T> } | undefined

  /** On a connection that is not up yet. */
  function of(connection: NatsConnection): Promise<T> {
    if (latest?.by !== connection) {
      const kv = require('@nats-io/kv') as typeof import('@nats-io/kv')
      const opened = open(new kv.Kvm(connection))
      const mine = (latest = { by: connection, opened })
      opened.catch(() => {
        if (latest === mine) latest = undefined
      })
    }
    return latest.opened
  }

  async function attempt<R>(work: (opened: T) => Promise<R>): Promise<R> {
    if (!link.connection) throw engineAway('not connected')
    return work(await of(link.connection))
  }

  /**
   * On the present connection. Whatever the engine does not answer in time rejects with `UNAVAILABLE`: a
   * write may have been made all the same.
   */
  function use<R>(work: (opened: T) => Promise<R>): Promise<R> {
    const made = attempt(work).catch((error: unknown) => {
      if (!isMissing(error)) throw error
      // It was removed meanwhile: nothing was done.
      latest = undefined
      return attempt(work)
    })
    return answered(link.timeout, made).catch((error: unknown) => {
      throw error instanceof GatewayError ? error : engineAway(reasonOf(error))
    })
  }
  return { of, use }
}

/** The revision of a write; undefined where the record no longer has the one that it replaces. */
export async function unlessChanged(write: Promise<number>): Promise<number | undefined> {
  try {
    return await write
  } catch (error) {
    // "wrong last sequence", of one server and of a cluster.
    if (codeOf(error) === 10071 || codeOf(error) === 10164) return undefined
    throw error
  }
}

export const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/** "stream not found"; and a write to which nothing listens, which is what the client makes of it. */
const isMissing = (error: unknown): boolean =>
  codeOf(error) === 10059 || (error instanceof Error && error.name === 'JetStreamNotEnabled')
