import type { Stop } from '../../stop'

/** Waits for so many milliseconds, or until the stop. */
export function pause(ms: number, stop: Stop): Promise<void> {
  return new Promise((resolve) => {
    let unhook: () => void = () => undefined
    const done = (): void => {
      clearTimeout(timer)
      unhook()
      resolve()
    }
    const timer = setTimeout(done, ms)
    unhook = stop.onStop(done)
  })
}
