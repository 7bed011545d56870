// A headless Node-RED with this package in a process of its own, with a probe in it.
import { link, NodeRed, temporaryUserDirectory } from '../scripts/harness/node-red.mjs'
import { isEnding } from '../scripts/harness/end.mjs'

/** Characters at the end of the log of a Node-RED that has ended by itself. */
const LOG_SHOWN = 4000

/**
 * `probe` is the path of a module that runs in it: its functions are called with `ask`, and what it
 * exports is `name` for the flow.
 */
export async function startNodeRed({ name, probe }) {
  const userDir = temporaryUserDirectory()
  link(userDir)
  const nodeRed = new NodeRed()
  await nodeRed.start({
    userDir,
    args: ['--expose-gc'],
    isAsked: true,
    settings: { disableEditor: true },
    globals: { [name]: probe },
  })
  void nodeRed.ended.then((code) => {
    if (!isEnding() && code !== 0) console.error(nodeRed.output.slice(-LOG_SHOWN))
  })
  return nodeRed
}
