// The engine of the fleet: a real nats-server of its own, or the one that NATS_URL names.
import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { atEnd } from '../../scripts/harness/end.mjs'
import { Listening } from '../../scripts/harness/processes.mjs'

const MISSING = `A fleet needs NATS. Install it (Debian: apt install nats-server), set NATS_SERVER to the program, or NATS_URL to a server with JetStream: nats://user:password@host:4222`

/**
 * @returns `servers`, `user` and `password` as the config node has them; `kill` and `start` where it is
 * one of our own
 * @throws Error with a sentence for the user
 */
export async function startEngine(env = process.env) {
  if (env.NATS_URL) return engineAt(env.NATS_URL)
  const binary = programFrom(env)
  if (!binary) throw new Error(MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'media-gateway-engine-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const [user, password] = ['fleet', randomBytes(12).toString('hex')]
  const config = join(folder, 'engine.conf')
  writeFileSync(
    config,
    JSON.stringify({
      host: '127.0.0.1',
      port,
      jetstream: { store_dir: join(folder, 'store') },
      authorization: { user, password },
    }),
  )
  let server
  const start = async () => {
    server = new Listening()
    await server.start(binary, ['-c', config], {
      says: (output) => (output.includes('Server is ready') ? `127.0.0.1:${port}` : undefined),
    })
  }
  await start()
  return {
    servers: `nats://127.0.0.1:${port}`,
    port,
    user,
    password,
    start,
    async kill() {
      server.kill()
      await server.ended
    },
    /** As if it had a new disk. */
    forget: () => rmSync(join(folder, 'store'), { recursive: true, force: true }),
  }
}

function engineAt(address) {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !['nats:', 'tls:'].includes(url.protocol)) {
    throw new Error(`NATS_URL is an address such as nats://user:password@host:4222.`)
  }
  return {
    servers: `${url.protocol}//${url.host}`,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  }
}

function programFrom({ NATS_SERVER, PATH = '' }) {
  if (NATS_SERVER) return isProgram(NATS_SERVER) ? NATS_SERVER : undefined
  return [...PATH.split(delimiter), '/usr/sbin']
    .filter(Boolean)
    .map((folder) => join(folder, 'nats-server'))
    .find(isProgram)
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export async function freePort() {
  const server = createServer()
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address()
  await new Promise((resolve) => void server.close(resolve))
  return port
}
