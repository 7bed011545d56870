// The two ends of a measured flow: the global `flowEnds` sends messages into one, and waits for
// what comes out of the other, directly or through a Catch node.
module.exports = (RED) => {
  const ends = (globalThis.flowEnds ??= createEnds())

  RED.nodes.registerType('bench-in', function (config) {
    RED.nodes.createNode(this, config)
    ends.entries.set(this.id, this)
  })
  RED.nodes.registerType('bench-out', function (config) {
    RED.nodes.createNode(this, config)
    this.on('input', (message, send, done) => {
      ends.arrived(message)
      done()
    })
  })
}

function createEnds() {
  const waiting = new Map()
  let number = 0
  return {
    entries: new Map(),
    arrived(message) {
      const { resolve, reject } = waiting.get(message.bench)
      waiting.delete(message.bench)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message)
    },
    /** Sends a message in; resolves with the message that comes out. */
    pass: (entry, message) =>
      new Promise((resolve, reject) => {
        const bench = ++number
        waiting.set(bench, { resolve, reject })
        globalThis.flowEnds.entries.get(entry).send({ ...message, bench })
      }),
  }
}
