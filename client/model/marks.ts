const FIRST_SIGN = 0xe000
const SIGNS = /[\ue000-\ue00f]/g

/** A catalog would also replace marks of its own within a value, so it gets a sign for each name instead. */
export const signsFor = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, String.fromCharCode(FIRST_SIGN + at)]))

/** Puts the values of these names in the place of their signs. */
export const withValues = (
  text: string,
  names: readonly string[],
  values: Readonly<Record<string, string | number>>,
): string =>
  text.replace(SIGNS, (sign) => {
    const name = names[sign.charCodeAt(0) - FIRST_SIGN]
    return name === undefined ? sign : String(values[name])
  })
