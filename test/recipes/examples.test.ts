// The flows in examples/ as a user imports them: each loads in a real Node-RED. The recipes here do
// on a simulator what their pages promise, by the clock or when their buttons are pressed.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { FAILOVER_ACTIONS } from '../../client/model/failover'
import type { Simulator } from '../../simulator'
import { NodeRed } from '../support/node-red'
import { contentOf, packageName } from '../support/root'
import { pause, until } from '../support/until'
import {
  ALL,
  DASHBOARD,
  examples,
  flowsOn,
  GATEWAY,
  nodeNamed,
  PANEL,
  read,
  SECOND,
  withTab,
  type FlowNode,
  type TabProperty,
} from './support'

const files = (readdirSync(examples, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** The group that says what to fill in. */
const SET_THESE = 'Set these, then deploy'

describe('the example flows', () => {
  const nodeRed = new NodeRed()
  const { start, begin, end, call, deploy, open, polled, press, inject, told, writes } =
    flowsOn(nodeRed)
  let simulator: Simulator
  let home: string
  let backups: string

  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'media-gateway-recipes-'))
    backups = join(home, 'backups')
    await start({ PRESET_BACKUP_FOLDER: backups, HOME: home })
  })
  after(async () => {
    await nodeRed.stop()
    rmSync(home, { recursive: true, force: true })
  })
  beforeEach(async () => {
    simulator = await begin()
  })
  afterEach(end)

  it('have IDs of their own, but for the gateways that they share', () => {
    const ids = files.flatMap((file) => read(file).map(({ id }) => id))
    const others = ids.filter((id) => ![GATEWAY, SECOND].includes(id))
    new Set(others).size.should.equal(others.length)
  })

  for (const file of files) {
    it(`${file} can be imported as it is`, async () => {
      const flow = read(file)
      const ids = new Set(flow.map(({ id }) => id))
      const sets = (await (await call('GET', 'nodes')).json()) as Array<{
        module: string
        types: string[]
      }>
      const known = sets
        .filter(({ module }) => module === 'node-red' || module === packageName)
        .flatMap((set) => set.types)
      for (const node of flow) {
        const isKnown = ['tab', 'group', ...known].includes(node.type)
        should(isKnown || (file === PANEL && node.type.startsWith('ui-'))).be.true(node.type)
        node.should.not.have.property('credentials')
        for (const target of (node.wires ?? []).flat()) ids.has(target).should.be.true(target)
        const lists = [node.scope, node.nodes, node['links']].filter(Array.isArray)
        for (const target of lists.flat() as string[]) ids.has(target).should.be.true(target)
        if (node.type.startsWith('media-gateway-')) ids.has(node.gateway!).should.be.true(node.name)
        if (node.z !== undefined) ids.has(node.z).should.be.true(node.z)
      }
      // What a user has to fill in is in sight.
      const toSet = flow.find(({ type, name }) => type === 'group' && name === SET_THESE)!
      const texts = flow.filter(({ id }) => toSet.nodes!.includes(id)).map(({ name }) => name!)
      texts[0]!.should.match(/^Gateway: URL, username, password/)
      const properties = (flow.find(({ type }) => type === 'tab')!['env'] as TabProperty[]) ?? []
      for (const { name } of properties) texts.join().should.containEql(name)
      flow.find(({ type }) => type === 'tab')!.label!.should.equal(nameOf(file))
      flow
        .find(({ type }) => type === 'media-gateway')!
        .should.match({
          id: file === 'All gateways.json' ? ALL : GATEWAY,
          baseUrl: 'http://localhost:8080',
          readOnly: false,
        })
      const gateways = flow.filter(({ type }) => type === 'media-gateway').map(({ id }) => id)
      should([[GATEWAY], [GATEWAY, SECOND], [ALL]]).containDeep([gateways])

      const foreign = flow.find(({ type }) => type === 'global-config')?.['modules']
      should(Object.keys(foreign ?? {})).eql(file === PANEL ? [DASHBOARD] : [])
      // It would not start without the Dashboard.
      if (file === PANEL) return
      const from = nodeRed.output.length
      await deploy(flow)
      const said = nodeRed.output.slice(from)
      // The rows of an inventory are read at once, and nobody has entered an account yet.
      const others = said.replace(/.*"(oslo|bergen)": The username is missing\..*\n/g, '')
      others.should.not.match(/missing|unknown|\[error\]/i)
      const { flows } = (await (await call('GET', 'flows')).json()) as { flows: FlowNode[] }
      flows.map(({ id }) => id).should.deepEqual(flow.map(({ id }) => id))
    })
  }

  it('are on a page for a Dashboard, beside the recipe', () => {
    const page = contentOf('docs/recipes/keep-a-route-on-the-air.md')
    const [, json = ''] = /```json\n([^]*?)```/.exec(page) ?? []
    const flow = JSON.parse(json) as FlowNode[]
    const ids = flow.map(({ id }) => id)
    const others = new Set(files.flatMap((file) => read(file).map(({ id }) => id)))
    ids.filter((id) => others.has(id)).should.deepEqual([])
    for (const node of flow) {
      should(node.type).match(/^(change|global-config|ui-(button|text|group|page|base|theme))$/)
      const used = [node['group'], node['page'], node['ui'], node['theme']].filter(Boolean)
      for (const id of [...used, ...(node.wires ?? []).flat()]) ids.should.containEql(id)
    }
    // What a button sends is what the failover obeys.
    const sent = flow.filter(({ type }) => type === 'ui-button').map((button) => button['payload'])
    for (const action of sent) FAILOVER_ACTIONS.should.containEql(action)
    sent.length.should.equal(4)
  })

  it('end each function that takes too long, and report it', async () => {
    for (const file of files) {
      for (const { type, name, timeout } of read(file)) {
        if (type === 'function') should(timeout).equal(5, `${file}: ${name}`)
      }
    }
    const title = 'Create routes from a CSV'
    const flow = read(`Recipes/${title}.json`)
    Object.assign(nodeNamed(flow, 'to routes'), { func: 'for (;;) {}', timeout: 1 })
    await open(title, { flow })
    await inject(flow, 'apply')
    await until(() => told('error').length === 1, 'the error')
    told('error')[0]!.should.match(/timed out/)
    writes().should.equal(0)
  })

  // The times are short here: what acts by itself would have acted.
  it('recipes change nothing by themselves until they are armed', async () => {
    const recipes = files.filter((each) => each.startsWith('Recipes/'))
    for (const file of recipes) {
      const flow = read(file)
      const tab = flow.find(({ type }) => type === 'tab')!
      const properties = (tab['env'] as TabProperty[]) ?? []
      const armed = properties.find(({ name }) => name === 'ARMED')
      const hold = properties.find(({ name }) => name === 'HOLD')
      const writing = flow.some(({ type }) => /control|update|ensure/.test(type))
      for (const { type, hold: held } of flow) {
        if (type === 'media-gateway-failover') should(held).equal('${HOLD}')
      }
      if (armed) armed.should.match({ value: 'false', type: 'bool' })
      else if (hold) hold.should.match({ value: 'true', type: 'bool' })
      else should(writing && !file.includes('CSV')).be.false(`${file} acts, and has no ARMED`)
    }
    const flow = recipes
      .filter((file) => file !== PANEL)
      .flatMap(read)
      .map((node): FlowNode => ({
        ...node,
        ...('holdFor' in node && { holdFor: '' }),
        ...('holdOff' in node && { holdOff: 0, pollEvery: 0.5 }),
        ...(node.type === 'trigger' && { duration: '100', units: 'ms' }),
        ...(node.type === 'delay' && { timeout: '100', timeoutUnits: 'milliseconds' }),
      }))
    simulator.route('Studio A')!.state.should.equal('running')
    await open('all recipes', { flow: [...new Map(flow.map((node) => [node.id, node])).values()] })
    await polled(2)
    simulator.fail('Studio A', { source: 'disconnected' })
    simulator.stopRoute('City hall')
    await pause(1500)
    simulator.journal
      .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
      .should.deepEqual([])
  })

  it('recipes obey no button until they are armed, but for those that the docs name', async () => {
    const page = contentOf('docs/getting-started.md')
    const [, sentence] = /^These buttons always work: (.*)$/m.exec(page)!
    const always = [...sentence!.matchAll(/(`.*?) of _(.+?)_/g)].flatMap(([, names, title]) =>
      [...names!.matchAll(/`(.+?)`/g)].map(([, name]) => ({ title: title!, name: name! })),
    )
    const recipes = files.filter((each) => each.startsWith('Recipes/') && each !== PANEL)
    await open('all recipes', {
      flow: [...new Map(recipes.flatMap(read).map((node) => [node.id, node])).values()],
    })
    await polled(1)
    // For a button that starts it.
    simulator.stopRoute('Studio A')
    for (const file of recipes) {
      for (const { type, name } of read(file)) {
        const works = always.some((each) => each.name === name && file.includes(each.title))
        if (type === 'inject' && !works) await inject(read(file), name!)
      }
    }
    await pause(1500)
    simulator.journal
      .filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
      .should.deepEqual([])
    for (const { title, name } of always) {
      // What a failover does once it is released depends on its route.
      if (name === 'release') continue
      const before = writes()
      await inject(read(`Recipes/${title}.json`), name)
      await until(() => writes() > before, `a change by "${name}" of ${title}`)
    }
  })

  it('All gateways lists the routes of one by their names, and names the other one once', async () => {
    const flow = read('All gateways.json')
    const rows = [{ name: 'oslo' }, { name: 'bergen', baseUrl: 'http://127.0.0.1:1' }]
    flow.find(({ type }) => type === 'media-gateway')!['inventory'] = JSON.stringify(rows)
    const button = flow.find(({ name }) => name === 'routes of oslo')!
    const props = [{ p: 'appliance', v: 'bergen', vt: 'str' }]
    flow.push({ ...button, id: 'other', name: 'routes of bergen', props })
    const from = nodeRed.output.length
    await open('All gateways', { flow })
    await press(flow, 'routes of oslo')
    await until(() => told('routes').length > 0, 'the routes')
    told('routes')[0]!.should.match(/^oslo: Studio A, /)
    await inject(flow, 'routes of bergen')
    await until(() => told('error').length > 0, 'the error')
    told('error')[0]!.should.startWith('bergen (127.0.0.1:1) refused the connection')
    const lines = nodeRed.output.slice(from).match(/\[warn\].*refused the connection/g)!
    lines.should.matchEach(/All gateways\] bergen \(127\.0\.0\.1:1\) refused/)
  })

  describe('Create routes from a CSV', () => {
    it('shows what it would do, creates fifty routes once, and then has nothing left to do', async () => {
      const flow = await open('Create routes from a CSV')
      const routes = simulator.routes.length
      await press(flow, 'dry run')
      await until(() => told('result').length === 1, 'the dry run')
      told('result')[0]!.should.match(/^Dry run: create 50\nChannel 01: create\n/)
      writes().should.equal(0)

      await press(flow, 'apply')
      await until(() => told('result').length === 2, 'the account')
      told('result')[1]!.should.match(/^Done: create 50\n/)
      simulator.routes.length.should.equal(routes + 50)
      const channels = simulator.routes.filter(({ name }) => name.startsWith('Channel '))
      new Set(channels.map(({ name }) => name)).size.should.equal(50)
      simulator
        .route('Channel 07')!
        .should.match({
          state: 'idle',
          source: { protocol: 'srt', srtMode: 'listener', port: 20007, srtLatency: 250 },
          destinations: [{ protocol: 'udp', address: '239.40.0.7', port: 6000 }],
        })

      simulator.clearJournal()
      await press(flow, 'apply')
      await until(() => told('result').length === 3, 'the second account')
      told('result')[2]!.should.equal('Done: none 50')
      writes().should.equal(0)
    })

    it('changes only the row that changed', async () => {
      const flow = read('Recipes/Create routes from a CSV.json')
      const table = nodeNamed(flow, 'table in this flow') as unknown as { template: string }
      table.template = table.template.split('\n').slice(0, 4).join('\n') + '\n'
      await open('Create routes from a CSV', { flow })
      await press(flow, 'apply')
      await until(() => told('result').length === 1, 'the account')
      simulator.route('Channel 02')!.destinations[0]!.port = 6001
      simulator.clearJournal()
      await press(flow, 'apply')
      await until(() => told('result').length === 2, 'the second account')
      told('result')[1]!
        .split('\n')
        .should.deepEqual(['Done: none 2; update 1', 'Channel 02: update (destinations[0].port)'])
      writes().should.equal(1)
    })
  })

  describe('Create routes from a CSV, from a file', () => {
    const HEAD = 'name,source_port,latency,destination_address,destination_port'

    /** Lets the flow read a file with this text, as a dry run. */
    async function dryRun(text: string): Promise<FlowNode[]> {
      const file = join(home, 'routes.csv')
      writeFileSync(file, text)
      const flow = withTab(read('Recipes/Create routes from a CSV.json'), { FILE: file })
      await open('Create routes from a CSV', { flow })
      await inject(flow, 'dry run')
      return flow
    }

    it('keeps the zeros of a name, and reads what a spreadsheet has saved', async () => {
      const flow = await dryRun(`\uFEFF${HEAD}\r\n0815,20001,250,239.40.0.1,6000\r\n`)
      await until(() => told('result').length === 1, 'the dry run')
      told('result')[0]!.should.equal('Dry run: create 1\n0815: create')
      await press(flow, 'apply')
      await until(() => told('result').length === 2, 'the account')
      simulator
        .route('0815')!
        .should.match({
          source: { name: '0815 in', port: 20001, srtLatency: 250 },
          destinations: [{ port: 6000 }],
        })
    })

    const REFUSED = /Nothing was changed\.$/
    for (const [what, text, why] of [
      [
        'separated by semicolons',
        `${HEAD}\nA,1,1,1.1.1.1,1\n`.replaceAll(',', ';'),
        /separator in/,
      ],
      ['without a column', 'name,source_port,latency,destination_address\nA,1,1,1.1.1.1\n', /port/],
      ['without the column that may be empty', 'name,source_port\nA,1\n', /has no latency, /],
      ['without a name', `${HEAD}\nA,1,1,1.1.1.1,1\n ,2,1,1.1.1.1,1\n`, /Row 2 .* has no name\./],
      ['with a row that is cut off', `${HEAD}\nA,20001,250`, /no destination_address, dest/],
      ['with a port in hexadecimal', `${HEAD}\nA,0x10,1,1.1.1.1,1\n`, /source_port is "0x10"; it/],
      ['with a port like a sum', `${HEAD}\nA,1e3,1,1.1.1.1,1\n`, /source_port is "1e3"; it/],
      ['with a port below zero', `${HEAD}\nA,1,1,1.1.1.1,-5\n`, /destination_port is "-5"; it/],
      ['with half a latency', `${HEAD}\nA,1,"0,5",1.1.1.1,1\n`, /latency is "0,5"; it must be a/],
      ['that is empty', '', /The table is empty/],
      ['of blank lines', '\r\n\r\n', /The table is empty/],
      ['that has a head only', `${HEAD}\n`, /The table is empty/],
      ['that has a head only, with its mark', `\uFEFF${HEAD}`, /The table is empty/],
      ['with a head and empty rows', `${HEAD}\n,,,,\n, , ,,\n`, /The table is empty/],
    ] as Array<[string, string, RegExp]>) {
      it(`changes nothing with a table ${what}, and says what is wrong`, async () => {
        const flow = await dryRun(text)
        await inject(flow, 'apply')
        await until(() => told('error').length === 2, 'the errors')
        told('error')[0]!.should.match(REFUSED).and.match(why)
        told('result').should.eql([])
        writes().should.equal(0)
      })
    }

    for (const [what, text, expected] of [
      ['an empty latency', `${HEAD}\nA,20001,,239.40.0.1,6000\n`, {}],
      ['blanks around its cells', ` ${HEAD} \n A\t, 20001 ,, 239.40.0.1 ,6000 \n`, {}],
      ['quotes', `"${HEAD.replaceAll(',', '","')}"\n"A","20001","","239.40.0.1","6000"\n`, {}],
      ['quotes and its mark', `\uFEFF"name"${HEAD.slice(4)}\r\nA,20001,,239.40.0.1,6000\r\n`, {}],
      ['lines of an old Mac', `${HEAD}\rA,20001,,239.40.0.1,6000\r`, {}],
      ['no end of its last line', `${HEAD}\nA,20001,,239.40.0.1,6000`, {}],
      ['empty rows at its end', `${HEAD}\nA,20001,,239.40.0.1,6000\n,,,,\n\n`, {}],
      ['more columns', `note,${HEAD},\nx,A,20001,,239.40.0.1,6000,\n`, {}],
      ['a name in quotes', `${HEAD}\n"A, ""B""",20001,,239.40.0.1,6000\n`, { name: 'A, "B"' }],
      ['a latency', `${HEAD}\r\nA,20001, 0120 ,239.40.0.1,6000\r\n`, { srtLatency: 120 }],
    ] as Array<[string, string, { name?: string; srtLatency?: number }]>) {
      it(`creates the route of a table with ${what}`, async () => {
        const flow = await dryRun(text)
        await until(() => told('result').length === 1, 'the dry run')
        const { name = 'A', srtLatency } = expected
        told('result')[0]!.should.equal(`Dry run: create 1\n${name}: create`)
        await press(flow, 'apply')
        await until(() => told('result').length === 2, 'the account')
        const route = simulator.route(name)!
        route.should.match({
          source: { name: `${name} in`, port: 20001 },
          destinations: [{ address: '239.40.0.1', port: 6000 }],
        })
        if (srtLatency !== undefined) should(route.source.srtLatency).equal(srtLatency)
        told('error').should.eql([])
      })
    }

    it('changes nothing when a number is none, or the file is missing', async () => {
      const flow = await dryRun(`${HEAD}\nA,high,250,239.40.0.1,6000\n`)
      await inject(flow, 'apply')
      await until(() => told('error').length === 2, 'the errors')
      told('error')[1]!.should.match(/port/)
      const without = withTab(flow, { FILE: join(home, 'nowhere.csv') })
      await open('Create routes from a CSV', { flow: without })
      await inject(without, 'apply')
      await until(() => told('error').length === 1, 'the error')
      told('error')[0]!.should.match(/nowhere\.csv/)
      writes().should.equal(0)
    })
  })

  describe('Nightly preset backup', () => {
    it('writes all routes, with their secrets, to one of fourteen files', async () => {
      const flow = await open('Nightly preset backup')
      nodeNamed(flow, 'every night at 03:30').crontab!.should.equal('30 03 * * *')
      for (const times of [1, 2]) {
        await press(flow, 'back up now')
        await until(() => told('saved').length === times, 'the backup')
      }
      const [only, ...others] = readdirSync(backups)
      others.should.deepEqual([])
      only!.should.match(/^preset-[ab]-(mon|tues|wednes|thurs|fri|satur|sun)day\.json$/)
      const preset = readFileSync(join(backups, only!), 'utf8')
      const { routes } = JSON.parse(preset) as { routes: Array<{ name: string }> }
      routes.map(({ name }) => name).should.deepEqual(simulator.routes.map(({ name }) => name))
      preset.should.match(/invented-\d+-passphrase/).and.not.match(/•/)
    })

    it('names fourteen days differently, and the fifteenth as the first', () => {
      const { func } = nodeNamed(read('Recipes/Nightly preset backup.json'), 'file name')
      const name = compileFunction(String(func), ['msg', 'env', 'Date']) as (
        ...parts: unknown[]
      ) => { filename: string }
      const noon = new Date(2026, 2, 20, 12).getTime()
      const names = Array.from({ length: 15 }, (_, day) => {
        // Over the change of the clocks, wherever there is one.
        const then = new Date(noon)
        then.setDate(then.getDate() + day)
        class Clock extends Date {
          constructor() {
            super(then.getTime())
          }
        }
        const env = { get: (variable: string) => (variable === 'HOME' ? '/home/me' : undefined) }
        return name({ payload: { routes: [] } }, env, Clock).filename
      })
      new Set(names).size.should.equal(14)
      names[14]!.should.equal(names[0])
      names[0]!.should.startWith('/home/me/.node-red/preset-backups/preset-')
    })

    it('tells an Operator that it is refused, and writes nothing', async () => {
      rmSync(backups, { recursive: true, force: true })
      const flow = await open('Nightly preset backup', {
        credentials: { username: 'operator', password: 'supervisor' },
      })
      const from = nodeRed.output.length
      await press(flow, 'back up now', /\/devices$/)
      await until(
        () => /\[debug:error\].*role Operator/.test(nodeRed.output.slice(from)),
        'the error',
      )
      readdirSync(home).should.not.containEql('backups')
    })
  })
})

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.json$/, '')
