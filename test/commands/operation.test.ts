// Who follows the steps of docs/project/architecture.md has a node that runs.
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { contentOf, root } from '../support/root'

/** What a build and a test need, but for the packages and the other tests. */
const PARTS = [
  'client',
  'docs',
  'examples',
  'icons',
  'nodes',
  'scripts',
  'simulator',
  'test',
  'README.md',
  'package.json',
  'tsconfig.json',
]

describe('adding an operation by docs/project/architecture.md', function () {
  this.timeout(180_000)
  let project: string

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'media-gateway-operation-'))
    // To compile them would take longer than all the rest.
    const filter = (path: string): boolean => !path.endsWith('.test.ts')
    for (const part of PARTS)
      cpSync(join(root, part), join(project, part), { recursive: true, filter })
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
  })
  after(() => rmSync(project, { recursive: true, force: true }))

  it('gives a node that passes its test', async () => {
    steps().should.not.be.empty()
    for (const { file, language, code } of steps()) {
      const path = join(project, file)
      if (language === 'diff') {
        writeFileSync(path, withLinesOf(code, readFileSync(path, 'utf8'), file))
      } else {
        existsSync(path).should.be.false(`${file} is there already`)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, code)
      }
    }
    ;(await run('scripts/test.mjs', 'nodes/list-alarms')).should.match(/^1 passed, 0 failed$/m)
  })

  it('gives a node that runs in Node-RED', async () => {
    writeFileSync(join(project, 'try.mjs'), TRY)
    JSON.parse(await run('try.mjs')).should.eql({
      loaded: [true, null],
      payload: [{ text: 'Fan failed' }],
      each: { text: 'Fan failed' },
      requests: 2,
      calls: ['POST /api/session', 'GET /api/session', 'GET /api/devices', 'GET …/alarms'],
    })
  })

  it('leaves nothing out of its texts in English', async () => {
    const { lacksIn } = (await import(pathToFileURL(join(root, 'scripts/lacks.mjs')).href)) as {
      lacksIn: (root: string) => Promise<string[]>
    }
    const lacks = await lacksIn(project)
    lacks.length.should.be.above(0)
    lacks.filter((one) => /en-US|package\.json|\.ts$/.test(one)).should.eql([])
  })

  async function run(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project })
    return stdout
  }
})

interface Step {
  file: string
  language: string
  code: string
}

/** Each step that has a file and what goes into it. */
function steps(): Step[] {
  const STEP = /^\d+\. [^\n]* in `([^`]+)`:\n\n( {3,4})```(\w+)\n([^]*?)^\2```/gm
  const page = contentOf('docs/project/architecture.md')
  const section = page.split('## Add an operation\n')[1]!.split(/^## /m)[0]!
  return [...section.matchAll(STEP)].map(([, file, indent, language, code]) => ({
    file: file!,
    language: language!,
    code: code!.replaceAll(new RegExp(`^${indent!}`, 'gm'), ''),
  }))
}

/** A file with the `+` lines of a difference, each behind the line that is above it. */
function withLinesOf(difference: string, text: string, file: string): string {
  let above = ''
  return difference
    .trimEnd()
    .split('\n')
    .reduce((whole, line) => {
      if (!line.startsWith('+')) {
        above = `${line.slice(1)}\n`
        whole.split(above).length.should.equal(2, `${file} has once: ${above}`)
        return whole
      }
      const added = `${line.slice(1)}\n`
      const place = above
      above += added
      return whole.replace(place, () => place + added)
    }, text)
}

/** Runs in the project: a flow with the new node between two nodes of Node-RED. */
const TRY = `
import { createRequire } from 'node:module'
import { atEnd, runScript } from './scripts/harness/end.mjs'
import { link, NodeRed, temporaryUserDirectory } from './scripts/harness/node-red.mjs'
import { until } from './scripts/harness/processes.mjs'
const { startSimulator } = createRequire(import.meta.url)('./dist/simulator')

runScript(async () => {
  const simulator = await startSimulator()
  atEnd(() => simulator.stop())
  const userDir = temporaryUserDirectory()
  link(userDir)
  const nodeRed = new NodeRed()
  await nodeRed.start({ userDir })
  const set = (await nodeRed.get('nodes')).find(({ types }) =>
    types.includes('media-gateway-list-alarms'),
  )
  const credentials = { username: 'haiadmin', password: 'manager' }
  await nodeRed.deploy([
    { id: 'tab', type: 'tab' },
    { id: 'gateway', type: 'media-gateway', baseUrl: simulator.url, credentials },
    { id: 'in', z: 'tab', type: 'http in', url: '/alarms', method: 'get', wires: [['alarms']] },
    { id: 'alarms', z: 'tab', type: 'media-gateway-list-alarms', gateway: 'gateway', wires: [['pack']] },
    { id: 'pack', z: 'tab', type: 'function', wires: [['out']],
      func: 'msg.payload = { payload: msg.payload, requests: msg.gateway.requests }; return msg' },
    { id: 'in each', z: 'tab', type: 'http in', url: '/each', method: 'get', wires: [['each']] },
    { id: 'each', z: 'tab', type: 'media-gateway-list-alarms', gateway: 'gateway', output: 'split', wires: [['out']] },
    { id: 'out', z: 'tab', type: 'http response', wires: [] },
  ])
  // A deploy is answered before its flow has started.
  const answer = () => nodeRed.get('alarms').catch(() => undefined)
  const { payload, requests } = await until(answer, 'The answer of the flow')
  const calls = simulator.journal.map(
    ({ method, path }) => method + ' ' + path.replace(/^.*(?=\\/alarms)/, '…'),
  )
  const each = await nodeRed.get('each')
  const loaded = [set.enabled, set.err ?? null]
  console.log(JSON.stringify({ loaded, payload, each, requests, calls }))
})
`
