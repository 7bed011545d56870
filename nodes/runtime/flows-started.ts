import type { NodeAPI } from 'node-red'

const waiting = new Set<() => void>()

/** What a node sends before the flows have started is lost. @returns a function that cancels it */
export function whenStarted(RED: NodeAPI, callback: () => void): () => void {
  // One listener for all: Node.js warns of many.
  if (waiting.size === 0) RED.events.once('flows:started', started)
  waiting.add(callback)
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) {
      RED.events.removeListener('flows:started', started)
    }
  }
}

function started(): void {
  const callbacks = [...waiting]
  waiting.clear()
  for (const callback of callbacks) callback()
}
