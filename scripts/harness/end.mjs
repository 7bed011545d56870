// The end of a script: what it has started is stopped, the last first, however it ends.

const STOP_WITHIN_MS = 30_000

const started = []
let ending

/** Calls `stop` with the exit code when the script ends. */
export const atEnd = (stop) => void started.push(stop)

export const isEnding = () => ending !== undefined

/** Ends the script with this code on a signal to end. */
export function endOnSignals(code) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(code))
  if (process.env.npm_lifecycle_event === undefined) return
  // npm sends a signal to its shell, which exits without passing it on: then our parent changes.
  const parent = process.ppid
  setInterval(() => process.ppid === parent || void end(code), 500).unref()
}

/** Runs a script whose function returns its exit code. */
export function runScript(main) {
  endOnSignals(1)
  main().then(end, (error) => {
    if (!isEnding()) console.error(sentenceOf(error))
    return end(1)
  })
}

/** Stops everything and ends the process; further calls have no effect. */
export function end(code) {
  ending ??= stopAll(code)
  return ending
}

async function stopAll(code) {
  setTimeout(() => {
    console.error('Not everything stopped in time.')
    process.exit(1)
  }, STOP_WITHIN_MS)
  const errors = await stopStarted(code)
  for (const error of errors) console.error(sentenceOf(error))
  process.exit(errors.length > 0 ? 1 : code)
}

/** Stops everything, for a process that goes on, such as that of a test. @returns what failed */
export async function stopStarted(code = 0) {
  const errors = []
  for (const stop of started.splice(0).reverse()) {
    try {
      await stop(code)
    } catch (error) {
      errors.push(error)
    }
  }
  return errors
}

export const sentenceOf = (error) => (error instanceof Error ? error.message : String(error))
