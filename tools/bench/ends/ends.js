// The two ends of a measured flow: the global `flowEnds` sends messages into one, and waits for
// what comes out of the other, directly or through a Catch node. Between them, to compare with: the
// least that a node needs to read from an appliance.
const http = require('node:http')

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
  RED.nodes.registerType('bench-least', function (config) {
    RED.nodes.createNode(this, config)
    const agent = new http.Agent({ keepAlive: true })
    this.on('input', (message, send, done) => {
      const { url, headers } = message
      const request = http.get(url, { agent, headers }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          message.payload = JSON.parse(Buffer.concat(chunks).toString())
          send(message)
          done()
        })
        response.on('error', done)
      })
      request.on('error', done)
    })
    this.on('close', () => agent.destroy())
  })
}

function createEnds() {
  // Slots that are used again: a Map keeps what was deleted from it until a full collection.
  const slots = []
  const free = []
  return {
    entries: new Map(),
    arrived(message) {
      const { resolve, reject } = slots[message.bench]
      slots[message.bench] = undefined
      free.push(message.bench)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message)
    },
    /** Sends a message in; resolves with the message that comes out. */
    pass: (entry, message) =>
      new Promise((resolve, reject) => {
        const bench = free.pop() ?? slots.length
        slots[bench] = { resolve, reject }
        globalThis.flowEnds.entries.get(entry).send(Object.assign({}, message, { bench }))
      }),
  }
}
