// Runs test files with mocha, several at a time.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path'
import { root } from './ready.mjs'

/** A run with more retried tests fails: test/support/browser.ts retries those in a browser. */
const MOST_RETRIED = 2
/** In a long run, one test of so many more. */
const ONE_OF = 100
/** Of each Node.js that a run starts. test/support/hooks.ts checks the total memory. */
const HEAP_MEGABYTES = 640

/**
 * Prints how many passed and failed, and returns the exit code.
 * @param files paths below the root, the longest first
 * @param results the file for the counts
 * @param jobs how many at a time at least: many wait much of the time, but each process compiles for itself
 *   what it tests. TEST_JOBS sets it for a machine whose speed is not known
 * @param slowest lists the files that took longest
 * @param binary another Node.js to run them with
 * @param before a command to put in front, such as that for coverage
 */
export function runMocha(
  files,
  {
    results,
    jobs = Number(process.env.TEST_JOBS) || 8,
    slowest = false,
    args = [],
    before = [],
    env = {},
    binary = process.execPath,
  },
) {
  const report = `${results}.files`
  mkdirSync(dirname(results), { recursive: true })
  for (const path of [results, report]) rmSync(path, { force: true })
  const { status } = spawnSync(
    binary,
    [
      ...before,
      join(root, 'node_modules/mocha/bin/mocha.js'),
      ...files,
      // Longer than any load on the machine explains: a test that hangs still fails.
      '--timeout=60000',
      // One file needs no second process.
      ...(files.length > 1
        ? ['--parallel', `--jobs=${Math.max(jobs, availableParallelism())}`]
        : []),
      `--require=${join(root, 'dist/test/support/hooks.js')}`,
      `--reporter=${join(root, 'test/support/reporter.mjs')}`,
      `--reporter-option=output=${results}`,
      ...args,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        // npm and the like are scripts, run by the first Node.js on the PATH.
        PATH: [dirname(binary), process.env.PATH].join(delimiter),
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-old-space-size=${HEAP_MEGABYTES}`,
        TEST_FILES_REPORT: report,
        ...env,
      },
    },
  )
  if (slowest) printSlowest(report)
  const counts = readResults(results)
  return counts && printResults(counts) ? (status ?? 1) : status || 1
}

function readResults(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.error('The tests could not be run.')
    return undefined
  }
}

/** Prints the results, the counts last; returns false if the run itself went wrong. */
function printResults({ trouble, passed, failed, skipped, retried }) {
  if (trouble) console.error(trouble)
  const most = Math.max(MOST_RETRIED, Math.ceil((passed + failed) / ONE_OF))
  const tooMany = retried.length > most
  if (retried.length > 0) {
    console.log(`${tests(retried.length)} in a browser needed a second try:`)
    for (const test of retried) console.log(`  ${test}`)
  }
  if (tooMany) console.error(`No more than ${most} may: this run has failed.`)
  printSkipped(skipped)
  if (passed + failed + skipped.length === 0) {
    console.error('No test was run: nothing matches.')
    return false
  }
  const counts = [`${passed} passed`, `${failed} failed`]
  if (skipped.length > 0) counts.push(`${skipped.length} skipped`)
  console.log(counts.join(', '))
  return !trouble && !tooMany
}

function printSkipped(skipped) {
  const load = (name) => createRequire(import.meta.url)(join(root, `dist/test/support/${name}.js`))
  const { IN_A_BROWSER } = load('browser')
  const { WITH_PROMETHEUS } = load('prometheus')
  const { WITH_NATS } = load('nats')
  const suites = [IN_A_BROWSER, WITH_PROMETHEUS, WITH_NATS]
  const skippedIn = (suite) => skipped.filter((title) => title.includes(suite)).length
  const others = skipped.filter((title) => !suites.some((suite) => title.includes(suite)))
  if (others.length > 0) console.log(`Skipped here: ${others.join('; ')}.`)
  printWithoutPrometheus(skippedIn(WITH_PROMETHEUS))
  printWithoutNats(skippedIn(WITH_NATS))
  const count = skippedIn(IN_A_BROWSER)
  if (count === 0) return
  const { CHROMIUM } = process.env
  const why = CHROMIUM
    ? `CHROMIUM is "${CHROMIUM}", which is not a program`
    : 'no Chromium, Chrome or Edge was found'
  console.log(`${tests(count)} in a browser skipped: ${why}.`)
  console.log(
    'To run them, install one (Debian: apt install chromium), or set CHROMIUM to its path.',
  )
}

function printWithoutPrometheus(count) {
  if (count === 0) return
  const { PROMETHEUS } = process.env
  const why = PROMETHEUS
    ? `PROMETHEUS is "${PROMETHEUS}", which is not a folder with prometheus and promtool`
    : 'prometheus and promtool were not found'
  console.log(`${tests(count)} with Prometheus skipped: ${why}.`)
  console.log(
    'To run them, install it (Debian: apt install prometheus), or set PROMETHEUS to its folder.',
  )
}

function printWithoutNats(count) {
  if (count === 0) return
  const { NATS_SERVER } = process.env
  const why = NATS_SERVER
    ? `NATS_SERVER is "${NATS_SERVER}", which is not a program`
    : 'nats-server was not found'
  console.log(`${tests(count)} with NATS skipped: ${why}.`)
  console.log(
    'To run them, install it (Debian: apt install nats-server), or set NATS_SERVER to its path.',
  )
}

const tests = (count) => (count === 1 ? '1 test' : `${count} tests`)

function printSlowest(report) {
  const rows = readFileSync(report, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  rows.sort((one, other) => other.seconds - one.seconds)
  console.log('The slowest files, their time on a processor, and the memory of their process:')
  for (const { file, seconds, cpu, megabytes } of rows.slice(0, 10)) {
    console.log(
      `${seconds.toFixed(1).padStart(7)} s ${cpu.toFixed(1).padStart(6)} s ${megabytes.toFixed(0).padStart(5)} MB  ${file}`,
    )
  }
}

/**
 * The test files of `npm test`: all except those of the editor and of the commands. The slowest come
 * first, so that none of them is left at the end.
 */
export const testFiles = () =>
  filesBelow('dist/test', [
    'recipes/trouble',
    'recipes/secrets',
    'package/package',
    'recipes/monitoring',
    'faults/hostile',
    'client/changes/bulk',
    'recipes/files',
    'client/doctor/command',
    'nodes/connection-test',
    'nodes/secrets',
    'recipes/examples',
    'recipes/people',
    'client/failover/properties',
    'client/failover/shared-read',
    'recipes/sites',
    'client/failover/switch',
    'nodes/failover-killed',
    'client/doctor/read',
    'nodes/inventory',
    'recipes/services',
    'fuzz/fuzz',
    'nodes/watch-incidents',
    'client/changes/unseen',
    'nodes/watch-deploy',
    'recordings/recordings',
    'recipes/schedule',
    'nodes/watch-language',
    'client/connection/leaks',
    'client/connection/closing',
    'nodes/metrics',
    'nodes/failover',
    'nodes/update',
    'nodes/ensure',
    'nodes/ensure-plan',
    'nodes/ensure-undo',
    'client/fleet/ownership',
    'client/watch/callers-histories',
    'client/watch/field-alarms',
    'client/changes/sequences',
    'client/watch/subscription',
    'nodes/elsewhere',
    'nodes/admin',
    'faults/expressions',
  ]).filter((file) => !['editor', 'commands'].includes(file.split(sep)[2]))

/** Those that open every dialog of the editor in a browser: `npm run test:editor`. */
export const editorTestFiles = () =>
  filesBelow('dist/test/editor', ['dialogs', 'control-panel', 'sidebar-day', 'journey'])

/** Those of the commands, such as `npm start`, and of much work that is counted: `npm test -- --commands`. */
export const commandTestFiles = () =>
  filesBelow('dist/test/commands', ['fleet-faults', 'demo', 'doctor-write'])

/**
 * Those that are named, of all kinds.
 * @param names paths of tests, or parts of them: `client/slices`, `test/docs/words.test.ts`
 * @throws Error if there is none of that name
 */
export function filesNamed(names) {
  const all = filesBelow('dist/test', [])
  const named = names.flatMap((name) => {
    const wanted = relative(root, resolve(name)).replaceAll(sep, '/').replace(/\.ts$/, '.js')
    const files = all.filter((file) => file.replaceAll(sep, '/').includes(wanted))
    if (files.length === 0) throw new Error(`No test has "${name}" in its path.`)
    return files
  })
  return [...new Set(named)]
}

/** Below a folder, those of a list first. */
function filesBelow(folder, first) {
  const place = (file) => {
    const at = first.indexOf(file.replaceAll(sep, '/').replace('.test.js', ''))
    return at < 0 ? first.length : at
  }
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .sort((one, other) => place(one) - place(other))
    .map((file) => join(folder, file))
}
