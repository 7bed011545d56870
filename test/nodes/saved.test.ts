// Flows that earlier versions saved do what they did. The files in test/nodes/saved are never edited:
// VERSION.json is the flow, VERSION.calls.json what that version sent to change the appliance.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Route } from '../../client/model/types'
import { startSimulator, type Simulator } from '../../simulator'
import { load, result, unload, type Message } from '../support/flow'
import { root } from '../support/root'

const folder = join(root, 'test/nodes/saved')

interface Saved {
  id: string
  [property: string]: unknown
}

const DEFINITION = {
  name: 'Saved',
  source: {
    name: 'in',
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: 5101,
    srtPassPhrase: 'a-secret-of-the-test',
  },
  destinations: [
    { name: 'one', protocol: 'udp', address: '239.1.1.1', port: 6101 },
    { name: 'two', protocol: 'udp', address: '239.1.1.1', port: 6102 },
  ],
}

/** Each message, and the node that it is sent to; `routeId` is that of the route "Saved". */
const STEPS: Array<[node: string, message: Message | ((route: Route) => Message)]> = [
  ['session', {}],
  ['bare-session', {}],
  ['devices', {}],
  ['device', {}],
  ['routes', {}],
  ['bare-routes', {}],
  ['statistics', {}],
  ['preset', {}],
  ['create', { payload: DEFINITION }],
  ['bare-create', { payload: { ...DEFINITION, name: 'Bare', startRoute: true } }],
  ['route', { routeName: 'Saved' }],
  ['bare-route', { routeName: 'Saved' }],
  ['keep', { routeName: 'Saved', payload: { name: 'Saved' } }],
  ['merge', { routeName: 'Saved', payload: { destinations: [{ name: 'two', port: 6103 }] } }],
  ['merge', { routeName: 'Saved', payload: { source: { srtLatency: 300 } } }],
  ['merge', { routeName: 'Saved', payload: { destinations: { two: null } } }],
  ['replace', (route) => ({ payload: { ...route, destinations: route.destinations.slice(0, 1) } })],
  [
    // Without a mode: the list is the whole list.
    'bare-update',
    ({ destinations: [first] }) => ({
      routeName: 'Saved',
      payload: { destinations: [{ ...first, port: 6104 }] },
    }),
  ],
  ['control', { routeName: 'Saved', action: 'start' }],
  ['control', { routeName: 'Saved', action: 'restart' }],
  ['control', { routeName: 'Saved', action: 'stop' }],
  ['bare-control', { routeName: 'Saved' }],
  ['ensure', { payload: { name: 'Saved', source: { srtLatency: 400 } } }],
  ['ensure', { payload: { name: 'Saved', source: { srtLatency: 400 } } }],
  ['bare-ensure', { payload: [{ name: 'Bare', source: { srtLatency: 150 } }] }],
  ['delete', { routeName: 'Saved' }],
  ['bare-delete', { routeName: 'Bare' }],
]

for (const version of ['0.1']) {
  describe(`a flow saved by version ${version}`, () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    let simulator: Simulator

    before(async () => {
      simulator = await startSimulator({ routes: [], applyDelay: 0 })
      const [config, ...nodes] = read(`${version}.json`) as Saved[]
      const { id: _, type: __, baseUrl: ___, ...properties } = config!
      const named = Object.fromEntries(nodes.map((node) => [node.id, { x: 0, y: 0, ...node }]))
      await load(simulator.url, named, { gateway: properties })
    })
    after(async () => {
      await unload()
      await simulator.stop()
    })

    it('sends the same changes, step by step', async () => {
      const sent: Array<{ step: string; calls: unknown[] }> = []
      for (const [node, message] of STEPS) {
        simulator.clearJournal()
        await result(
          node,
          structuredClone(
            typeof message === 'function'
              ? message((await result('route', { routeName: 'Saved' })).payload as Route)
              : message,
          ),
        )
        await applied(simulator)
        sent.push({ step: `${sent.length + 1} ${node}`, calls: changesIn(simulator) })
      }
      const file = `${version}.calls.json`
      if (process.env['RECORD_SAVED'] === version)
        writeFileSync(join(folder, file), `${JSON.stringify(sent, null, 2)}\n`)
      should(sent).eql(read(file))
    }).timeout(60_000)
  })
}

/** Waits until nothing is under way on the appliance. */
async function applied(simulator: Simulator): Promise<void> {
  const isBusy = () => simulator.routes.some((route) => 'pendingUpdates' in route)
  while (isBusy()) await new Promise((resolve) => setTimeout(resolve, 20))
  await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The calls that change something, with IDs by the order in which they appear. */
function changesIn(simulator: Simulator): unknown[] {
  const ids: string[] = []
  const plain = (text: string): string =>
    text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|dev-\d+/gi, (id) => {
      if (!ids.includes(id)) ids.push(id)
      return `<id ${ids.indexOf(id) + 1}>`
    })
  const calls = simulator.journal.filter(
    ({ method, path }) => method !== 'GET' && !path.endsWith('/api/session'),
  )
  return JSON.parse(
    plain(JSON.stringify(calls.map(({ method, path, body }) => ({ method, path, body })))),
  ) as unknown[]
}
