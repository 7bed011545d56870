// What a node says on the canvas while it has no name.
import { CONFIG, sharedEditor, inBrowser, type Editor } from '../support/editor'
import { startSimulator } from '../../simulator'
import { editorModule, LANGUAGES, type Language } from '../support/editor-module'
import type { Properties } from '../support/node-red'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'
import { ACTIONS, DEFAULTS } from './every-node'

/** The label of a node with these saved properties, and the defaults of its type. */
const labelsIn = (language: Language) => {
  const { labelOf } = editorModule<{ labelOf: (node: object) => string }>(
    'editor/label.ts',
    language,
  )
  return (name: string, properties: Properties = {}): string => {
    const type = `${CONFIG}-${name}`
    const defaults = Object.fromEntries(
      Object.entries(DEFAULTS[type]!).map(([property, value]) => [property, { value }]),
    )
    return labelOf({ ...DEFAULTS[type], ...properties, type, _def: { defaults } })
  }
}

const A = { route: 'Studio A', routeType: 'name' }
const MAIN = { target: 'destination', destination: 'Main', destinationType: 'name' }
const json = (value: unknown) => ({ definition: JSON.stringify(value), definitionType: 'json' })

describe('the label of a node without a name', () => {
  const english = labelsIn('en-US')

  for (const [node, properties, label] of [
    ['control-route', {}, 'start route'],
    ['control-route', A, 'start Studio A'],
    ['control-route', { ...A, action: 'stop' }, 'stop Studio A'],
    ['control-route', { ...A, action: 'restart' }, 'restart Studio A'],
    ['control-route', { ...A, action: 'msg' }, 'control Studio A'],
    ['control-route', { action: 'msg' }, ''],
    ['control-route', { route: '8e3f', routeType: 'id', action: 'stop' }, 'stop route'],
    ['control-route', { ...A, ...MAIN }, 'start Main (Studio A)'],
    ['control-route', MAIN, 'start Main'],
    ['control-route', { target: 'destination' }, 'start destination'],
    ['create-route', {}, ''],
    ['create-route', json({ name: 'Arena feed' }), 'create Arena feed'],
    ['create-route', json({ name: '' }), ''],
    ['update-route', {}, 'update route (merge)'],
    ['update-route', A, 'merge Studio A'],
    ['update-route', { ...A, mode: 'keep' }, 'update Studio A'],
    ['update-route', { ...A, mode: 'replace' }, 'update Studio A (replace)'],
    // The name in the definition is the one that the route is to get.
    ['update-route', { ...json({ name: 'New' }), mode: 'keep' }, ''],
    ['delete-route', {}, ''],
    ['delete-route', A, 'delete Studio A'],
    ['ensure-route', {}, 'ensure route'],
    ['ensure-route', { state: 'started' }, 'ensure route started'],
    ['ensure-route', { ...json({ name: 'A' }), state: 'started' }, 'ensure A started'],
    ['ensure-route', { ...json({ name: 'A' }), state: 'absent' }, 'ensure A absent'],
    ['ensure-route', { ...json([{ name: 'A' }]), state: 'stopped' }, 'ensure A stopped'],
    ['ensure-route', json([{ name: 'A' }, { name: 'B' }]), 'ensure 2 routes'],
    ['ensure-route', { ...json({ name: 'A' }), check: true }, 'ensure A (dry run)'],
    ['ensure-route', { ...json({ name: 'A' }), approve: true }, 'ensure A (plan first)'],
    // As the run reads them.
    ['ensure-route', { ...json({ name: 'A' }), check: 'yes' }, 'ensure A (dry run)'],
    ['ensure-route', { ...json({ name: 'A' }), approve: 1, check: 'off' }, 'ensure A (plan first)'],
    ['ensure-route', { ...json([{}, {}]), state: 'row' }, 'ensure 2 routes as listed'],
    [
      'ensure-route',
      { state: 'row', approve: true, check: true },
      'ensure route as listed (dry run)',
    ],
    ['get-route', {}, ''],
    ['get-route', A, 'get Studio A'],
    ['list-routes', {}, ''],
    ['list-routes', { state: 'running' }, 'list running routes'],
    ['list-routes', { state: 'idle' }, 'list stopped routes'],
    ['list-routes', { filter: 'Studio' }, 'list routes: Studio'],
    ['list-routes', { filter: 'Studio', state: 'running' }, 'list running routes: Studio'],
    ['statistics', {}, ''],
    ['statistics', A, 'statistics Studio A'],
    ['statistics', { scope: 'all' }, 'statistics of all routes'],
    ['statistics', { ...A, scope: 'source' }, 'source statistics Studio A'],
    ['statistics', { scope: 'source' }, 'source statistics'],
    ['statistics', { ...A, ...MAIN, scope: 'client' }, 'client statistics Main (Studio A)'],
    ['statistics', { ...A, scope: 'destination' }, 'destination statistics (Studio A)'],
    ['preset', {}, 'export preset'],
    ['preset', { action: 'import' }, 'import preset'],
    ['session', {}, 'show session'],
    ['session', { action: 'start' }, 'log in'],
    ['session', { action: 'end' }, 'log out'],
    ['session', { action: 'msg' }, ''],
    ['watch', {}, ''],
    ['watch', A, 'watch Studio A'],
    ['watch', { route: 'Studio*', routeType: 'pattern' }, 'watch Studio*'],
    ['watch', { route: '8e3f', routeType: 'id' }, 'watch route'],
    ['list-devices', {}, ''],
    ['get-device', { device: 'd1', deviceType: 'id' }, ''],
    [
      'delete-route',
      { route: 'A route with a very long name for a label', routeType: 'name' },
      'delete A route with a very long name…',
    ],
    [
      'delete-route',
      { route: '__what__ $t(x)\n<b>', routeType: 'name' },
      'delete __what__ $t(x) <b>',
    ],
  ] as const) {
    it(`of ${node} with ${JSON.stringify(properties)} is "${label || 'its own'}"`, () => {
      english(node, properties).should.equal(label)
    })
  }

  it('is in each language', () => {
    should(LANGUAGES.map((language) => labelsIn(language)('control-route', A))).eql([
      'start Studio A',
      'Studio A starten',
      'Studio Aを開始',
    ])
  })

  const STRANGE = [
    null,
    undefined,
    7,
    true,
    '',
    ' ',
    {},
    [],
    [null],
    '${NAME}',
    'null',
    '[null]',
    '{',
  ]

  for (const language of LANGUAGES) {
    it(`is a text, whatever is saved, in ${language}`, () => {
      const label = labelsIn(language)
      for (const type of ACTIONS) {
        const name = type.slice(CONFIG.length + 1)
        const own = Object.keys(DEFAULTS[type]!)
        for (const value of STRANGE) {
          for (const kind of ['name', 'json', 'pattern', value]) {
            for (const property of [...own, undefined]) {
              const types = { routeType: kind, destinationType: kind, definitionType: kind }
              const all = Object.fromEntries(own.map((each) => [each, value]))
              const saved = property === undefined ? all : { [property]: value }
              const found: unknown = label(name, { ...saved, ...types })
              if (typeof found !== 'string') throw new Error(JSON.stringify({ name, saved, types }))
            }
          }
        }
      }
    })
  }
})

