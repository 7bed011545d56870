import type { Stop } from '../../client/stop'

/** Counts the listeners that a stop gets from now on and still has. */
export function listenersOf(stop: Stop): () => number {
  const present = new Set<() => void>()
  const listen = stop.onStop.bind(stop)
  stop.onStop = (listener) => {
    const remove = listen(listener)
    present.add(remove)
    return () => {
      present.delete(remove)
      remove()
    }
  }
  return () => present.size
}
