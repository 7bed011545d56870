// Who is expected to call, and under which name: one rule for the form and for the run time.
import type { say, Sentence } from '../errors'
import { readTable } from './csv'
import { isIpv4 } from './doubts'
import { parsedWithin } from './foreign'
import { isObject, membersIn, type JsonObject, plainText } from './json'
import { plainName, INVENTORY_LIMITS } from './inventory'
import { shortened } from './legible'
import type { Named } from './types'

/** When a caller must be there: always, or while the route runs. */
export const EXPECTED = ['always', 'running'] as const

export interface CallerRow {
  /** An address, or a network such as `198.51.100.0/24`. */
  readonly network: string
  readonly name: string
  /** The ID or the name of the route, and of the output or source; empty for any. */
  readonly route: string
  readonly output: string
  readonly expected?: (typeof EXPECTED)[number]
}

/** A listener that is called: a destination, or without one the source of the route. */
export interface Place {
  readonly route: Named
  readonly destination?: Named
  readonly source?: Named
}

export interface CallerBook {
  /** The name of who calls from an address; undefined where there is none. */
  nameOf(address: string, place: Place): string | undefined
  /** Who must be there: rows with the same name and place are one. */
  readonly expected: readonly ExpectedCaller[]
}

export interface ExpectedCaller {
  /** The same for the same caller, also after a restart. */
  readonly key: string
  readonly row: CallerRow
  /** Whether somebody who calls from there is this one. */
  readonly is: (address: string, place: Place) => boolean
}

interface CheckedCallers {
  /** The first that fits a caller counts. */
  rows: CallerRow[]
  /** One for each other row. No sentence repeats an address: it may reach a log. */
  faults: Sentence[]
  /** Why it is no list of callers at all. */
  failure?: Sentence
}

/** Row by row; foreign members and columns are ignored. @param value an array, or JSON, or CSV with a header */
export function checkCallers(value: unknown, say: Say): CheckedCallers {
  const { list, lines } = typeof value === 'string' ? readIn(value) : { list: value }
  const checked: CheckedCallers = { rows: [], faults: [] }
  if (!Array.isArray(list)) return { ...checked, failure: say('callersNoList') }
  for (const [index, given] of list.entries()) {
    const row = rowOf(isObject(given) ? given : {})
    const fault = faultOf(row, say)
    if (!fault) checked.rows.push(row as unknown as CallerRow)
    else checked.faults.push(say('callersRow', { row: lines?.[index] ?? index + 1 }), fault)
  }
  return checked
}

type Say = typeof say

/** `lines` of a CSV: where each row begins, as a spreadsheet counts. */
function readIn(given: string): { list: unknown; lines?: number[] } {
  const text = given.replace(/^\ufeff/, '')
  if (/^\s*[[{]/.test(text)) {
    const parsed = parsedWithin(text, INVENTORY_LIMITS)
    return { list: parsed.fault === undefined ? parsed.value : undefined }
  }
  const table = readTable(text, INVENTORY_LIMITS.values)
  if ('fault' in table || !table.header.map(plainName).includes('name')) return { list: undefined }
  const { header, rows } = table
  const list = rows.map(({ cells }) =>
    Object.fromEntries(header.map((column, place) => [column, cells[place]])),
  )
  return { list, lines: rows.map(({ line }) => line) }
}

function rowOf(given: JsonObject): Record<string, string> {
  const texts = membersIn(given).map(
    ([name, value]) => [plainName(name), plainText(value)] as const,
  )
  const { address, network, name, route, output, expected } = Object.fromEntries(texts)
  return {
    network: address || network || '',
    name: name ?? '',
    route: route ?? '',
    output: output ?? '',
    ...(expected && { expected: expected.toLowerCase() }),
  }
}

function faultOf({ network, name, expected }: Record<string, string>, say: Say) {
  if (!name) return say('rowNoName')
  if (!networkIn(network)) return say('callersAddress', { name: shortened(name, 60) })
  const isKnown = !expected || EXPECTED.some((one) => one === expected)
  return isKnown ? undefined : say('callersExpected', { given: shortened(expected, 60) })
}

/** An address, and how many of its bits count; undefined for what is neither address nor network. */
export function networkIn(
  text = '',
): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const [address = '', length, ...more] = text.split('/')
  const family = isIpv4(address) ? 'ipv4' : isIpv6(address) ? 'ipv6' : undefined
  const most = family === 'ipv4' ? 32 : 128
  const bits = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : NaN
  if (!family || more.length > 0 || !(bits <= most)) return undefined
  return { address, bits, family }
}

/** As the browser and Node.js have it in common. */
const isIpv6 = (text: string): boolean =>
  /^[\da-f:.]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]`)
