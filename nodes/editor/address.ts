import type { Addressed } from '../wire'

/** Where it comes from or goes to, as far as that is an address. */
export function addressOf({ protocol = '', address, port }: Addressed): string {
  const host = address?.includes(':') ? `[${address}]` : (address ?? '')
  return [protocol.toUpperCase(), port === undefined ? host : `${host}:${port}`].join(' ').trim()
}

const names = new Intl.Collator(undefined, { numeric: true })

/** The order of names in the language of the browser: Studio 9 comes before Studio 10. */
export const byName = (one: { name: string }, other: { name: string }): number =>
  names.compare(one.name, other.name)
