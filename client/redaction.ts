import { HIDDEN, isSecret } from './model/secrets'

const LONGEST = 600

/**
 * The text, of bounded length, with every secret made unreadable: an appliance may
 * repeat in its error message what it did not like.
 */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  // The longest first: one secret may be the beginning of another. One of a character
  // or two would take every word apart and hide nothing.
  const ordered = [...secrets]
    .filter(({ length }) => length > 2)
    .sort((a, b) => b.length - a.length)
  const clean = ordered.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean
}

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
