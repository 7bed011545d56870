// One simulated appliance in its own process, so that its work is not measured.
import { createRequire } from 'node:module'
import { answerCalls } from '../../scripts/harness/calls.cjs'

const require = createRequire(import.meta.url)
const { startSimulator } = require('../../dist/simulator')

let simulator

answerCalls({
  async start(options) {
    simulator = await startSimulator(options)
    simulator.server.keepAliveTimeout = 60_000
    return { url: simulator.url, deviceId: simulator.devices[0]._id }
  },
  set: (settings) => simulator.setOptions(settings),
  /** The calls since the last tally, and all logins so far. */
  tally() {
    const calls = simulator.journal.map(({ method, url }) => `${method} ${url}`)
    simulator.clearJournal()
    return { calls, logins: simulator.logins, openSessions: simulator.openSessions }
  },
})
