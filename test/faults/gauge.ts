// Preloaded into a Node-RED: says at GAUGE_PORT how long it was busy, and how much memory it took.
import { createServer } from 'node:http'

const EACH_MS = 20

/** Since it was asked last. Processor time: what else the machine does is not in it. */
export interface Measured {
  /** Milliseconds of the processor. */
  cpu: number
  /** The most of these in which nothing else ran. */
  blocked: number
  /** The most memory that the process ever had, in MB. */
  memory: number
}

const cpuNow = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let askedAt = cpuNow()
let turnAt = askedAt
let blocked = 0
function turn(): void {
  const now = cpuNow()
  blocked = Math.max(blocked, now - turnAt)
  turnAt = now
}
const timer = setInterval(turn, EACH_MS)
timer.unref()

createServer((_, response) => {
  turn()
  const measured: Measured = {
    cpu: turnAt - askedAt,
    blocked,
    memory: process.resourceUsage().maxRSS / 1024,
  }
  askedAt = turnAt
  blocked = 0
  response.end(JSON.stringify(measured))
})
  .listen(Number(process.env['GAUGE_PORT']), '127.0.0.1')
  .unref()
