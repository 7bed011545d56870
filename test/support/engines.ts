// Engines of a fleet in this process, and the nats-servers that they use. All of them end with the test.
import { openEngine, type Engine } from '../../client/fleet/nats/engine'
import type { EngineOptions } from '../../client/fleet/nats/options'
import type { Pace } from '../../client/fleet/nats/wire'
import { SLOTS, slotOf } from '../../client/fleet/slots'
import type { Command } from '../../client/fleet/types'
import { afterThisTest } from './hooks'
import { startNats, startWire, type NatsServer, type Wire } from './nats'
import { until } from './until'

export const KEY = 'the key of the fleet in the tests'
export const TTL = 3000
const PACE: Pace = { repeat: 100, sign: 200, silence: 1500 }
export const ALL_SLOTS = Array.from({ length: SLOTS }, (_, slot) => slot)

export interface Opened extends Engine {
  /** What it has logged, each line with its level. */
  readonly logged: string[]
}

export function open(servers: string, options: Partial<EngineOptions> = {}, pace = PACE): Opened {
  const logged: string[] = []
  const engine = openEngine(
    {
      servers,
      fleet: 'tests',
      key: KEY,
      replicas: 1,
      ttlMs: TTL,
      log: (level, text) => logged.push(`${level}: ${text}`),
      ...options,
    },
    pace,
  )
  afterThisTest(() => engine.close())
  return Object.assign(Object.create(engine) as Engine, { logged })
}

export const isUp = (...all: Engine[]): Promise<void> =>
  until(() => all.every(({ link }) => link.isUp), 'the connection')

export const isDown = ({ link }: Engine): Promise<void> => until(() => !link.isUp, 'the loss')

export async function server(...options: Parameters<typeof startNats>): Promise<NatsServer> {
  const nats = await startNats(...options)
  afterThisTest(() => nats.remove())
  return nats
}

interface Engines {
  nats: NatsServer
  one: Opened
  other: Opened
  third: Opened
}

/** Engines on one server: two of them, or three. */
export async function engines<Count extends 2 | 3>(
  count: Count,
  ...options: Parameters<typeof startNats>
): Promise<Count extends 3 ? Engines : Omit<Engines, 'third'>> {
  const nats = await server(...options)
  const all = Array.from({ length: count }, () => open(nats.url))
  const [one, other, third] = all
  await isUp(...all)
  return { nats, one, other, third } as Engines
}

/** A server, and a way to it that a test can cut. */
export async function wired(): Promise<{ nats: NatsServer; wire: Wire }> {
  const nats = await server()
  const wire = await startWire(nats.port)
  afterThisTest(() => wire.stop())
  return { nats, wire }
}

export const command = (about: Partial<Command> = {}): Command => ({
  appliance: 'Oslo 1',
  slot: slotOf(about.appliance ?? 'Oslo 1'),
  writes: true,
  from: 'one',
  body: undefined,
  ...about,
})

type Serving = ReturnType<Engine['commands']['serve']>

export interface Owner extends Serving {
  readonly carriedOut: Command[]
}

/** Serves these slots, and notes what it carries out. */
export function owner(
  engine: Engine,
  slots: readonly number[],
  carryOut: (command: Command) => unknown = () => 'done',
): Owner {
  const carriedOut: Command[] = []
  const serving = engine.commands.serve(async (each) => {
    carriedOut.push(each)
    return carryOut(each)
  })
  serving.take(slots)
  return Object.assign(serving, { carriedOut })
}

export const isBegun = ({ carriedOut }: Owner, count = 1): Promise<void> =>
  until(() => carriedOut.length === count, 'the beginning')
