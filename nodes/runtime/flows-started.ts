import type { NodeAPI } from 'node-red'

const waiting = new Set<() => void>()
let unhook: (() => void) | undefined

/** What a node sends before the flows have started is lost. @returns a function that cancels it */
export function whenStarted(RED: NodeAPI, callback: () => void): () => void {
  waiting.add(callback)
  unhook ??= listen(RED)
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) stopListening()
  }
}

function listen(RED: NodeAPI): () => void {
  const started = (): void => {
    const callbacks = [...waiting]
    waiting.clear()
    stopListening()
    for (const callback of callbacks) callback()
  }
  RED.events.on('flows:started', started)
  return () => RED.events.removeListener('flows:started', started)
}

function stopListening(): void {
  unhook?.()
  unhook = undefined
}
