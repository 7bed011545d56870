// The door for data from elsewhere: plain JSON, made once and within limits, before anything reads it.

import type { JsonObject } from './json'

/** What a value or a JSON text from elsewhere may cost. */
export interface Limits {
  /** Lists and objects inside each other. */
  levels: number
  /** Members and items in all; what stands in two places counts twice. */
  values: number
  /** Characters: of a JSON text, or of all texts and names in a value. */
  characters: number
}

/** For definitions of routes, in a message, a form or a file: 5,000 routes with 100 values each. */
export const MOST: Limits = { levels: 100, values: 500_000, characters: 32 * 1024 * 1024 }

/** Or where it is no plain data and why. `at`: the character at which a JSON text breaks, where known. */
export type Plain =
  { value: unknown; fault?: undefined } | { path: string; fault: string; at?: number }

/**
 * Copies a value as `JSON.stringify` would write it, and reads each member once: what is checked is what
 * is sent. Aliases count each time. NaN, infinity, binary data and cycles are faults,
 * and so is what JSON writes as `{}`, such as a Map.
 * @returns the copy; `undefined` for what JSON leaves out
 */
export function plainCopy(given: unknown, limits: Limits = MOST): Plain {
  let values = 0
  let characters = 0
  /** The names and indices that lead to where it reads. */
  const trail: Array<string | number> = []
  let found: { path: string; fault: string } | undefined

  /** @param isWhole where it is not one place that is at fault */
  function unfit(fault: string, isWhole = false): never {
    found = { path: isWhole ? '' : pathOf(trail), fault }
    throw new TypeError(fault)
  }

  const read = (text: string): string => {
    characters += text.length
    if (characters > limits.characters) unfit('is too long')
    return text
  }

  const copyOf = (source: unknown): unknown => {
    const value = asWritten(source, unfit)
    if (typeof value === 'string') return read(value)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      unfit(`is ${value}, which cannot be written as JSON`)
    }
    if (typeof value === 'bigint') unfit('is a BigInt; give a number')
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (ArrayBuffer.isView(value)) unfit('is binary data')
    if (trail.length === limits.levels) unfit('is nested too deep', true)
    return Array.isArray(value) ? listOf(value) : objectOf(value)
  }

  const count = (more: number): void => {
    values += more
    if (values > limits.values) unfit('has too many values', true)
  }

  function listOf(list: readonly unknown[]): unknown[] {
    const { length } = list
    // All at once: a list with nothing in it can be a billion long.
    count(length)
    const copy: unknown[] = []
    for (let index = 0; index < length; index++) {
      trail.push(index)
      copy.push(copyOf(list[index]) ?? null)
      trail.pop()
    }
    return copy
  }

  function objectOf(object: object): object {
    const copy: Record<string, unknown> = {}
    const names = Object.keys(object)
    count(names.length)
    for (const name of names) {
      trail.push(name)
      const member = copyOf((object as Record<string, unknown>)[read(name)])
      trail.pop()
      if (member === undefined) continue
      // An assignment would set the prototype.
      if (name === '__proto__') Object.defineProperty(copy, name, { value: member, ...ORDINARY })
      else copy[name] = member
    }
    return copy
  }

  try {
    return { value: copyOf(given) }
  } catch {
    // A getter or a proxy threw something of its own, which may be a proxy too.
    return found ?? { path: '', fault: 'is not plain data: it cannot be read' }
  }
}

const pathOf = (trail: ReadonlyArray<string | number>): string =>
  trail
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')

const ORDINARY = { enumerable: true, writable: true, configurable: true }

/** The value that JSON writes: what `toJSON` returns, and what a boxed value stands for. */
function asWritten(value: unknown, unfit: (fault: string) => never): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function' && !ArrayBuffer.isView(value)) return toJSON.call(value)
  const tag = Object.prototype.toString.call(value)
  if (LOST.has(tag)) {
    unfit(`is of type ${tag.slice(8, -1)}, which cannot be written as JSON`)
  }
  return BOXED.has(tag) ? value.valueOf() : value
}

const tags = (...kinds: string[]): ReadonlySet<string> =>
  new Set(kinds.map((kind) => `[object ${kind}]`))

const BOXED = tags('Number', 'String', 'Boolean')
/** JSON writes these as `{}`, whatever is in them. */
const LOST = tags('Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'RegExp', 'Error', 'ArrayBuffer')

export type TextFault = 'is not JSON' | 'is too long' | 'is nested too deep' | 'has too many values'

/** As {@link Plain}. */
type Parsed = { value: unknown; fault?: undefined } | { path: ''; fault: TextFault; at?: number }

/** What a text would cost is counted before it is parsed: `[],[],…` takes a hundred times its size. */
export function parsedWithin(text: string, limits: Limits): Parsed {
  // Two values take three characters at least: `[],`.
  const isCheap = text.length <= Math.min(1.5 * limits.values, limits.characters)
  const fault = isCheap ? undefined : tooMuch(text, limits)
  if (fault !== undefined) return { path: '', fault }
  try {
    const value = JSON.parse(text) as unknown
    return isDeeper(value, limits.levels) ? { path: '', fault: 'is nested too deep' } : { value }
  } catch (error) {
    // The message may repeat a part of the text, which may contain a password.
    const [, at] = /at position (\d+)/.exec(String(error)) ?? []
    return { path: '', fault: 'is not JSON', ...(at !== undefined && { at: Number(at) }) }
  }
}

/**
 * True where there are more than so many levels of lists and objects. Reads no further, and allocates
 * nothing: beside a large response, each little object may bring V8 to collect the whole heap.
 */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true
  } else {
    for (const name in value) if (isDeeper((value as JsonObject)[name], levels - 1)) return true
  }
  return false
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_LIST = 0x5b
const BACKSLASH = 0x5c
const OPENING_OBJECT = 0x7b

function tooMuch(text: string, { values, characters }: Limits): TextFault | undefined {
  if (text.length > characters) return 'is too long'
  let counted = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfText(text, at)
    else if (character === COMMA || character === OPENING_LIST || character === OPENING_OBJECT) {
      if (++counted > values) return 'has too many values'
    }
  }
  return undefined
}

/** Where the text ends that begins at a quotation mark. */
function endOfText(text: string, start: number): number {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end >= 0 && isEscaped(text, end))
  return end < 0 ? text.length : end
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}
