// What a failover does, as its form shows it now: in words, for the sentence and the drawing.
import { FAILOVER_DEFAULTS, FAILOVER_RANGES, type Side } from '../../../client/model/failover'
import { booleanFrom, protocolOf } from '../../../client/model/convert'
import { isGiven, isText, own, type JsonObject } from '../../../client/model/json'
import { numberIn } from '../../../client/model/settings'
import { isVariable } from '../../editor/checks'
import type { Flag } from './flag'
import { sourceIn, type Read } from './settings'
import { text } from './text'

/** Instead of a value that is missing or wrong. */
export const OPEN = '…'

export interface Shown {
  method: string
  failOn: string
  restore: string
  /** The name of the protected route, of each side, and of the monitor, or what stands for it. */
  route: string
  sides: Record<Side, string>
  monitor: string
  /** A number of Mbit/s. */
  low: string
  /** In words, such as `10 s`. */
  times: Record<Time, string>
  limit: string
  /** Percent; `0` where it is off. */
  degrade: string
  /** A variable decides where these are a text. */
  dryRun: boolean | string
  hold: boolean | string
}

const TIMES = [
  'holdOff',
  'degradePer',
  'settle',
  'guard',
  'waitToRestore',
  'limitPer',
  'lookEvery',
] as const

export type Time = (typeof TIMES)[number]

/** @param nameOf the name of the route that a property names, where it is known */
export function shownIn(read: Read, nameOf: (property: string) => string | undefined): Shown {
  const method = choiceIn(read, 'method')
  const route = (property: string) => nameOf(property) ?? entryIn(read, property)
  const side = (of: Side) => (method === 'routes' ? route(of) : sourceLine(read, of))
  const times = TIMES.map((name) => [name, durationIn(read, name)])
  return {
    method,
    failOn: choiceIn(read, 'failOn'),
    restore: choiceIn(read, 'restore'),
    route: route('route'),
    sides: { main: side('main'), backup: side('backup') },
    monitor: route('monitor'),
    low: plain(read('low')),
    times: Object.fromEntries(times) as Record<Time, string>,
    limit: numberText(read, 'limit'),
    degrade: numberText(read, 'degrade'),
    dryRun: flagIn(read, 'dryRun'),
    hold: flagIn(read, 'hold'),
  }
}

function flagIn(read: Read, property: Flag): boolean | string {
  const value = read(property)
  return isText(value) && isVariable(value) ? value.trim() : booleanFrom(value) === true
}

const plain = (value: unknown): string =>
  (isText(value) || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).trim()
    : OPEN

function choiceIn(read: Read, property: 'method' | 'failOn' | 'restore'): string {
  const value = read(property)
  return isText(value) ? value : FAILOVER_DEFAULTS[property]
}

function entryIn(read: Read, property: string): string {
  const value = plain(read(property))
  const type = read(`${property}Type`)
  return type === 'id' || type === 'name' || value === OPEN ? value : `${String(type)}: ${value}`
}

type Numbered = keyof typeof FAILOVER_RANGES

/** The number that counts: a blank means the default. Undefined for a wrong one. */
function numberOf(read: Read, property: Numbered): number | undefined {
  const value = read(property)
  const isBlank = !isGiven(value) || (isText(value) && value.trim() === '') || value === ''
  return isBlank ? FAILOVER_DEFAULTS[property] : numberIn(value, FAILOVER_RANGES[property])
}

function numberText(read: Read, property: Numbered): string {
  const value = read(property)
  if (isText(value) && isVariable(value)) return value.trim()
  return String(numberOf(read, property) ?? OPEN)
}

function durationIn(read: Read, property: Time): string {
  const seconds = numberOf(read, property)
  if (seconds === undefined) return numberText(read, property)
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? SECONDS
  return text(`time.${unit}`, { number: seconds / size })
}

const SECONDS = ['seconds', 1] as const
const UNITS = [['hours', 3600], ['minutes', 60], SECONDS] as const

/** Where a source comes from, such as `SRT 203.0.113.7:9000`. */
function sourceLine(read: Read, side: Side): string {
  const source = sourceIn(read, side)
  if (!source) return entryIn(read, side)
  const protocol = protocolOf('source', source)
  const place = [firstOf(source, 'address'), firstOf(source, 'port')].filter(Boolean).join(':')
  const words = [
    isText(protocol) ? protocol.toUpperCase() : '',
    place || firstOf(source, 'streamName'),
  ]
  return words.filter(Boolean).join(' ') || OPEN
}

/** A field of the source or, with path redundancy, of its first path. */
function firstOf(source: JsonObject, name: string): string {
  const paths = own(source, 'srtNetworkBondingParams') ?? own(source, 'rtpNetworkBondingParams')
  const value = own(source, name) ?? own(Array.isArray(paths) ? paths[0] : undefined, name)
  return isText(value) || typeof value === 'number' ? String(value) : ''
}
