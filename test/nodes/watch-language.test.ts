import { startSimulator, type Simulator } from '../../simulator'
import { NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'
import { endEach } from '../support/connect'

const WORDS = { 'en-US': 'routes running', de: 'in Betrieb', ja: '実行中' }

/** The language of the server is only known in a Node-RED of its own. */
describe('the language of the texts of a watch', function () {
  this.timeout(60_000)

  const nodeRed = new NodeRed()
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ routes: 6 })
  })
  after(() => endEach(nodeRed, simulator))

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

  it('is that of the node, or else that of Node-RED, which is that of the system', async () => {
    const watches: Record<string, Properties> = {
      unset: {},
      empty: { language: '' },
      english: { language: 'en-US' },
      german: { language: 'de' },
      japanese: { language: 'ja' },
      fromTheEnvironment: { language: '${WATCH_LANGUAGE}' },
      unknown: { language: 'tlh' },
    }
    // LC_ALL comes first in the environment. Node-RED is told another language in status-shown.test.ts.
    await nodeRed.start({}, { LC_ALL: 'de_AT.UTF-8', WATCH_LANGUAGE: 'ja_JP.UTF-8' })
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
    const says = (language: keyof typeof WORDS, ...some: string[]): void => {
      for (const id of some) should(`${id}: ${textOf(id)}`).containEql(WORDS[language])
    }
    says('de', 'unset', 'empty', 'german')
    says('en-US', 'english', 'unknown')
    says('ja', 'japanese', 'fromTheEnvironment')
  })
})
