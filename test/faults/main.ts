import { fork } from 'node:child_process'
import { writeSync } from 'node:fs'
import { allCells, judge, type Judged } from './matrix'
import { differenceIn, writeTable } from './table'
import { failoverCells, judgeFailovers } from './failover'
import { judgeWatches, watchCells } from './watch'

/** The matrix: distributes its cells, and writes or compares the table of their outcomes. */
const args = process.argv.slice(2)
const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '') : undefined

/** Cells are distributed among this many processes: half of their time they wait. */
const PROCESSES = 5
/** Cells in one Node-RED at a time. */
const BATCH = 700

async function parent(): Promise<void> {
  const startedAt = Date.now()
  const parts = await Promise.all(Array.from({ length: PROCESSES }, (_, part) => inProcess(part)))
  const judged = parts.flat()
  const failed = judged.filter(({ problems }) => problems.length > 0)
  for (const { name, problems } of failed) console.error(`${name}\n    ${problems.join('\n    ')}`)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`${judged.length} cells in ${seconds} s: ${countsOf(judged)}`)
  console.log(`${judged.length - failed.length} as they have to be, ${failed.length} not`)
  if (judged.length === 0 || failed.length > 0) process.exitCode = 1
  else if (only === undefined) await settleTable(judged)
}

async function settleTable(judged: Judged[]): Promise<void> {
  if (args.includes('--write')) return writeTable(judged)
  const difference = await differenceIn(judged)
  if (difference === undefined) return
  console.error(
    `docs/project/reliability.md has another table: ${difference}\nTo write it: npm run test:faults -- --write`,
  )
  process.exitCode = 1
}

function countsOf(judged: Judged[]): string {
  const counts = new Map<string, number>()
  for (const { place } of judged) counts.set(place, (counts.get(place) ?? 0) + 1)
  return [...counts].map(([place, count]) => `${place} ${count}`).join(', ')
}

function inProcess(part: number): Promise<Judged[]> {
  return new Promise((resolve, reject) => {
    let result: Judged[] | undefined
    const child = fork(__filename, args, {
      env: { ...process.env, FAULTS_PART: String(part) },
      execArgv: ['--enable-source-maps'],
    })
    child.on('message', (message) => {
      result = message as Judged[]
    })
    child.on('exit', (code) => {
      if (result && code === 0) resolve(result)
      else reject(new Error(`A process of the matrix ended with ${code}.`))
    })
  })
}

/** The cells of one process. Each is run once. */
async function worker(part: number): Promise<Judged[]> {
  const mine = <T>(cells: T[]): T[] => cells.filter((_, index) => index % PROCESSES === part)
  const cells = mine((await allCells()).filter(isWanted))
  const watches = mine((await watchCells()).filter(isWanted))
  const failovers = mine(failoverCells().filter(isWanted))
  return [
    ...(await inBatches(cells, judge)),
    ...(await inBatches(watches, judgeWatches)),
    ...(await inBatches(failovers, judgeFailovers)),
  ]
}

const isWanted = ({ name }: { name: string }): boolean => only === undefined || name.includes(only)

async function inBatches<T>(
  cells: T[],
  judgeAll: (cells: T[]) => Promise<Judged[]>,
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (let from = 0; from < cells.length; from += BATCH) {
    judged.push(...(await judgeAll(cells.slice(from, from + BATCH))))
  }
  return judged
}

const part = process.env['FAULTS_PART']
if (part === undefined) {
  parent().catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  process.once('disconnect', () => process.exit(1))
  worker(Number(part)).then(
    (result) => process.send!(result, () => process.exit(0)),
    (error: Error) => {
      // Node-RED keeps the process alive, so it has to exit explicitly.
      writeSync(2, `${error.stack}\n`)
      process.exit(1)
    },
  )
}
