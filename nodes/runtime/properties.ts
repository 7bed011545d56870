import type { Waiting } from '../../client/changes/step'
import { GatewayError, badSettings, say, type Sentence } from '../../client/errors'
import type { Short } from '../../client/model/faults'
import { variableIn } from '../../client/model/json'
import { DEFAULTS, RANGES, type Range } from '../../client/model/ranges'
import { flagIn, linesIn, numberIn } from '../../client/model/settings'

const config = (said: Sentence, short: Sentence['short']): GatewayError =>
  new GatewayError('CONFIG', { ...said, ...(short && { short }) })

/** The error for a setting of a node that is wrong. @param key what its lamp says of it */
export const refused = (path: string, problem: string, key?: Short['key']): GatewayError =>
  badSettings(
    [{ path, problem, ...(key && { short: { key, values: { what: path } } }) }],
    say('correctNode'),
  )

/** What a setting is, in a sentence. */
const given = (value: unknown): string => {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined || text.length <= 42 ? String(text) : `${text.slice(0, 40)}…`
}

/**
 * Node-RED replaces `${NAME}` in a property when it is the whole value, and leaves the
 * text as it is when there is no such variable. Such a text must never be used as a value.
 * @throws GatewayError `CONFIG` that names the variable
 */
export function refuseUnresolved(property: string, value: unknown): void {
  const variable = variableIn(value)
  if (variable !== undefined) throw unsetVariable(property, variable)
}

export const unsetVariable = (property: string, variable: string): GatewayError =>
  config(say('variable', { variable, property }), { key: 'unset', values: { variable } })

/** A number or a text; undefined when it is empty. @throws GatewayError `CONFIG` for anything else */
export function numberProperty(property: string, value: unknown, range: Range): number | undefined {
  refuseUnresolved(property, value)
  const isEmpty = typeof value === 'string' && value.trim() === ''
  if (value === undefined || value === null || isEmpty) return undefined
  const number = numberIn(value, range)
  if (number !== undefined) return number
  const { least, most, whole } = range
  const said = say(whole ? 'wholeNumber' : 'number', { property, given: given(value), least, most })
  const key = Number.isFinite(Number(value)) ? 'range' : 'type'
  throw config(said, { key, values: { what: property } })
}

/**
 * The lines of a property that are not empty. A variable of a flow may also be a list.
 * @throws GatewayError `CONFIG` when a line is a variable that is not set, or not the whole value
 */
export function linesProperty(property: string, value: unknown): string[] {
  const lines: unknown[] = typeof value === 'string' ? linesIn(value) : [value ?? []].flat()
  for (const line of lines) refuseUnresolved(property, line)
  if (lines.every((line) => typeof line === 'string')) return lines
  throw config(say('lines', { property }), { key: 'type', values: { what: property } })
}

/**
 * True or false, also as text.
 * @throws GatewayError `CONFIG`: "read only" must not be off by mistake
 */
export function flagProperty(property: string, value: unknown, whenEmpty = false): boolean {
  refuseUnresolved(property, value)
  if (value === undefined || value === null || value === '') return whenEmpty
  const flag = flagIn(value)
  if (flag !== undefined) return flag
  const short = { key: 'choice', values: { what: property } } as const
  throw config(say('flag', { property, given: given(value) }), short)
}

/** The first where it is empty. @throws GatewayError `CONFIG` when it is anything else */
export function choiceProperty<One extends string>(
  property: string,
  value: unknown,
  choices: readonly One[],
): One {
  refuseUnresolved(property, value)
  if (value === undefined || value === null || value === '') return choices[0]!
  const found = choices.find((one) => one === value)
  if (found !== undefined) return found
  throw refused(property, `is ${given(value)}; it must be one of ${choices.join(', ')}`, 'choice')
}

/** The saved properties of a node that can wait until a change shows. */
interface WaitingConfig {
  waitFor?: string
  /** Seconds. */
  waitTimeout?: unknown
}

/** @throws GatewayError `CONFIG` */
export function waitingOf({ waitFor, waitTimeout }: WaitingConfig): Waiting {
  const seconds = numberProperty('waitTimeout', waitTimeout, RANGES.waitTimeout)
  return {
    waitFor: choiceProperty('waitFor', waitFor, ['accepted', 'applied']),
    waitTimeout: (seconds ?? DEFAULTS.waitTimeout) * 1000,
  }
}
