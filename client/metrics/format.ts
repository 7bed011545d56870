// The text format of Prometheus, version 0.0.4.
import * as crypto from 'node:crypto'
import { legible, withoutHalf } from '../model/legible'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What stands in one `{…}`, escaped and without the braces: `gateway="Oslo",route_id="1c6…"`. */
export type Labels = string

/** In characters. A label that the gateway fills with a file would be in every sample. */
const LONGEST = 200

/** One label; nothing for an empty value, which the format takes for a missing one. */
export const labelOf = (name: string, value: string | undefined): Labels =>
  value ? `${name}="${written(value)}"` : ''

/** Several labels as one. */
export function joined(...labels: Labels[]): Labels {
  let all = ''
  for (const one of labels) if (one) all = all ? `${all},${one}` : one
  return all
}

/** A value that tells one thing from another: when it has to be cut or changed, it stays different. */
export function idOf(value: string): string {
  if (isPlain(value) || value === clipped(value, LONGEST)) return value
  const digest = crypto.createHash('sha256').update(value, 'utf16le').digest('hex').slice(0, 12)
  return `${clipped(value, LONGEST - 20)}…${digest}`
}

/** Most values are short and need nothing. */
const isPlain = (value: string): boolean => value.length <= LONGEST && /^[ !#-[\]-~]*$/.test(value)

const written = (value: string): string =>
  isPlain(value) ? value : escaped(clipped(value, LONGEST))

const escaped = (text: string): string => text.replace(/[\\"]/g, '\\$&')

// Prometheus takes UTF-8, which has no half of a pair, and its parser stops at a NUL.
function clipped(value: string, longest: number): string {
  const whole = value.length > longest ? undefined : legible(value)
  if (whole !== undefined && whole.length <= longest) return whole
  const begin = legible(withoutHalf(value.slice(0, longest - 1)))
  return `${withoutHalf(begin.slice(0, longest - 1))}…`
}

export type MetricType = 'gauge' | 'counter' | 'summary'

export const heading = (name: string, type: MetricType, help: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`

export const sample = (name: string, labels: Labels, value: number): string =>
  `${name}{${labels}} ${value}\n`
