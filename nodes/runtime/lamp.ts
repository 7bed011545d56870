import type { Node, NodeStatus } from 'node-red'

/** The worst first. A ring says that what is shown is not what is: nothing is known, or polls fail. */
export const LAMPS = {
  critical: { fill: 'red', shape: 'dot' },
  away: { fill: 'red', shape: 'ring' },
  warning: { fill: 'yellow', shape: 'dot' },
  failing: { fill: 'yellow', shape: 'ring' },
  unknown: { fill: 'grey', shape: 'ring' },
  waiting: { fill: 'blue', shape: 'dot' },
  ok: { fill: 'green', shape: 'dot' },
  stopped: { fill: 'grey', shape: 'dot' },
} as const satisfies Record<string, Pick<NodeStatus, 'fill' | 'shape'>>

export type Lamp = keyof typeof LAMPS

/** The lamp of one node. It is set only when it says something new. */
export function createLamp(node: Node) {
  let shown: string | undefined
  let closed = false

  /** @param isAgain also where it says nothing new */
  function show(lamp: Lamp, text: string, isAgain = false): void {
    if (closed || (!isAgain && `${lamp} ${text}` === shown)) return
    shown = `${lamp} ${text}`
    node.status({ ...LAMPS[lamp], text })
  }

  /** Clears it: Node-RED would show it under the node that a deploy puts in its place. */
  function close(): void {
    if (shown !== undefined) node.status({})
    closed = true
  }

  return { show, isShown: () => shown !== undefined, close }
}
