// The flows of npm start: on the simulator the examples and buttons that make something fail, on a
// gateway the example with all nodes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../ready.mjs'
import { failureFlow } from './failures.mjs'
import { FAILOVER, failoverFlow } from './failover.mjs'
import { panelFlow } from './panel.mjs'

export const FIRST = 'Start and stop a route'
export const ALL = 'All nodes'

const example = (title) => JSON.parse(readFileSync(join(root, `examples/${title}.json`), 'utf8'))

/**
 * One job to try, a failover, the example with all nodes, then buttons that make something fail, and
 * a control panel if there is a Dashboard for it.
 */
export function flowOnSimulator({ url }, { withPanel = false } = {}) {
  const nodes = [
    ...example(FIRST),
    ...failoverFlow(example(FAILOVER), url),
    ...example(ALL),
    ...failureFlow(url),
    ...(withPanel ? panelFlow() : []),
  ]
  const gateway = nodes.find(({ type }) => type === 'media-gateway')
  gateway.baseUrl = url
  const all = nodes.find(({ label }) => label === ALL)
  // Only an Administrator may use all the nodes.
  gateway.credentials = { username: 'haiadmin', password: 'manager' }
  const [tab] = nodes
  const comment = nodes.find(({ type, z }) => type === 'comment' && z === tab.id)
  Object.assign(comment, {
    name: `Press "stop". Then open the sidebar "Media gateways": menu, View`,
    x: 260,
    info: `${comment.info}\nThe sidebar shows all routes as they are now, and starts and stops them too. ${url} shows what the simulated gateway does, and makes it fail.\n`,
  })
  for (const node of nodes) {
    // They are set already.
    if (node.name === 'Set these, then deploy') {
      node.name = 'For your own gateway, set these'
      moveToEnd(nodes, node)
    }
    // The other tabs show the events in the sidebar.
    if (node.z === all.id && node.type === 'debug' && node.name === 'event') node.tosidebar = false
  }
  // The examples share the gateway.
  return nodes.filter((node) => node === gateway || node.id !== gateway.id)
}

/**
 * The example with all nodes: what another example changes would be refused here. Without its
 * failover, which is about a route of the simulator.
 */
export function flowOnGateway({ fingerprint }) {
  const nodes = example(ALL)
  const gateway = nodes.find(({ type }) => type === 'media-gateway')
  // Node-RED replaces ${NAME} with the value from the environment: no secret is stored.
  gateway.baseUrl = '${GATEWAY_URL}'
  gateway.credentials = { username: '${GATEWAY_USERNAME}', password: '${GATEWAY_PASSWORD}' }
  gateway.fingerprint = fingerprint ? '${GATEWAY_FINGERPRINT}' : ''
  gateway.readOnly = true
  const { g: group } = nodes.find(({ type }) => type === 'media-gateway-failover')
  return nodes.filter(({ id, g }) => id !== group && g !== group)
}

/** Moves a group below all else on its tab, and what was below it up. */
function moveToEnd(nodes, group) {
  const isMember = ({ id, g }) => id === group.id || g === group.id
  const below = nodes.filter((node) => node.z === group.z && !isMember(node) && node.y > group.y)
  for (const node of below) node.y -= group.h + 20
  const end = Math.max(...below.filter(({ type }) => type === 'group').map(({ y, h }) => y + h))
  const down = end + 20 - group.y
  for (const node of nodes.filter(isMember)) node.y += down
}
