// The package as a user gets it: packed, installed into an empty user directory, run by a real
// Node-RED.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DIALECTS, startSimulator, type Call, type Simulator } from '../../simulator'
import { EFFECTS } from '../../simulator/faults'
import { nodes as sets, typeOf } from '../support/manifests'
import { contentOf, root } from '../support/root'
import { pause, until } from '../support/until'
import { env, Installation, windows } from './installation'

interface Manifest {
  name: string
  version: string
  'node-red': Record<'nodes' | 'plugins', Record<string, string>>
  bin: Record<string, string>
  exports: { './client': { default: string } }
}
const manifest = JSON.parse(contentOf('package.json')) as Manifest
const { name, version } = manifest
const types = sets.map(typeOf)

/** Longer than a flow pauses between two calls, also on a busy machine. */
const QUIET_MS = 500

/** The pages for users: those on the project are in the repository only. */
const docs = ['', 'recipes/'].flatMap((folder) =>
  readdirSync(join(root, 'docs', folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `resources/docs/${folder}${file.replace('.md', '.html')}`),
)

interface FlowNode {
  id: string
  type: string
  z?: string
  name?: string
  baseUrl?: string
  credentials?: object
}

describe('the package', function () {
  this.timeout(180_000)

  let installation: Installation
  let simulator: Simulator

  before(async () => {
    installation = new Installation(name)
    // What is built is tested: it is not built once more.
    const npm = pathToFileURL(join(root, 'scripts/harness/npm.mjs')).href
    const { stage } = (await import(npm)) as { stage: (folder: string) => Promise<string> }
    installation.install(await stage(installation.home), '--ignore-scripts')
    simulator = await startSimulator({ pollingInterval: 1000 })
    await installation.startNodeRed()
  })

  after(async () => {
    await installation?.remove()
    await simulator?.stop()
  })

  it('holds what a user needs, and nothing else', () => {
    const { packed } = installation
    const pages = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', ...docs]
    for (const page of pages) packed.should.containEql(page)
    const others = packed.filter(
      (file) =>
        !/^(dist\/(client|nodes|simulator)|examples)\/|^resources\/docs\/[\w-]+\.(json|yml|conf|css)$/.test(
          file,
        ) && ![...pages, 'package.json', 'dist/runtime.js'].includes(file),
    )
    others.should.deepEqual([])
    packed.filter((file) => /(^|\/)test\/|\.test\./.test(file)).should.deepEqual([])
    // The sources that maps lead to are not there, and only the client is a library.
    packed
      .filter((file) => /\.map$|^dist\/(nodes|simulator)\/.*\.d\.ts$/.test(file))
      .should.deepEqual([])
    packed.should.containEql('dist/client/index.d.ts')
    packed.filter((file) => /\.(pem|key)$/.test(file)).should.eql([])
  })

  it('runs from one file, with a small one for each node, program and library', () => {
    const { packed } = installation
    const code = packed.filter((file) => file.endsWith('.js')).sort()
    const { bin, exports } = manifest
    code.should.eql(
      [
        'dist/runtime.js',
        ...Object.values({ ...manifest['node-red'].nodes, ...manifest['node-red'].plugins }),
        ...Object.values(bin),
        exports['./client'].default.replace('./', ''),
      ].sort(),
    )
  })

  it('has every file that package.json names', () => {
    const { exports, bin } = JSON.parse(
      readFileSync(join(installation.folder, 'package.json'), 'utf8'),
    ) as Manifest
    const named = [
      ...Object.values(manifest['node-red'].nodes),
      ...Object.values(exports).flatMap((entry) =>
        typeof entry === 'string' ? [entry] : Object.values(entry),
      ),
      ...Object.values(bin),
    ]
    for (const file of named) existsSync(join(installation.folder, file)).should.be.true(file)
  })

  it('gives Node-RED all its nodes, without an error', async () => {
    const all = (await get('nodes')) as Array<{
      module: string
      name: string
      types: string[]
      enabled: boolean
      err?: string
      version: string
    }>
    const ours = all.filter(({ module }) => module === name)
    ours.map((set) => set.name).should.deepEqual(sets)
    ours.flatMap((set) => set.types).should.deepEqual(types)
    for (const set of ours) {
      set.should.match({ enabled: true, version })
      should(set.err).be.undefined()
    }
  })

  it('gives the editor forms, help, texts and icons', async () => {
    const forms = await text('nodes', 'text/html')
    for (const type of types) {
      for (const script of [`data-template-name="${type}"`, `data-help-name="${type}"`]) {
        should(forms.includes(script)).be.true(script)
      }
    }
    const texts = (await get('nodes/messages?lng=en-US')) as Record<string, object>
    for (const set of sets) texts[`${name}/${set}`]!.should.have.property('node')
    for (const set of sets) {
      const icon = await fetch(`${installation.url}icons/${name}/${set}.svg`)
      // Where an icon is missing, Node-RED answers with one of its own.
      ;(await icon.text()).should.equal(contentOf('icons', `${set}.svg`))
    }
  })

  it('gives the editor its documentation: every page, with what it links, from the help of the nodes', async () => {
    const forms = await text('nodes', 'text/html')
    const read = new Map<string, string>()
    const open = async (url: string): Promise<string> => {
      const known = read.get(url)
      if (known !== undefined) return known
      const page = await text(url.slice(installation.url.length), 'text/html')
      read.set(url, page)
      if (!url.endsWith('.html')) return page
      for (const [, link = ''] of page.matchAll(/<a href="([^"]*)"/g)) {
        const target = new URL(link, url)
        if (target.origin !== new URL(url).origin) continue
        const linked = await open(target.href.replace(target.hash, ''))
        const anchor = decodeURIComponent(target.hash.slice(1))
        should(anchor === '' || linked.includes(` id="${anchor}"`)).be.true(`${url}: ${link}`)
      }
      return page
    }
    const links = [...forms.matchAll(/<a href="(resources\/[^"]*)"/g)].map(([, link]) => link!)
    links.length.should.be.above(types.length)
    for (const link of links) await open(installation.url + link)
    const base = `${installation.url}resources/${name}/`
    const opened = [...read.keys()].map((url) => url.replace(base, 'resources/'))
    opened
      .filter((file) => file.endsWith('.html'))
      .sort()
      .should.eql([...docs].sort())
  })

  it('is small: unpacked at most 2.55 MB, with the documentation', () => {
    const { packed, folder } = installation
    const size = packed.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
    should(size).be.below(2_550_000)
  })

  describe('its examples', () => {
    let examples: Record<string, FlowNode[]>
    let recipes: Record<string, FlowNode[]>

    before(async () => {
      examples = await offered('')
      recipes = await offered('Recipes/')
    })

    /** The flows that the menu offers in a folder. */
    async function offered(folder: string): Promise<Record<string, FlowNode[]>> {
      const flows: Record<string, FlowNode[]> = {}
      const base = `library/examples/flows/${name}/${folder}`
      for (const entry of (await get(base)) as Array<string | { fn: string }>) {
        if (typeof entry === 'string') continue
        flows[entry.fn] = JSON.parse(await text(base + encodeURIComponent(entry.fn))) as FlowNode[]
      }
      return flows
    }

    it('are offered in the menu, one for each node, one for all, and one to begin with', () => {
      const titles = sets
        .filter((set) => set !== 'gateway')
        .map((set) => `${set[0]!.toUpperCase()}${set.slice(1).replace('-', ' ')}`)
      Object.keys(examples)
        .sort()
        .should.deepEqual([...titles, 'All gateways', 'All nodes', 'Start and stop a route'].sort())
    })

    it('are offered as recipes too, each with a page', () => {
      const index = contentOf('docs/README.md')
      for (const title of Object.keys(recipes)) {
        const page = `recipes/${title.toLowerCase().replaceAll(' ', '-')}.md`
        existsSync(join(root, 'docs', page)).should.be.true(page)
        should(index.includes(`(${page})`)).be.true(page)
      }
      const pages = readdirSync(join(root, 'docs/recipes')).filter((file) => file.endsWith('.md'))
      Object.keys(recipes).length.should.equal(pages.length)
    })

    it('use every node of the package, and all of them in one', () => {
      const all = examples['All nodes']!.map(({ type }) => type)
      for (const type of types) all.should.containEql(type)
    })

    it('save every property under the name that the form has', async () => {
      const forms = await text('nodes', 'text/html')
      for (const node of [...Object.values(examples), ...Object.values(recipes)].flat()) {
        if (!types.includes(node.type)) continue
        const form = forms.slice(forms.indexOf(`registerType("${node.type}",`))
        const defaults = form.slice(0, form.indexOf('paletteLabel'))
        const { id: _, type: _type, ...rest } = node
        for (const property of Object.keys(rest)) {
          if (['g', 'x', 'y', 'z', 'wires'].includes(property)) continue
          should(new RegExp(`\\b${property}:\\{`).test(defaults)).be.true(
            `${node.type} ${property}`,
          )
        }
      }
    })

    /** What each example does to the appliance when its buttons are pressed one after the other. */
    const RESULTS: Record<string, () => boolean> = {
      Session: () => called('DELETE', /^\/api\/session$/),
      'List devices': () => called('GET', /^\/api\/devices$/),
      'Get device': () => called('GET', /^\/api\/devices\/[^/]+$/),
      'List routes': () => called('GET', /^\/api\/gateway\/[^/]+\/routes$/),
      'Get route': () => called('GET', /^\/api\/gateway\/[^/]+\/routes\/[^/]+$/),
      'Create route': () => simulator.route('Example route') !== undefined,
      'Update route': () => simulator.route('Studio A')?.destinations[0]?.port === 6002,
      'Delete route': () => changed('delete') && simulator.route('Example to delete') === undefined,
      'Control route': () =>
        commanded('stop-route', 'start-route') && simulator.route('Studio A')?.state === 'running',
      Statistics: () => called('GET', /\/statistics$/),
      Watch: () =>
        called('GET', /^\/api\/devices\/[^/]+$/) && commanded('stop-route', 'start-route'),
      // Without the confirmation nothing is imported.
      Failover: () => changed('update'),
      Preset: () => called('GET', /\/preset$/) && !called('POST', /\/preset$/),
      'Ensure route': () => simulator.route('Ensured example') !== undefined,
      'Start and stop a route': () =>
        commanded('stop-route') && simulator.route('Studio A')?.state === 'idle',
      'All gateways': () =>
        commanded('stop-route', 'start-route') && simulator.route('Studio A')?.state === 'running',
      'All nodes': () =>
        changed('delete') && !simulator.routes.some(({ name: each }) => each.startsWith('Demo ')),
    }
    for (const [title, effect] of Object.entries(RESULTS)) {
      it(`run as they are: ${title}`, async () => {
        simulator.clearJournal()
        await deploy(examples[title]!)
        // It obeys once it has seen its route: before its second poll.
        if (title === 'Failover') await until(() => polls() > 1, 'its polls')
        simulator.clearJournal()
        for (const { id, type } of examples[title]!) {
          if (type !== 'inject') continue
          ;(await post(`inject/${id}`, {})).status.should.equal(200)
          // The buttons of one flow are for one after the other.
          await quiet()
        }
        await until(effect, `the effect of ${title}`)
        simulator.journal
          .filter((call) => call.status !== 200 && !asksForGone(call))
          .should.deepEqual([], 'calls that failed')
      })
    }
  })

  describe('without Node-RED', () => {
    it('has types that a program in TypeScript compiles against', () => {
      writeFileSync(join(installation.userDir, 'sample.ts'), SAMPLE)
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const options = ['--strict', '--noEmit', '--module', 'node16', '--target', 'es2022']
      const roots = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
      const { status, stdout } = spawnSync(
        process.execPath,
        [tsc, ...options, ...roots, 'sample.ts'],
        { encoding: 'utf8', cwd: installation.userDir },
      )
      should(status).equal(0, stdout)
    })

    describe('the scripts of the page on the client', () => {
      const page = contentOf('docs/client.md')
      const scripts = [...page.matchAll(/^(.+):\n\n```js\n([^]*?)```/gm)]

      /** Runs one as a user would, up to the first output that fits; returns all that it writes. */
      async function run(title: RegExp, args: string[] = [], last?: RegExp): Promise<string> {
        const [, , script = ''] = scripts.find(([, said]) => title.test(said!))!
        should(script).containEql('http://localhost:8080')
        const file = join(installation.userDir, 'script.mjs')
        writeFileSync(file, script.replace('http://localhost:8080', simulator.url))
        const child = spawn(process.execPath, [file, ...args], { env, cwd: installation.userDir })
        let output = ''
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk) => {
            output += String(chunk)
            if (!last?.test(output)) return
            last = undefined
            child.kill('SIGINT')
          })
        }
        const [code] = (await once(child, 'close')) as [number]
        code.should.equal(0, output)
        return output
      }

      it('are whole, each under a sentence', () => {
        scripts.length.should.equal(page.split('```js').length - 1)
        scripts.length.should.equal(5)
      })

      it('list the routes', async () => {
        ;(await run(/^List/)).should.match(/^Studio A \w+$/m)
      })

      it('start a route, and wait until it runs', async () => {
        simulator.route('Newsroom feed')!.state.should.equal('idle')
        ;(await run(/^Start/)).should.equal('Newsroom feed running\n')
        simulator.route('Newsroom feed')!.state.should.equal('running')
      })

      it('apply exactly the plan', async () => {
        const before = simulator.route('Studio A')!.source.name
        const wanted = [{ name: 'Studio A', source: { name: 'renamed by a file' } }]
        writeFileSync(join(installation.userDir, 'routes.json'), JSON.stringify(wanted))
        const shown = await run(/^Show/)
        shown.should.containEql('renamed by a file')
        simulator.route('Studio A')!.source.name.should.equal(before)
        ;(await run(/^Show/, ['apply'])).should.equal(`${shown}update Studio A\n`)
        simulator.route('Studio A')!.source.name.should.equal('renamed by a file')
      })

      // Windows has no signal that a program could handle.
      if (!windows) {
        it('watch for incidents until Ctrl-C, and log out', async () => {
          const open = simulator.openSessions
          await run(/^Watch/, [], /\d+ routes/)
          simulator.openSessions.should.equal(open)
        })
      }

      it('read the statistics of all running routes', async () => {
        ;(await run(/^Read/)).should.match(/collectedAt/)
      })
    })

    it('has the simulator as a command, with a page that names all it can', () => {
      const command = join(installation.userDir, 'node_modules/.bin/media-gateway-simulator')
      const help = execFileSync(command, ['--help'], { env, shell: windows, encoding: 'utf8' })
      const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, option]) => option!)
      options.should.containEql('--port')
      const page = contentOf('docs/simulator.md')
      for (const word of [...options, ...Object.keys(EFFECTS), ...Object.keys(DIALECTS)]) {
        should(page.includes(`\`${word}\``)).be.true(word)
      }
    })
  })

  // ---- how it is used

  const text = (path: string, accept?: string): Promise<string> => installation.text(path, accept)
  const get = async (path: string): Promise<unknown> => JSON.parse(await text(path))

  async function post(path: string, body: unknown): Promise<Response> {
    const answer = await fetch(installation.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // Read to its end: until then its connection stays open.
    await answer.text()
    return answer
  }

  /** Deploys an example on the simulator, with credentials as a user would enter them. */
  async function deploy(example: FlowNode[]): Promise<void> {
    const flow = example.map((node) =>
      node.type === 'media-gateway'
        ? {
            ...node,
            baseUrl: simulator.url,
            credentials: { username: 'haiadmin', password: 'manager' },
          }
        : node,
    )
    await installation.deploy(flow)
  }

  const called = (method: string, path: RegExp): boolean =>
    simulator.journal.some((call) => call.method === method && path.test(call.path))

  const polls = (): number =>
    simulator.journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path)).length

  /** Resolves when no more calls come, polls aside. */
  async function quiet(): Promise<void> {
    const calls = (): number => simulator.journal.length - polls()
    for (let before = NaN; calls() !== before;) {
      before = calls()
      await simulator.settle()
      await pause(QUIET_MS)
    }
  }

  // A watch asks for a route that is missing, to be sure that it is gone.
  const asksForGone = ({ method, path, status }: Call): boolean =>
    status === 404 && method === 'GET' && /\/routes\/[^/]+$/.test(path)

  const changed = (action: string): boolean =>
    simulator.journal.some(
      ({ body }) => (body as { action?: string } | undefined)?.action === action,
    )

  const commanded = (...commands: string[]): boolean =>
    commands.every((command) =>
      simulator.journal.some(
        ({ body }) => (body as { command?: string } | undefined)?.command === command,
      ),
    )
})

