// A request of an instance that may no longer own the appliance does not go out.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRoute } from '../../../client/changes/create'
import { listDevices } from '../../../client/api/devices'
import type { Connection } from '../../../client/connection/connection'
import { startSimulator, type Simulator } from '../../../simulator'
import { errorOf } from '../../support/errors'
import { NEW, connectTo, op } from './support'
import { endEach } from '../../support/connect'

describe('a connection that asks whether it may send', () => {
  let simulator: Simulator
  let gateway: Connection
  /** How many questions are answered with yes. */
  let allowed: number

  const maySend = (): boolean => allowed-- > 0

  beforeEach(async () => {
    simulator = await startSimulator({ routes: 3 })
    allowed = Infinity
    gateway = connectTo(simulator, { maySend })
  })
  afterEach(() => endEach(gateway, simulator))

  it('sends neither login nor call', async () => {
    allowed = 0
    const error = await errorOf(listDevices(gateway, op()))
    error.code.should.equal('UNAVAILABLE')
    error.cause.applied.should.equal('no')
    error.message.should.containEql('no longer owns')
    simulator.journal.should.have.length(0)
  })

  it('asks once for each request', async () => {
    allowed = 1000
    await listDevices(gateway, op())
    await listDevices(gateway, op())
    allowed.should.equal(1000 - simulator.journal.length)
  })

  it('does not send a change that was to follow a read', async () => {
    await listDevices(gateway, op())
    const before = simulator.journal.length
    allowed = 0
    const deviceId = async (): Promise<string> => simulator.devices[0]!._id
    const error = await errorOf(createRoute(gateway, { ...NEW, deviceId }, op()))
    error.code.should.equal('UNAVAILABLE')
    error.cause.applied.should.equal('no')
    simulator.journal.length.should.equal(before)
  })

  it('asks when the connection stands, not before', async () => {
    const order: string[] = []
    const server: Server = createServer((_request, response) => {
      order.push('request')
      response.end('{}')
    })
    server.on('connection', () => order.push('connection'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const other = connectTo(
      { url: `http://127.0.0.1:${port}` },
      {
        maySend: () => {
          order.push('question')
          return false
        },
      },
    )
    try {
      await errorOf(listDevices(other, op()))
      order.filter((each) => each !== 'connection').should.deepEqual(['question'])
    } finally {
      await other.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
