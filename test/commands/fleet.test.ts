// What `npm --prefix tools run fleet` does, as a process of its own.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { withNats } from '../support/nats'
import { root } from '../support/root'

interface Ended {
  code: number
  output: string
  errors: string
}

function fleet(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'tools/fleet/command.mjs'), ...args],
      { env: { ...process.env, npm_lifecycle_event: '', NATS_URL: '', ...env } },
      (error, output, errors) => resolve({ code: error ? Number(error.code) : 0, output, errors }),
    )
  })
}

describe('npm --prefix tools run fleet', function () {
  this.timeout(180_000)

  it('says how to get NATS where there is none', async () => {
    const { code, errors } = await fleet([], { NATS_SERVER: 'none' })
    code.should.equal(1)
    errors.should.equal(
      'A fleet needs NATS. Install it (Debian: apt install nats-server), set NATS_SERVER to the program, or NATS_URL to a server with JetStream: nats://user:password@host:4222\n',
    )
  })

  it('says what is wrong with its options and its environment', async () => {
    const wrong = await fleet(['--instances', '2'])
    wrong.code.should.equal(1)
    wrong.errors.should.equal('--instances takes a whole number from 3, not "2".\n')
    const { errors } = await fleet([], { NATS_URL: 'localhost:4222' })
    errors.should.equal('NATS_URL is an address such as nats://user:password@host:4222.\n')
  })

  withNats('a run', () => {
    it('kills, ends and starts instances, and accounts for every gateway and command', async () => {
      const options = ['--appliances=18', '--ttl=5', '--interval=1']
      const { code, output, errors } = await fleet(['--once', '--json', ...options])
      code.should.equal(0, errors + output)
      const account = JSON.parse(output) as {
        clients: Record<string, { appliances: number }>
        events: Array<{ kind: string; moved: number; missing: number; staying: number }>
        commands: { sent: number; carriedOut: number; twice: unknown[] }
        doubles: unknown[]
        sessions: { left: number; expiring: number }
        openSessions: number
        broken: unknown[]
      }
      const { clients, events, commands, doubles, sessions, openSessions, broken } = account
      broken.should.eql([])
      doubles.should.eql([])
      events.map(({ kind }) => kind).should.eql(['kill', 'leave', 'join'])
      for (const { moved, missing, staying } of events) {
        moved.should.be.above(0)
        missing.should.equal(0)
        ;(moved + staying).should.equal(18)
      }
      // The first instance stays, and had all of them while it was alone.
      clients['node-red-1.1']!.appliances.should.equal(18)
      Object.keys(clients).length.should.equal(4)
      commands.sent.should.be.above(20)
      commands.twice.should.eql([])
      commands.carriedOut.should.equal(commands.sent)
      // As the appliances count them, and as the account does.
      openSessions.should.equal(sessions.expiring)
      sessions.left.should.equal(0)
    })
  })
})
