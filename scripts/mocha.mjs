// Runs files of tests with mocha, several at a time.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './ready.mjs'

/**
 * Prints how many passed and failed, and answers the exit code.
 * @param files paths below the root, the longest first
 * @param results where the counts are left
 * @param jobs how many at a time at least: most wait most of the time
 * @param before a command in front, such as that of the coverage
 */
export function runMocha(files, { results, jobs = 4, args = [], before = [], env = {} }) {
  mkdirSync(dirname(results), { recursive: true })
  rmSync(results, { force: true })
  const { status } = spawnSync(
    process.execPath,
    [
      ...before,
      '--enable-source-maps',
      join(root, 'node_modules/mocha/bin/mocha.js'),
      ...files,
      '--timeout=20000',
      '--parallel',
      // Many browsers and Node-REDs at once: a slow moment of the machine is no fault.
      '--retries=1',
      `--jobs=${Math.max(jobs, availableParallelism())}`,
      `--require=${join(root, 'dist/test/hooks.js')}`,
      `--reporter=${join(root, 'test/reporter.mjs')}`,
      `--reporter-option=output=${results}`,
      ...args,
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } },
  )
  const code = status ?? 1
  return tellCounts(results) ? code : code || 1
}

/** Prints how many passed and failed; false when the run itself was not in order. */
function tellCounts(results) {
  let counts
  try {
    counts = JSON.parse(readFileSync(results, 'utf8'))
  } catch {
    console.error('The tests could not be run.')
    return false
  }
  const { trouble, passed, failed, skipped, retried } = counts
  if (trouble) console.error(trouble)
  const rest = [skipped && `${skipped} skipped`, retried && `${retried} at the second try`]
  console.log([`${passed} passed`, `${failed} failed`, ...rest.filter(Boolean)].join(', '))
  return !trouble
}

/** All files of tests. Those that take longest come first: none of them is left over at the end. */
export function testFiles() {
  const longest = [
    'recipes',
    'sidebar',
    'route-form',
    'browser',
    'pickers',
    'journey',
    'watch',
    'connection-form',
  ]
  const files = readdirSync(join(root, 'dist/test')).filter((file) => file.endsWith('.test.js'))
  const place = (file) => {
    const at = longest.indexOf(file.replace('.test.js', ''))
    return at < 0 ? longest.length : at
  }
  return files.sort((one, other) => place(one) - place(other)).map((file) => `dist/test/${file}`)
}
