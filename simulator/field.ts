import type { Dialect } from './dialect'
import type { CallersCondition, RouteSpec, SentDestination } from './model'

/** How the gateway that `fieldRoutes` is like differs from the default. */
export const FIELD_DIALECT: Readonly<Partial<Dialect>> = { stoppedState: 'stopped' }

/**
 * The layout of a gateway of docs/project/interface.md#seen-in-the-field, with invented names: 14
 * routes from UDP to SRT listeners, 12 of them running, and several that nobody calls. Two share an
 * output, one holds the ID of an output that is gone, names end in blanks, and names of outputs
 * repeat.
 */
export function fieldRoutes(): RouteSpec[] {
  return ROUTES.map(([name, outputs, callers, more = {}], place) => ({
    name,
    startRoute: true,
    callers,
    source: {
      name: `${name.trim()} in`,
      protocol: 'udp',
      address: `239.70.0.${1 + place}`,
      port: 5000,
      networkInterface: 'eth1',
      sourceAddress: `198.51.100.${101 + place}`,
    },
    destinations: outputs.map((output, number) =>
      typeof output === 'string' ? listener(output, 7000 + 10 * place + number) : output,
    ),
    ...more,
  }))
}

function listener(name: string, port: number): SentDestination {
  return {
    name,
    protocol: 'srt',
    srtMode: 'listener',
    address: '0.0.0.0',
    port,
    networkInterface: 'eth0',
    srtLatency: 250,
    srtEncryption: 'None',
    srtConnectionLimit: 0,
    srtOverhead: '25',
  }
}

const SHARED = { ...listener('Evening show', 7900), id: '5a0e0000-0000-4000-a000-000000000001' }
const GONE = '5a0e0000-0000-4000-a000-000000000002'

type Row = [
  name: string,
  outputs: Array<string | SentDestination>,
  callers: CallersCondition,
  more?: Partial<RouteSpec>,
]

const ROUTES: Row[] = [
  ['Morning show', ['Affiliates', 'Archive'], 2],
  ['Evening show', [SHARED], 1],
  ['Evening show reserve', [SHARED], 1],
  ['City council', ['Affiliates'], 0],
  ['Harbour camera ', ['Affiliates'], 1],
  ['Sports hall 1', ['Affiliates '], 0],
  ['Sports hall 2', ['Affiliates'], 0],
  ['Weather desk', ['Weather '], 3, { danglingIds: [GONE] }],
  ['Church service', ['Affiliates'], 0, { startRoute: false }],
  ['University', ['Partners', 'Archive'], 0],
  ['Theatre', ['Partners'], 1],
  ['Parliament', ['Affiliates', 'Partners'], 0],
  ['Press center', ['Partners'], 0],
  ['Test pattern', ['Test'], 0, { startRoute: false }],
]
