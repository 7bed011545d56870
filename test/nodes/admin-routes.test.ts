// What the admin routes do where everything else fails, and whom they keep watching for.
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type * as Express from 'express'
import type { NodeAPI } from 'node-red'
import { createObservers } from '../../nodes/gateway/admin/observers'
import { registerAdminRoutes } from '../../nodes/gateway/admin/routes'
import type { GatewayNode } from '../../nodes/runtime/gateway-node'
import { startSimulator } from '../../simulator'
import type { Properties } from '../support/node-red'
import { until } from '../support/until'
import { PATHS } from './admin-stage'
import { connectTo } from '../support/connect'
import { afterThisTest } from '../support/hooks'

const express = createRequire(require.resolve('node-red'))('express') as typeof Express.default

/** A Node-RED in which everything throws that a route may call. */
describe('a throw in a route', () => {
  const thrown = (): never => {
    throw new RangeError('Maximum call stack size exceeded: the-inside-of-node-red')
  }
  let server: Server

  before((done) => {
    const app = express()
    app.use(express.json())
    const permission = (_request: unknown, _response: unknown, next: () => void) =>
      void Promise.resolve().then(next)
    const RED = {
      httpAdmin: app,
      auth: { needsPermission: () => permission },
      nodes: { getNode: thrown, eachNode: thrown, getCredentials: thrown },
      util: { evaluateNodeProperty: thrown, getSetting: thrown },
      log: { audit: thrown },
    }
    registerAdminRoutes(RED as unknown as NodeAPI)
    server = app.listen(0, '127.0.0.1', done)
  })
  after((done) => {
    server.close(done)
    server.closeAllConnections()
  })

  for (const path of [...PATHS, 'gateways']) {
    it(`is a 400 with a sentence: ${path}`, async () => {
      const { port } = server.address() as AddressInfo
      const body = { id: 'a', connection: { id: 'a', baseUrl: '${ANY}' }, action: 'start' }
      const more = path === 'gateways' ? {} : { method: 'POST', body: JSON.stringify(body) }
      const answer = await fetch(`http://127.0.0.1:${port}/media-gateway/${path}`, {
        headers: { 'content-type': 'application/json' },
        ...more,
      })
      answer.status.should.equal(400)
      const text = await answer.text()
      text.should.not.containEql('the-inside')
      should((JSON.parse(text) as Properties)['message']).match(/\w+ \w+/)
    })
  }
})

describe('those who look at the sidebar', () => {
  it('are users of the gateway until they have not asked for a while', async () => {
    const simulator = await startSimulator()
    const gateway = connectTo(simulator, { pollInterval: 1000 })
    const users = new Set<object>()
    const node = {
      client: () => gateway,
      failovers: new Set(),
      register: (user: object) => users.add(user),
      deregister: (user: object) => users.delete(user),
    } as unknown as GatewayNode
    afterThisTest(async () => {
      await gateway.close()
      users.size.should.equal(0)
      simulator.openSessions.should.equal(0)
      await simulator.stop()
    })
    const observers = createObservers(300)
    const { version } = await observers.state(node, {})
    const running = async (): Promise<string[]> =>
      Object.keys((await observers.state(node, { version })).figures ?? {})
    await until(async () => (await running()).length > 0)
    ;(await running()).should.eql(
      simulator.routes.filter(({ state }) => state === 'running').map(({ id }) => id),
    )
    users.size.should.equal(1)
    while (users.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    // Who comes later begins a watch of their own.
    should((await observers.state(node, { version })).version).not.equal(version)
    users.size.should.equal(1)
    // Who may only read must not be able to make polls without end.
    for (let number = 1; number < 20; number++) {
      await observers.state(node, { deviceId: `dev-${number}` })
    }
    await should(observers.state(node, { deviceId: 'dev-20' })).rejectedWith({
      code: 'INVALID_INPUT',
    })
    users.size.should.equal(20)
    // Nor must they be able to lock anybody else out.
    const shown = await observers.state(node, { deviceId: 'dev-20', user: 'somebody else' })
    shown.health.unreachable.should.be.false()
    users.size.should.equal(21)
    const known = await observers.state(node, { deviceId: 'dev-19' })
    known.health.unreachable.should.be.false()
  })
})
