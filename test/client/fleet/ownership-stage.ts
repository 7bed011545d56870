// Instances in a world of their own, and an engine, for each test.
import { memberKey } from '../../../client/fleet/ownership/records'
import { TTL, World, type Instance } from './ownership-world'

export const FENCE = 0.9 * TTL

export let world: World

/** No two instances work for a slot at once in any test of a file. */
export function stageWorld(): void {
  afterEach(() => {
    world.doubles.should.eql([])
    world.instances.flatMap(({ wrong }) => wrong).should.eql([])
    // Each watch ends before the next one begins.
    world.engine.watchers.size.should.be.belowOrEqual(world.alive.length)
  })
}

export const newWorld = (slots: number): World => (world = new World({ slots }))

export const count = (owners: readonly string[], id: string): number =>
  owners.filter((owner) => owner === id).length

/** Starts instances and waits until each slot has its owner. */
export async function settled(names: string[], slots = 16): Promise<Instance[]> {
  newWorld(slots)
  const started = names.map((name) => world.start(name))
  await world.time.until(() => world.isSettled(), TTL + 10_000)
  return started
}

/** Waits for the next renewal, and returns when it was sent, at most 10 ms earlier. */
export async function afterRenewal({ id, clock }: Instance, ttl = TTL): Promise<number> {
  const key = memberKey(`${id}-0`)
  const before = world.engine.writesOf.get(key)
  await world.time.until(() => world.engine.writesOf.get(key) !== before, 0.4 * ttl, 1)
  const sent = world.time.now
  await world.time.pass(10)
  should(clock.now()).be.above(0)
  return sent
}
