// A Node-RED with users, who ask what the editor asks of the runtime.
import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, usersOf, type Properties } from '../support/node-red'
import { until } from '../support/until'

export interface Reply {
  status: number
  body: Properties
}

/** What is asked of one gateway. */
export const PATHS = [
  'connection',
  'lookup',
  'definition',
  'plan',
  'state',
  'control',
  'failover',
  'callers',
  'appliances',
  'inventory',
]
/** To which a gateway that is not deployed is no failure. */
export const PATIENT = ['state', 'appliances']

export const PASSWORD = 'stored-password'

export let nodeRed: NodeRed
export const tokens: Record<string, string> = {}
export let simulator: Simulator

/** Starts it before the tests of a file, and ends it after them. */
export function stageAdmin(): void {
  before(async () => {
    nodeRed = new NodeRed()
    simulator = await startSimulator({ https: true, routes: 5, password: PASSWORD })
    process.env['MEDIA_GATEWAY_TEST_SECRET'] = 'from-the-environment'
    process.env['SRT_TEST_SET'] = 'the-passphrase-of-the-environment'
    const users = {
      writer: '*',
      reader: 'read',
      flows: ['flows.read'],
      driver: ['flows.read', 'media-gateway.read', 'media-gateway.write'],
    }
    await nodeRed.start({
      logging: { console: { level: 'info', metrics: false, audit: true } },
      ...usersOf(users),
    })
    for (const name of Object.keys(users)) tokens[name] = await nodeRed.token(name)
    await nodeRed.deploy(
      [
        { id: 'tab', type: 'tab', label: 'test' },
        {
          id: 'gateway',
          type: 'media-gateway',
          name: 'Studio',
          baseUrl: simulator.url,
          fingerprint: simulator.fingerprint,
          protectedRoutes: guarded().name,
          // Tests count requests, and no poll comes between them: `control` has one made.
          pollInterval: 3600,
          credentials: { username: 'haiadmin', password: PASSWORD },
        },
        {
          id: 'variables',
          type: 'global-config',
          env: [
            { name: 'GATEWAY_OF_ALL', type: 'str', value: simulator.url },
            {
              name: 'SITES_OF_ALL',
              type: 'json',
              value: JSON.stringify([
                { name: 'Oslo', baseUrl: simulator.url, username: 'a', password: 'b' },
              ]),
            },
          ],
          modules: {},
        },
        { id: 'watch', z: 'tab', type: 'media-gateway-watch', gateway: 'gateway', wires: [[]] },
      ],
      tokens['writer'],
    )
  })
  after(async () => {
    delete process.env['MEDIA_GATEWAY_TEST_SECRET']
    delete process.env['SRT_TEST_SET']
    await nodeRed.stop()
    await until(() => simulator.openSessions === 0)
    await simulator.stop()
  })
}

export async function ask(
  path: string,
  body?: unknown,
  user = 'writer',
  text = body === undefined ? undefined : JSON.stringify(body),
): Promise<Reply> {
  const token = tokens[user]
  const answer = await fetch(`${nodeRed.url}media-gateway/${path}`, {
    method: text === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: text,
  })
  const said = await answer.text()
  said.should.not.containEql(PASSWORD)
  said.should.not.match(/srtPassPhrase":"[^•"]/)
  // The others change nothing anyway.
  if (path !== 'control' && path !== 'failover') said.should.not.match(/Nothing was changed/)
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, body: isJson ? (JSON.parse(said) as Properties) : {} }
}

export const saved = (): Properties => ({
  id: 'gateway',
  baseUrl: simulator.url,
  username: 'haiadmin',
  password: '__PWRD__',
  fingerprint: simulator.fingerprint,
})
export const device = (): string => simulator.devices[0]!._id
/** A protected route. */
export const guarded = () => simulator.routes.find(({ state }) => state === 'running')!
