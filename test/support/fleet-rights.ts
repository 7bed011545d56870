// The accounts on the engine in docs/nats-accounts.conf, and their rights.
import { contentOf } from './root'

export interface Rights {
  publish: string[]
  subscribe: string[]
}

const page = contentOf('docs/fleet-events.md')
const [, shown = ''] = /accounts \{\n([^]*?)\n\}\n/.exec(contentOf('docs/nats-accounts.conf')) ?? []

/** The subjects in a list of a user of the fleet `north`. */
function listOf(user: string, list: keyof Rights): string[] {
  const [, after = ''] = shown.split(`user: ${user}\n`)
  const [, items = ''] = new RegExp(`${list}: \\[([^\\]]*)\\]`).exec(after) ?? []
  return [...items.matchAll(/"([^"]+)"/g)]
    .map(([, subject]) => subject!)
    .filter((each) => each !== EVENTS)
}

/** What stands in a comment of the list. */
const EVENTS = 'Publish events and states on the engine'

export const namedRights: Rights = {
  publish: listOf('north', 'publish'),
  subscribe: listOf('north', 'subscribe'),
}

/** Of other systems, which publish nothing. */
export const readersSubjects = listOf('north-reader', 'subscribe')

/** What a reader with consumers needs too, from the sentence about it. */
const [, subscribed = '', published = ''] =
  /For consumers, a user .* also has to subscribe to (.*), and to publish to (.*)\./.exec(page) ??
  []
const codesIn = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, subject]) => subject!)
export const consumersRights: Rights = {
  publish: codesIn(published),
  subscribe: codesIn(subscribed),
}

export const ofFleet = ({ publish, subscribe }: Rights, fleet: string): Rights => ({
  publish: publish.map((each) => each.replace('north', fleet)),
  subscribe: subscribe.map((each) => each.replace('north', fleet)),
})

/** The configuration of the page for these fleets, all with one password. */
export const accountsOf = (fleets: readonly string[], password: string): string =>
  `accounts {\n${fleets
    .map((fleet) =>
      shown
        .replace(/\$NORTH_\w*PASSWORD/g, JSON.stringify(password))
        .replaceAll('NORTH', fleet.toUpperCase())
        .replaceAll('north', fleet),
    )
    .join('\n')}\n}`