const SAMPLE = `
import { isGatewayError, openGateway, type ErrorCode, type Gateway, type Route } from '${name}/client'

export async function main(signal: AbortSignal): Promise<string[]> {
  const gateway: Gateway = openGateway({ baseUrl: 'http://gateway', username: 'u', password: 'p' })
  try {
    const { data } = await gateway.routes.list({ signal })
    const route: Route = await gateway.routes.get({ name: 'Studio A' }, { deviceId: 'D', signal })
    await gateway.routes.create(route, { waitFor: 'applied', waitTimeout: 5000 })
    await gateway.routes.update({ name: 'Studio A' }, { source: { port: 5000 } }, { mode: 'keep' })
    const one: boolean = (await gateway.routes.ensure({ name: 'A' }, { state: 'absent' })).changed
    const many = await gateway.routes.ensure([{ name: 'A' }])
    const end: () => void = gateway.watch({ route: { pattern: 'Studio*' } }, ([event]) => {
      if (event) console.log(event.event, one, many.length)
    })
    end()
    // @ts-expect-error: one or the other is needed
    await gateway.routes.get({})
    return data.map(({ name }) => name)
  } catch (error) {
    const code: ErrorCode | undefined = isGatewayError(error) ? error.code : undefined
    return [String(code)]
  }
}
`
