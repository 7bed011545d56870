// A watch that reports incidents, in a real Node-RED: what it sends, and what outlives a deploy or a restart.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hooks } from '@node-red/util'
import type { WatchEvent } from '../../client/model/event'
import { startSimulator, type Simulator } from '../../simulator'
import {
  deployFlows,
  flowOf,
  helper,
  load,
  simulated,
  unload,
  type FlowOptions,
} from '../support/flow'
import { afterThisTest } from '../support/hooks'
import { pause, until } from '../support/until'

const contexts = require('@node-red/runtime/lib/nodes/context') as { load(): Promise<void> }

/** Its types lack it. */
const setOfNodeRed = (settings: object): void =>
  (helper as unknown as { settings(given: object): void }).settings(settings)

interface Sent {
  topic: string
  payload: WatchEvent
  deviceId?: string
  routeId?: string
  appliance?: string
}

type Done = (error: Error | null, value?: unknown) => void

/** A store that outlives Node-RED, as one in files does: it keeps JSON. */
function newStore() {
  const values = new Map<string, string>()
  const store = {
    values,
    /** What it does when it is used. */
    trouble: undefined as 'fails' | 'throws' | 'is silent' | undefined,
    open: () => Promise.resolve(),
    close: () => Promise.resolve(),
    clean: () => Promise.resolve(),
    delete: () => Promise.resolve(),
    get: (_scope: string, key: string, done: Done) =>
      answer(done, () => {
        const text = values.get(key)
        return text === undefined ? undefined : (JSON.parse(text) as unknown)
      }),
    set: (_scope: string, key: string, value: unknown, done: Done) =>
      answer(done, () => {
        const text = JSON.stringify(value) as string | undefined
        if (text === undefined) values.delete(key)
        else values.set(key, text)
        return undefined
      }),
    keys: (_scope: string, done: Done) => answer(done, () => [...values.keys()]),
  }
  function answer(done: Done, work: () => unknown): void {
    if (store.trouble === 'throws') throw new Error('no disk')
    if (store.trouble === 'is silent') return
    if (store.trouble === 'fails') done(new Error('no disk'))
    else done(null, work())
  }
  return store
}

const TYPES = ['full', 'flows', 'nodes'] as const

