import { HIDDEN, isSecret } from './model/secrets'

/**
 * The text with every secret of the sent body, and the password, made unreadable:
 * an appliance may repeat in its error message what it did not like.
 */
export function withoutSecrets(text: string, body: unknown, password: string): string {
  const secrets = new Set([password])
  JSON.stringify(body, (name, value: unknown) => {
    if (isSecret(name) && typeof value === 'string' && value !== '') secrets.add(value)
    return value
  })
  let clean = text
  // A secret of one or two characters would take every word apart and hide nothing.
  for (const secret of secrets) if (secret.length > 2) clean = clean.replaceAll(secret, HIDDEN)
  return clean
}
