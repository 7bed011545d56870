import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Link } from './link'
import { framed, messagesOf, roomIn, unframed, type Frame } from './wire'

/** Messages between the instances of a fleet. None is repeated, and any may get lost. */
export interface Line {
  /** How many bytes fit into one message or record. */
  readonly room: number
  /**
   * @param subject below that of the fleet
   * @param onFrame gets the last token of the subject too
   * @returns ends it
   */
  listen(subject: string, onFrame: (frame: Frame, token: string) => void): () => void
  /** Publishes a text that is complete in itself, if there is a connection and it fits. */
  publish(subject: string, text: string): void
  /** Sends a frame without bytes, if there is a connection. */
  say(subject: string, head: object): void
  /** @returns false when it was certainly not sent */
  send(subject: string, head: object, bytes: Uint8Array, transfer: string): boolean
}

const DEFAULT_PAYLOAD = 1024 * 1024

export function createLine(
  link: Link,
  fleet: string,
  log: (level: 'info' | 'warn', text: string) => void,
): Line {
  const prefix = `media-gateway.${fleet}.`
  // Apart from what is for everybody: commands and their answers may contain passphrases.
  const own = `media-gateway-commands.${fleet}.`
  let hasWarned = false
  const room = (): number => roomIn(link.connection?.info?.max_payload ?? DEFAULT_PAYLOAD)

  function publish(subject: string, messages: readonly Uint8Array[]): boolean {
    const { connection } = link
    if (!connection || connection.isClosed()) return false
    for (const message of messages) connection.publish(subject, message)
    return true
  }

  return {
    get room() {
      return room()
    },
    listen(subject, onFrame) {
      let subscription: Subscription | undefined
      const subscribe = (connection: NatsConnection): void => {
        subscription = connection.subscribe(own + subject, {
          callback(error, message) {
            // The link logs the missing right.
            if (error) return
            const frame = unframed(message.data)
            const token = message.subject.slice(message.subject.lastIndexOf('.') + 1)
            if (frame) onFrame(frame, token)
          },
        })
      }
      const end = link.beforeUp((connection) => Promise.resolve(subscribe(connection)))
      if (link.connection) subscribe(link.connection)
      return () => {
        end()
        if (link.isUp && !subscription?.isClosed()) subscription?.unsubscribe()
      }
    },
    publish(subject, text) {
      const bytes = Buffer.from(text)
      if (bytes.length <= room()) publish(prefix + subject, [bytes])
      else if (!hasWarned) {
        hasWarned = true
        log(
          'warn',
          `Events of more than ${room()} bytes are not published: the engine does not take them.`,
        )
      }
    },
    say: (subject, head) => void publish(own + subject, [framed(head)]),
    send: (subject, head, bytes, transfer) =>
      publish(own + subject, messagesOf(head, bytes, transfer, room())),
  }
}
