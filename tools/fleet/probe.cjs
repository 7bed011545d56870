// Runs inside a Node-RED of the fleet: gives commands to the flow, and keeps what became of them.
const { answerCalls } = require('../../scripts/harness/calls.cjs')

const TrueDate = Date
let give
let ended = []
const events = {}

/** For the function nodes of the flow. */
module.exports = {
  opened: (send) => (give = send),
  closed: () => (give = undefined),
  told({ payload }) {
    events[payload.event] = (events[payload.event] ?? 0) + 1
  },
  answered({ number, error }) {
    // An error of JavaScript has no code: that is shown too.
    const code = error ? (error.code ?? error.cause?.code ?? error.message) : 'ok'
    const { applied, gateway, appliance } = error?.cause ?? {}
    const named = error && { gateway, appliance }
    ended.push({ number, code, applied, named, message: error?.message, at: TrueDate.now() })
  },
}

answerCalls({
  /** @returns how many the flow has taken: none while there is no flow */
  send(commands) {
    if (!give) return 0
    for (const { number, output, msg } of commands) give(output, { ...msg, number })
    return commands.length
  },
  /** Those that have ended since the last call. */
  ended() {
    const all = ended
    ended = []
    return all
  },
  /** Blocks the event loop, as a flow that computes for too long does. */
  block(ms) {
    for (const end = performance.now() + ms; performance.now() < end;);
  },
  /** Sets the time of day of this process, which clocks that cannot be set do not follow. */
  shiftClock(ms) {
    globalThis.Date = class extends TrueDate {
      constructor(...given) {
        if (given.length === 0) super(TrueDate.now() + ms)
        else super(...given)
      }
      static now() {
        return TrueDate.now() + ms
      }
    }
  },
  pid: () => process.pid,
  /** How many events of the watch there were, by their names. */
  events: () => events,
})
