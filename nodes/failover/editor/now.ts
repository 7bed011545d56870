// Which source the protected route has now, as its gateway shows it.
import type { Side } from '../../../client/model/failover'
import { SIDES, sourceInUse } from '../../../client/model/failover-sides'
import { isGiven, isObject, own, type JsonObject } from '../../../client/model/json'
import { shortened } from '../../../client/model/legible'
import type { RequestError } from '../../editor/ask'
import { element, smallButton } from '../../editor/element'
import type { Read } from '../../editor/fields'
import type { OpenForm } from '../../editor/form'
import { labelOf } from '../../editor/route-form/text'
import { isRunning } from '../../editor/states'
import { valueIn } from './settings'
import { sourceOf } from './source'
import { text } from './text'

interface RouteNow {
  source?: JsonObject
  failure?: string
}

/** Returns what is known, and reads the route when the form names another one, or has looked again. */
export function followRoute(
  { appliance, picked }: OpenForm,
  { now, changed }: { now: Read; changed: () => void },
): () => RouteNow {
  let seen: unknown[] = []
  let known: RouteNow = {}
  return () => {
    const id = now('method') === 'routes' ? undefined : picked.route()?.id
    const asked = [id, id && appliance.now().found]
    if (asked.every((each, index) => each === seen[index])) return known
    known = id === seen[0] ? known : {}
    seen = asked
    const take = (next: RouteNow) => {
      if (asked !== seen) return
      known = next
      changed()
    }
    if (id !== undefined) {
      appliance.definition(id).then(
        (definition) => take({ source: sourceOf(definition) }),
        (error: RequestError) => take({ failure: error.message }),
      )
    }
    return known
  }
}

export function nowLine(
  read: Read,
  { source, failure }: RouteNow,
  { picked, take }: Pick<OpenForm, 'picked'> & { take: (side: Side) => void },
): (Node | string)[] {
  if (read('method') === 'routes') {
    const [main, backup] = SIDES.map((side) => picked.route(side))
    if (!main || !backup || main === backup) return []
    const running = [main, backup].map(isRunning)
    if (running[0] === running[1]) return [text(running[0] ? 'now.both' : 'now.none')]
    return [text(running[0] ? 'now.main' : 'now.backup')]
  }
  if (failure !== undefined) return [failure]
  const isForm = (side: Side) => read(`${side}Type`) === 'json'
  const isFresh = SIDES.every((side) => isForm(side) && read(side) === '')
  if (!source) return isFresh ? [text('now.choose')] : []
  if (isFresh) return [text('now.fresh')]
  const [main, backup] = SIDES.map((side) => (isForm(side) ? valueIn(read, side) : undefined))
  if (!isObject(main) || !isObject(backup)) return []
  const saved = { main, backup }
  const { inUse, differs } = sourceInUse(saved, { source } as never)
  if (!differs || inUse !== 'other') return [text(`now.${inUse}`)]
  const side = differs.backup.length < differs.main.length ? 'backup' : 'main'
  const reasons = differs[side].slice(0, MOST_REASONS).map((name) =>
    text('now.differs', {
      member: labelOf(name),
      is: shownValue(own(source, name)),
      has: shownValue(own(saved[side], name)),
      side: text(`label.${side}`),
    }),
  )
  const buttons = SIDES.map((each) => smallButton(() => take(each), text(`take.${each}`)))
  return [text('now.neither', { reasons: reasons.join('; ') }), element('br'), ...buttons]
}

const MOST_REASONS = 3

const shownValue = (value: unknown): string =>
  !isGiven(value) || value === ''
    ? text('now.nothing')
    : shortened(typeof value === 'string' ? value : JSON.stringify(value), 40)
