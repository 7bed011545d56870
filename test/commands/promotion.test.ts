// What a call leaves behind: a count, so it is the same on any machine.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/root'

/** Bytes per call. The least that a node can do promotes about 250. */
const MOST = 1024

describe('a call through a node', function () {
  this.timeout(60_000)

  it('leaves next to nothing to the old generation of the heap', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(root, 'tools/bench/promotion.mjs'),
      '--json',
    ])
    const promoted = JSON.parse(stdout) as Record<'minimal node' | 'our node', number>
    promoted['minimal node'].should.be.above(0).and.below(MOST)
    promoted['our node'].should.be.above(0).and.below(MOST)
  })
})
