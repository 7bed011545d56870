// docs/fleet/compose.yaml, as far as it can be checked without containers: what it names exists, each
// file is valid for the program that reads it, and the flow runs in Node-RED.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defaultsOf } from '../support/manifests'
import { findNats, withNats } from '../support/nats'
import { freePort } from '../support/ports'
import { withPrometheus } from '../support/prometheus'
import { contentOf, packageName, root } from '../support/root'
import { until } from '../support/until'

const { CORE_SCHEMA, load, mergeTag } = require('js-yaml') as {
  load: (text: string, options?: object) => unknown
  mergeTag: unknown
  CORE_SCHEMA: { withTags: (tag: unknown) => object }
}

const FOLDER = join(root, 'docs/fleet')
const text = (path: string): string => readFileSync(join(FOLDER, path), 'utf8')

interface Service {
  image?: string
  build?: { context: string; args: Record<string, string> }
  command?: string[]
  environment?: Record<string, string>
  env_file?: string
  volumes?: string[]
  networks?: string[]
  ports?: string[]
  depends_on?: string[]
  healthcheck?: { test: string[] }
}
interface Compose {
  services: Record<string, Service>
  networks: Record<string, object | null>
  volumes: Record<string, object | null>
}

/** The variables of an example for an environment. */
function variablesIn(file: string): Record<string, string> {
  return Object.fromEntries(
    [...text(file).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  )
}

describe('docs/fleet', function () {
  this.timeout(60_000)

  const source = text('compose.yaml')
  // Compose merges with `<<`, as YAML 1.1 has it.
  const compose = load(source, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose
  const services = Object.entries(compose.services)

  it('has the services of a fleet', () => {
    Object.keys(compose.services).should.eql([
      'nats-1',
      'nats-2',
      'nats-3',
      'node-red',
      'simulator-1',
      'simulator-2',
      'simulator-3',
      'prometheus',
      'grafana',
    ])
    for (const [name, { image }] of services) {
      // A version, or our own.
      should(image).match(/^media-gateway-fleet\/|:\$\{\w+_VERSION:-v?\d/, name)
    }
  })

  it('mounts and builds what exists, and uses the volumes and networks that it has', () => {
    for (const [name, { volumes = [], networks = [], build, depends_on: first = [] }] of services) {
      if (build) existsSync(join(FOLDER, build.context, 'Dockerfile')).should.be.true()
      for (const volume of volumes) {
        const [from, , mode] = volume.split(':')
        if (!from!.startsWith('.')) compose.volumes.should.have.property(from!)
        else {
          existsSync(join(FOLDER, from!)).should.be.true(`${name}: ${from}`)
          // Nothing in a container changes the repository.
          should(mode).equal('ro')
        }
      }
      networks.length.should.be.above(0)
      for (const network of networks) compose.networks.should.have.property(network)
      for (const other of first) compose.services.should.have.property(other)
    }
  })

  it('gives each server of the engine a name, a disk, and the addresses of all three', () => {
    const engine = text('engine/engine.conf')
    for (const server of ['nats-1', 'nats-2', 'nats-3']) {
      const { environment, volumes } = compose.services[server]!
      should(environment!['SERVER_NAME']).equal(server)
      volumes!.should.containEql(`${server}:/data`)
      engine.should.containEql(`nats-route://${server}:6222`)
      compose.services['node-red']!.environment!['ENGINE']!.should.containEql(`${server}:4222`)
    }
  })

  it('opens ports to this machine only, and has no secret in it', () => {
    for (const [, { ports = [] }] of services) {
      for (const port of ports) port.should.startWith('127.0.0.1:')
    }
    for (const [, { environment = {} }] of services) {
      for (const [name, value] of Object.entries(environment)) {
        if (/PASSWORD/.test(name)) value.should.match(/^\$\{\w+:\?set it in \.env\}$/)
      }
    }
    const credentials = JSON.parse(text('node-red/flows_cred.json')) as Record<string, object>
    for (const value of Object.values(credentials['gateways']!))
      value.should.match(/^\$\{[A-Z_]+\}$/)
  })

  it('has an example for each variable that must be set', () => {
    const demanded = [...source.matchAll(/\$\{(\w+):\?set it in \.env\}/g)].map(([, name]) => name)
    const examples = variablesIn('.env.example')
    demanded.length.should.be.above(2)
    for (const name of demanded) examples.should.have.property(name!)

    const ofGateways = variablesIn(`${compose.services['node-red']!.env_file!}.example`)
    const { environment } = compose.services['node-red']!
    const named = ['inventory.json', 'inventory.trial.json', 'flows.json', 'flows_cred.json']
      .map((file) => text(`node-red/${file}`))
      .flatMap((each) => [...each.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!))
    named.length.should.be.above(6)
    for (const name of named) ({ ...ofGateways, ...environment }).should.have.property(name)
    Object.values({ ...examples, ...ofGateways })
      .filter((value) => /password|user/.test(value))
      .forEach((value) => value.should.startWith('invented'))
  })

  it('starts what the image has', () => {
    const dockerfile = text('Dockerfile')
    const program = /CMD (\[.*\])/.exec(dockerfile)![1]!
    const [, redJs, , settings] = JSON.parse(program) as string[]
    existsSync(join(root, redJs!)).should.be.true()
    const [from, to] = compose.services['node-red']!.volumes![0]!.split(':')
    existsSync(join(FOLDER, settings!.replace(to!, from!))).should.be.true()
    const { bin } = JSON.parse(contentOf('package.json')) as { bin: Record<string, string> }
    compose.services['simulator-1']!.command![1]!.should.endWith(
      `${packageName}/${bin['media-gateway-simulator']}`,
    )
    // Each argument of the build is one of the Dockerfile.
    for (const name of Object.keys(compose.services['node-red']!.build!.args)) {
      dockerfile.should.match(new RegExp(`^ARG ${name}=`, 'm'))
    }
  })

  it('shows the dashboard with the data source that it provides', () => {
    const { datasources } = load(text('grafana/datasources.yml')) as {
      datasources: Array<{ type: string; url: string }>
    }
    datasources
      .map(({ type, url }) => [type, url])
      .should.eql([['prometheus', 'http://prometheus:9090']])
    const { providers } = load(text('grafana/dashboards.yml')) as {
      providers: Array<{ options: { path: string } }>
    }
    const [file, place] = compose.services['grafana']!.volumes!.find((volume) =>
      volume.includes('dashboard.json'),
    )!.split(':')
    dirname(place!).should.equal(providers[0]!.options.path)
    const { templating } = JSON.parse(text(file!)) as {
      templating: { list: Array<{ type: string; query: unknown }> }
    }
    should(templating.list.find(({ type }) => type === 'datasource')?.query).equal('prometheus')
  })

  withPrometheus('its scrape configuration', ({ promtool }) => {
    it('is valid', () => {
      const file = join(FOLDER, 'prometheus/prometheus.yml')
      execFileSync(promtool, ['check', 'config', file], { encoding: 'utf8' }).should.match(
        /SUCCESS/,
      )
    })
  })

  withNats('its engine', () => {
    it('has a configuration that nats-server accepts', () => {
      const { ENGINE_USER, ENGINE_PASSWORD } = variablesIn('.env.example')
      const check = (env: object): string =>
        execFileSync(findNats()!, ['-t', '-c', join(FOLDER, 'engine/engine.conf')], {
          encoding: 'utf8',
          env: { ...process.env, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      check({ SERVER_NAME: 'nats-1', ENGINE_USER, ENGINE_PASSWORD })
      // It reads them: without the account it does not start.
      should(() => check({ SERVER_NAME: 'nats-1', ENGINE_PASSWORD })).throw(/ENGINE_USER/)
    })
  })

  describe('its flow, with its settings', () => {
    let nodeRed: ChildProcess
    let url = ''
    let output = ''
    const userDir = mkdtempSync(join(tmpdir(), 'media-gateway-compose-'))
    after(() => rmSync(userDir, { recursive: true, force: true }))

    before(async () => {
      const link = join(userDir, 'node_modules', packageName)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(root, link, 'junction')
      const folder = join(FOLDER, 'node-red')
      // As the volumes have it: without it the flow has no accounts.
      const { volumes } = compose.services['node-red']!
      volumes!.should.containEql('./node-red/flows_cred.json:/data/flows_cred.json:ro')
      copyFileSync(join(folder, 'flows_cred.json'), join(userDir, 'flows_cred.json'))
      const port = await freePort()
      url = `http://127.0.0.1:${port}/`
      nodeRed = spawn(
        process.execPath,
        [
          join(root, 'node_modules/node-red/red.js'),
          '--settings',
          join(folder, 'settings.js'),
          '--userDir',
          userDir,
        ],
        {
          env: {
            ...process.env,
            ...variablesIn('.env.example'),
            ...variablesIn('gateways.env.example'),
            PORT: String(port),
            INVENTORY: join(folder, 'inventory.trial.json'),
            // Nothing listens there.
            ENGINE: 'nats://127.0.0.1:9',
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      for (const stream of [nodeRed.stdout!, nodeRed.stderr!]) {
        stream.on('data', (chunk) => (output += String(chunk)))
      }
      await until(
        () => output.includes('Started flows') && output.includes('now running'),
        () => output,
      )
    })
    after(async () => {
      const ended = new Promise((resolve) => nodeRed.once('exit', resolve))
      nodeRed.kill('SIGTERM')
      await ended
    })

    it('runs in Node-RED, and complains of nothing but that the engine is away', () => {
      const complaints = output.split('\n').filter((line) => /\[(warn|error)\]/.test(line))
      // What Node-RED says of these settings, as they are meant.
      const expected = /engine|Using unencrypted credentials|Projects disabled/
      for (const line of complaints) line.should.match(expected)
      output.should.not.match(/invented/)
    })

    it('has no ID that is the value of a setting, also once the editor has saved its config node', () => {
      const flow = JSON.parse(text('node-red/flows.json')) as Array<Record<string, unknown>>
      const config = flow.find(({ type }) => type === 'media-gateway')!
      // Node-RED takes such a value for another config node, and starts no flow.
      const saved = { ...defaultsOf('gateway'), ...config, id: undefined }
      Object.values(saved).should.not.containEql(config['id'])
    })

    it('answers Prometheus', async () => {
      const answer = await fetch(`${url}metrics`)
      answer.status.should.equal(200)
      ;(await answer.text()).should.match(/^media_gateway_fleet_appliances\S* 3$/m)
    })

    it('is not healthy while it does not take part, and is when it does', async () => {
      const [kind, line] = compose.services['node-red']!.healthcheck!.test
      should(kind).equal('CMD-SHELL')
      const place = 'http://127.0.0.1:1880/metrics'
      // Compose takes a single $ for the beginning of a variable.
      const command = line!.replaceAll('$$', '$')
      command.should.containEql(place)
      const isHealthy = async (at: string): Promise<boolean> => {
        const child = spawn('sh', ['-c', command.replace(place, at)], { stdio: 'ignore' })
        const code = await new Promise((resolve) => child.once('exit', resolve))
        return code === 0
      }
      const present = await (await fetch(`${url}metrics`)).text()
      should(await isHealthy(`${url}metrics`)).be.false()
      const answers = http.createServer((_, answer) =>
        answer.end(present.replace(/^(media_gateway_fleet_member\S*) 0$/m, '$1 1')),
      )
      await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve))
      const { port } = answers.address() as AddressInfo
      should(await isHealthy(`http://127.0.0.1:${port}/`)).be.true()
      await new Promise((resolve) => answers.close(resolve))
      should(await isHealthy(`http://127.0.0.1:${port}/`)).be.false()
    })

    it('shows its flow, and lets nobody change it', async () => {
      const flow = (await (await fetch(`${url}flows`)).json()) as Array<{ id: string }>
      flow.should.eql(JSON.parse(text('node-red/flows.json')))
      const headers = { 'content-type': 'application/json' }
      const deployed = await fetch(`${url}flows`, { method: 'POST', headers, body: '[]' })
      deployed.status.should.equal(401)
    })
  })
})
