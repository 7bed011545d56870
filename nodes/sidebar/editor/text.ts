/** A text of the sidebar. Values may come from an appliance. */
export function text(key: string, values: Record<string, string | number> = {}): string {
  const given: string[] = []
  // The catalog would look for its own marks in a value too, so it is given signs instead.
  const signs = Object.entries(values).map(([name, value]) => [
    name,
    String.fromCodePoint(FIRST_SIGN + given.push(String(value)) - 1),
  ])
  return RED._(`@media-gateway/node-red/sidebar:${key}`, Object.fromEntries(signs)).replace(
    SIGNS,
    (sign) => given[sign.codePointAt(0)! - FIRST_SIGN] ?? sign,
  )
}

const FIRST_SIGN = 0xe000
const SIGNS = /[\ue000-\ue00f]/g
