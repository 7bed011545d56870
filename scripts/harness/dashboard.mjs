// The Dashboard, which the recipe "Control panel" needs and no other part of this package does: it is
// installed into a cache, and not among the devDependencies.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../ready.mjs'
import { npm } from './npm.mjs'

export const PANEL = 'Control panel'
export const DASHBOARD = '@flowfuse/node-red-dashboard'
const CACHE = join(root, 'node_modules/.cache/dashboard')

/** The recipe as a user imports it. */
export const panel = () =>
  JSON.parse(readFileSync(join(root, `examples/Recipes/${PANEL}.json`), 'utf8'))

/**
 * The folder of the Dashboard in the version that the recipe names, which is installed the first
 * time.
 * @param within ms for the installation
 * @throws Error with a sentence for the user
 */
export async function dashboard({ within = 180_000 } = {}) {
  const { modules } = panel().find(({ type }) => type === 'global-config')
  const wanted = JSON.stringify({ private: true, dependencies: modules })
  const folder = join(CACHE, 'node_modules', DASHBOARD)
  // Written at the end of an installation, so it marks one that succeeded.
  const done = join(CACHE, 'installed.json')
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return folder
  console.log(`Installing ${DASHBOARD} for the panel, once ...`)
  rmSync(CACHE, { recursive: true, force: true })
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(join(CACHE, 'package.json'), wanted)
  const options = ['--ignore-scripts', '--no-package-lock', '--prefer-offline', '--fetch-retries=0']
  try {
    await npm({ cwd: CACHE, within }, 'install', ...options)
  } catch (error) {
    // npm says in its first line what went wrong; the rest is about its log.
    const [why] = error.message.split('\n')
    throw new Error(`${DASHBOARD} could not be installed. ${why}`, { cause: error })
  }
  writeFileSync(done, wanted)
  return folder
}

/**
 * Returns the environment with which the tests find the Dashboard; without it those of the panel are
 * skipped, and `missing` says so.
 */
export async function dashboardForTests() {
  try {
    return { env: { DASHBOARD: await dashboard() } }
  } catch (error) {
    const missing = `The recipe "${PANEL}" was not tested: ${error.message}`
    return { env: { DASHBOARD: '' }, missing }
  }
}
