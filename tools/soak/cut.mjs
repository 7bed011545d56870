// A connection that can be cut, go silent and become slow: between an instance and the engine, or
// between an instance and an appliance.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { atEnd } from '../../scripts/harness/end.mjs'

/**
 * Listens at `port`, and passes everything on to another port of this machine.
 * `set('open')`; `set('cut')`: every connection ends, and none begins. `set('silent')`: nothing passes
 * and nobody is told, as if a cable was pulled; what was on its way arrives when it is open again.
 * `set('slow', ms)`: everything passes so much later.
 */
export async function startCut(target) {
  const sockets = new Set()
  let mode = 'open'
  let delay = 0
  const server = createServer((from) => {
    if (mode === 'cut') {
      from.destroy()
      return
    }
    const to = connect(target, '127.0.0.1')
    pass(from, to)
    pass(to, from)
  })

  function pass(from, to) {
    // A cut is an error for both ends.
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    let passed = Promise.resolve()
    from.on('data', (chunk) => {
      const due = performance.now() + delay
      // One after the other, also when it becomes quicker.
      passed = passed.then(async () => {
        const left = due - performance.now()
        if (left > 0) await pause(left)
        if (!to.destroyed) to.write(chunk)
      })
    })
    from.on('end', () => void passed.then(() => to.end()))
    if (mode === 'silent') from.pause()
    sockets.add(from)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: server.address().port,
    set(next, ms = 0) {
      mode = next
      delay = ms
      for (const socket of sockets) {
        if (mode === 'cut') socket.destroy()
        else if (mode === 'silent') socket.pause()
        else socket.resume()
      }
    },
  }
}
