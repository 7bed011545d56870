import { Stop, inTime, within } from '../../client/stop'

describe('a wait with a limit', () => {
  let timers = 0
  const after = (): (() => void) => {
    timers++
    return () => void timers--
  }
  const waits = {
    within: (work: Promise<unknown>) => within(1000, work, { after }),
    inTime: (work: Promise<unknown>) => inTime(1000, work, () => new Error('late'), { after }),
  }

  for (const [name, wait] of Object.entries(waits)) {
    it(`leaves no timer behind when the work fails: ${name}`, async () => {
      await wait(Promise.reject(new Error('failed'))).should.be.rejectedWith('failed')
      timers.should.equal(0)
    })
  }
})

describe('a stop', () => {
  it('calls each listener once, and one that comes later at once', () => {
    const stop = new Stop()
    const called: string[] = []
    const listen = (name: string): (() => void) => stop.onStop(() => void called.push(name))
    listen('first')
    const remove = listen('removed')
    listen('second')
    remove()
    stop.now()
    stop.now()
    listen('later')
    called.should.eql(['first', 'second', 'later'])
  })
})
