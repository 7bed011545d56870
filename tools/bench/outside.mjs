// A headless Node-RED with this package and a probe, in its own process.
import { link, NodeRed, temporaryUserDirectory } from '../../scripts/harness/node-red.mjs'
import { isEnding } from '../../scripts/harness/end.mjs'

/** Characters shown from the end of the log of a Node-RED that ended by itself. */
const LOG_SHOWN = 4000

/**
 * `probe` is the path of a module that runs in it: its functions are called with `ask`, and the
 * flow finds its exports as `name`.
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
