// What a plain field may hold. Each check answers with the fault, or with nothing.
// They know no browser.
import { RANGES, type Range } from '../../client/model/ranges'

/** The key of a text in the catalog, under `error`, and the values that go into it. */
export type Fault = [key: string, values?: Record<string, number>]

export type Check = keyof typeof checks

export const checks = {
  baseUrl(value: string): Fault | undefined {
    if (isVariable(value)) return undefined
    if (value === '') return ['noUrl']
    if (!/^https?:\/\//i.test(value)) return ['urlScheme']
    if (/\s/.test(value) || !URL.canParse(value)) return ['url']
    const url = new URL(value)
    if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(value)) {
      return ['urlUser']
    }
    return url.search === '' && url.hash === '' ? undefined : ['urlQuery']
  },

  fingerprint(value: string): Fault | undefined {
    if (value === '' || isVariable(value)) return undefined
    return /^[0-9a-f]{2}(:?[0-9a-f]{2}){31}$/i.test(value) ? undefined : ['fingerprint']
  },

  // Empty means the default.
  timeout: number(RANGES.timeout, { whole: true }),
  concurrency: number(RANGES.concurrency, { whole: true }),
  pollInterval: number(RANGES.pollInterval),
  waitTimeout: number(RANGES.waitTimeout),
  holdFor: number(RANGES.holdFor),
}

function number({ least, most }: Range, { whole = false } = {}) {
  return (value: string): Fault | undefined => {
    if (value === '' || isVariable(value)) return undefined
    const form = whole ? /^\d+$/ : /^\d+(\.\d+)?$/
    const good = form.test(value) && Number(value) >= least && Number(value) <= most
    return good ? undefined : [whole ? 'wholeNumber' : 'number', { least, most }]
  }
}

/** `${NAME}` as the whole value: Node-RED puts the environment variable in when the flow starts. */
export function isVariable(value: string): boolean {
  return /^\s*\$\{[^}]+\}\s*$/.test(value)
}
