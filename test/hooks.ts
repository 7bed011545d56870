/** Fails a file of tests that leaves something open: a server, a process. */
export const mochaHooks = {
  beforeAll(): void {
    before = countOf(openNow())
  },

  async afterAll(this: Mocha.Context): Promise<void> {
    const file = this.test?.parent?.suites.map(({ title }) => title).join(', ')
    for (let waited = 0; ; waited += EACH_MS) {
      const left = [...countOf(openNow())].filter(
        ([kind, count]) => count > (before.get(kind) ?? 0),
      )
      if (left.length === 0) return
      if (waited > LONGEST_MS) {
        const kinds = left.map(([kind]) => kind).join(', ')
        throw new Error(`${file}: the tests left something open: ${kinds}.`)
      }
      await new Promise((resolve) => setTimeout(resolve, EACH_MS))
    }
  },
}

const EACH_MS = 50
const LONGEST_MS = 8000

/** Several files run in one process, one after the other. */
let before = new Map<string, number>()

const openNow = (): string[] =>
  process.getActiveResourcesInfo().filter((kind) => /^(TCPServer|Process|UDP)/.test(kind))

function countOf(kinds: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
