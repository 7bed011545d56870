import { controlRoute } from '../../../client/changes/control'
import { ensureRoutes } from '../../../client/changes/ensure/ensure'
import { Operation } from '../../../client/connection/operation'
import type { Ensured } from '../../../client/changes/ensure/apply'
import { commandStep } from '../../../client/changes/step'
import { toSent } from '../../../client/model/convert'
import { getRoute } from '../../../client/api/routes'
import { noteRoutes, rememberUnseen, unseenOf } from '../../../client/unseen'
import { errorOf } from '../../support/errors'
import { FakeTime } from '../../support/fake-time'
import { liveInOwnTime } from '../../support/own-time'
import { connected, deviceId, gateway, simulator } from '../../support/stage'

/** One change of a route, of which the response may be lost. */
describe('a step', () => {
  let time: FakeTime

  beforeEach(() => {
    liveInOwnTime(10)
    time = new FakeTime({ runs: true })
    return connected({ routes: 2 }, { clock: time })
  })

  const running = (): string => simulator.routes.find(({ state }) => state === 'running')!.id
  const idle = (): string => simulator.addRoute({ name: 'Idle', source: SOURCE }).id
  const reads = (): number =>
    simulator.journal.filter(({ path }) => path.includes('/routes')).length
  const writes = (): number =>
    simulator.journal.filter(({ path }) => /(updates|commands)$/.test(path)).length
  const SOURCE = { name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }

  type State = 'present' | 'absent' | 'started' | 'stopped'
  const ensure = async (wanted: object, state: State, waitTimeout = 30_000): Promise<string> => {
    const options = { deviceId, state, waitTimeout }
    const { results } = await ensureRoutes(gateway, wanted, options, new Operation('ensure-route'))
    return String((results as Ensured).action)
  }

  for (const [kind, action, state, wanted] of [
    ['create', 'create', 'present', () => ({ name: 'New', source: SOURCE })],
    ['update', 'update', 'present', () => ({ id: running(), source: { name: 'other in' } })],
    ['delete', 'delete', 'absent', () => ({ id: running() })],
    ['start', 'start-route', 'started', () => ({ id: idle() })],
    ['stop', 'stop-route', 'stopped', () => ({ id: running() })],
  ] as const) {
    it(`of ensure to ${kind} is done if it shows, although its response was lost`, async () => {
      simulator.fault({ kind: 'reset-after', match: { action }, times: 1 })
      ;(await ensure(wanted(), state)).should.equal(kind)
      writes().should.equal(1)
    })

    it(`of ensure to ${kind} has an unknown outcome if it does not show`, async () => {
      const route = wanted()
      simulator.fault({ kind: 'reset', match: { action }, times: 1 })
      const { code, cause } = await errorOf(ensure(route, state, 300))
      ;[code, cause.applied].should.eql(['OUTCOME_UNKNOWN', 'maybe'])
      // Later changes build on an update, which may still add something, and on nothing else.
      gateway.memory.unseen.size.should.equal(kind === 'update' ? 1 : 0)
      ;(await ensure(route, state)).should.equal(kind)
      writes().should.equal(2)
    })

    it(`of ensure to ${kind} that is refused leaves nothing to wait for`, async () => {
      simulator.fault({ kind: 'status', status: 400, match: { action }, times: 1 })
      ;(await errorOf(ensure(wanted(), state))).code.should.equal('REJECTED')
      gateway.memory.unseen.size.should.equal(0)
    })
  }

  it('of ensure to delete a route that somebody else has just deleted is done', async () => {
    const id = running()
    const end = simulator.onCall(({ method, path }) => {
      if (method === 'POST' && path.endsWith('/updates')) simulator.removeRoute(id)
    })
    simulator.fault({ kind: 'status', status: 404, match: { action: 'delete' }, times: 1 })
    ;(await ensure({ id }, 'absent')).should.equal('delete')
    end()
  })

  const stop = (routeId: string, waitFor: 'accepted' | 'applied'): Promise<unknown> => {
    const control = { deviceId, routeId, action: 'stop', waitFor, waitTimeout: 30_000 } as const
    return controlRoute(gateway, control, new Operation('control-route'))
  }

  it('of another node is not looked for when its response is lost', async () => {
    simulator.fault({ kind: 'reset-after', match: { action: 'stop-route' }, times: 1 })
    ;(await errorOf(stop(running(), 'applied'))).code.should.equal('OUTCOME_UNKNOWN')
    ;[writes(), reads()].should.eql([1, 0])
  })

  it('that was accepted counts longer than one whose response was lost', async () => {
    const routeId = running()
    const isUnseenAfter = (ms: number): boolean => {
      time.skip(ms)
      return unseenOf(gateway, { deviceId, routeId }).length > 0
    }
    simulator.fault({ kind: 'reset', match: { action: 'stop-route' }, times: 1 })
    await errorOf(stop(routeId, 'accepted'))
    ;[isUnseenAfter(0), isUnseenAfter(60_000)].should.eql([true, false])
    await stop(routeId, 'accepted')
    ;[isUnseenAfter(60_000), isUnseenAfter(90_000)].should.eql([true, false])
  })

  it('that was seen is forgotten with age, where no list is read', async () => {
    const seen = { deviceId, routeId: running() }
    rememberUnseen(gateway, seen, { kind: 'start' }).accepted()
    await getRoute(gateway, seen, new Operation('get-route'))
    const remembered = (ms: number): number => {
      time.skip(ms)
      rememberUnseen(gateway, { deviceId, routeId: `after ${ms}` }, { kind: 'stop' }).accepted()
      return gateway.memory.unseen.size
    }
    ;[remembered(0), remembered(110_000), remembered(11_000)].should.eql([2, 3, 3])
  })

  it('shows only after the one before it: the route may have looked so before both', async () => {
    const place = { deviceId, routeId: running() }
    const route = await getRoute(gateway, place, new Operation('get-route'))
    for (const kind of ['stop', 'start'] as const) {
      rememberUnseen(gateway, place, { kind }).accepted()
    }
    const isUnseen = (['running', 'idle', 'running'] as const).map((state) => {
      noteRoutes(gateway, deviceId, [{ ...route, state }], 'route')
      return unseenOf(gateway, place).length > 0
    })
    isUnseen.should.eql([true, true, false])
  })

  /** Reads that show a change of another client, and then its end. */
  async function othersEnd(place: { deviceId: string; routeId: string }): Promise<void> {
    const route = await getRoute(gateway, place, new Operation('get-route'))
    const others = { ...route, pendingUpdates: { name: 'by another client' } }
    for (const read of [others, route]) noteRoutes(gateway, deviceId, [read], 'route')
  }

  it('that adds a destination counts until it shows, whatever else has ended', async () => {
    const place = { deviceId, routeId: running() }
    const before = toSent(await getRoute(gateway, place, new Operation('get-route')))
    const added = { name: 'New out', protocol: 'udp', address: '239.9.9.9', port: 7001 } as const
    const fields = { ...before, destinations: [...before.destinations, added] }
    rememberUnseen(gateway, place, { kind: 'update', fields, before }).accepted()
    await othersEnd(place)
    unseenOf(gateway, place).should.have.length(1)
  })

  it('does not end with what was under way before it', async () => {
    const place = { deviceId, routeId: running() }
    const unseenAfter = async (wasPending: boolean): Promise<number> => {
      const { change } = commandStep(gateway, { ...place, wasPending }, 'stop')
      rememberUnseen(gateway, place, change).accepted()
      await othersEnd(place)
      return unseenOf(gateway, place).length
    }
    ;[await unseenAfter(false), await unseenAfter(true)].should.eql([0, 1])
  })

  it('that updates a secret and is in doubt leaves none known: nobody knows which one counts', async () => {
    const { id } = simulator.routes.find(({ source }) => source.srtPassPhrase)!
    const known = async (srtPassPhrase: string): Promise<number> => {
      await ensure({ id, source: { srtPassPhrase } }, 'present', 300).catch(() => undefined)
      return gateway.memory.writtenSecrets.size
    }
    ;(await known('an invented phrase')).should.equal(1)
    simulator.fault({ kind: 'reset', match: { action: 'update' }, times: 1 })
    ;(await known('another invented phrase')).should.equal(0)
  })
})
