import type { ListedGateway } from '../../nodes/wire'
import { startSimulator, type Simulator } from '../../simulator'
import { samplesIn, valuesOf } from '../support/metrics'
import { NodeRed, type Properties } from '../support/node-red'
import { until } from '../support/until'

/** A config node within a subflow runs once for each instance of it, with the variables of that. */
describe('a gateway within a subflow', () => {
  const nodeRed = new NodeRed()
  let oslo: Simulator
  let rome: Simulator

  before(async () => {
    oslo = await startSimulator({ routes: 3 })
    rome = await startSimulator({ routes: 5 })
    await nodeRed.start({}, { NO_ADDRESS: 'a secret' })
    const account = { username: 'haiadmin', password: 'manager' }
    const gateway = { type: 'media-gateway', baseUrl: '${URL}', credentials: account }
    const at = { x: 100, y: 100 }
    const place = { ...at, z: 'tab', wires: [[]] }
    const [url, name] = ['URL', 'SITE'].map((each) => (value: string): Properties => {
      return { name: each, type: 'str', value }
    }) as [(value: string) => Properties, (value: string) => Properties]
    await nodeRed.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'site', type: 'subflow', name: 'site', env: [url(oslo.url), name('oslo')] },
      { ...gateway, id: 'its', z: 'site', name: '${SITE}' },
      { ...at, id: 'watch', z: 'site', type: 'media-gateway-watch', gateway: 'its', wires: [[]] },
      { id: 'outer', type: 'subflow', name: 'outer' },
      {
        ...at,
        id: 'inner',
        z: 'outer',
        type: 'subflow:site',
        env: [url(rome.url), name('rome')],
        wires: [],
      },
      { id: 'unused', type: 'subflow', name: 'unused' },
      { ...gateway, id: 'of-unused', z: 'unused', baseUrl: rome.url },
      { ...place, id: 'first', type: 'subflow:site' },
      { ...place, id: 'disabled', type: 'subflow:site', d: true },
      { ...place, id: 'second', type: 'subflow:outer' },
      { ...gateway, id: 'of-disabled', d: true },
      { ...gateway, id: 'odd', name: 'twin', baseUrl: '${NO_ADDRESS}' },
      { ...gateway, id: 'other', name: 'twin', baseUrl: rome.url },
      { id: 'tab-2', type: 'tab', label: 'disabled', disabled: true },
      { ...gateway, id: 'of-tab', z: 'tab-2' },
      { ...place, id: 'in-tab', z: 'tab-2', type: 'subflow:site' },
      { ...place, id: 'in', type: 'http in', url: '/metrics', method: 'get', wires: [['all']] },
      { ...place, id: 'all', type: 'media-gateway-metrics', gateways: 'all', wires: [['out']] },
      { ...place, id: 'out', type: 'http response' },
    ])
  })

  after(async () => {
    await nodeRed.stop()
    await until(() => oslo.openSessions + rome.openSessions === 0)
    await oslo.stop()
    await rome.stop()
  })

  const ask = async (path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${nodeRed.url}media-gateway/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return answer.json()
  }

  it('is listed once for each instance, with its name and address; what is disabled is not', async () => {
    const listed = (await ask('gateways')) as ListedGateway[]
    const { host } = new URL(rome.url)
    listed
      .sort((one, other) => one.id.localeCompare(other.id))
      .should.eql([
        { id: 'first-its', name: 'oslo', address: oslo.url, readOnly: false },
        { ...listed[1], id: 'odd', name: 'twin', address: '${NO_ADDRESS}', readOnly: false },
        { id: 'other', name: `twin (${host})`, address: rome.url, readOnly: false },
        { id: 'second-inner-its', name: 'rome', address: rome.url, readOnly: false },
      ])
    listed[1]!.error!.code.should.equal('CONFIG')
    JSON.stringify(listed).should.not.containEql('a secret')
  })

  it('has a state of its own in each', async () => {
    for (const [id, routes] of Object.entries({ 'first-its': 3, 'second-inner-its': 5 })) {
      let state: { snapshot?: { routes: unknown[] } } = {}
      await until(async () => {
        state = (await ask('state', { id })) as typeof state
        return state.snapshot !== undefined
      })
      state.snapshot!.routes.should.have.length(routes)
    }
  })

  it('is in the metrics of all gateways', async () => {
    const text = await (await fetch(`${nodeRed.url}metrics`)).text()
    const samples = samplesIn(text)
    for (const gateway of ['oslo', 'rome']) valuesOf(samples, 'up', { gateway }).should.eql([1])
  })

  it('can be tested from its form where no instance is, with the stored password', async () => {
    const account = { username: 'haiadmin', password: '__PWRD__' }
    const connection = { id: 'of-unused', baseUrl: rome.url, ...account }
    const report = (await ask('connection', { connection })) as { ok: boolean }
    report.ok.should.be.true()
  })
})
