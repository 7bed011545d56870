import { setTimeout as pause } from 'node:timers/promises'
import { ERROR_CODES } from '../../client/errors'
import { startSimulator, type Fault, type Simulator } from '../../simulator'
import { helper, type Message } from '../support/flow'
import type { Judged } from './matrix'
import { LOADED, PASS_PHRASE } from './nodes'
import { FAULTS, EXTENTS, type Extent, type Place } from './rules'
import { APPLIANCE, CREDENTIALS, closed, leftOver, secretIn, timeoutFor, watching } from './run'

/**
 * The failover node: its looks and its switch are struck while main has failed. Whatever the fault,
 * the route is on the backup in the end, by one change that was carried out.
 */
export interface FailoverCell {
  name: string
  faultName: string
  fault: Fault
  extent: Extent
  place: Place
}

const UPDATES = '/api/devices/*/updates'
const ROUTE = '/api/gateway/*/routes/live-0'
const STRUCK = {
  read: { method: 'GET', path: ROUTE },
  write: { method: 'POST', path: UPDATES },
} as const

export function failoverCells(): FailoverCell[] {
  return (['read', 'write'] as const).flatMap((place) =>
    FAULTS.flatMap(({ name, fault }) =>
      EXTENTS.map((extent): FailoverCell => ({
        name: `failover: ${name} ${extent} at each ${place}`,
        faultName: name,
        extent,
        place,
        fault: { ...fault, match: STRUCK[place], ...(extent === 'once' && { times: 1 }) },
      })),
    ),
  )
}

const MAIN = { address: '192.0.2.1', port: 5000, srtPassPhrase: PASS_PHRASE }
const BACKUP = { address: '192.0.2.2', port: 5000, srtPassPhrase: PASS_PHRASE }
const ROUTES = [
  {
    id: 'live-0',
    name: 'live-0',
    startRoute: true,
    source: {
      name: 'in',
      protocol: 'srt' as const,
      srtMode: 'caller' as const,
      srtEncryption: 'AES128',
      ...MAIN,
    },
    destinations: [{ name: 'out', protocol: 'udp' as const, address: '203.0.113.9', port: 6000 }],
  },
]

/** How long a lasting fault lasts, with two attempts to switch in it. */
const LASTING_MS = 4000
/** A change whose outcome is not known is given up after 30 s; then the guard runs. */
const ENDS_WITHIN_MS = 60_000

export async function judgeFailovers(cells: FailoverCell[]): Promise<Judged[]> {
  const simulators = await Promise.all(
    cells.map(() => startSimulator({ ...APPLIANCE, routes: ROUTES as never })),
  )
  try {
    return await watching(async (stray) => {
      const { flow, credentials } = flowOf(cells, simulators)
      await helper.load(LOADED, flow, credentials)
      const caught = new Map<string, Caught[]>()
      helper.getNode('caught').on('input', (msg: unknown) => {
        const { error } = msg as { error: Caught }
        caught.set(error.source.id, [...(caught.get(error.source.id) ?? []), error])
      })
      const seen = await Promise.all(
        cells.map((cell, index) => observe(cell, index, simulators[index]!)),
      )
      const told = JSON.stringify(helper.log().args.map(([{ msg }]) => String(msg)))
      await helper.unload()
      await closed(simulators)
      return cells.map(({ name, faultName, place }, index) => {
        const errors = caught.get(`failover-${index}`) ?? []
        const problems = [...seen[index]!, ...leftOver(simulators[index]!), ...stray()]
        const all = told + JSON.stringify(errors) + errors.map(({ message }) => message).join('')
        if (secretIn(all, simulators[index]!)) problems.push('a secret in an error or the log')
        const codes = [...new Set(errors.map(({ code }) => code))]
        const unknown = codes.filter((code) => !(ERROR_CODES as readonly string[]).includes(code))
        if (unknown.length > 0) problems.push(`unknown codes ${unknown.join()}`)
        return {
          name,
          node: 'failover',
          faultName,
          place,
          outcomes: codes.length > 0 ? codes : ['ok'],
          problems,
        }
      })
    })
  } finally {
    await Promise.all(simulators.map((simulator) => simulator.stop()))
  }
}

interface Caught {
  code: string
  message: string
  source: { id: string }
}

async function observe(
  { fault, extent, place }: FailoverCell,
  index: number,
  simulator: Simulator,
): Promise<string[]> {
  const problems: string[] = []
  const topics: string[] = []
  helper.getNode(`out-${index}`).on('input', (msg: unknown) => {
    topics.push(String((msg as Message).topic).replace('failover.', ''))
    if (secretIn(JSON.stringify(msg), simulator)) problems.push('a secret in an event')
  })
  const come = async (what: string, is: () => boolean, ms = ENDS_WITHIN_MS): Promise<void> => {
    const deadline = Date.now() + ms
    while (!is()) {
      if (Date.now() > deadline) return void problems.push(`${what} did not come: ${topics.join()}`)
      await pause(20)
    }
  }
  await come('the first look', () => topics.includes('state'))
  const free = simulator.fault(fault)
  simulator.failAddress(MAIN.address, 'disconnected')
  await come('the fault', () => simulator.journal.some((call) => call.fault))
  if (extent === 'lasting') await pause(LASTING_MS)
  free()
  const isOnBackup = (): boolean => simulator.route('live-0')!.source.address === BACKUP.address
  await come('the switch', () => topics.includes('switched') && isOnBackup())
  await pause(1500)
  const changes = simulator.journal.filter(
    ({ method, path, applied }) => method === 'POST' && path.endsWith('/updates') && applied,
  )
  // What was carried out while the fault lasted may have been sent again only after a refusal.
  if (changes.length !== 1) problems.push(`${changes.length} changes were carried out`)
  if (topics.filter((topic) => topic === 'switched').length !== 1) {
    problems.push(`told ${topics.join()}`)
  }
  const failed = topics.filter((topic) => topic === 'failed').length
  if (place === 'read' && failed > 2) problems.push(`${failed} switches failed`)
  for (const id of ['failover', 'gateway']) await helper.getNode(`${id}-${index}`).close(true)
  return problems
}

function flowOf(
  cells: FailoverCell[],
  simulators: Simulator[],
): { flow: object[]; credentials: Record<string, object> } {
  const at = { z: 'tab', x: 0, y: 0 }
  const flow = cells.flatMap(({ fault }, index) => [
    {
      id: `gateway-${index}`,
      type: 'media-gateway',
      baseUrl: simulators[index]!.url,
      timeout: timeoutFor(fault),
    },
    {
      id: `failover-${index}`,
      ...at,
      type: 'media-gateway-failover',
      gateway: `gateway-${index}`,
      route: 'live-0',
      routeType: 'id',
      main: JSON.stringify(MAIN),
      backup: JSON.stringify(BACKUP),
      configVersion: 2,
      pollEvery: 0.5,
      holdOff: 0,
      settle: 2,
      guard: 1,
      wires: [[`out-${index}`]],
    },
    { id: `out-${index}`, ...at, type: 'helper', wires: [] },
  ])
  return {
    flow: [
      { id: 'tab', type: 'tab', label: 'failovers' },
      ...flow,
      { id: 'catch', ...at, type: 'catch', scope: null, wires: [['caught']] },
      { id: 'caught', ...at, type: 'helper', wires: [] },
    ],
    credentials: Object.fromEntries(cells.map((_, index) => [`gateway-${index}`, CREDENTIALS])),
  }
}
