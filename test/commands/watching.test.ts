// What a watched appliance costs: counts, so they are the same on any machine.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/root'

/** Bytes for each appliance with 20 routes: about 55,000, and up to 55,900 on a busy machine. */
const MOST_HEAP = 59_000
/** Bytes per poll: about 1,800. The timer and the HTTP call alone leave 1,000. */
const MOST_PROMOTED = 5000

describe('a watched appliance', function () {
  this.timeout(240_000)

  it('takes little of the heap, and its polls leave next to nothing to the old generation', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(root, 'tools/bench/watching.mjs'),
      '--watches=80',
      '--seconds=12',
      '--json',
    ])
    const { heap, promoted } = JSON.parse(stdout) as Record<'heap' | 'promoted', number>
    heap.should.be.above(0).and.below(MOST_HEAP)
    promoted.should.be.above(0).and.below(MOST_PROMOTED)
  })
})
