// What leaves the example flows: no secret of a route is in a context, which everybody who may read
// flows can read, in the debug sidebar, in an HTTP response, in a file, with a broker or in a chat.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { healthRow } from '../../client/watch/rows'
import type { Simulator } from '../../simulator'
import { startBroker, type Broker } from '../support/broker'
import { NodeRed } from '../support/node-red'
import { pause, until } from '../support/until'
import { startChats, type Chats } from './chats'
import { exampleFiles, Functions } from './functions'
import { flowsOn, PANEL, read, withTab, type FlowNode, type TabProperty } from './support'

const TOKEN = 'a-token-of-many-characters'
const BASIC = `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`
/** It is made for these: whoever has the file can restore the routes. */
const BACKUP = 'Recipes/Nightly preset backup.json'
const TALLY = 'Recipes/TSL UMD tally.json'
/** The name of a route with an SRT source and a passphrase, for all examples. */
const NAME = 'Studio A'

describe('the example flows', function () {
  this.timeout(60_000)

  const nodeRed = new NodeRed()
  const { start, begin, end, call, open, output } = flowsOn(nodeRed)
  let simulator: Simulator
  let broker: Broker
  let chats: Chats
  let home: string

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-secrets-'))
    await start({
      HOME: home,
      GATEWAY_API_TOKEN: TOKEN,
      GUESTS_PASSWORD: TOKEN,
      COMPANION_TOKEN: TOKEN,
    })
    broker = await startBroker()
    chats = await startChats()
  })
  after(async () => {
    await nodeRed.stop()
    await broker.stop()
    await chats.stop()
    rmSync(home, { recursive: true, force: true })
  })
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

  for (const file of exampleFiles.filter((each) => each !== PANEL)) {
    it(`${file} lets no secret of a route out`, async () => {
      const present = simulator.route(NAME)!
      simulator.removeRoute(NAME)
      simulator.addRoute({
        id: present.id,
        name: NAME,
        startRoute: true,
        source: {
          name: 'in',
          protocol: 'srt',
          srtMode: 'caller',
          address: '192.0.2.1',
          port: 5999,
          srtPassPhrase: 'invented-passphrase-in',
        },
        destinations: [
          {
            name: `${NAME} out`,
            protocol: 'srt',
            srtMode: 'caller',
            address: '192.0.2.2',
            port: 5998,
            srtPassPhrase: 'invented-passphrase-out',
          },
        ],
      })
      const flow = await opened(file)
      const seen: Array<[string, string]> = []
      for (const button of flow.filter(({ type }) => type === 'inject')) {
        await call('POST', `inject/${button.id}`, {})
        await quiet()
      }
      for (const each of flow.filter(({ type }) => type === 'http in')) {
        const answer = await request(each)
        seen.push([each.name!, await answer.text()])
      }
      await until(() => simulator.journal.length > 0, 'a request')
      simulator.fail(NAME, { source: 'disconnected' })
      await quiet()

      seen.push(['debug sidebar', output()], ['broker', [...broker.retained].join()])
      seen.push(['chats', Object.values(chats.shown).flat().join()])
      for (const { type, id } of flow) {
        if (type === 'tab') seen.push(['flow context', await contextOf(`flow/${id}`)])
        if (type === 'function') seen.push(['context of a node', await contextOf(`node/${id}`)])
      }
      seen.push(['global context', await contextOf('global')])
      if (file !== BACKUP) seen.push(...filesIn(home))
      for (const [where, text] of seen) {
        const at = text.indexOf('invented-')
        should(at).equal(-1, `${where}: ${text.slice(Math.max(0, at - 200), at + 40)}`)
      }
      const all = seen.map(([, text]) => text).join()
      // It sends packets to displays, and shows nothing here.
      if (file !== TALLY) should(all).match(/\[debug:|Studio A|media_gateway_/)
    })
  }

  it(`${PANEL} lets no secret of a route out`, () => {
    const functions = new Functions(read(PANEL))
    const route = { id: '1', name: NAME, state: 'running', summaryStatusCode: 'ok' }
    const source = { protocol: 'srt', srtPassPhrase: 'invented-passphrase', usedBandwidth: 5 }
    const routes = [{ ...route, source, destinations: [{ ...source, name: 'out' }] }]
    const payload = (routes as never[]).map((one) =>
      healthRow({ statusCode: 'ok', status: 'Online' }, one),
    )
    const { sent } = functions.run('lamps and bit rates', { payload })
    should(JSON.stringify(sent))
      .containEql(NAME)
      .and.not.match(/invented-/)
    const kept = [...functions.flow.values].join()
    should(kept)
      .containEql(NAME)
      .and.not.match(/invented-/)
    // What it keeps is enough for the buttons.
    functions.env['ARMED'] = true
    const clicked = { action: 'button_click', payload: { id: '1' }, _client: { socketId: 's' } }
    should(functions.run('which route?', clicked).sent[0]![0]).match({
      payload: `Stop ${NAME}? It is on air.`,
    })
  })

  /** Deploys an example that acts, on this broker and with these chats. */
  async function opened(file: string): Promise<FlowNode[]> {
    const flow = read(file)
    const settings: Record<string, unknown> = {
      ARMED: true,
      HOLD: true,
      ROUTE: NAME,
      SENDER: NAME,
      DESTINATION: `${NAME} out`,
      RECEIVER: NAME,
      SLACK: chats.url.SLACK,
      TEAMS: chats.url.TEAMS,
    }
    const tab = flow.find(({ type }) => type === 'tab')!
    const known = ((tab['env'] ?? []) as TabProperty[]).map(({ name }) => name)
    withTab(
      flow,
      Object.fromEntries(Object.entries(settings).filter(([key]) => known.includes(key))),
    )
    for (const each of flow) {
      if (each.type === 'mqtt-broker') each['port'] = String(broker.port)
      // The second gateway of recipes about two.
      if (each.type === 'media-gateway') each.baseUrl = 'http://localhost:8080'
      if ('holdFor' in each) each['holdFor'] = 0
    }
    await open(file, { flow })
    await quiet()
    return flow
  }

  function request({ method, url }: FlowNode): Promise<Response> {
    const path = String(url).replace(':action', 'stop').replace(':name', encodeURIComponent(NAME))
    const headers = { authorization: path.startsWith('/guests') ? BASIC : `Bearer ${TOKEN}` }
    const query = path.startsWith('/companion') ? `?route=${encodeURIComponent(NAME)}` : ''
    return fetch(nodeRed.url + path.slice(1) + query, { method: String(method), headers })
  }

  /** Waits until nothing has been asked of the appliance for a while, and all of it was answered. */
  async function quiet(): Promise<void> {
    let before = -1
    await until(async () => {
      const { length } = simulator.journal
      const isQuiet = length === before
      before = length
      await pause(100)
      return isQuiet
    }, 'the end of the requests')
  }

  const contextOf = async (what: string): Promise<string> =>
    (await call('GET', `context/${what}`)).text()
})

/** The files of a folder and those in it, with what is in them. */
function filesIn(folder: string): Array<[string, string]> {
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) =>
    statSync(join(folder, file)).isFile(),
  )
  return files
    .filter((file) => !file.includes('preset-backups'))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')])
}
