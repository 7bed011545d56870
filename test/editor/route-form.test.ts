// The form of a route's definition in a real browser: what it shows, and what reaches the appliance.
import type { Locator, Page } from 'playwright-core'
import should from 'should'
import { startSimulator, type Simulator } from '../../simulator'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
  type View,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'

/** Faults of which none can be said by the kind of its field. */
const FAULTY = {
  bogus: 1,
  name: 'A',
  state: 'running',
  source: { name: 'in', protocol: 'srt', srtPassPhrase: 'key-${SRT_KEY}' },
  destinations: [{ name: 'out', protocol: 'udp', action: 'start' }],
}

/** In the words of a language; what is wrong with the definition as a whole first. */
const FAULTS_IN_WORDS = [
  [
    'en-US',
    'bogus: not known here: a route has name, source and destinations',
    'state: cannot be set by a definition: use startRoute for a new route, control route for an existing one, or Wanted of ensure route',
    'an environment variable does not work here: enter the value itself',
    'not part of a wanted route: control route starts and stops a destination',
  ],
  [
    'de',
    'bogus: hier nicht bekannt: eine Route hat name, source und destinations',
    'state: kann in einer Definition nicht angegeben werden: verwenden Sie startRoute für eine neue Route, control route für eine vorhandene oder den Sollzustand von ensure route',
    'eine Umgebungsvariable ist hier nicht möglich: geben Sie den Wert selbst ein',
    'gehört nicht zu einer gewünschten Route: control route startet und stoppt ein Ziel',
  ],
  [
    'ja',
    'bogus: 認識できない項目です。ルートの項目はname、source、destinationsです',
    'state: 定義では指定できません。新しいルートにはstartRoute、既存のルートにはcontrol routeノード、またはensure routeノードの目標の状態を使用してください',
    'ここでは環境変数を使用できません。値そのものを入力してください',
    '目標の状態には指定できません。出力先の開始と停止にはcontrol routeノードを使用してください',
  ],
] as const

/** What is entered for a route, member by member; what is entered is what has to be sent. */
interface Entered {
  title: string
  source: Properties
  destinations?: Properties[]
}

const place = { address: '239.1.2.3', port: 5000 }
const PATHS = [
  { address: '10.0.0.1', port: 6000, networkInterface: 'eth0' },
  { address: '10.1.0.1', port: 6001 },
]
const PACKETS = { mtu: 1316, ttl: 32, tos: 136 }
const SRT = {
  protocol: 'srt',
  srtLatency: 250,
  srtPassPhrase: 'a long pass phrase',
  srtRcvBuf: 10240000,
}
const FEC = {
  useFec: true,
  srtFecCols: 10,
  srtFecRows: 5,
  srtFecLayout: 'staircase',
  srtFecArq: 'onreq',
}

const ROUTES: Entered[] = [
  {
    title: 'UDP to UDP',
    source: {
      name: 'in',
      protocol: 'udp',
      ...place,
      networkInterface: 'eth0',
      sourceAddress: '10.9.9.9',
    },
    destinations: [
      {
        name: 'out',
        protocol: 'udp',
        ...place,
        networkInterface: 'eth1',
        ...PACKETS,
        fec: 'vf',
        shaping: true,
        maxBitrate: 9000,
      },
    ],
  },
  {
    title: 'RTP to RTP',
    source: { name: 'in', protocol: 'rtp', ...place, retainHeader: true, fec: 'prompeg' },
    destinations: [
      {
        name: 'out',
        protocol: 'rtp',
        ...place,
        ...PACKETS,
        retainHeader: false,
        fec: 'prompeg',
        prompegFecLevel: 'b',
        prompegFecIsBlockAligned: true,
        prompegFecColumns: 20,
        prompegFecRows: 4,
      },
    ],
  },
  {
    title: 'RTP over two paths',
    source: {
      name: 'in',
      protocol: 'rtp',
      ...place,
      rtpNetworkBondingParams: [
        { address: '239.1.2.3', port: 5000, networkInterface: 'eth0', sourceAddress: '10.9.9.9' },
        { address: '239.1.2.4', port: 5000 },
      ],
      rtpReceiverClass: 'moderate',
    },
  },
  {
    title: 'SRT caller to SRT caller',
    source: { name: 'in', ...SRT, srtMode: 'caller', ...place, srtStreamID: 'live/one', ...FEC },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'caller',
        ...place,
        srtEncryption: 'AES256',
        srtOverhead: '25',
        srtStreamID: 'live/two',
        ...PACKETS,
        ...FEC,
      },
    ],
  },
  {
    title: 'SRT listener to SRT listener',
    source: { name: 'in', ...SRT, srtMode: 'listener', address: '0.0.0.0', port: 7000 },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'listener',
        address: '0.0.0.0',
        port: 7001,
        srtConnectionLimit: '4',
      },
    ],
  },
  {
    title: 'SRT rendezvous to SRT rendezvous',
    source: { name: 'in', ...SRT, srtMode: 'rendezvous', ...place },
    destinations: [{ name: 'out', ...SRT, srtMode: 'rendezvous', ...place }],
  },
  {
    title: 'SRT over two paths',
    source: {
      name: 'in',
      ...SRT,
      srtMode: 'caller',
      srtGroupMode: 'broadcast',
      srtNetworkBondingParams: PATHS,
    },
    destinations: [
      {
        name: 'out',
        ...SRT,
        srtMode: 'listener',
        srtGroupMode: 'backup',
        srtNetworkBondingParams: PATHS.map((path) => ({ ...path, ...PACKETS })),
      },
    ],
  },
  {
    title: 'RTMP publisher to HLS',
    source: { name: 'in', protocol: 'rtmp', rtmpMode: 'PUBLISHER', streamName: 'studio' },
    destinations: [
      {
        name: 'out',
        protocol: 'hls',
        segmentDuration: 6,
        useEncryption: true,
        segmentsPerKey: 3,
        multitrackSegmenter: false,
      },
    ],
  },
  {
    title: 'RTMP consumer',
    source: {
      name: 'in',
      protocol: 'rtmp',
      rtmpMode: 'CONSUMER',
      address: 'media.example.com',
      port: 1935,
      streamName: 'studio',
    },
  },
  {
    title: 'RTSP to two destinations',
    source: {
      name: 'in',
      protocol: 'rtsp',
      ...place,
      username: 'camera',
      password: 'example',
      fec: 'none',
    },
    destinations: [
      { name: 'out 1', protocol: 'udp', ...place },
      { name: 'out 2', protocol: 'hls' },
    ],
  },
]

