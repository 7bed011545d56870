// The disk of a nats-server, as full as it may become.
import type { KV } from '@nats-io/kv'

interface Engine {
  url: string
  account: { user: string; password: string }
}

const INSUFFICIENT_RESOURCES = 10023

/** Until nothing more fits, however small. */
export const fillDisk = (engine: Engine): Promise<void> =>
  filler(engine, async (bucket) => {
    for (const bytes of [900_000, 100]) {
      const part = new Uint8Array(bytes)
      const isFull = (error: { code?: number }): boolean => {
        should(error.code).equal(INSUFFICIENT_RESOURCES)
        return true
      }
      for (let count = 0, full = false; !full; count++) {
        full = await bucket.put(`${bytes}-${count}`, part).then(() => false, isFull)
      }
    }
  })

export const freeDisk = (engine: Engine): Promise<void> =>
  filler(engine, async (bucket) => void (await bucket.destroy()))

async function filler(
  { url, account }: Engine,
  work: (bucket: KV) => Promise<void>,
): Promise<void> {
  const { connect } = await import('@nats-io/transport-node')
  const { Kvm } = await import('@nats-io/kv')
  const { user, password: pass } = account
  const connection = await connect({ servers: url, user, pass })
  try {
    await work(await new Kvm(connection).create('filler', { storage: 'file' as never }))
  } finally {
    await connection.close()
  }
}
