// Whether the alarm can be relied on: random histories on the layout of a gateway that was seen in the
// field, with everything that has to hold in them. Sources are lost, callers come and go, people start,
// stop, rename and remove routes, polls fail, the gateway and its device go away, and Node-RED restarts.
//   --histories 10000   random histories
//   --minutes 5         the length of each
//   --seed 1            of the first of them; otherwise others each time
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { parseArgs } from 'node:util'
import { runScript } from '../../scripts/harness/end.mjs'
import { table } from '../../scripts/harness/report.mjs'

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
  },
})
const HISTORIES = Number(values.histories)
const MINUTES = Number(values.minutes)
const SEED = Number(values.seed ?? Date.now() % 1_000_000_000)

async function main() {
  const every = availableParallelism()
  const all = []
  let wrong = 0
  const began = performance.now()
  const run = (thread) =>
    new Promise((resolve, reject) => {
      const workerData = {
        first: SEED + thread,
        count: HISTORIES - thread,
        every,
        minutes: MINUTES,
      }
      const worker = new Worker(new URL('alarm-histories.mjs', import.meta.url), { workerData })
      worker.on('message', (message) => {
        if (message.figures) {
          all.push(message.figures)
          return
        }
        wrong++
        if (wrong > 5) return
        console.log(`Seed ${message.seed}`)
        console.log(message.faults.join('\n'))
        console.log(message.least)
      })
      worker.on('error', reject)
      worker.on('exit', resolve)
    })
  await Promise.all(Array.from({ length: every }, (_, thread) => run(thread)))
  const sum = (name) => all.reduce((before, each) => before + each[name], 0)
  const most = (name) => Math.max(0, ...all.map((each) => each[name]))
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(
    `\n${sum('histories')} random histories of ${MINUTES} min from seed ${SEED} in ${seconds} s: ${wrong} with something that should not be`,
  )
  table(
    ['alarms on the layout of a gateway in the field', ''],
    [
      ['losses of sources longer than the hold', `${sum('losses')}`],
      ['reported', `${sum('told')}`],
      [
        'later than loss, hold and one interval, at most',
        `${(most('lateMs') / 1000).toFixed(1)} s`,
      ],
      ['events', `${sum('events')}`],
      ['of callers that come and go', `${sum('calls')}`],
      ['false alarms', `${sum('falseAlarms')}`],
      ['of these about missing callers', `${sum('ofCallers')}`],
    ],
  )
  return wrong > 0 || sum('told') < sum('losses') || sum('falseAlarms') > 0 ? 1 : 0
}

runScript(main)
