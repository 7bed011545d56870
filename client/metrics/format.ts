// The text format of Prometheus, version 0.0.4.
import * as crypto from 'node:crypto'

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What stands in one `{…}`, escaped and without the braces: `gateway="Oslo",route_id="1c6…"`. */
export type Labels = string

/** In characters. A label that the gateway fills with a file would be in every sample. */
const LONGEST = 200

/** One label; nothing for an empty value, which the format takes for a missing one. */
export const labelOf = (name: string, value: string | undefined): Labels =>
  value ? `${name}="${written(value)}"` : ''

/** Several labels as one. */
export const joined = (one: Labels, other: Labels): Labels =>
  one && other ? `${one},${other}` : one || other

/** A value that tells one thing from another: when it has to be cut, it stays different. */
export function idOf(value: string): string {
  if (isPlain(value)) return value
  if (value.length <= LONGEST && value === cleaned(value)) return value
  const digest = crypto.createHash('sha256').update(value, 'utf16le').digest('hex').slice(0, 12)
  return `${cleaned(value.slice(0, LONGEST - 20))}…${digest}`
}

/** Most values are short and need nothing. */
const isPlain = (value: string): boolean => value.length <= LONGEST && /^[ !#-[\]-~]*$/.test(value)

const written = (value: string): string =>
  isPlain(value) ? value : clipped(value).replace(/[\\"\n]/g, (sign) => ESCAPES[sign]!)

const clipped = (value: string): string =>
  value.length <= LONGEST ? cleaned(value) : `${cleaned(value.slice(0, LONGEST - 1))}…`

// Prometheus takes UTF-8, which has no half of a pair, and its parser stops at a NUL.
const cleaned = (value: string): string => value.replace(UNUSABLE, '\ufffd')

const UNUSABLE =
  // eslint-disable-next-line no-control-regex
  /[\0-\x08\x0b-\x1f\x7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

export type MetricType = 'gauge' | 'counter' | 'summary'

/** The two lines that introduce a metric. */
export const heading = (name: string, type: MetricType, help: string): string =>
  `# HELP ${name} ${help.replace(/[\\\n]/g, (sign) => ESCAPES[sign]!)}\n# TYPE ${name} ${type}\n`

/** One line; none for a value that is not known. */
export const sample = (name: string, labels: Labels, value: number): string =>
  Number.isFinite(value) ? `${name}{${labels}} ${value}\n` : ''
