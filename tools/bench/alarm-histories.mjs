// Random histories of the alarm in a thread of its own: what was reported, and what should not be.
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

const require = createRequire(import.meta.url)
const tell = parentPort.postMessage.bind(parentPort)
const { judged, randomHistory, smallest } = require('../../dist/test/client/watch/field-histories')

const { first, count, every, minutes } = workerData
const figures = {
  histories: 0,
  losses: 0,
  told: 0,
  lateMs: 0,
  events: 0,
  calls: 0,
  falseAlarms: 0,
  ofCallers: 0,
}
for (let index = 0; index < count; index += every) {
  const seed = first + index
  const history = randomHistory(seed, minutes)
  const { faults, lateMs, ...counts } = await judged(history)
  figures.histories++
  figures.lateMs = Math.max(figures.lateMs, lateMs)
  for (const [name, number] of Object.entries(counts)) figures[name] += number
  if (faults.length > 0) tell({ seed, faults, least: JSON.stringify(await smallest(history)) })
}
tell({ figures })
