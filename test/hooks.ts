/** Fails a file of tests that leaves something open: a session, a socket, a timer, a process. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    for (let waited = 0; ; waited += EACH_MS) {
      const left = stillOpen()
      if (left.length === 0) return
      if (waited > LONGEST_MS) throw new Error(`The tests left something open: ${left.join(', ')}.`)
      await new Promise((resolve) => setTimeout(resolve, EACH_MS))
    }
  },
}

const EACH_MS = 50
const LONGEST_MS = 8000
/** The time limit of this hook is a timer too. */
const OWN_TIMERS = 1

function stillOpen(): string[] {
  const resources = process.getActiveResourcesInfo()
  const timers = resources.filter((resource) => resource === 'Timeout').slice(OWN_TIMERS)
  return [...resources.filter((resource) => /^(TCP|Process|UDP)/.test(resource)), ...timers]
}