describe('a watch that reports incidents', () => {
  let simulator: Simulator
  let sent: Sent[]
  let store: ReturnType<typeof newStore> | undefined
  let nodes: Record<string, object>
  let options: FlowOptions
  let deploys = 0

  const watch = (more: object = {}): object => ({
    type: 'media-gateway-watch',
    report: 'incidents',
    holdFor: '0.3',
    ...more,
  })
  const running = () => simulator.routes.find(({ state }) => state === 'running')!
  const polls = ({ journal }: Simulator = simulator): number =>
    journal.filter(({ path }) => /^\/api\/devices\/[^/]+$/.test(path)).length
  const topics = () => sent.map(({ topic }) => topic)
  const warnings = (): string[] =>
    helper
      .log()
      .args.map(([entry]: [{ level: number; msg?: unknown }]) => entry)
      .filter(({ level, msg }) => level === 30 && String(msg).includes('open incidents'))
      .map(({ msg }) => String(msg))

  async function polled(times: number): Promise<void> {
    const wanted = polls() + times
    await until(() => polls() >= wanted)
    await pause(50)
  }

  async function start(given: Record<string, object>, more: FlowOptions = {}): Promise<void> {
    nodes = given
    options = {
      ...more,
      gateway: { pollInterval: 1, ...more.gateway },
      types: [() => contexts.load() as unknown as void],
    }
    const contextStorage = store && { default: { module: () => store } }
    setOfNodeRed({ contextStorage })
    await load(simulator.url, nodes, options)
  }

  async function restart(): Promise<void> {
    await unload()
    await start(nodes, options)
  }

  /** Deploys with every node changed. */
  async function deploy(type: (typeof TYPES)[number], more: object = {}): Promise<void> {
    const name = `deploy ${++deploys}`
    const changed = Object.entries(nodes).map(([id, node]) => [id, { ...node, ...more, name }])
    const { flow } = flowOf(simulator.url, Object.fromEntries(changed), options)
    await deployFlows(flow, type)
  }

  /** The source of a running route is lost, and that is reported. */
  async function loses() {
    const route = running()
    simulator.fail(route.id, { source: 'disconnected' })
    await until(() => sent.length > 0)
    return route
  }

  /** One incident was reported, from its beginning to its end. */
  function isOver(): void {
    topics().should.eql(['incident.begun', 'incident.ended'])
    should(sent[1]!.payload.incident!.id).equal(sent[0]!.payload.incident!.id)
  }

  beforeEach(async () => {
    sent = []
    store = undefined
    hooks.add(
      'onSend.incidents',
      (all: Array<{ msg: Sent; source: { node: { type: string } } }>) => {
        for (const { msg, source } of all) {
          if (source.node.type === 'media-gateway-watch') sent.push(msg)
        }
      },
    )
    afterThisTest(() => setOfNodeRed({ contextStorage: undefined }))
    simulator = await simulated({ routes: 6, applyDelay: 0, settleDelay: 0 })
  })
  afterEach(() => hooks.remove('*.incidents'))

  it('sends one message when a source is lost, one when it is back, and none for a stop', async () => {
    await start({ watch: watch({ events: ['route.renamed'] }) })
    const { id, name } = await loses()
    await polled(2)
    sent.should.have.length(1)
    const [begun] = sent as [Sent]
    begun.should.match({ topic: 'incident.begun', routeId: id })
    begun.deviceId!.should.equal(simulator.devices[0]!._id)
    begun.payload.should.match({
      event: 'incident.begun',
      route: { id, name },
      incident: {
        severity: 'critical',
        kind: 'route',
        reason: 'no-source',
        until: null,
        durationMs: null,
      },
      before: 'ok',
      after: 'critical',
    })
    begun.payload.text.should.startWith(`${name}: no source`)

    simulator.fail(id, { source: 'ok' })
    await until(() => sent.length > 1)
    const [, ended] = sent as [Sent, Sent]
    ended.should.match({ topic: 'incident.ended', routeId: id, payload: { after: 'ok' } })
    const { incident } = ended.payload
    incident!.id.should.equal(begun.payload.incident!.id)
    incident!.durationMs!.should.equal(incident!.until! - incident!.since)

    simulator.stopRoute(id)
    simulator.renameRoute(simulator.routes[5]!.id, 'Renamed')
    await polled(3)
    sent.should.have.length(2)
  })

  it('reports a route that must run while it is stopped, and no other', async () => {
    const must = running()
    simulator.renameRoute(must.id, 'News 1')
    await start({ watch: watch({ mustRun: ' news * ' }) })
    await polled(2)
    for (const { id, state } of simulator.routes) if (state === 'running') simulator.stopRoute(id)
    await until(() => sent.length > 0)
    await polled(2)
    sent.should.have.length(1)
    sent[0]!.payload.should.match({
      event: 'incident.begun',
      route: { name: 'News 1' },
      incident: { severity: 'critical', reason: 'not-running' },
    })
    simulator.startRoute(must.id)
    await until(() => sent.length > 1)
    sent[1]!.should.match({ topic: 'incident.ended', routeId: must.id })
  })

  it('without a time to hold, holds for ten seconds', async () => {
    await start({ watch: watch({ holdFor: '' }) })
    await polled(1)
    const begun = Date.now()
    simulator.fail(running().id, { source: 'disconnected' })
    await until(() => sent.length > 0, 'incident.begun', 20_000)
    ;(Date.now() - begun).should.be.above(9000)
  })

  for (const type of TYPES) {
    it(`ends what is open once, over deploys of type ${type}`, async () => {
      await start({ watch: watch() })
      const { id } = await loses()
      await deploy(type)
      await polled(2)
      await deploy(type, { language: 'de' })
      await polled(2)
      topics().should.eql(['incident.begun'])
      simulator.fail(id, { source: 'ok' })
      await deploy(type)
      await until(() => sent.length > 1)
      await deploy(type)
      await polled(2)
      isOver()
    })
  }

  it('ends what is open once, over restarts, also where it was over in between', async () => {
    store = newStore()
    await start({ watch: watch() })
    const { id } = await loses()
    store.values.size.should.equal(1)
    await restart()
    await polled(2)
    topics().should.eql(['incident.begun'])
    await unload()
    simulator.fail(id, { source: 'ok' })
    await start(nodes, options)
    await until(() => sent.length > 1)
    await restart()
    await polled(2)
    isOver()
    store.values.size.should.equal(0)
  })

  for (const type of TYPES) {
    it(`keeps what is open when it is moved to another tab, deployed as ${type}`, async () => {
      const others = [{ id: 'other', type: 'tab', label: 'other' }]
      await start({ watch: watch() }, { others })
      const { id } = await loses()
      await deploy(type, { z: 'other' })
      await polled(3)
      topics().should.eql(['incident.begun'])
      simulator.fail(id, { source: 'ok' })
      await until(() => sent.length > 1)
      isOver()
    })
  }

  it('goes on with an outage of the gateway under other settings', async function () {
    this.timeout(90_000)
    await start({ watch: watch() })
    await polled(1)
    const path = `/api/devices/${simulator.devices[0]!._id}`
    const back = simulator.fault({ kind: 'status', status: 500, match: { path } })
    await until(() => sent.length > 0, 'the outage', 55_000)
    sent[0]!.payload.incident!.kind.should.equal('gateway')
    await deploy('nodes', { holdFor: '0.5' })
    await polled(3)
    topics().should.eql(['incident.begun'])
    back()
    await until(() => sent.length > 1)
    await polled(2)
    isOver()
  })

  it('ends what is open when it is set to report changes', async () => {
    store = newStore()
    await start({ watch: watch() })
    const { id } = await loses()
    await deploy('nodes', { report: 'changes', holdFor: '' })
    await until(() => sent.length > 1)
    await deploy('nodes', { report: 'changes', holdFor: '' })
    await polled(2)
    isOver()
    sent[1]!.payload.should.match({ after: 'removed', route: { id } })
    store.values.size.should.equal(0)
  })

  it('forgets what is open with its node', async () => {
    store = newStore()
    await start({ watch: watch() })
    await loses()
    store.values.size.should.equal(1)
    await deployFlows(flowOf(simulator.url, {}, options).flow, 'full')
    await until(() => store!.values.size === 0)
  })

  it('reports nothing twice where a deploy comes before the store has written', async () => {
    store = newStore()
    const { set } = store
    store.set = (...given) => void setTimeout(() => set(...given), 400)
    await start({ watch: watch() })
    await loses()
    await deploy('full')
    await polled(3)
    topics().should.eql(['incident.begun'])
  })

  for (const trouble of ['fails', 'throws', 'is silent'] as const) {
    it(`watches with a store that ${trouble}, and says so once`, async () => {
      store = newStore()
      store.trouble = trouble
      await start({ watch: watch() })
      const begun = Date.now()
      const { id } = await loses()
      ;(Date.now() - begun).should.be.below(8000)
      simulator.fail(id, { source: 'ok' })
      await until(() => sent.length > 1)
      topics().should.eql(['incident.begun', 'incident.ended'])
      warnings().should.have.length(1)
      warnings()[0]!.should.match(
        trouble === 'is silent' ? /does not respond/ : /cannot be kept .*no disk/,
      )
    })
  }

  for (const [what, value] of [
    ['text', 'x'],
    ['an object', { incidents: [] }],
    ['a list of something else', [null, 7, { id: 'x' }, { id: 'x', key: 'y', since: '1' }]],
  ] as const) {
    it(`ignores ${what} in the place of its open incidents, and says so`, async () => {
      store = newStore()
      store.values.set('media-gateway-watch-watch', JSON.stringify(value))
      await start({ watch: watch() })
      await loses()
      topics().should.eql(['incident.begun'])
      warnings().should.have.length(1)
      warnings()[0]!.should.match(/is ignored/)
      const [kept] = JSON.parse(store.values.get('media-gateway-watch-watch')!) as object[]
      kept!.should.have.property('id', sent[0]!.payload.incident!.id)
    })
  }

  it('reports all changes where it was saved without the property', async () => {
    await start({
      watch: watch({ report: undefined, holdFor: '', mustRun: 7, events: ['route.renamed'] }),
    })
    await polled(1)
    simulator.renameRoute(running().id, 'Renamed')
    await until(() => sent.length > 0)
    topics().should.eql(['route.renamed'])
  })

  it('ends what is open of a gateway that leaves the inventory, and keeps nothing of it', async () => {
    const other = await startSimulator({ routes: 6, applyDelay: 0, settleDelay: 0 })
    const rows = [simulator, other].map(({ url }, index) => ({
      name: `oslo.${index}`,
      baseUrl: url,
    }))
    const folder = mkdtempSync(join(tmpdir(), 'media-gateway-left-'))
    const path = join(folder, 'inventory.json')
    const write = (all: object[]): void => writeFileSync(path, JSON.stringify(all))
    const { id } = running()
    try {
      store = newStore()
      write(rows)
      const file = { inventoryType: 'file', inventory: path, inventoryHosts: '127.0.0.1' }
      await start({ watch: watch() }, { gateway: file })
      for (const each of [simulator, other]) each.fail(id, { source: 'disconnected' })
      await until(() => sent.length > 1)
      const [changed, left] = rows
      write([{ ...changed!, username: 'operator', password: 'supervisor' }, left!])
      await until(() => simulator.logins > 1)
      sent.should.have.length(2)
      write([{ ...changed!, username: 'operator', password: 'supervisor' }])
      await until(() => sent.length > 2)
      const begun = sent.find(({ appliance }) => appliance === 'oslo.1')!
      sent[2]!.should.match({
        topic: 'incident.ended',
        appliance: 'oslo.1',
        payload: { before: 'critical', after: 'removed', route: { id } },
      })
      const { incident } = sent[2]!.payload
      incident!.id.should.equal(begun.payload.incident!.id)
      incident!.durationMs!.should.equal(incident!.until! - incident!.since)
      await until(() => store!.values.size === 1)
      await pause(300)
      sent.should.have.length(3)
    } finally {
      await unload()
      rmSync(folder, { recursive: true })
      await until(() => other.openSessions === 0 && other.openSockets === 0)
      await other.stop()
    }
  })

  it('keeps what is open for each gateway of an inventory', async () => {
    const other = await startSimulator({ routes: 6, applyDelay: 0, settleDelay: 0 })
    const both = [simulator, other]
    const inventory = both.map(({ url }, index) => ({ name: `oslo.${index}`, baseUrl: url }))
    const gateway = { inventoryType: 'json', inventory: JSON.stringify(inventory) }
    const { id, name } = running()
    try {
      store = newStore()
      await start({ watch: watch() }, { gateway })
      for (const each of both) each.fail(id, { source: 'disconnected' })
      await until(() => sent.length > 1)
      const of = (appliance: string): Sent[] => sent.filter((one) => one.appliance === appliance)
      store.values.size.should.equal(2)
      simulator.fail(id, { source: 'ok' })
      await restart()
      await until(() => sent.length > 2)
      await polled(2)
      of('oslo.0')
        .map(({ topic }) => topic)
        .should.eql(['incident.begun', 'incident.ended'])
      of('oslo.1')
        .map(({ topic }) => topic)
        .should.eql(['incident.begun'])
      sent[2]!.payload.should.match({ appliance: 'oslo.0', route: { name } })
      store.values.size.should.equal(1)
      await deployFlows(flowOf('', {}, options).flow, 'full')
      await until(() => store!.values.size === 0)
    } finally {
      await unload()
      await until(() => other.openSessions === 0 && other.openSockets === 0)
      await other.stop()
    }
  })
})