declare const RED: EditorRED

/** A definition that every node takes. */
const SOUND: Properties = {
  name: 'Sound',
  source: { name: 'in', protocol: 'udp', address: '239.0.0.9', port: 5009 },
}

inBrowser('the route form', function () {
  this.timeout(120_000)

  let editor: Editor
  let page: Page
  let simulator: Simulator

  const form = () => page.locator('.media-gateway-route')
  const source = () => form().locator('.media-gateway-route-part')
  const rows = () => form().locator('.media-gateway-route-destinations > * ol > li')
  const destination = (index: number) => rows().nth(index)
  const summaries = () => form().locator('.media-gateway-route-toggle').allTextContents()
  const member = (scope: Locator, name: string) => scope.locator(`[data-member="${name}"]`)
  const entry = (scope: Locator, name: string) =>
    member(scope, name).first().locator('input, select').first()
  const top = () => form().locator('> div > .media-gateway-route-group')
  const faultOf = (scope: Locator, name: string) =>
    member(scope, name).first().locator('.media-gateway-route-fault').last().textContent()
  const view = (name: 'Form' | 'JSON') =>
    page.locator('.media-gateway-route-switch').getByRole('button', { name }).click()
  const json = () => page.inputValue('#node-input-definition')
  const definition = async () => JSON.parse(await json()) as Properties

  before(async function () {
    simulator = await startSimulator({ routes: 4 })
    editor = await sharedEditor()
    await editor.deploy(flow())
    await open()
  })

  after(async () => {
    await editor?.rest()
    await simulator?.stop()
  })

  async function open(shown: View = {}) {
    page = await editor.open(shown)
    page.setDefaultTimeout(5000)
  }

  function flow(): Properties[] {
    const action = (use: string, more: Properties): Properties[] => [
      {
        id: `${use}-in`,
        type: 'inject',
        z: 'tab',
        x: 100,
        y: 100,
        props: [],
        repeat: '',
        crontab: '',
        once: false,
        onceDelay: 0.1,
        wires: [[use]],
      },
      {
        id: use,
        type: `${CONFIG}-${use}-route`,
        z: 'tab',
        name: '',
        gateway: 'gateway',
        device: '',
        deviceType: 'auto',
        definition: JSON.stringify(SOUND),
        definitionType: 'json',
        validate: true,
        x: 300,
        y: 100,
        wires: [[]],
        ...more,
      },
    ]
    return [
      { id: 'tab', type: 'tab', label: 'Routes' },
      {
        id: 'gateway',
        type: CONFIG,
        name: 'Studio',
        baseUrl: simulator.url,
        timeout: 10000,
        concurrency: 8,
        credentials: { username: 'haiadmin', password: 'manager' },
      },
      ...action('create', { startRoute: false, waitFor: 'accepted', waitTimeout: 30 }),
      ...action('update', {
        route: 'any',
        routeType: 'name',
        mode: 'keep',
        waitFor: 'accepted',
        waitTimeout: 30,
      }),
      ...action('ensure', { state: 'present', check: false, exact: false, waitTimeout: 30 }),
    ]
  }

  /** Gives a node other properties, as if it had been saved with them. */
  const give = (id: string, properties: Properties) =>
    page.evaluate(
      ([wanted, values]) => {
        const node = Object.assign(RED.nodes.node(wanted)!, values, { changed: true })
        RED.editor.validateNode(node)
      },
      [id, properties] as const,
    )

  async function openOn(id: string, text: string, more: Properties = {}) {
    await give(id, { definition: text, definitionType: 'json', ...more })
    await editor.openForm(id)
  }

  /** Fills a field in, wherever it is. */
  async function enter(scope: Locator, name: string, value: unknown) {
    if (Array.isArray(value)) return enterPaths(member(scope, name), value as Properties[])
    const field = member(scope, name).first()
    const more = scope.locator('details', { has: page.locator(`[data-member="${name}"]`) }).first()
    if ((await more.count()) > 0 && !(await field.isVisible()))
      await more.locator('summary').click()
    const input = field.locator('input, select').first()
    if ((await input.evaluate(({ tagName }) => tagName)) === 'SELECT') {
      await input.selectOption(String(value))
    } else await input.fill(String(value))
  }

  async function enterPaths(list: Locator, paths: Properties[]) {
    for (const [index, path] of paths.entries()) {
      if (!(await list.isVisible())) await page.locator('summary:visible').first().click()
      await list.getByRole('button', { name: 'add a path' }).click()
      const row = list.locator('li').nth(index)
      for (const [name, value] of Object.entries(path)) await enter(row, name, value)
    }
  }

  async function enterRoute(name: string, { source: values, destinations = [] }: Entered) {
    await enter(top(), 'name', name)
    for (const [each, value] of Object.entries(values)) await enter(source(), each, value)
    for (const [index, part] of destinations.entries()) {
      await form().getByRole('button', { name: 'add a destination' }).click()
      for (const [each, value] of Object.entries(part)) {
        await enter(destination(index), each, value)
      }
    }
  }

  const faults = async () =>
    (await form().locator('.media-gateway-route-fault').allTextContents()).filter(Boolean)
  const problems = () => form().locator('.media-gateway-route-problems li').allTextContents()

  /** Deploys in the editor, sends a message, and answers the body of the write that follows. */
  async function run(use: string): Promise<Properties> {
    // The editor would ask before it deploys nodes with faults.
    for (const other of ['create', 'update', 'ensure'].filter((each) => each !== use)) {
      await give(other, { definition: JSON.stringify(SOUND) })
    }
    const from = simulator.journal.length
    const deployed = page.waitForResponse(
      (response) => response.url().endsWith('/flows') && response.request().method() === 'POST',
    )
    await page.click('#red-ui-header-button-deploy')
    await deployed
    const deadline = Date.now() + 10_000
    // The answer to a deploy comes before the flow is there.
    while ((await fetch(`${editor.url}inject/${use}-in`, { method: 'POST' })).status !== 200) {
      should(Date.now()).be.below(deadline)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    for (;;) {
      const call = simulator.journal
        .slice(from)
        .find(({ method, path }) => ['POST', 'PUT'].includes(method) && path.includes('/updates'))
      if (call) {
        should(call.status).equal(200)
        return (call.body as { fields: Properties }).fields
      }
      if (Date.now() > deadline) throw new Error(`nothing was sent\n${editor.output}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  for (const each of ROUTES) {
    it(`sends what is entered: ${each.title}`, async () => {
      await openOn('create', '')
      await enterRoute(each.title, each)
      should(await faults()).eql([])
      should(await problems()).eql([])
      const wanted = {
        name: each.title,
        source: each.source,
        ...(each.destinations && { destinations: each.destinations }),
      }
      should(await definition()).eql(wanted)
      await editor.press('ok')
      should(await run('create')).eql({ destinations: [], startRoute: false, ...wanted })

      // And shows it again, without a change.
      const saved = await editor.exported('create')
      await editor.openForm('create')
      for (const [name, value] of Object.entries(each.source)) {
        if (Array.isArray(value)) continue
        should(await entry(source(), name).inputValue()).equal(String(value))
      }
      await editor.press('ok')
      should(await editor.exported('create')).eql(saved)
    })
  }

  const STRANGE = {
    startRoute: true,
    name: 'Strange',
    later: { depth: [1, 2] },
    source: {
      zeta: null,
      name: 'in',
      id: 's1',
      protocol: 'srt',
      srtMode: 'listener',
      jitter: { ms: 5 },
      address: '0.0.0.0',
      port: '7000',
      labels: ['a', 'b'],
    },
    destinations: [
      { name: 'one', protocol: 'ndi', group: 'x', id: 'd1' },
      { name: 'two', alpha: [1], protocol: 'http', mode: 'hls', segmentDuration: '6' },
      'no object',
      { protocol: 'srt', name: 'three', mode: 'caller', ...place, useFEC: false, port: '5000' },
    ],
  }

  it('leaves the text as it is when the dialog is opened and closed', async () => {
    for (const use of ['create', 'update', 'ensure']) {
      for (const text of [
        ' { "name" : "A" ,"source":{ } }',
        JSON.stringify(STRANGE),
        JSON.stringify(STRANGE, null, 2),
        '{"name":1,"source":"x","destinations":{"one":null}}',
        '{"name":"A","source":{"port":1e3,"name":"in","protocol":"udp"},"name":"B"}',
        '[{"name":"A"}]',
        '{"name":',
        '"text"',
        '{}',
      ]) {
        await give(use, { definition: text, definitionType: 'json', changed: false })
        await page.evaluate(
          (id) => void Object.assign(RED.nodes.node(id)!, { changed: false }),
          use,
        )
        await editor.openForm(use)
        for (const each of await page.locator('summary:visible').all()) await each.click()
        for (const each of await page.locator('.media-gateway-route-toggle').all()) {
          await each.click()
        }
        await editor.press('ok')
        should((await editor.exported(use))['definition']).equal(text)
        should(await editor.state(use)).containEql({ changed: false })
      }
    }
  })

  it('shows no form for a definition that is not JSON, and leaves it', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor.openForm('create')
    should(await form().isVisible()).be.false()
    should(await page.locator('.media-gateway-route-switch').isVisible()).be.false()
    await editor.press('ok')
    should(await editor.exported('create')).containEql({
      definition: 'payload',
      definitionType: 'msg',
    })
    await editor.openForm('create')
    await page.click('#node-input-definition + * .red-ui-typedInput-type-select')
    await page.locator('.red-ui-typedInput-options:visible [value="json"]').click()
    // The name of a message property is no beginning of a definition.
    should(await entry(top(), 'name').inputValue()).equal('')
    await editor.fillTyped('definition', 'json', '{"name":"A"}')
    await view('Form')
    should(await entry(top(), 'name').inputValue()).equal('A')
    await editor.press('cancel')

    await openOn('create', 'payload')
    await view('Form')
    should(await form().textContent()).match(/not a JSON object/)
    await form().getByRole('button', { name: 'Begin with an empty form' }).click()
    should(await json()).equal('{}')
    await enter(top(), 'name', 'A')
    should(await json()).equal('{"name":"A"}')
    await editor.press('cancel')
  })

  it('keeps what it does not know, and names it', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    const others = () => form().locator('.media-gateway-route-others:visible').allTextContents()
    should(await others()).eql([
      'Other members, kept as they are: later',
      'Other members, kept as they are: zeta, jitter',
    ])
    should(await summaries()).match([
      /one · NDI/,
      /two · HLS/,
      /"no object"/,
      /three · SRT · 239\.1\.2\.3:5000/,
    ])
    await enter(top(), 'name', 'Other')
    await enter(source(), 'port', '7001')
    await enter(source(), 'labels', 'a, c')
    await destination(0).locator('.media-gateway-route-toggle').click()
    await enter(destination(0), 'name', 'uno')
    await destination(3).locator('.media-gateway-route-toggle').click()
    should(await entry(destination(3), 'srtMode').inputValue()).equal('caller')
    await enter(destination(3), 'srtMode', 'listener')
    await editor.press('ok')
    const [one, two, text, three] = STRANGE.destinations as [object, object, string, object]
    const { useFEC: _, ...listener } = three as Properties
    should((await editor.exported('create'))['definition']).equal(
      JSON.stringify({
        ...STRANGE,
        name: 'Other',
        source: { ...STRANGE.source, port: 7001, labels: ['a', 'c'] },
        destinations: [{ ...one, name: 'uno' }, two, text, { ...listener, mode: 'listener' }],
      }),
    )
  })

  it('changes between form and JSON without loss', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    const field = page.locator('#node-input-definition + .red-ui-typedInput-container input')
    for (let i = 0; i < 2; i++) {
      await view('JSON')
      should(await field.isVisible()).be.true()
      should(await field.inputValue()).equal(JSON.stringify(STRANGE))
      await view('Form')
      should(await field.isVisible()).be.false()
    }
    await enter(source(), 'srtLatency', 300)
    await view('JSON')
    const { zeta, name, id, protocol, srtMode, jitter, ...rest } = STRANGE.source
    const latest = {
      ...STRANGE,
      source: { zeta, name, id, protocol, srtMode, jitter, ...rest, srtLatency: 300 },
    }
    should(JSON.parse(await field.inputValue())).eql(latest)
    await field.fill(JSON.stringify({ ...latest, name: 'Typed' }))
    await field.press('Tab')
    should(await field.isVisible()).be.true()
    await view('Form')
    should(await entry(top(), 'name').inputValue()).equal('Typed')
    await editor.press('ok')
    should(JSON.parse(String((await editor.exported('create'))['definition']))).eql({
      ...latest,
      name: 'Typed',
    })
  })

  it('shows only the fields that apply, and keeps what was entered in the others', async () => {
    const names = async (scope: Locator) =>
      scope
        .locator('> div > [data-member], > div > details > [data-member]')
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['member']))
    await openOn('create', '')
    should(await names(source())).eql(['name', 'protocol', 'labels', 'tags'])
    await enter(source(), 'protocol', 'udp')
    should(await names(source())).eql([
      'name',
      'protocol',
      'address',
      'port',
      'networkInterface',
      'sourceAddress',
      'labels',
      'tags',
    ])
    await enter(source(), 'protocol', 'srt')
    should(await names(source())).not.containEql('srtStreamID')
    await enter(source(), 'srtMode', 'caller')
    should(await names(source())).containEql('srtStreamID')
    should(await names(source())).not.containEql('srtFecCols')
    await enter(source(), 'useFec', true)
    should(await names(source())).containEql('srtFecCols')
    await enter(source(), 'srtStreamID', 'live')
    await enter(source(), 'address', '10.0.0.1')
    await enter(source(), 'port', 5000)
    await enter(source(), 'srtGroupMode', 'backup')
    should(await names(source())).not.containEql('address')
    should(await definition()).eql({
      source: {
        protocol: 'srt',
        srtMode: 'caller',
        srtGroupMode: 'backup',
        srtNetworkBondingParams: [{ address: '10.0.0.1', port: 5000 }],
        srtStreamID: 'live',
        useFec: true,
      },
    })
    await enter(source(), 'protocol', 'rtmp')
    should(await definition()).eql({ source: { protocol: 'rtmp' } })
    await enter(source(), 'protocol', 'srt')
    await enter(source(), 'srtGroupMode', '')
    should(await definition()).eql({
      source: {
        protocol: 'srt',
        srtMode: 'caller',
        address: '10.0.0.1',
        port: 5000,
        srtStreamID: 'live',
        useFec: true,
      },
    })
    await enter(source(), 'protocol', '')
    should(await definition()).eql({})
    await editor.press('cancel')
  })

  for (const protocol of ['SRT', 'RTSP']) {
    for (const delay of [0, 150]) {
      it(`chooses ${protocol} by its letters, ${delay} ms apart, and keeps the focus`, async () => {
        await openOn('create', '')
        await entry(source(), 'protocol').focus()
        await page.keyboard.type(protocol, { delay })
        should(await entry(source(), 'protocol').inputValue()).equal(protocol.toLowerCase())
        should(await definition()).eql({ source: { protocol: protocol.toLowerCase() } })
        const focused = page.locator(':focus')
        const first = await entry(source(), 'protocol').getAttribute('id')
        should(await focused.getAttribute('id')).equal(first)
        await page.keyboard.press('Tab')
        should(await focused.evaluate((each) => each.closest('[data-member]') !== null)).be.true()
        should(await focused.getAttribute('id')).not.equal(first)
        await editor.press('cancel')
      })
    }
  }

  it('chooses a protocol by its letters in a destination too', async () => {
    await openOn('create', '{"destinations":[{"name":"out"}]}')
    await form().locator('.media-gateway-route-toggle').click()
    await entry(destination(0), 'protocol').focus()
    await page.keyboard.type('SRT', { delay: 150 })
    should(await definition()).eql({ destinations: [{ name: 'out', protocol: 'srt' }] })
    await entry(destination(0), 'srtPassPhrase').fill('a long pass phrase')
    await destination(0).getByRole('button', { name: 'show' }).click()
    await entry(destination(0), 'srtMode').selectOption('caller')
    // What does not change stays as it is, with what the user has made visible.
    should(await entry(destination(0), 'srtPassPhrase').getAttribute('type')).equal('text')
    await editor.press('cancel')
  })

  it('says which destinations an update will remove', async () => {
    const route = simulator.routes.find(({ destinations }) => destinations.length > 1)!
    const [first, ...others] = route.destinations
    const warning = form().locator('.media-gateway-route-note:not(:empty)')
    const rest = others.map(({ name }) => name).join(', ')
    const many = `${others.length} destination${others.length > 1 ? 's' : ''} will be removed`
    const list = JSON.stringify({ destinations: [first] })
    for (const [routeType, value] of [
      ['name', route.name],
      ['id', route.id],
    ] as const) {
      await openOn('update', list, { route: value, routeType, mode: 'keep' })
      await warning.waitFor()
      should(await warning.allTextContents()).eql([`${many}: ${rest}`])
      await editor.press('cancel')
    }

    await openOn('update', list, { route: route.name, routeType: 'name', mode: 'merge' })
    const says = page.locator('#media-gateway-picker-says-route')
    await says.filter({ hasText: route.id }).waitFor()
    should(await warning.count()).equal(0)
    await page.selectOption('#node-input-mode', 'replace')
    should(await warning.allTextContents()).eql([`${many}: ${rest}`])
    await view('JSON')
    should(await warning.allTextContents()).eql([`${many}: ${rest}`])
    await view('Form')
    await form()
      .getByRole('link', { name: 'remove' })
      .or(form().getByRole('button', { name: 'remove this destination' }))
      .first()
      .click()
    should(await warning.textContent()).equal(
      `${others.length + 1} destinations will be removed: ${first!.name}, ${rest}`,
    )
    await page.selectOption('#node-input-mode', 'keep')
    should(await warning.count()).equal(1)
    await editor.press('cancel')

    // Not mentioned at all, they stay, unless all is replaced.
    await openOn('update', '{"name":"B"}', { route: route.id, routeType: 'id', mode: 'keep' })
    await says.filter({ hasText: route.name }).waitFor()
    should(await warning.count()).equal(0)
    await page.selectOption('#node-input-mode', 'replace')
    should(await warning.textContent()).match(/^\d+ destinations will be removed/)
    await editor.fillTyped('route', 'name', 'nobody')
    should(await warning.count()).equal(0)
    await editor.press('cancel')
  })

  describe('a new node', () => {
    /** What a node has that the editor makes as when it comes from the palette. */
    const fresh = () =>
      page.evaluate(() => {
        const editorRed = RED as unknown as {
          view: { createNode: (type: string) => { node: { gateway: string } } }
        }
        return editorRed.view.createNode('media-gateway-get-route').node.gateway
      })
    const change = (properties: Properties) =>
      page.evaluate((values) => void Object.assign(RED.nodes.node('second')!, values), properties)

    after(() => open())

    it('has the only gateway that it can use', async () => {
      should(await fresh()).equal('gateway')
      await editor.add({ id: 'second', type: CONFIG, name: 'B', baseUrl: simulator.url })
      should(await fresh()).equal('')
      await change({ d: true })
      should(await fresh()).equal('gateway')
      await change({ d: undefined, z: 'another-flow' })
      should(await fresh()).equal('gateway')
      await change({ z: 'tab' })
      should(await fresh()).equal('')
      await change({ d: true, z: undefined })
    })

    it('that is pasted or imported keeps the gateway that it had, known or not', async () => {
      const pasted = await page.evaluate(
        (gateways) => {
          const editorRed = RED as unknown as {
            view: { importNodes: (nodes: Properties[], options: Properties) => void }
            nodes: { eachNode: (visit: (node: Properties) => void) => void }
          }
          const type = 'media-gateway-get-route'
          const added = gateways.map((gateway, index) => ({
            id: `pasted-${index}`,
            type,
            x: 100,
            y: 100 * index,
            z: 'tab',
            name: `pasted ${index}`,
            gateway,
            wires: [[]],
          }))
          editorRed.view.importNodes(added, { generateIds: true, touchImport: true, notify: false })
          const found: unknown[] = []
          editorRed.nodes.eachNode((node) => {
            if (String(node['name']).startsWith('pasted')) found.push(node['gateway'])
          })
          return found
        },
        ['', 'gone', 'gateway'],
      )
      should(pasted).eql(['', 'gone', 'gateway'])
    })

    it('of before keeps none: to look at it is not to choose', async () => {
      await give('create', { gateway: '', changed: false })
      await page.evaluate(() => void Object.assign(RED.nodes.node('create')!, { changed: false }))
      await editor.openForm('create')
      await editor.press('ok')
      should(await editor.exported('create')).containEql({ gateway: '' })
      should(await editor.state('create')).containEql({ changed: false })
    })
  })

  it('is offered where the definition is a property of the message', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor.openForm('create')
    should(await form().isVisible()).be.false()
    const offer = page.getByRole('button', { name: 'Fill in as a form' })
    await offer.click()
    should(await offer.isVisible()).be.false()
    await enter(top(), 'name', 'A')
    should(await page.inputValue('#node-input-definitionType')).equal('json')
    should(await definition()).eql({ name: 'A' })
    const row = page.locator('.form-row', { has: page.locator('#node-input-definition') })
    should(await row.locator('.red-ui-typedInput-type-select').getAttribute('title')).equal(
      'form / JSON',
    )
    await editor.fillTyped('definition', 'msg', 'payload')
    should(await json()).equal('payload')
    should(await offer.isVisible()).be.true()
    await editor.press('cancel')
    should(await editor.exported('create')).containEql({ definitionType: 'msg' })
  })

  it('puts the form first among the types, and keeps the default of the node', async () => {
    await give('create', { definition: 'payload', definitionType: 'msg' })
    await editor.openForm('create')
    const row = page.locator('.form-row', { has: page.locator('#node-input-definition') })
    await row.locator('.red-ui-typedInput-type-select').click()
    const types = await page
      .locator('.red-ui-typedInput-options:visible [value]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    should(types).eql(['json', 'msg', 'flow', 'global', 'jsonata', 'env'])
    await page.keyboard.press('Escape')
    should(await page.inputValue('#node-input-definitionType')).equal('msg')
    await editor.press('cancel')
  })

  it('says where a pass phrase is kept', async () => {
    await openOn('create', '{"source":{"protocol":"srt","srtMode":"caller"}}')
    const hint = member(source(), 'srtPassPhrase').locator('.media-gateway-route-hint')
    should(await hint.textContent()).equal('Saved in the flow as plain text, and exported with it.')
    await enter(source(), 'srtPassPhrase', '••••••')
    should(await hint.textContent()).match(/^The stored value/)
    await editor.press('cancel')
  })

  it('names the names: of the route, of its source, and of a destination', async () => {
    await openOn('create', '{"destinations":[{"protocol":"udp"}]}')
    await form().locator('.media-gateway-route-toggle').click()
    const labels = await form()
      .locator('[data-member="name"] > label:visible')
      .evaluateAll((all) => all.map((each) => each.firstChild!.textContent))
    should(labels).eql(['Route name', 'Source name', 'Destination name'])
    await editor.press('cancel')
  })

  it('says at the field what is wrong while one types, and not before', async () => {
    await openOn('create', '')
    should(await faults()).eql([])
    await enter(source(), 'name', 'in')
    await enter(source(), 'protocol', 'udp')
    await enter(source(), 'port', '70000')
    should(await faultOf(source(), 'port')).equal('a whole number from 1 to 65535')
    const port = entry(source(), 'port')
    should(await port.getAttribute('aria-invalid')).equal('true')
    const described = (await port.getAttribute('aria-describedby'))!.split(' ')
    should(described).containEql(
      await member(source(), 'port').locator('.media-gateway-route-fault').getAttribute('id'),
    )
    await port.fill('50x')
    should(await faultOf(source(), 'port')).equal('a whole number from 1 to 65535')
    should(await definition()).containDeep({ source: { port: '50x' } })
    await port.fill('5000')
    should(await faultOf(source(), 'port')).equal('')
    should(await port.getAttribute('aria-invalid')).equal(null)
    await entry(source(), 'address').focus()
    should(await faultOf(source(), 'address')).equal('')
    await port.focus()
    should(await faultOf(source(), 'address')).equal('this is needed')
    await enter(source(), 'address', '239.1.2.3')
    await entry(top(), 'name').focus()
    await port.focus()
    should(await faults()).eql(['this is needed'])
    await enter(top(), 'name', 'x'.repeat(61))
    should(await faultOf(top(), 'name')).equal('1 to 60 characters')
    await enter(top(), 'name', 'A')

    for (const index of [0, 1]) {
      await form().getByRole('button', { name: 'add a destination' }).click()
      await enter(destination(index), 'name', 'out')
      await enter(destination(index), 'protocol', 'srt')
    }
    should(await faultOf(destination(1), 'name')).equal(
      'destination 1 has it too; each has its own',
    )
    await enter(destination(1), 'srtPassPhrase', 'short')
    should(await faultOf(destination(1), 'srtPassPhrase')).equal('10 to 79 characters')
    should(await form().locator('.media-gateway-route-status').textContent()).match(/correct: \d/)
    await editor.press('cancel')

    // What was saved with faults shows them at once, also for a row that is closed.
    const saved = {
      name: 'A',
      nmae: 'B',
      source: { name: 'in', protocol: 'udp', address: '10.0.0.1', port: { x: 1 } },
      destinations: [{ name: 'out', protocol: 'udp', ttl: 300 }],
    }
    await openOn('create', JSON.stringify(saved))
    should(await problems()).eql([
      'nmae: not known here; did you mean name?',
      'source.port: a whole number from 1 to 65535',
    ])
    should(await summaries()).match([/out · UDP.*Complete or correct: 3/])
    await destination(0).locator('.media-gateway-route-toggle').click()
    should(await faultOf(destination(0), 'ttl')).equal('a whole number from 1 to 255')
    should(await entry(destination(0), 'ttl').isVisible()).be.true()
    await view('JSON')
    should(await problems()).have.length(5)
    await view('Form')
    await page.uncheck('#node-input-validate')
    should(await problems()).eql(['nmae: not known here; did you mean name?'])
    should(await faults()).eql([])
    await editor.press('cancel')
  })

  describe('a fault', () => {
    after(() => open())

    for (const [language, ...told] of FAULTS_IN_WORDS) {
      it(`is said in the language of the user, within the dialog: ${language}`, async () => {
        await open({ language })
        await page.setViewportSize({ width: 1024, height: 700 })
        await openOn('ensure', JSON.stringify(FAULTY))
        await destination(0).locator('.media-gateway-route-toggle').click()
        const said = async () => [...(await problems()), ...(await faults())].sort()
        should(await said()).eql([...told].sort())
        const dialog = (await page.locator('.red-ui-tray').boundingBox())!
        const shown = (await form().boundingBox())!
        should(shown.x + shown.width).be.belowOrEqual(dialog.x + dialog.width)
        await view('JSON')
        should((await problems()).map((each) => each.replace(/^[\w.[\]]+: /, '')).sort()).eql(
          told.map((each) => each.replace(/^[\w.[\]]+: /, '')).sort(),
        )
        await editor.press('cancel')
        should((await editor.state('ensure')).errors.join()).containEql(told[0])
        await page.setViewportSize({ width: 1400, height: 900 })
      })
    }
  })

  it('asks for what the kind of update needs', async () => {
    const part = { source: { port: 5001 } }
    await openOn('update', JSON.stringify(part), { mode: 'merge' })
    should(await faults()).eql([])
    should(await source().locator('.media-gateway-route-required').count()).equal(0)
    await page.selectOption('#node-input-mode', 'keep')
    should(await faultOf(source(), 'name')).equal('this is needed')
    should(await faultOf(top(), 'name')).equal('')
    await page.selectOption('#node-input-mode', 'replace')
    should(await faultOf(top(), 'name')).equal('this is needed')
    should(await json()).equal(JSON.stringify(part))
    await editor.press('cancel')

    await openOn('ensure', '{"source":{"port":5001}}', { state: 'present' })
    should(await faultOf(top(), 'name')).match(/^neither id nor name is given/)
    await enter(top(), 'name', 'A')
    should(await faults()).eql([])
    await form().getByRole('button', { name: 'add a destination' }).click()
    await enter(destination(0), 'port', '0')
    should(await faultOf(destination(0), 'port')).equal('a whole number from 1 to 65535')
    await editor.press('cancel')
  })

  it('updates a part of a route, and ensures one', async () => {
    const { name } = simulator.routes[0]!
    await openOn('update', '', { mode: 'merge', route: name, routeType: 'name' })
    await enter(source(), 'port', 5123)
    should(await definition()).eql({ source: { port: 5123 } })
    await editor.press('ok')
    should(await run('update')).containDeep({ name, source: { port: 5123 } })

    await openOn('update', '', { mode: 'keep' })
    await enter(source(), 'name', 'in')
    await enter(source(), 'protocol', 'udp')
    await enter(source(), 'address', '239.0.0.1')
    await enter(source(), 'port', 5124)
    await editor.press('ok')
    const wanted = { name: 'in', protocol: 'udp', address: '239.0.0.1', port: 5124 }
    should(await run('update')).containDeep({ name, source: wanted })

    await openOn('ensure', '')
    await enterRoute('Ensured', {
      title: '',
      source: wanted,
      destinations: [{ name: 'out', protocol: 'hls' }],
    })
    await editor.press('ok')
    should(await run('ensure')).containDeep({
      name: 'Ensured',
      source: wanted,
      destinations: [{ name: 'out', protocol: 'hls' }],
    })
  })

  it('sorts destinations with the mouse and with the keyboard, and removes them', async () => {
    const destinations = ['one', 'two', 'three'].map((each) => ({ name: each, protocol: 'hls' }))
    await openOn('create', JSON.stringify({ name: 'A', destinations }))
    const order = async () =>
      ((await definition())['destinations'] as Properties[]).map((each) => each['name'])
    const up = destination(2).getByRole('button', { name: 'move up' })
    await up.focus()
    await page.keyboard.press('Enter')
    should(await order()).eql(['one', 'three', 'two'])
    await page.keyboard.press('Enter')
    should(await order()).eql(['three', 'one', 'two'])
    await destination(0).getByRole('button', { name: 'move down' }).click()
    should(await order()).eql(['one', 'three', 'two'])

    const handle = destination(0).locator('.red-ui-editableList-item-handle')
    const last = (await destination(2).boundingBox())!
    await handle.hover()
    await page.mouse.down()
    await page.mouse.move(last.x + 10, last.y + last.height - 2, { steps: 10 })
    await page.mouse.up()
    should(await order()).eql(['three', 'two', 'one'])
    should(await summaries()).match([/three/, /two/, /one/])

    await destination(1).getByRole('button', { name: 'remove this destination' }).click()
    should(await order()).eql(['three', 'one'])
    for (let i = 0; i < 2; i++) {
      await destination(0).getByRole('button', { name: 'remove this destination' }).click()
    }
    should(await definition()).eql({ name: 'A', destinations: [] })
    await editor.press('cancel')
  })

  it('masks secrets, and shows them when asked', async () => {
    await openOn('create', '')
    await enter(source(), 'protocol', 'srt')
    await enter(source(), 'srtPassPhrase', 'a long pass phrase')
    const phrase = entry(source(), 'srtPassPhrase')
    should(await phrase.getAttribute('type')).equal('password')
    const show = source().getByRole('button', { name: 'show: Pass phrase' })
    await show.click()
    should(await phrase.getAttribute('type')).equal('text')
    should(await show.getAttribute('aria-pressed')).equal('true')
    await show.click()
    should(await phrase.getAttribute('type')).equal('password')
    await enter(source(), 'protocol', 'rtsp')
    should(await entry(source(), 'password').getAttribute('type')).equal('password')
    await editor.press('cancel')
  })

  it('fills in an existing route', async () => {
    const routes = simulator.routes
    const wanted = routes.find(({ source: { protocol } }) => protocol === 'srt')!
    const fill = async () => {
      await form().getByRole('button', { name: 'Fill from an existing route' }).click()
      const choice = form().getByLabel('Route', { exact: true })
      await choice.locator('option').first().waitFor({ state: 'attached' })
      should(await choice.locator('option').count()).equal(simulator.routes.length)
      await form().getByLabel('Search').fill(wanted.name.toUpperCase())
      should(await choice.locator('option').allTextContents()).containEql(wanted.name)
      await choice.selectOption({ label: wanted.name })
      await form().getByRole('button', { name: 'Fill in', exact: true }).click()
      await form().locator('.media-gateway-route-note:not(:empty)').waitFor()
    }

    await openOn('update', '', { mode: 'keep', route: wanted.name, routeType: 'name' })
    await fill()
    const filled = await definition()
    should(filled).containDeep({ name: wanted.name, source: { id: wanted.source.id } })
    should(await faults()).eql([])
    await editor.press('cancel')

    await openOn('create', '')
    await fill()
    const copied = await definition()
    should(Object.keys(copied['source'] as object)).not.containEql('id')
    for (const each of copied['destinations'] as object[]) {
      should(Object.keys(each)).not.containEql('id')
    }
    await editor.press('cancel')
  })

  it('keeps hidden pass phrases in an update, and asks for them in a create', async () => {
    const hidden = {
      name: 'A',
      source: { name: 'in', protocol: 'srt', srtMode: 'caller', ...place, srtPassPhrase: '••••••' },
      destinations: [],
    }
    await openOn('update', JSON.stringify(hidden), { mode: 'keep' })
    should(await faults()).eql([])
    should(await member(source(), 'srtPassPhrase').textContent()).match(/The stored value/)
    await enter(source(), 'port', 5001)
    should(await definition()).containDeep({ source: { srtPassPhrase: '••••••' } })
    await enter(source(), 'srtPassPhrase', '')
    should(await definition()).containDeep({ source: { srtPassPhrase: '' } })
    await editor.press('cancel')
    await openOn('create', JSON.stringify(hidden))
    should(await faultOf(source(), 'srtPassPhrase')).match(/enter it again/)
    await enter(source(), 'srtPassPhrase', 'a long pass phrase')
    should(await faults()).eql([])
    await editor.press('cancel')
  })

  it('offers the adapters of the appliance', async () => {
    await openOn('create', '{"source":{"protocol":"udp"}}')
    const adapter = entry(source(), 'networkInterface')
    await adapter.focus()
    const list = page.locator(`#${await adapter.getAttribute('list')} option`)
    await list.first().waitFor({ state: 'attached' })
    should(await list.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value)))
      .be.an.Array()
      .and.not.be.empty()
    await editor.press('cancel')
  })

  it('has a label for every field, and an id of its own', async () => {
    await openOn('create', JSON.stringify(STRANGE))
    for (const each of await form().locator('summary:visible').all()) await each.click()
    for (const each of await form().locator('.media-gateway-route-toggle').all()) await each.click()
    const inputs = form().locator('input, select, button, a')
    should(await inputs.count()).be.above(30)
    should(
      await inputs.evaluateAll((all) =>
        all
          .filter((each) => {
            const { labels, textContent } = each as HTMLInputElement
            const words = labels?.[0]?.textContent || textContent || each.ariaLabel
            return !words?.trim()
          })
          .map((each) => each.outerHTML),
      ),
    ).eql([])
    const ids = await form()
      .locator('[id]')
      .evaluateAll((all) => all.map(({ id }) => id))
    should(new Set(ids).size).equal(ids.length)
    await editor.press('cancel')
  })

  for (const [theme, language] of [
    ['light', 'en-US'],
    ['dark', 'en-US'],
    ['light', 'de'],
    ['dark', 'ja'],
  ] as const) {
    it(`looks as it should, ${theme}, ${language}`, async () => {
      await open({ theme, language })
      await openOn(
        'create',
        JSON.stringify({ ...ROUTES[6], title: undefined, name: 'A', later: 1 }),
      )
      for (const each of await form().locator('summary:visible').all()) await each.click()
      await form().locator('.media-gateway-route-toggle').first().click()
      await form().locator('details').last().locator('summary').click()
      for (const width of [500, 700]) {
        await page
          .locator('.red-ui-tray')
          .last()
          .evaluate((tray, wanted) => {
            tray.style.width = `${wanted}px`
          }, width)
        const body = page.locator('.red-ui-tray-body').last()
        await body.evaluate((each) => {
          for (
            let at: HTMLElement | null = each as HTMLElement;
            at && !at.matches('.red-ui-tray');
            at = at.parentElement
          ) {
            at.style.height = 'auto'
            at.style.overflow = 'visible'
          }
        })
        should(await flawsOf(form())).eql([])
        await page.setViewportSize({ width: 1400, height: 3200 })
        await takePicture(form(), `route-form-${theme}-${language}-${width}`)
        await page.setViewportSize({ width: 1400, height: 900 })
      }
      await editor.press('cancel')
    })
  }

  // Suites within a suite come last.
  describe('in all of that', () => {
    it('makes no error', () => {
      should(editor.complaints).eql([])
    })
  })
})
