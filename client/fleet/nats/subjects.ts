// Where the instances of a fleet find each other on the engine.

/** What is sent to a fleet, and what is sent back, is below this subject. */
export const rootOf = (fleet: string): string => `media-gateway.${fleet}`

/** Where the client of NATS takes answers. */
export const repliesOf = (fleet: string): string => `${rootOf(fleet)}.reply`

/** Where whoever owns a slot answers. */
export const slotSubject = (fleet: string, slot: number): string =>
  `${rootOf(fleet)}.command.${slot}`

/** Where one life of an instance takes commands. */
export const lifeSubject = (fleet: string, life: string): string =>
  `${rootOf(fleet)}.instance.${life}`

/**
 * A name as one token of a subject, a topic or a key: letters, digits, `-` and `_` stay, every other
 * byte of its UTF-8 is written as `=` and two hexadecimal digits.
 */
export function tokenOf(name: string): string {
  if (name === '') return '='
  const escaped = (byte: string): string =>
    `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return Buffer.from(name)
    .toString('latin1')
    .replace(/[^A-Za-z0-9_-]/g, escaped)
}
