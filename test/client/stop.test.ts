import 'should'
import { inTime, within } from '../../client/stop'

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
