// Made-up devices whose routes fail and recover, as a watch sees them.
import type { DeviceConfiguration } from '../../../client/model/types'
import type { WatchEvent } from '../../../client/model/event'
import {
  createSubscription,
  type WatchOptions,
  type Subscription,
} from '../../../client/watch/report/subscription'
import { GatewayError } from '../../../client/errors'
import type { OpenIncident } from '../../../client/model/incident'
import { figuresOf } from '../../../client/watch/measuring/figures'
import type { UnixClock } from '../../../client/clock'
import type { DeviceState } from '../../../client/watch/state'
import { stateOf } from './states'

export interface World {
  /** The gateway answers. */
  answers: boolean
  device: 'ok' | 'offline' | 'error'
  /** By their names. */
  routes: Record<string, RouteWorld>
}

export interface RouteWorld {
  state: 'running' | 'stopped' | 'absent'
  source: 'ok' | 'disconnected' | 'no data' | 'warn'
  /** Of its caller output `far`. */
  far: 'ok' | 'lost' | 'off' | 'absent'
  /** Of its listener output `near`. */
  near: 'called' | 'waiting'
  /** Mbit/s of its source, while that has data. */
  bitrate?: number
}

export const WELL: RouteWorld = { state: 'running', source: 'ok', far: 'ok', near: 'called' }

type Json = Record<string, unknown>

function routeIn(name: string, { state, source, far, near, bitrate = 5 }: RouteWorld): Json {
  const runs = state === 'running'
  const isSourceAway = source === 'disconnected'
  const outputs: Json[] = [
    {
      id: `${name} near`,
      name: 'near',
      protocol: 'srt',
      address: '192.0.2.1',
      port: 5000,
      mode: 'listener',
      started: true,
      state: near === 'called' && runs ? 'connected' : 'disconnected',
      summaryStatusCode: 'ok',
      clientConnections: near === 'called' ? 1 : 0,
      usedBandwidth: near === 'called' ? 5 : 0,
    },
  ]
  if (far !== 'absent') {
    outputs.push({
      id: `${name} far`,
      name: 'far',
      protocol: 'srt',
      address: '192.0.2.1',
      port: 5000,
      mode: 'caller',
      started: far !== 'off',
      state: far === 'ok' && runs ? 'connected' : 'disconnected',
      summaryStatusCode: far === 'ok' ? 'ok' : 'warn',
    })
  }
  const isWell = source === 'ok' && (far === 'ok' || far === 'off' || far === 'absent')
  return {
    id: name,
    name: `Route ${name}`,
    state: runs ? 'running' : 'idle',
    summaryStatusCode: isWell && near === 'called' ? 'ok' : 'warn',
    source: {
      id: `${name} in`,
      name: `${name} in`,
      protocol: 'srt',
      address: '192.0.2.1',
      port: 5000,
      mode: 'listener',
      state: isSourceAway ? 'disconnected' : 'connected',
      summaryStatusCode: source === 'warn' ? 'warn' : 'ok',
      usedBandwidth: source === 'no data' || isSourceAway ? 0 : bitrate,
    },
    destinations: outputs,
  }
}

const DEVICE = {
  ok: { statusCode: 'ok', status: 'Online' },
  offline: { statusCode: 'ok', status: 'Offline' },
  error: { statusCode: 'error', status: 'Device error' },
}

/** A watch of made-up devices, by a clock that only the test moves. */
export interface Watched {
  /** Polls once, at a time in ms. */
  poll(world: World, at: number): void
  /** Goes on as another process, with what is open as plain data. */
  restart(more?: Partial<WatchOptions>): void
  readonly events: WatchEvent[]
  readonly open: readonly OpenIncident[]
}

export function watched(options: Partial<WatchOptions> = {}): Watched {
  let now = 0
  const timers = new Set<{ at: number; run: () => void }>()
  const clock: UnixClock = {
    now: () => now,
    unix: (at) => at + 1_700_000_000_000,
    after(ms, run) {
      // A timer of Node.js may come a little early.
      const timer = { at: now + Math.max(0, ms - 1), run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const events: WatchEvent[] = []
  let open: readonly OpenIncident[] = []
  let state: DeviceState | undefined
  let missedSince: number | undefined
  let misses = 0
  let watch: Subscription

  function begin(more: Partial<WatchOptions> = {}): void {
    watch = createSubscription(
      {
        report: 'incidents',
        ...options,
        onEvents: (some) => events.push(...some),
        onOpen: (some) => (open = some),
        ...more,
      },
      clock,
      'Gateway',
    )
  }

  function pass(at: number): void {
    for (const timer of timers) {
      if (timer.at > at) continue
      timers.delete(timer)
      now = timer.at
      timer.run()
    }
    now = at
  }

  begin()
  return {
    events,
    get open() {
      return open
    },
    poll({ answers, device, routes }, at) {
      pass(at)
      if (!answers) {
        missedSince ??= at
        const miss = { error: new GatewayError('UNAVAILABLE', 'away', {}), since: missedSince }
        watch.missed(miss)
        if (++misses >= 3 && at - missedSince >= 30_000) watch.unreachable(miss)
        return
      }
      missedSince = undefined
      misses = 0
      const sent = Object.entries(routes)
        .filter(([, route]) => route.state !== 'absent')
        .map(([name, route]) => routeIn(name, route))
      const answer = { name: 'Gateway', ...DEVICE[device], config: { routes: sent } }
      state = stateOf(answer as unknown as DeviceConfiguration, state)
      const figures = figuresOf(state, new Map(sent.map((route) => [String(route.id), route])))
      watch.seen(state, at, figures)
    },
    restart(more) {
      watch.end()
      // What an earlier process has measured and counted is lost with it.
      state = undefined
      missedSince = undefined
      misses = 0
      begin({ open: JSON.parse(JSON.stringify(open)) as OpenIncident[], ...more })
    },
  }
}
