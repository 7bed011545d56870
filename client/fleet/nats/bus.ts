import type { Link } from './link'

/** How often something is done, in milliseconds. */
export interface Pace {
  /** How often somebody is asked who does not answer, or cannot. */
  readonly repeat: number
  /** How often an owner says that it is still busy. */
  readonly sign: number
  /** After so much silence an owner counts as gone. */
  readonly silence: number
}

/** What commands are sent with. */
export interface Bus {
  readonly link: Link
  readonly pace: Pace
  /** Of the fleet: whoever has it may command. */
  readonly key: string
  /** Of this instance, until its process or its engine ends. */
  readonly life: string
  readonly log: (level: 'info' | 'warn', text: string) => void
  /** Where whoever owns the slot answers. */
  slot(slot: number): string
  /** Where one life of an instance takes commands. */
  instance(life: string): string
  /** Where this instance takes the answer to its request with this number. */
  reply(request: number): string
}

/** What is sent to a fleet, and what is sent back, is below this subject. */
export const rootOf = (fleet: string): string => `media-gateway.${fleet}`

/** Where the client of NATS takes answers. */
export const repliesOf = (fleet: string): string => `${rootOf(fleet)}.reply`

export function createBus(
  parts: Pick<Bus, 'link' | 'pace' | 'key' | 'life' | 'log'> & { fleet: string },
): Bus {
  const { fleet, life } = parts
  return {
    ...parts,
    slot: (slot) => `${rootOf(fleet)}.command.${slot}`,
    instance: (of) => `${rootOf(fleet)}.instance.${of}`,
    reply: (request) => `${repliesOf(fleet)}.${life}.${request}`,
  }
}
