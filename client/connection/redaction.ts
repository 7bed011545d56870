import { HIDDEN, hideSecrets, isSecret, withoutUserInfo } from '../model/secrets'

const LONGEST = 600
/** Characters of a text that are searched: an appliance may send megabytes. */
const LOOKED_AT = 20_000

type Spell = (secret: string) => string[]

/**
 * Hides secrets, and remembers how each of them may be spelled: while an appliance is away, every call
 * fails, and each has the same few secrets to hide.
 */
export function createRedaction() {
  const known = new Map<string, string[]>()
  let latest: { secrets: readonly string[]; spelled: readonly string[] } = NO_SECRETS
  const remembered: Spell = (secret) => {
    const before = known.get(secret)
    if (before) return before
    const found = spellings(secret)
    if (known.size >= 100) known.clear()
    known.set(secret, found)
    return found
  }
  return {
    /** As {@link withoutSecrets}. */
    withoutSecrets: (text: string, secrets: Iterable<string>): string =>
      withoutSecrets(text, secrets, remembered),
    /**
     * Makes copies as they may leave: as of `hideSecrets`, and with these secrets hidden wherever they
     * stand. Those of fewer than eight characters do not count: they may be a part of any word.
     */
    hiding: (secrets: Iterable<string>): (<T>(value: T) => T) => {
      const long = [...secrets].filter(({ length }) => length >= LEAST_TO_SEARCH)
      // Of a poll, each text is hidden by itself.
      if (!isSame(long, latest.secrets)) {
        latest = { secrets: long, spelled: longestFirst(long.flatMap(remembered)) }
      }
      const { spelled } = latest
      return (value) =>
        hideSecrets(value, (text) =>
          text.length < LEAST_TO_SEARCH ? text : hiddenIn(text, spelled),
        )
    },
  }
}

const LEAST_TO_SEARCH = 8
const NO_SECRETS = { secrets: [], spelled: [] }

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, index) => text === others[index])

const longestFirst = (texts: string[]): string[] => texts.sort((a, b) => b.length - a.length)

const hiddenIn = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)

/**
 * Returns the text, of bounded length, with every secret hidden, also those of addresses: an
 * appliance may repeat in its error message what it refused.
 */
export function withoutSecrets(
  text: string,
  secrets: Iterable<string>,
  spell: Spell = spellings,
): string {
  // Longest first: one secret may be the beginning of another. One of a character or two would
  // break up every word and hide nothing.
  const ordered = longestFirst([...secrets].filter(({ length }) => length > 2).flatMap(spell))
  const begin = text.slice(0, LOOKED_AT)
  const clean = withoutUserInfo(hiddenIn(begin, ordered))
  // Where the text was cut, the beginning of a secret may be left.
  const end = begin === text ? clean.length : Math.max(0, clean.length - (ordered[0]?.length ?? 0))
  const length = Math.min(end, LONGEST)
  return length < clean.length ? `${clean.slice(0, length)}…` : clean
}

/** The secret as it is, and as a program may write it that quotes its input. */
function spellings(secret: string): string[] {
  const json = quoted(secret)
  const twice = quoted(json)
  const texts = new Set([secret, json, twice, quoted(twice), ...otherJson(json)])
  const spelled = [...texts].flatMap((text) => {
    const percent = encodeURIComponent(Buffer.from(text).toString())
    const form = new URLSearchParams({ '': text }).toString().slice(1)
    const html = [inHtml(text, '&quot;', '&#39;'), inHtml(text, '&#34;', '&#x27;')]
    return [text, ...html, percent, form, ...[percent, form].map(inLowerCase)]
  })
  const codes = [secret, json].flatMap((text) => {
    const hex = Buffer.from(text).toString('hex')
    return [hex, hex.toUpperCase(), ...inBase64(Buffer.from(text))]
  })
  return [...new Set([...spelled, ...codes])]
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Of programs that write only ASCII, `\/`, or as codes what means something in HTML. */
function otherJson(json: string): string[] {
  const coded = (pattern: RegExp, isUpper = false): string =>
    json.replace(pattern, (unit) => {
      const code = unit
        .charCodeAt(unit.length - 1)
        .toString(16)
        .padStart(4, '0')
      return `\\u${isUpper ? code.toUpperCase() : code}`
    })
  const ascii = coded(/[^ -~]/g)
  return [
    ascii,
    coded(/[^ -~]/g, true),
    ...[json, ascii].map((text) => text.replaceAll('/', '\\/')),
    // Go, Gson and .NET.
    coded(/[&<>]/g),
    coded(/[&<>=']/g),
    coded(/\\"|[^ -~]|[&<>'+`]/g, true),
  ]
}

const inLowerCase = (percent: string): string =>
  percent.replace(/%../g, (code) => code.toLowerCase())

/** The secret alone in base64, and the longest part that always shows when it is in longer data. */
function inBase64(secret: Buffer): string[] {
  const parts = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret])
    const text = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
    return text.slice(before === 0 ? 0 : 4)
  })
  // Any word may contain a short part.
  const long = parts.filter(({ length }) => length >= 8)
  return [secret.toString('base64').replace(/={1,2}$/, ''), ...long].flatMap((text) => [
    text,
    text.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}

const inHtml = (text: string, quote: string, apostrophe: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe)

/** The values of all secret members at any depth of a body to send. */
export function secretsIn(body: unknown): string[] {
  const secrets: string[] = []
  const collect = (value: unknown, name = ''): void => {
    const isText = typeof value === 'string' && value !== ''
    if (isSecret(name) && (isText || typeof value === 'number')) secrets.push(String(value))
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
    for (const [member, inside] of Object.entries(value)) collect(inside, member)
  }
  collect(body)
  return secrets
}
