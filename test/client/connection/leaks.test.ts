import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listDevices } from '../../../client/api/devices'
import { Operation } from '../../../client/connection/operation'
import { Stop } from '../../../client/stop'
import { startSimulator } from '../../../simulator'
import { listenersOf } from '../../support/listeners'
import { connectTo } from './support'

const run = promisify(execFile)

describe('a closed gateway', function () {
  this.timeout(120_000)

  for (const work of ['reads', 'changes a route', 'watches', 'meets an appliance that hangs']) {
    it(`leaves no socket, timer or listener when it ${work}, and lets the process end`, async () => {
      const simulator = await startSimulator({ routes: 3, applyDelay: 0 })
      try {
        if (work.endsWith('hangs')) simulator.fault({ kind: 'hang', match: { path: '*/routes' } })
        // A process that does not end by itself is killed, and that is an error.
        const { stdout } = await run(
          process.execPath,
          [join(__dirname, 'leaks.js'), simulator.url, work],
          { timeout: 60_000 },
        )
        const { during, left } = JSON.parse(stdout) as Record<'during' | 'left', object>
        Object.keys(during).should.containEql('TCPWRAP').and.containEql('Timeout')
        left.should.eql({})
        simulator.logins.should.equal(1)
        simulator.openSessions.should.equal(0)
        simulator.openSockets.should.equal(0)
      } finally {
        await simulator.stop()
      }
    })
  }
})

describe('a request', () => {
  it('leaves no listener on the stop of its node, which lives much longer', async () => {
    const simulator = await startSimulator({ routes: 1 })
    const gateway = connectTo(simulator)
    try {
      const stop = new Stop()
      const listeners = listenersOf(stop)
      const read = listDevices(gateway, new Operation('test', { stop }))
      listeners().should.be.above(0)
      await read
      listeners().should.equal(0)
    } finally {
      await gateway.close()
      await simulator.stop()
    }
  })
})
