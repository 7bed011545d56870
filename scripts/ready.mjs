// Makes a clone ready to run: installs the packages and builds, each only when it has to.
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const { name: packageName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** A module of the build. @param file below `dist` */
export const compiled = (file) => createRequire(import.meta.url)(join(root, 'dist', file))

export const SOURCES = [
  'client',
  'docs',
  'nodes',
  'simulator',
  'test',
  'icons',
  'scripts/build.mjs',
  'scripts/build',
  'package.json',
  'tsconfig.json',
]
// Written at the end of a build, so it marks one that succeeded.
const BUILT = 'dist/nodes/gateway/gateway.html'

/** @throws Error with a sentence for the user */
export function ready() {
  if (changed('package-lock.json') > changed('node_modules/.package-lock.json')) {
    console.log('Installing the packages (npm ci) ...')
    // The environment may ask for production only, but the build needs the rest too.
    run('npm ci', 'npm', ['ci', '--include=dev', '--loglevel=error'], 'ignore')
  }
  // A package is built without the tests.
  if (!changed('dist/test') || Math.max(...SOURCES.map(changed)) > changed(BUILT)) {
    console.log('Building ...')
    run('The build', process.execPath, [join(root, 'scripts/build.mjs'), '--changed'], 'inherit')
  }
}

function run(what, command, args, output) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', output, 'inherit'],
    // On Windows npm is a command file, which needs a shell.
    shell: process.platform === 'win32' && command === 'npm',
  })
  if (error) throw new Error(`${what} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${what} failed: see above.`)
}

/** When a file, or anything in a folder, was last changed, in ms; 0 if it does not exist. */
function changed(path) {
  const at = join(root, path)
  const stat = statSync(at, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat?.mtimeMs ?? 0
  return Math.max(stat.mtimeMs, ...readdirSync(at).map((name) => changed(join(path, name))))
}
