// The failover of npm start: routes of the simulator, the flow that protects one of them, and failures
// from beginning to end: of its main source, then of both.
import { setTimeout as pause } from 'node:timers/promises'
import { buttons } from './failures.mjs'

export const FAILOVER = 'Failover'
/** The name of the protected route. */
export const CHANNEL = 'News channel'
const MONITOR = `${CHANNEL} main monitor`
const MAIN = { address: '239.50.1.1', port: 5000 }
const BACKUP = { address: '239.50.1.2', port: 5000 }

const source = (name, fields) => ({ name, protocol: 'udp', networkInterface: 'eth1', ...fields })

/** The protected route, and a route that receives main on another port all the time. */
export const CHANNEL_ROUTES = [
  {
    name: CHANNEL,
    startRoute: true,
    source: source(`${CHANNEL} in`, MAIN),
    destinations: [
      {
        name: `${CHANNEL} out`,
        protocol: 'udp',
        address: '239.60.1.1',
        port: 6000,
        networkInterface: 'eth1',
      },
    ],
  },
  {
    name: MONITOR,
    startRoute: true,
    source: source(`${MONITOR} in`, { ...MAIN, port: 5002 }),
    destinations: [],
  },
]

/** So short that one sees a failover in a minute. What a real one needs is longer. */
const SHORT_TIMES = {
  pollEvery: 0.5,
  holdOff: 2,
  settle: 3,
  guard: 2,
  waitToRestore: 5,
}

const FAILS = { main: 'main fails', backup: 'backup fails' }
const RETURNS = { main: 'main is back', backup: 'backup is back' }

/** The example, on the routes above and with short times, and buttons that make its sources fail. */
export function failoverFlow(nodes, url) {
  const [tab] = nodes
  const failover = nodes.find(({ type }) => type === 'media-gateway-failover')
  Object.assign(failover, {
    ...SHORT_TIMES,
    route: CHANNEL,
    main: JSON.stringify(MAIN),
    backup: JSON.stringify(BACKUP),
    restore: 'monitor',
    monitor: MONITOR,
  })
  const comment = nodes.find(({ type }) => type === 'comment')
  comment.info += `\nHere the failover protects the route "${CHANNEL}" of the simulator, with times that are shorter than usual. It returns to main, because the route "${MONITOR}" receives main all the time.\n`
  const lines = Object.entries({ main: MAIN, backup: BACKUP }).flatMap(([side, { address }]) => {
    const path = `addresses/${address}`
    return [
      { label: FAILS[side], path, body: { line: 'disconnected' } },
      { label: RETURNS[side], path, body: { line: 'ok' } },
    ]
  })
  const last = nodes.findLast(({ type }) => type === 'group')
  const groups = { '2. Make main and backup fail, and come back': lines }
  const added = buttons({ url, z: tab.id, y: last.y, groups })
  // What fails stays at the bottom.
  const lower = added.find(({ type }) => type === 'group').h + 20
  for (const node of nodes) if (node === last || node.g === last.id) node.y += lower
  return [...nodes, ...added]
}

/**
 * Lets main fail and come back, then both, as soon as the failover has done what it should.
 * @param press presses a button of the tab
 * @param heard gets what the failover reports, until the returned function is called
 * @param tell gets each step: what is done, or the sentence of an event
 * @param backupMs the backup stays in use for so long, to be seen
 */
export async function showFailover({ press, heard, tell, backupMs }) {
  let resolve
  let wanted = () => false
  const unhook = heard(({ payload }) => {
    if (payload.event !== 'failover.state') tell(payload.text)
    if (wanted(payload)) resolve(payload)
  })
  const next = (fits) =>
    new Promise((done) => {
      wanted = fits
      resolve = done
    })
  const told = (name) => next(({ event }) => event === `failover.${name}`)
  const switchedTo = (side) => next(({ event, to }) => event === 'failover.switched' && to === side)
  try {
    tell('Main fails now.')
    press(FAILS.main)
    await switchedTo('backup')
    await pause(backupMs)
    tell('Main is back.')
    press(RETURNS.main)
    await switchedTo('main')
    tell('Main and backup fail now.')
    for (const label of Object.values(FAILS)) press(label)
    await told('unprotected')
    tell('Both are back.')
    for (const label of Object.values(RETURNS)) press(label)
    await told('protected')
  } finally {
    unhook()
  }
}
