// npm --prefix tools run bench:start: what the package adds to the start of Node-RED, and to the page of its
// editor. docs/project/performance.md explains the figures.
//   --rounds 9  starts without the package, and as many with it, alternating
import '../../scripts/help.mjs'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { atEnd, runScript } from '../../scripts/harness/end.mjs'
import { NodeRed } from '../../scripts/harness/node-red.mjs'
import { npm, pack } from '../../scripts/harness/npm.mjs'
import { list, median, megabytes, table } from '../../scripts/harness/report.mjs'
import { ready, root } from '../../scripts/ready.mjs'

/** Once started, Node-RED still has a little to do. */
const SETTLE_MS = 1000
const TO_REACH = { ms: 50, megabytes: 10 }

const require = createRequire(import.meta.url)
const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const home = realpathSync(mkdtempSync(join(tmpdir(), 'media-gateway-start-')))
atEnd(() => rmSync(home, { recursive: true, force: true }))

async function main() {
  const { rounds } = optionsOf(process.argv.slice(2))
  ready()
  const userDirs = { without: userDirectory('without'), with: userDirectory('with') }
  await install(userDirs.with)

  // The first start of each reads files that later ones find in memory.
  const [before, after] = [await start(userDirs.without), await start(userDirs.with)]
  const runs = { without: [], with: [] }
  for (let round = 0; round < rounds; round++) {
    const turns = round % 2 ? ['with', 'without'] : ['without', 'with']
    for (const turn of turns) runs[turn].push(await start(userDirs[turn]))
  }

  reportStart(runs)
  reportLoading(runs.with)
  reportEditor(before.editor, after.editor)
  const early = librariesIn(after.loaded.modules)
  if (early.length > 0) throw new Error(`Loaded before they are used: ${early.join(', ')}.`)
}

function optionsOf(args) {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '9' } } })
  if (!/^[1-9]\d*$/.test(values.rounds)) throw new Error('--rounds takes a whole number from 1.')
  return { rounds: Number(values.rounds) }
}

// ---- Node-RED, with and without

function userDirectory(title) {
  const userDir = join(home, title)
  mkdirSync(userDir)
  writeFileSync(join(userDir, 'package.json'), '{"name":"user","private":true}')
  return userDir
}

/** As a user gets it: packed, with its dependencies. */
const install = async (cwd) => npm({ cwd }, 'install', '--prefer-offline', await pack(home))

/** Starts it, measures it, and stops it. */
async function start(userDir) {
  const from = performance.now()
  const nodeRed = new NodeRed()
  await nodeRed.start({
    userDir,
    args: ['--expose-gc', '--require', require.resolve('./loads.cjs')],
    isAsked: true,
    env: { MEASURED_PACKAGE: join(userDir, 'node_modules', name) },
  })
  const ms = performance.now() - from
  await pause(SETTLE_MS)
  const usage = await nodeRed.ask('usage')
  const [loaded, editor] = [await nodeRed.ask('loaded'), await page(nodeRed.url)]
  await nodeRed.stop()
  return { ms, ...usage, loaded, editor }
}

/** Bytes that the editor loads when it is opened. */
async function page(url) {
  const read = async (path, accept = '*/*') => {
    const answer = await fetch(new URL(path, url), { headers: { accept } })
    return answer.text()
  }
  const html = (await read('nodes', 'text/html')) + (await read('plugins', 'text/html'))
  // The forms contain the scripts that they share.
  const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => script)
  const texts = await read('nodes/messages?lng=en-US')
  return {
    html: Buffer.byteLength(html) - Buffer.byteLength(scripts.join('')),
    scripts: Buffer.byteLength(scripts.join('')),
    texts: Buffer.byteLength(texts),
  }
}

/** The libraries of the package among the files that are loaded. */
function librariesIn(modules) {
  const installed = join(home, 'with', 'node_modules')
  return Object.keys(dependencies).filter((library) =>
    modules.some((file) => file.startsWith(join(installed, library) + sep)),
  )
}

// ---- the report

function reportStart(runs) {
  const row = (title, measure, unit, reach = '') => {
    const [without, added] = [median(runs.without.map(measure)), difference(runs, measure)]
    return [title, unit(without), unit(without + added), unit(added), reach]
  }
  const toReach = { ms: `under ${TO_REACH.ms} ms`, mb: `under ${TO_REACH.megabytes} MB` }
  console.log(`\nStart of Node-RED, median of ${runs.with.length}`)
  table(
    ['', 'without', 'with', 'added', 'to reach'],
    [
      row('time', ({ ms }) => ms, milliseconds, toReach.ms),
      // Other work on the machine affects it less than the time.
      row('CPU', ({ cpuMs }) => cpuMs, milliseconds),
      row('memory (RSS)', ({ rss }) => rss, megabytes, toReach.mb),
      row('JavaScript heap', ({ heapUsed }) => heapUsed, megabytes),
    ],
  )
}

function reportLoading(runs) {
  const sum = (measure) =>
    median(runs.map(({ loaded }) => loaded.files.reduce((total, file) => total + file[measure], 0)))
  const folder = join(home, 'with', 'node_modules', name)
  const { files, modules } = runs[0].loaded
  const own = modules.filter((file) => !relative(folder, file).startsWith('..'))
  const slowest = files
    .map(({ file }, place) => ({
      file,
      ms: median(runs.map((run) => run.loaded.files[place].loadMs)),
    }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, 3)
  list('Of that: the modules of the package', [
    ['to load them', milliseconds(sum('loadMs')), `${own.length} modules`],
    ['to register the nodes', milliseconds(sum('registerMs')), `${files.length} files`],
    ...slowest.map(({ file, ms }) => [`  ${file}`, milliseconds(ms)]),
  ])
}

function reportEditor(before, after) {
  const added = (part) => `${((after[part] - before[part]) / 1000).toFixed(1)} kB`
  list('Added to the page of the editor', [
    ['forms and help (html)', added('html')],
    ['scripts', added('scripts')],
    ['texts', added('texts')],
  ])
}

/** Between neighbouring runs, so that a slow moment of the machine affects both. */
const difference = (runs, measure) =>
  median(runs.with.map((run, round) => measure(run) - measure(runs.without[round])))

const milliseconds = (value) => `${value.toFixed(0)} ms`

runScript(main)
