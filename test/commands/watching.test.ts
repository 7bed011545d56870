// What a watched appliance costs: counts, so they are the same on any machine.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import 'should'
import { root } from '../support/root'

/** Bytes for each appliance with 20 routes: about 59,300, and 55,900 where 240 share what they have in common. */
const MOST_HEAP = 61_000
/** Bytes per poll: about 3,300, and up to 4,100 on a busy machine. The timer and the HTTP call alone leave 1,000. */
const MOST_PROMOTED = 6000

describe('a watched appliance', function () {
  this.timeout(90_000)

  it('takes little of the heap, and its polls leave next to nothing to the old generation', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(root, 'tools/bench/watching.mjs'),
      '--watches=60',
      '--seconds=6',
      '--json',
    ])
    const { heap, promoted } = JSON.parse(stdout) as Record<'heap' | 'promoted', number>
    heap.should.be.above(0).and.below(MOST_HEAP)
    promoted.should.be.above(0).and.below(MOST_PROMOTED)
  })
})
