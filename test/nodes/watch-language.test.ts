import should from 'should'
import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'

/** In the environment, the first of these counts for Node-RED. */
const system = (language: string): NodeJS.ProcessEnv => ({ LC_ALL: language })

const WORDS = { 'en-US': 'routes running', de: 'in Betrieb', ja: '実行中' }

/** The language of the server is only known in a Node-RED of its own. */
describe('the language of the texts of a watch', function () {
  this.timeout(60_000)

  let simulator: Simulator
  let nodeRed: NodeRed

  before(async () => {
    simulator = await startSimulator({ routes: 6 })
  })
  after(() => simulator.stop())
  afterEach(() => nodeRed.stop())

  const watch = (id: string, more: Properties): Properties => ({
    id,
    z: 'tab',
    type: 'media-gateway-watch',
    gateway: 'gateway',
    initial: 'snapshot',
    wires: [[`${id}-shown`]],
    ...more,
  })
  const shown = (id: string): Properties => ({
    id: `${id}-shown`,
    z: 'tab',
    type: 'debug',
    name: id,
    active: true,
    tosidebar: false,
    console: true,
    complete: 'payload.text',
    targetType: 'msg',
    wires: [],
  })

  /** Starts a Node-RED; returns what the snapshots of the watches say. */
  async function textsOf(
    settings: Properties,
    env: NodeJS.ProcessEnv,
    watches: Record<string, Properties>,
  ): Promise<Record<string, string | undefined>> {
    nodeRed = new NodeRed()
    await nodeRed.start(settings, env)
    const ids = Object.keys(watches)
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'gateway',
        type: 'media-gateway',
        baseUrl: simulator.url,
        credentials: { username: 'haiadmin', password: 'manager' },
      },
      ...ids.flatMap((id) => [watch(id, watches[id]!), shown(id)]),
    ])
    const textOf = (id: string): string | undefined =>
      new RegExp(`\\[debug:${id}\\] (.*)`).exec(nodeRed.output)?.[1]
    await until(() => ids.every((id) => textOf(id) !== undefined))
    return Object.fromEntries(ids.map((id) => [id, textOf(id)]))
  }

  it('is that of the node, or else that of Node-RED', async () => {
    const texts = await textsOf({ lang: 'de' }, system('ja_JP.UTF-8'), {
      unset: {},
      empty: { language: '' },
      english: { language: 'en-US' },
      german: { language: 'de' },
      japanese: { language: 'ja' },
      fromTheSystem: { language: '${LC_ALL}' },
      unknown: { language: 'tlh' },
    })
    const says = (language: keyof typeof WORDS, ...ids: string[]): void => {
      for (const id of ids) should(`${id}: ${texts[id]}`).containEql(WORDS[language])
    }
    says('de', 'unset', 'empty', 'german')
    says('en-US', 'english', 'unknown')
    says('ja', 'japanese', 'fromTheSystem')
  })

  it('is that of the system where Node-RED is not told any', async () => {
    const texts = await textsOf({}, system('de_AT.UTF-8'), { unset: {} })
    should(texts['unset']).containEql(WORDS.de)
  })

  it('is English where the system has none that is known', async () => {
    const texts = await textsOf({}, system('C.UTF-8'), { unset: {} })
    should(texts['unset']).containEql(WORDS['en-US'])
  })
})
