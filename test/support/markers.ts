import { randomBytes } from 'node:crypto'

/**
 * Secrets that can be recognised in whatever spelling they turn up. Each has characters that
 * every encoding changes, and a core that few encodings touch.
 */
export class Markers {
  private readonly cores = new Map<string, string>()

  /** A new secret. `plain` ones consist of letters and digits only. */
  make(name: string, { plain = false } = {}): string {
    const core = `Mark${randomBytes(6).toString('hex')}`
    this.cores.set(core, name)
    return plain ? core : `a"b\\c &+ü%/<'${core}é=>`
  }

  /** The names of the secrets that are in a text: plain, escaped, in base64 or in hex. */
  in(text: string): string[] {
    const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
    const lower = text.toLowerCase()
    const found = [...this.cores].filter(
      ([core]) =>
        text.includes(core) ||
        lower.includes(Buffer.from(core).toString('hex')) ||
        withinBase64(core).some((part) => base64.includes(part)),
    )
    return [...new Set(found.map(([, name]) => name))].sort()
  }
}

/** The three base64 forms of a text that is anywhere in a longer one, without its ends. */
function withinBase64(core: string): string[] {
  return [0, 1, 2].map((before) => {
    const bits = Buffer.concat([Buffer.alloc(before), Buffer.from(core)])
    const whole = bits.subarray(0, bits.length - (bits.length % 3)).toString('base64')
    return whole.slice(before === 0 ? 0 : 4)
  })
}

/** How a program may write a secret that it quotes. */
export const SPELLINGS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  JSON: (secret) => JSON.stringify(secret),
  twice: (secret) => JSON.stringify(JSON.stringify(secret)),
  URI: (secret) => encodeURIComponent(secret),
  form: (secret) => new URLSearchParams({ secret }).toString(),
  html: (secret) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
}
