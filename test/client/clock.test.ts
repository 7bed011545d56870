import { REAL_TIME } from '../../client/clock'

describe('the clock of watches', () => {
  const { now: present } = Date
  afterEach(() => (Date.now = present))

  /** All numbers that a time gets, over some milliseconds. */
  function numbersOf(at: number, ms: number): number[] {
    const found = new Set<number>()
    for (const end = present() + ms; present() < end;) found.add(REAL_TIME.unix(at))
    return [...found]
  }

  it('says the same of the same time, until it is set', () => {
    const at = REAL_TIME.now()
    const [unix, ...others] = numbersOf(at, 50)
    others.should.eql([])
    REAL_TIME.unix(REAL_TIME.now()).should.be.belowOrEqual(present())
    for (const change of [-3_600_000, 7_200_000]) {
      Date.now = () => present() + change
      REAL_TIME.unix(at).should.be.approximately(unix! + change, 2)
    }
  })

  it('says the same also where the process was halted while it looked', () => {
    const at = REAL_TIME.now()
    const [unix] = numbersOf(at, 20).slice(-1)
    let isFirst = true
    Date.now = () => {
      const late = isFirst ? 9 : 0
      isFirst = false
      return present() - late
    }
    REAL_TIME.unix(at).should.equal(unix)
  })
})
