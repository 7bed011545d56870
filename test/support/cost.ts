// What work costs, by the clock of the processor: another load on the machine does not count.

/** Milliseconds of the processor; the least of three times. */
function costOf(work: () => void): number {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...costs)
}

/**
 * Asserts that work for eight times as much costs far less than 64 times as much, as it would if each
 * thing met each other one.
 * @param most so many things that their work can be measured
 */
export function expectInProportion(most: number, workFor: (count: number) => () => void): void {
  const [few, many] = [costOf(workFor(most / 8)), costOf(workFor(most))]
  should(many).be.below(24 * Math.max(few, 5), `${few} ms for an eighth of it`)
}
