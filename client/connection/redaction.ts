import { HIDDEN, isSecret } from '../model/secrets'

const LONGEST = 600
/** Characters of a text that are looked at: an appliance may answer megabytes. */
const LOOKED_AT = 20_000

type Spell = (secret: string) => string[]

/** Hides secrets, and remembers how each of them may be spelled, for as long as it is kept itself. */
export interface Redaction {
  /** As {@link withoutSecrets}. */
  withoutSecrets(text: string, secrets: Iterable<string>): string
  /** True when the text has one of the secrets in it. Shorter ones than eight characters may be in any word. */
  repeatsSecret(text: string, secrets: Iterable<string>): boolean
}

/** Where an appliance is away, every call fails, and each has the same few secrets to hide. */
export function createRedaction(): Redaction {
  const known = new Map<string, string[]>()
  const remembered: Spell = (secret) => {
    const before = known.get(secret)
    if (before) return before
    const found = spellings(secret)
    if (known.size >= 100) known.clear()
    known.set(secret, found)
    return found
  }
  return {
    withoutSecrets: (text, secrets) => withoutSecrets(text, secrets, remembered),
    repeatsSecret: (text, secrets) =>
      [...secrets]
        .filter(({ length }) => length >= 8)
        .flatMap(remembered)
        .some((spelling) => text.includes(spelling)),
  }
}

/**
 * The text, of bounded length, with every secret made unreadable: an appliance may
 * repeat in its error message what it did not like.
 */
export function withoutSecrets(
  text: string,
  secrets: Iterable<string>,
  spell: Spell = spellings,
): string {
  // The longest first: one secret may be the beginning of another. One of a character
  // or two would take every word apart and hide nothing.
  const ordered = [...secrets]
    .filter(({ length }) => length > 2)
    .flatMap(spell)
    .sort((a, b) => b.length - a.length)
  const begin = text.slice(0, LOOKED_AT)
  const clean = ordered.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), begin)
  // Where the text was cut, the first piece of a secret may be left.
  const end = begin === text ? clean.length : Math.max(0, clean.length - (ordered[0]?.length ?? 0))
  const length = Math.min(end, LONGEST)
  return length < clean.length ? `${clean.slice(0, length)}…` : clean
}

/** The secret as it is, and as it stands in what a program writes that quotes what it was sent. */
function spellings(secret: string): string[] {
  const quoted = [secret]
  while (quoted.length < 4) quoted.push(JSON.stringify(quoted.at(-1)).slice(1, -1))
  const texts = quoted.flatMap((text) => [
    text,
    encodeURIComponent(Buffer.from(text).toString()),
    new URLSearchParams({ '': text }).toString().slice(1),
    inHtml(text, '&quot;', '&#39;'),
    inHtml(text, '&#34;', '&#x27;'),
  ])
  const codes = quoted.slice(0, 2).flatMap((text) => {
    const hex = Buffer.from(text).toString('hex')
    return [hex, hex.toUpperCase(), ...inBase64(Buffer.from(text))]
  })
  return [...new Set([...texts, ...codes])]
}

/** As it is by itself, and the greatest part of it that is always there within something longer. */
function inBase64(secret: Buffer): string[] {
  const parts = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret])
    const text = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
    return text.slice(before === 0 ? 0 : 4)
  })
  // A short part may be in any word.
  const long = parts.filter(({ length }) => length >= 8)
  return [secret.toString('base64').replace(/=+$/, ''), ...long].flatMap((text) => [
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
    if (typeof value === 'string' && value !== '' && isSecret(name)) secrets.push(value)
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
    for (const [member, inside] of Object.entries(value)) collect(inside, member)
  }
  collect(body)
  return secrets
}
