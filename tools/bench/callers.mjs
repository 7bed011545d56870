// What it costs to know who calls: a gateway with many listeners, whose callers come and go all the time.
//   --listeners 200   each of a route of its own
//   --callers 5       of each listener
//   --changes 5       per second: one caller of one listener joins or leaves
//   --seconds 60
//   --interval 10     seconds from poll to poll
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { startProcess, until } from '../../scripts/harness/processes.mjs'
import { table } from '../../scripts/harness/report.mjs'

const require = createRequire(import.meta.url)
const { openConnection } = require('../../dist/client/connection/connection')
const { watchDevice } = require('../../dist/client/watch/registry')

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '200' },
    callers: { type: 'string', default: '5' },
    changes: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    interval: { type: 'string', default: '10' },
  },
})
const [LISTENERS, CALLERS, CHANGES, SECONDS, INTERVAL] = [
  values.listeners,
  values.callers,
  values.changes,
  values.seconds,
  values.interval,
].map(Number)

const routes = Array.from({ length: LISTENERS }, (_, place) => ({
  name: `Route ${place}`,
  startRoute: true,
  callers: CALLERS,
  source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 + place },
  destinations: [
    { name: 'out', protocol: 'srt', srtMode: 'listener', address: '0.0.0.0', port: 7000 + place },
  ],
}))

async function main() {
  const { ask } = startProcess(new URL('appliance.mjs', import.meta.url))
  const { url } = await ask('start', { routes, settleDelay: 0 })
  /** When each caller that is expected to be told has joined or left. */
  const expected = new Map()
  const late = []
  let extra = 0
  const gateway = openConnection({
    baseUrl: url,
    username: 'haiadmin',
    password: 'manager',
    pollInterval: 1000 * INTERVAL,
    callers: () => undefined,
  })
  let polls = 0
  const end = watchDevice(gateway, {
    onHealth: ({ known }) => (polls += known ? 1 : 0),
    onEvents(events) {
      for (const { event, route } of events.filter((one) => one.event.startsWith('caller.'))) {
        const key = `${event} ${route.name}`
        const at = expected.get(key)?.shift()
        if (at === undefined) extra++
        else late.push(performance.now() - at)
      }
    },
  })
  const requests = () => gateway.counters.requests.ok
  await until(() => polls > 0 && requests() > LISTENERS, 'The first poll, with all callers', 60_000)
  // Who is there when the lists are first read is no news.
  await pause(2000 * INTERVAL)

  const from = { cpu: process.cpuUsage(), at: performance.now(), requests: requests() }
  let changes = 0
  while (performance.now() - from.at < 1000 * SECONDS) {
    // Each listener is changed once between two polls at most: its number shows it.
    const place = changes % LISTENERS
    const joins = Math.floor(changes++ / LISTENERS) % 2 === 0
    const key = `caller.${joins ? 'joined' : 'left'} Route ${place}`
    expected.set(key, [...(expected.get(key) ?? []), performance.now()])
    await fetch(`${url}/simulator/callers/Route%20${place}`, {
      method: 'POST',
      body: JSON.stringify({ out: CALLERS + (joins ? 1 : 0) }),
    })
    await pause(1000 / CHANGES)
  }
  const { user, system } = process.cpuUsage(from.cpu)
  const share = (user + system) / 10 / (performance.now() - from.at)
  const sent = requests() - from.requests
  await until(() => late.length >= changes, 'The last events', 2000 * INTERVAL + 10_000)
  end()
  await gateway.close()
  table(
    [`${LISTENERS} listeners with ${CALLERS} callers, ${CHANGES} changes per second`, ''],
    [
      ['Changes, and events without one', `${changes}, ${extra}`],
      ['Reported after, at most', `${(Math.max(...late) / 1000).toFixed(1)} s`],
      ['Poll interval', `${INTERVAL} s`],
      ['Requests for each change, with the polls', (sent / changes).toFixed(2)],
      ['CPU, with the calls that make the changes', `${share.toFixed(1)} % of a core`],
    ],
  )
  return extra === 0 && Math.max(...late) < 1000 * INTERVAL * 1.5 + 5000 ? 0 : 1
}

runScript(main)
