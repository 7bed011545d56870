// What nodes that work without a message do with one that comes too early, or too late.
import 'should'
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { NodeAPI } from 'node-red'
import type { GatewayError } from '../../client/errors'
import { registerWorker } from '../../nodes/runtime/worker'

describe('a message to a node that works without one', () => {
  let events: EventEmitter
  let node: EventEmitter
  let told: string[]
  let lamps: object[]
  let obeyed: unknown[]

  beforeEach(() => {
    events = new EventEmitter()
    told = []
    lamps = []
    obeyed = []
    node = Object.assign(new EventEmitter(), {
      error: ({ code }: GatewayError) => told.push(code),
      status: (lamp: object) => lamps.push(lamp),
    })
    const register = (_type: string, create: (this: EventEmitter, saved: object) => void): void =>
      create.call(node, { type: 'media-gateway-metrics' })
    const nodes = { registerType: register, createNode: () => undefined, getNode: () => null }
    const RED = { nodes, events, _: (key: string) => key } as unknown as NodeAPI
    registerWorker(RED, 'media-gateway-metrics', () => ({
      start: () => ({ begin: () => ({ end: () => undefined }) }),
      obey: (message) => Promise.resolve(void obeyed.push(message)),
    }))
  })

  const close = (): Promise<void> =>
    new Promise((resolve) => node.emit('close', false, () => resolve()))
  const send = (): Promise<GatewayError | undefined> =>
    new Promise((resolve) => node.emit('input', {}, () => undefined, resolve))

  it('waits for the start of the flows, and ends where the node is stopped before', async () => {
    const sent = send()
    await turn()
    obeyed.should.eql([])
    await close()
    ;(await sent)!.code.should.equal('CLOSED')
    events.listenerCount('flows:started').should.equal(0)
    ;(await send())!.code.should.equal('CLOSED')
    obeyed.should.eql([])
    told.should.eql([])
  })

  it('fails with what the node has told and shows, while it cannot work', async () => {
    const sent = send()
    events.emit('flows:started')
    ;(await sent)!.code.should.equal('CONFIG')
    told.should.eql(['CONFIG'])
    lamps.should.have.length(1)
    lamps[0]!.should.match({ fill: 'red', shape: 'ring' })
    await close()
    lamps.at(-1)!.should.eql({})
    obeyed.should.eql([])
  })
})
