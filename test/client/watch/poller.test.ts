import { GatewayError } from '../../../client/errors'
import { createPoller, type Miss, type Poller } from '../../../client/poller'
import { FakeTime } from '../../support/fake-time'

/** With a clock that the test runs. */
describe('the poller', () => {
  let time: FakeTime
  let poller: Poller<number>
  /** When each poll began. */
  let begun: number[]
  let answers: number
  let misses: Miss[]
  let told: string[]
  let underWay: number
  let mostUnderWay: number
  let takes: (poll: number) => number
  let fails: (poll: number) => boolean
  let interval: number

  beforeEach(() => {
    time = new FakeTime()
    begun = []
    answers = 0
    misses = []
    told = []
    underWay = 0
    mostUnderWay = 0
    takes = () => 0
    fails = () => false
    interval = 10_000
    poller = createPoller<number>({
      async ask() {
        const poll = begun.push(time.now()) - 1
        mostUnderWay = Math.max(mostUnderWay, ++underWay)
        const ms = takes(poll)
        if (ms > 0) await new Promise<void>((resolve) => time.after(ms, resolve))
        underWay--
        if (fails(poll)) throw new GatewayError('TIMEOUT', 'no answer')
        return poll
      },
      interval: () => interval,
      onAnswer: () => void answers++,
      onMiss: (miss) => void misses.push(miss),
      onUnreachable: ({ since }) => void told.push(`unreachable after ${time.now() - since}`),
      onReachable: ({ outageMs }) => void told.push(`reachable after ${outageMs}`),
      clock: time,
      random: Math.random,
    })
  })
  afterEach(async () => {
    poller.stop()
    // A poll under way ends; its time is not the poller's.
    await time.pass(4 * interval)
    time.timers.should.equal(0)
  })

  const gaps = (): number[] => begun.slice(1).map((at, index) => at - begun[index]!)

  it('2,000 polls: no drift, no overlap, one timer', async () => {
    takes = (poll) => (poll % 7 === 3 ? 4000 : 120)
    poller.start()
    await time.pass(2001 * interval)
    begun.length.should.be.within(2000, 2002)
    answers.should.equal(begun.length - underWay)
    mostUnderWay.should.equal(1)
    time.timersAtMost.should.be.belowOrEqual(2)
    // Jitter does not add up: each poll is where it would be without it, give or take a twentieth.
    for (const [poll, at] of begun.slice(2).entries()) {
      const expected = begun[2]! + poll * interval
      Math.abs(at - expected).should.be.belowOrEqual(interval / 10)
    }
    new Set(begun.map((at) => at % interval)).size.should.be.above(100)
  })

  it('a poll that takes longer than the interval leaves out what it covered, and nothing piles up', async () => {
    takes = (poll) => (poll === 3 ? 3.5 * interval : 10)
    poller.start()
    await time.pass(20 * interval)
    mostUnderWay.should.equal(1)
    begun.length.should.be.within(16, 18)
    gaps()[3]!.should.be.within(3.9 * interval - 1000, 4.1 * interval)
  })

  it('many that begin together spread over the interval', async () => {
    poller.start()
    await time.pass(1.1 * interval)
    gaps()[0]!.should.be.within(interval * 0.45, interval * 1.05)
  })

  it('backs off to a minute when nobody answers, and is normal at once', async () => {
    fails = (poll) => poll > 2 && poll < 20
    poller.start()
    await time.pass(3600_000)
    const away = gaps().slice(5, 19)
    for (const [index, gap] of away.entries()) {
      gap.should.be.within(interval * 0.7, 60_000)
      if (index > 3) gap.should.be.above(40_000)
    }
    const back = begun[20]! - begun[19]!
    back.should.be.belowOrEqual(60_000)
    gaps()[20]!.should.be.within(interval * 0.9, interval * 1.1)
  })

  it('unreachable: once, after three misses and 30 s, whichever is later', async () => {
    fails = (poll) => poll > 0
    interval = 1000
    poller.start()
    await time.pass(29_500)
    told.should.eql([])
    misses.length.should.be.above(20)
    await time.pass(600_000)
    told.should.eql(['unreachable after 30000'])
  })

  it('unreachable: three misses when they take longer than 30 s', async () => {
    fails = (poll) => poll > 0
    interval = 25_000
    poller.start()
    await time.pass(10 * 60_000)
    told.should.have.length(1)
    const [, after] = /after (\d+)/.exec(told[0]!)!
    Number(after).should.be.within(2 * interval * 0.9, 2 * interval * 1.1)
  })

  it('reachable: with the length of the outage; a second outage is told again', async () => {
    fails = (poll) => (poll > 2 && poll < 10) || (poll > 30 && poll < 40)
    poller.start()
    await time.pass(3600_000)
    told
      .map((line) => line.split(' ')[0])
      .should.eql(['unreachable', 'reachable', 'unreachable', 'reachable'])
    const outages = told.filter((line) => line.startsWith('reachable'))
    outages[0]!.should.equal(`reachable after ${begun[10]! - begun[3]!}`)
  })

  it('two misses are told to nobody', async () => {
    fails = (poll) => poll === 3 || poll === 4
    poller.start()
    await time.pass(3600_000)
    told.should.eql([])
    misses.should.have.length(2)
  })

  it('asked for now, polls once for all that ask, and the regular polls follow from there', async () => {
    poller.start()
    await time.pass(3 * interval)
    const before = begun.length
    takes = () => 500
    const first = poller.askNow()
    const second = poller.askNow()
    await time.pass(100)
    // One that began before the question does not answer it.
    const third = poller.askNow()
    await time.pass(2000)
    const [one, two, three] = await Promise.all([first, second, third])
    one.should.equal(before)
    two.should.equal(before)
    three.should.equal(before + 1)
    mostUnderWay.should.equal(1)
    takes = () => 0
    await time.pass(interval * 0.8)
    begun.length.should.equal(before + 2)
    await time.pass(interval * 0.3)
    begun.length.should.equal(before + 3)
  })

  it('stopped: no timer, nothing told of what was on its way; started again, goes on', async () => {
    takes = () => 200
    poller.start()
    await time.pass(100)
    poller.stop()
    time.timers.should.equal(1)
    await time.pass(1000)
    answers.should.equal(0)
    time.timers.should.equal(0)
    await should(poller.askNow()).rejectedWith({ code: 'CLOSED' })
    poller.start()
    await time.pass(interval)
    answers.should.be.above(0)
    misses.should.eql([])
  })

  it('counts nothing of an outage that was over before it was told', async () => {
    interval = 5000
    fails = (poll) => ![3, 4].includes(poll) && poll < 7
    poller.start()
    await time.pass(12 * interval)
    misses.should.have.length(5)
    told.should.eql([])
  })
})
