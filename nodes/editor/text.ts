/** What Node-RED passes to a check that may return the reason. */
export interface CheckOptions {
  label?: string
}

export type Values = Record<string, string | number>

/**
 * The texts of one node's catalog. Values may come from an appliance. The build puts the name of the
 * package in the place of `{{package}}`.
 */
export function textsOf(node: string): (key: string, values?: Values) => string {
  return (key, values = {}) => {
    const given: string[] = []
    // The catalog would also replace marks of its own within a value, so it gets signs instead.
    const signs = Object.entries(values).map(([name, value]) => [
      name,
      String.fromCodePoint(FIRST_SIGN + given.push(String(value)) - 1),
    ])
    return RED._(`{{package}}/${node}:${key}`, Object.fromEntries(signs)).replace(
      SIGNS,
      (sign) => given[sign.codePointAt(0)! - FIRST_SIGN] ?? sign,
    )
  }
}

const FIRST_SIGN = 0xe000
const SIGNS = /[\ue000-\ue00f]/g

/** Of the editor, such as `de-AT`. */
export const language = (): string => textsOf('watch')('locale')

/** A text that the forms and the sidebar share: all of them are in the catalog of the config node. */
export const text = textsOf('gateway')

/** The same; where the catalog has none, the given words. */
export function textOr(key: string, words: string): string {
  const found = text(key)
  return found.endsWith(key) ? words : found
}

/** A fault as the editor shows it at the node: with the label of the property, where it has one. */
export function reason(fault: string, { label }: CheckOptions): string {
  return label === undefined ? fault : `${label}: ${fault}`
}
