// Random histories of a failover in a thread of its own: how far each is from no failover and from an
// oracle, and what should not be.
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const require = createRequire(import.meta.url)
const tell = parentPort.postMessage.bind(parentPort)
const { faultsOf, randomWorld, smallest } = require('../../dist/test/client/failover/histories')
const { oracle } = require('../../dist/test/client/failover/world')

const { first, count, every, seconds } = workerData
/** Nobody else acts, the settings are the default ones, and switches arrive. */
const isPlain = ({ settings, script, undo, refused, lost, ignored, noStart }) =>
  script.length === 0 &&
  settings.holdOff === undefined &&
  [undo, refused, lost, ignored, noStart].every((share) => !share)

const figures = []
for (let index = 0; index < count; index += every) {
  const seed = first + index
  const wish = {
    seconds,
    withPerson: seed % 3 === 1 || seed % 6 === 5,
    withRestarts: seed % 3 === 2,
  }
  const world = randomWorld(seed, wish)
  const { story, faults } = faultsOf(world)
  figures.push({
    off: story.off,
    without: story.without,
    oracle: oracle(world),
    isPlain: isPlain(world),
  })
  if (faults.length > 0) {
    tell({ seed, wish, faults, least: JSON.stringify(smallest(world)) })
  }
}
tell({ figures })
