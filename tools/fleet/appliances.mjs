// Simulated appliances of a fleet, in their own process, and what they have received.
import { createRequire } from 'node:module'
import { answerCalls } from '../../scripts/harness/calls.cjs'
import { recordOf } from './record.mjs'

const require = createRequire(import.meta.url)
const { generateRoutes, startSimulator } = require('../../dist/simulator')

const appliances = []
let records = []

answerCalls({
  /** @returns `{name, url}` of each; they are numbered from `first` */
  async start({ first, count, routes, accounts, lifetime }) {
    for (let number = first; number < first + count; number++) {
      const simulator = await startSimulator({
        users: accounts.map((account) => ({ ...account, role: 'Operator' })),
        routes: generateRoutes(routes, number),
        sessionLifetime: lifetime,
        settleDelay: 0,
        journalSize: 10,
      })
      const name = `appliance-${number}`
      simulator.devices[0].name = name
      const appliance = { name, simulator, lastPoll: undefined }
      simulator.onCall((call) => {
        const record = { ...recordOf(call), appliance: name }
        if (record.kind === 'poll') appliance.lastPoll = record
        records.push(record)
      })
      appliances.push(appliance)
    }
    return appliances.map(({ name, simulator: { url } }) => ({ name, url }))
  },

  /** What was received since the last call. */
  records() {
    const all = records
    records = []
    return all
  },

  /** The latest poll of each appliance: `{name, client, at}`. */
  latest: () =>
    appliances.map(({ name, lastPoll }) => ({ name, client: lastPoll?.client, at: lastPoll?.at })),

  openSessions: () => appliances.reduce((sum, { simulator }) => sum + simulator.openSessions, 0),
})

// Ctrl-C reaches every process of the terminal: this one is stopped by its parent.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
