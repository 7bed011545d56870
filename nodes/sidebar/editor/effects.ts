// What a command will do, in words, as far as that is known now.
import { isOn } from '../../editor/states'
import type { Action } from './commands'
import type { Route } from './route'
import { text } from './text'

/** Names in a question about many routes. */
const MOST_NAMED = 5

/** What a command will do to a route; `of` is a part of it. */
export function effectOf(action: Action, route: Route | undefined, of?: 'destination'): string {
  if (of) return text(`effect.${action}.${of}`)
  const { destinations = [] } = route ?? {}
  const number = destinations.filter(isOn).length
  // What firmware reports about the destinations of an idle route is not known:
  // docs/project/interface.md#unknown.
  const none = action === 'start' && destinations.length > 0 ? 'untold' : 'none'
  const some = number === 1 ? 'one' : 'many'
  return text(`effect.${action}.${number === 0 ? none : some}`, { number })
}

/** What a command to many routes will do: how many, and the first of their names. */
export function effectOfAll(action: Action, routes: readonly Route[]): string {
  const names = routes.slice(0, MOST_NAMED).map(({ name }) => text('effect.name', { name }))
  const more = routes.length - names.length
  const named = names.join(text('effect.comma'))
  return text(`effect.${action}.${routes.length === 1 ? 'oneRoute' : 'routes'}`, {
    number: routes.length,
    names: more > 0 ? text('effect.more', { named, more }) : named,
  })
}