const GATEWAY = {
  ...DEFAULTS[CONFIG],
  id: 'gateway',
  type: CONFIG,
  baseUrl: 'https://gateway.example.com',
}

inBrowser('the labels on the canvas', function () {
  this.timeout(120_000)
  let editor: Editor

  before(async () => {
    editor = await sharedEditor()
  })
  after(() => editor?.rest())

  it('say what the nodes do, and a name comes first', async () => {
    const common = { z: 'tab', x: 200, wires: [[]], gateway: 'gateway' }
    const nodes: Record<string, [properties: Properties, label: string]> = {
      start: [{ ...A, type: `${CONFIG}-control-route` }, 'start Studio A'],
      named: [{ ...A, type: `${CONFIG}-control-route`, name: 'Go' }, 'Go'],
      watch: [{ route: 'Studio*', routeType: 'pattern', type: `${CONFIG}-watch` }, 'watch Studio*'],
      all: [{ type: `${CONFIG}-watch` }, 'watch gateway'],
      update: [{ ...A, type: `${CONFIG}-update-route` }, 'update Studio A'],
      list: [{ type: `${CONFIG}-list-routes` }, 'list routes'],
      statistics: [{ type: `${CONFIG}-statistics` }, 'route statistics'],
      session: [{ type: `${CONFIG}-session`, action: 'msg' }, 'gateway session'],
    }
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'Labels' },
      GATEWAY,
      ...Object.entries(nodes).map(([id, [properties]], row) => ({
        ...common,
        y: 60 + row * 60,
        id,
        ...properties,
      })),
    ])
    const page = await editor.open()
    for (const [id, [, label]] of Object.entries(nodes)) {
      const shown = page.locator(`#${id} .red-ui-flow-node-label`)
      await shown.waitFor()
      should((await shown.textContent())?.trim()).equal(label)
    }
    should(editor.complaints).eql([])
  })

  it('have below them what the nodes did, as it was sent', async () => {
    const simulator = await startSimulator({ routes: 6 })
    try {
      const common = { z: 'tab', x: 460, gateway: 'gateway', wires: [[]] }
      simulator.routes[0]!.name = 'Studio A'
      const control = { ...common, ...A, type: `${CONFIG}-control-route`, waitFor: 'applied' }
      const nodes: Record<string, [properties: Properties, status: RegExp]> = {
        starts: [control, /^running \d\d:\d\d:\d\d$/],
        stops: [
          { ...control, action: 'stop', waitFor: 'accepted' },
          /^stop accepted \d\d:\d\d:\d\d$/,
        ],
        misses: [{ ...control, route: 'Concert hal' }, /^no route “Concert hal”$/],
        ensures: [
          { ...common, ...json([FEED]), type: `${CONFIG}-ensure-route` },
          /^1 changed, 0 unchanged$/,
        ],
        creates: [{ ...common, ...json(FEED), type: `${CONFIG}-create-route` }, /“Arena feed”$/],
        watches: [
          { ...common, type: `${CONFIG}-watch`, route: 'Studio*', routeType: 'pattern' },
          /^Studio A: stopped \d\d:\d\d:\d\d$/,
        ],
        typo: [
          { ...common, type: `${CONFIG}-watch`, route: 'Nobody*', routeType: 'pattern' },
          /^no route matches$/,
        ],
      }
      const actions = Object.keys(nodes).filter((id) => !['watches', 'typo'].includes(id))
      await editor.deploy([
        { id: 'tab', type: 'tab', label: 'Status' },
        {
          ...DEFAULTS[CONFIG],
          id: 'gateway',
          type: CONFIG,
          baseUrl: simulator.url,
          credentials: { username: 'haiadmin', password: 'manager' },
        },
        ...actions.map((id, row) => ({
          id: `press-${id}`,
          z: 'tab',
          type: 'inject',
          x: 180,
          y: 60 + row * 70,
          props: [],
          wires: [[id]],
        })),
        ...Object.entries(nodes).map(([id, [properties]], row) => ({
          id,
          ...properties,
          y: 60 + row * 70,
        })),
      ])
      const page = await editor.open()
      let text = ''
      const shows = (id: string): Promise<void> =>
        until(
          async () => {
            const label = page.locator(`#${id} .red-ui-flow-node-status-label`)
            text = (await label.textContent()) ?? ''
            return nodes[id]![1].test(text)
          },
          () => `the status of ${id}, which is "${text}",`,
        )
      for (const id of actions) {
        await fetch(`${editor.url}inject/press-${id}`, { method: 'POST' })
        await shows(id)
      }
      await takePicture(page, 'status')
      for (const id of ['watches', 'typo']) await shows(id)
    } finally {
      // A second try loads the page before it deploys its flow, and waits for this node.
      await editor.deploy([GATEWAY])
      await simulator.stop()
    }
    should(editor.complaints).eql([])
  })
})

const FEED = {
  name: 'Arena feed',
  source: { name: 'in', protocol: 'udp', address: '239.1.1.9', port: 5009 },
}
