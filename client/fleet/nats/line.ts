import type { Link } from './link'
import { roomIn } from './wire'

/** Messages to whoever listens. None is repeated, and any may get lost. */
export interface Line {
  /** How many bytes fit into one message or record. */
  readonly room: number
  /** Publishes a text on a subject below that of the fleet, if there is a connection and it fits. */
  publish(subject: string, text: string): void
}

export function createLine(
  link: Link,
  fleet: string,
  log: (level: 'info' | 'warn', text: string) => void,
): Line {
  let hasWarned = false
  const room = (): number => roomIn(link.connection?.info?.max_payload)
  return {
    get room() {
      return room()
    },
    publish(subject, text) {
      const { connection } = link
      const bytes = Buffer.from(text)
      if (bytes.length <= room()) {
        if (connection?.isClosed() === false) {
          connection.publish(`media-gateway.${fleet}.${subject}`, bytes)
        }
      } else if (!hasWarned) {
        hasWarned = true
        log(
          'warn',
          `Events of more than ${room()} bytes are not published: the engine does not take them.`,
        )
      }
    },
  }
}
