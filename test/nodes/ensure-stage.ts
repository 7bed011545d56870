// Ensure nodes as a file is applied with them, on a gateway without routes, and the rows of such files.
import type { Ensured } from '../../client/changes/ensure/apply'
import type { PlanReport } from '../../client/changes/ensure/report'
import type { GatewayError } from '../../client/errors'
import type { Route } from '../../client/model/types'
import type { Simulator } from '../../simulator'
import { failure, load, result, simulated, type Message } from '../support/flow'

export type Row = Ensured & { error?: { code: string; message: string } }
export type Definition = {
  name: string
  state?: string
  renamedFrom?: string
  source: object
  destinations: object[]
}

export const ensure = (more: object): object => ({
  type: 'media-gateway-ensure-route',
  state: 'row',
  exact: true,
  waitTimeout: 15,
  ...more,
})

/** The gateway of the present test. */
export let simulator: Simulator

/** Starts the gateway and the flow for each test of a suite. */
export function stageEach(): void {
  beforeEach(async () => {
    simulator = await simulated({ routes: [] })
    await load(simulator.url, {
      row: ensure({}),
      brief: ensure({ waitTimeout: 1 }),
      check: ensure({ check: true }),
      approve: ensure({ approve: true }),
      'approve-by-variable': ensure({ approve: 'true' }),
      prune: ensure({ approve: true, remove: 'pattern', removePattern: 'Event *' }),
      'prune-unseen': ensure({ remove: 'pattern', removePattern: '*' }),
      'prune-no-pattern': ensure({ approve: true, remove: 'pattern', removePattern: ' ' }),
      'prune-absent': ensure({
        approve: true,
        state: 'absent',
        remove: 'pattern',
        removePattern: '*',
      }),
      present: ensure({ state: 'present' }),
      unchecked: ensure({ approve: true, validate: false }),
      absent: ensure({ state: 'absent' }),
    })
  })
}

export const writes = (): Simulator['journal'] =>
  simulator.journal.filter(({ method, path }) => method !== 'GET' && path !== '/api/session')
export const run = async (node: string, payload: unknown, more: object = {}): Promise<Row[]> =>
  (await result(node, { payload, ...more })).payload as Row[]
export const planned = async (payload: unknown, node = 'approve'): Promise<PlanReport> => {
  const before = writes().length
  const { plan } = await result(node, { payload })
  writes().length.should.equal(before)
  return plan as PlanReport
}
export const fault = async (node: string, message: Message): Promise<{ error: GatewayError }> => ({
  error: await failure(node, message),
})
export const named = (name: string): Route => simulator.readForm(name) as Route
export const names = (): string[] => simulator.routes.map(({ name }) => name).sort()

export type Source = { name: string; protocol: string; address: string; port: number }

export const port = (name: string): number => 5000 + name.length
export const source = (name: string, at = port(name)): Source => ({
  name: `${name} in`,
  protocol: 'udp',
  address: '239.1.1.1',
  port: at,
})
export const destination = (name: string): object => ({
  name: `${name} out`,
  protocol: 'udp',
  address: '192.0.2.9',
  port: 6000,
})
export const route = (name: string, state?: string): Definition => ({
  name,
  ...(state && { state }),
  source: source(name),
  destinations: [destination(name)],
})
export const srt = (name: string, srtPassPhrase: string, state?: string): Definition => ({
  ...route(name, state),
  source: {
    name: `${name} in`,
    protocol: 'srt',
    srtMode: 'caller',
    address: '192.0.2.1',
    port: 5000,
    srtPassPhrase,
  },
})
export const listener = (name: string, at: number, out = name): Definition => ({
  ...route(name),
  source: {
    name: `${name} in`,
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port: at,
  },
  destinations: [destination(out)],
})
