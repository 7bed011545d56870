// Runs inside the Node-RED under test: feeds messages into the flow, keeps track of each, passes
// on what the watches report, and reports what the process uses.
//
// Counting at a Catch node or downstream would not be exact: what a node sends or fails while it is
// being replaced is no longer delivered, since Node-RED has already removed the receivers. So
// messages are tracked at the node itself, by the hooks of Node-RED: a message counts from the
// moment it is given to the input handler, and must end with exactly one `done`, with its output
// before that or an error, never both. Arrivals downstream are counted too, and may be missing only
// where a deploy was under way.
const { createRequire } = require('node:module')
const { ERROR_CODES } = require('../../dist/client/errors')
const { answerCalls } = require('../../scripts/harness/calls.cjs')

// Node-RED's own copy: another one would have separate hooks.
const { events, hooks } = createRequire(require.main.filename)('@node-red/util')

const OWN = /^media-gateway-/
const TELLING = new Set(['media-gateway-watch', 'media-gateway-failover'])
const CODES = new Set(ERROR_CODES)
/** A delivery takes a turn or two of the event loop, longer on a busy machine. */
const ARRIVES_WITHIN_MS = 5000
const FAULTS_SHOWN = 20

let messages = 0
const feeders = new Map()
/** Messages that a node is handling, by message number and node. */
const inHand = new Map()
/** Messages on the way to the next node, likewise. */
const onTheWay = new Map()
let deploys = 0
let deploying = false
let deployedAt = 0
let told = []
const instances = new WeakMap()
let latestInstance = 0

const count = {
  fed: 0,
  received: 0,
  answered: 0,
  sent: 0,
  failed: 0,
  arrived: 0,
  caught: 0,
  cut: 0,
  codes: {},
  byNode: {},
}
const faults = []
let faultCount = 0

events.on('flows:stopping', () => {
  deploys++
  deploying = true
})
events.on('flows:started', () => {
  deploying = false
  deployedAt = Date.now()
})

hooks.add('onReceive', ({ msg, destination: { node } }) => {
  const { soak } = msg
  // A closed node no longer has a handler: Node-RED drops the message.
  if (!soak || !node._inputCallback) return
  if (OWN.test(node.type)) {
    if (soak.at) arrive(soak.at, soak)
    delete soak.at
    receive(node, soak)
  } else if (node.type === 'catch') {
    if (arrive(msg.error.source.id, soak)) count.caught++
  } else if (soak.at && arrive(soak.at, soak)) {
    count.arrived++
    delete soak.at
  }
})

hooks.add('onSend', (sends) => {
  const [{ source }] = sends
  if (!OWN.test(source.node.type)) return
  if (TELLING.has(source.node.type)) return tell(source.node, sends)
  const { soak } = sends[0].msg
  const key = `${soak?.number} ${source.id}`
  const open = inHand.get(key)
  if (!open) return blame(`${source.node.type} sent a message that it did not have (any more)`)
  if (open.sent > 0) blame(`${source.node.type} sent a message twice`)
  open.sent += sends.length
  const { parts } = sends[0].msg
  if (open.split && sends.length !== parts?.count) blame(`${source.node.type} sent a part of a set`)
  for (const { msg } of sends) msg.soak.at = source.id
})

hooks.add('onComplete', ({ msg, error, node: { id, node } }) => {
  if (!OWN.test(node.type)) return
  const key = `${msg.soak?.number} ${id}`
  const open = inHand.get(key)
  if (!open) return blame(`${node.type} ended a message that it did not have (any more)`)
  inHand.delete(key)
  const tally = (count.byNode[node.type] ??= { ok: 0, failed: 0 })
  if (error) {
    count.failed++
    tally.failed++
    count.codes[error.code] = (count.codes[error.code] ?? 0) + 1
    if (open.sent > 0) blame(`${node.type} sent a message and then failed it`)
    if (!CODES.has(error.code)) blame(`${node.type} failed with the code ${error.code}`)
    // How the input handler reports an unexpected error.
    if (/Please report this/.test(error.message)) blame(`${node.type}: ${error.message}`)
  } else {
    count.answered++
    tally.ok++
    count.sent += open.sent
    if (open.sent === 0 && !open.split) blame(`${node.type} ended a message without an output`)
  }
  const wasCut = deploying || open.deploys !== deploys
  send(id, msg.soak, error ? 1 : open.sent, wasCut)
})

function receive(node, { number }) {
  const key = `${number} ${node.id}`
  if (inHand.has(key)) return blame(`${node.type} got a message twice`)
  const at = Date.now()
  // A set may be empty.
  inHand.set(key, { sent: 0, split: node.id.includes('split'), deploys, at })
  count.received++
}

function send(from, { number }, times, wasCut = false) {
  if (times > 0) {
    onTheWay.set(`${number} ${from}`, { times, wasCut, deploys, at: Date.now() })
  }
}

function arrive(from, { number }) {
  const key = `${number} ${from}`
  const sent = onTheWay.get(key)
  if (!sent) {
    blame(`a message from ${from} arrived that was not on its way (any more)`)
    return false
  }
  if (--sent.times === 0) onTheWay.delete(key)
  return true
}

/** What has not arrived in time was either cut off by a deploy or lost. */
function reckon() {
  const now = Date.now()
  for (const [key, { times, wasCut, deploys: then, at }] of onTheWay) {
    if (now - at < ARRIVES_WITHIN_MS || deploying) continue
    onTheWay.delete(key)
    // A deploy began while it was being delivered.
    if (wasCut || then !== deploys) count.cut += times
    else blame(`a message was lost on its way (${key})`)
  }
}

function tell(node, sends) {
  if (!instances.has(node)) instances.set(node, ++latestInstance)
  const instance = instances.get(node)
  for (const { msg } of sends) told.push({ watch: node.id, instance, payload: msg.payload })
}

function blame(what) {
  faultCount++
  if (faults.length < FAULTS_SHOWN) faults.push(what)
}

/** For the function nodes at the beginning of the flow. */
module.exports = {
  opened: (name, give) => feeders.set(name, give),
  closed: (name) => feeders.delete(name),
}

answerCalls({
  /** Feeds messages, each `{feeder, output, msg}`; returns how many are then in hand. */
  feed(fed) {
    for (const { feeder, output, msg } of fed) {
      // Between a stop and a start there is no flow to feed.
      const give = feeders.get(feeder)
      if (!give || deploying) continue
      const soak = { number: ++messages, at: 'feed' }
      count.fed++
      send('feed', soak, 1)
      give(output, { ...msg, soak })
    }
    return inHand.size
  },
  told() {
    const all = told
    told = []
    return all
  },
  account() {
    reckon()
    const oldest = [...inHand].map(([key, { at }]) => ({ key, ms: Date.now() - at }))
    oldest.sort((one, other) => other.ms - one.ms)
    return {
      ...count,
      deploys,
      deployedAt,
      inHand: inHand.size,
      onTheWay: onTheWay.size,
      oldest: oldest.slice(0, 5),
      faults,
      faultCount,
    }
  },
  /** After a garbage collection. */
  usage() {
    for (let times = 0; times < 3; times++) globalThis.gc()
    const { rss, heapUsed } = process.memoryUsage()
    const resources = {}
    for (const type of process.getActiveResourcesInfo()) {
      resources[type] = (resources[type] ?? 0) + 1
    }
    return { at: Date.now(), rss, heapUsed, resources }
  },
})
