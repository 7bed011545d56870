// The control panel of npm start: the recipe with the Dashboard, when that can be had in a moment.
import { dashboard, panel } from '../harness/dashboard.mjs'

const INSTALL_WITHIN_MS = 90_000

/**
 * The folder of the Dashboard. Without it all else works, and a sentence says what is missing.
 *   DASHBOARD=none   does not look for it
 */
export async function findDashboard({ DASHBOARD }) {
  if (DASHBOARD === 'none') return undefined
  try {
    return await dashboard({ within: INSTALL_WITHIN_MS })
  } catch (error) {
    console.log(`Without the control panel: ${error.message}`)
    return undefined
  }
}

/** The recipe, armed: what it can stop is simulated. */
export function panelFlow() {
  const flow = panel()
  const { env } = flow.find(({ type }) => type === 'tab')
  env.find(({ name }) => name === 'ARMED').value = 'true'
  return flow
}

/** Where its page is, below the address of Node-RED. */
export function pathOfPanel() {
  const [base, page] = ['ui-base', 'ui-page'].map((wanted) =>
    panel().find(({ type }) => type === wanted),
  )
  return (base.path + page.path).slice(1)
}
