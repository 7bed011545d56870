// Runs inside the measured Node-RED: reports what it uses, and keeps the events that came out of
// the flow until they are fetched.
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { answerCalls } = require('../../scripts/harness/calls.cjs')

const delay = monitorEventLoopDelay({ resolution: 20 })
delay.enable()
let told = []

answerCalls({
  /** With `collected` garbage is collected first, which takes a while. */
  usage({ collected = false } = {}) {
    if (collected) for (let times = 0; times < 3; times++) globalThis.gc()
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    return { at: Date.now(), cpuMs: (user + system) / 1000, rss, heapUsed }
  },
  /** The longest time for which nothing else could run since the last call, in ms. */
  longestDelay() {
    const longest = delay.max / 1e6
    delay.reset()
    return longest
  },
  told() {
    const all = told
    told = []
    return all
  },
})

/** For the function node at the end of the flow. */
module.exports = ({ event, device, route, destination }) => {
  const key = [event, device.name, route?.id, destination?.id].filter(Boolean).join(' ')
  told.push({ key, at: Date.now() })
}
