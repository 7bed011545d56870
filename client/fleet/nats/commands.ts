import type { Commands } from '../types'
import type { Claims } from './claims'
import type { Line } from './line'
import type { Link } from './link'
import { Owner } from './owner'
import { Sender, type Pace } from './sender'

export interface CommandsOptions {
  link: Link
  line: Line
  claims: Claims
  /** Of this life of the instance. */
  life: string
  pace: Pace
}

/** Commands over the engine: each is carried out at most once, and its sender learns what came of it. */
export function createCommands(options: CommandsOptions): Commands & { close(): void } {
  const { link, line, claims, life, pace } = options
  const owner = new Owner(line, claims, life, pace.sign)
  const sender = new Sender(link, line, claims, life, pace)
  return {
    send: (command, sending) => sender.send(command, sending),
    serve: (owns, carryOut) => Promise.resolve(owner.serve(owns, carryOut)),
    close() {
      sender.close()
      owner.close()
    },
  }
}
