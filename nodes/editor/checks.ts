// What a plain field may hold. Each check answers with the fault, or with nothing.
// They know no browser.

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

  // Ranges as at run time. Empty means the default.
  timeout: number({ least: 1, most: 600_000, whole: true }),
  concurrency: number({ least: 1, most: 100, whole: true }),
  pollInterval: number({ least: 1, most: 86_400 }),
  waitTimeout: number({ least: 1, most: 3600 }),
  holdFor: number({ least: 0, most: 86_400 }),
}

function number({ least, most, whole = false }: { least: number; most: number; whole?: boolean }) {
  return (value: string): Fault | undefined => {
    if (value === '' || isVariable(value)) return undefined
    const form = whole ? /^\d+$/ : /^\d+(\.\d+)?$/
    const good = form.test(value) && Number(value) >= least && Number(value) <= most
    return good ? undefined : [whole ? 'wholeNumber' : 'number', { least, most }]
  }
}

/** `${NAME}` as the whole value: Node-RED puts the environment variable in when the flow starts. */
function isVariable(value: string): boolean {
  return /^\$\{[^}]+\}$/.test(value)
}
