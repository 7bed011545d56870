// What the two columns show and save: sources without what stays in a switch. It needs no page.
import { partToSent, protocolOf } from '../../../client/model/convert'
import { isGiven, isObject, membersIn, own, type JsonObject } from '../../../client/model/json'
import { isEmptyText, partFields, type FormFields } from '../../editor/route-form/model'

/** What a switch leaves as it is. */
const STAYS = ['id', 'name', 'labels', 'tags', 'action']

/** A column may have only some members of the source: the others stay. */
export const USE = { partial: true }

/** The fields of a source that can differ, out of a definition in sent form. */
export function sourceOf(definition: unknown): JsonObject {
  const source = own(definition, 'source')
  const members = isObject(source) ? membersIn(source) : []
  return Object.fromEntries(
    members.filter(([name, value]) => !STAYS.includes(name) && !isEmptyText(value)),
  )
}

/** All that the route would have with a saved side, as far as that is known. */
export function columnOf(saved: JsonObject, present: JsonObject = {}): JsonObject {
  const sent = partToSent('source', saved, { ...present, ...saved })
  const protocol = protocolOf('source', sent)
  return !isGiven(protocol) || protocol === protocolOf('source', present)
    ? { ...present, ...sent }
    : sent
}

/** Without a protocol, only what each of them has. */
export function fieldsOf(column: JsonObject): FormFields {
  const { first, more, others } = partFields('source', column, USE)
  const isOpen = !isGiven(protocolOf('source', column))
  const fits = ({ name, value }: FormFields['more'][number]) =>
    value !== undefined || (isOpen ? ['protocol', ...PLACE] : all).includes(name)
  const all = [...first, ...more].map(({ name }) => name).filter((name) => !STAYS.includes(name))
  return { first: first.filter(fits), more: more.filter(fits), others }
}

const PLACE = ['address', 'port', 'networkInterface']

/** What to save of a column: what differs from the other one or from the route, or all with another protocol. */
export function savedOf(column: JsonObject, other?: JsonObject, present?: JsonObject): JsonObject {
  const isSame = (name: string, of: JsonObject | undefined) =>
    of !== undefined && JSON.stringify(column[name]) === JSON.stringify(of[name])
  if (!other || protocolOf('source', column) !== protocolOf('source', other)) return column
  const needed = membersIn(column).filter(
    ([name]) => !isSame(name, other) || !isSame(name, present),
  )
  const { first, more } = fieldsOf(column)
  const shown = new Map([...first, ...more].map((field) => [field.name, field]))
  // What only the other column has would stay after a switch.
  const added = membersIn(other).flatMap(([name, value]): [string, unknown][] => {
    if (Object.hasOwn(column, name) || Array.isArray(value)) return []
    const field = shown.get(name)
    // It has no meaning here, such as the stream ID in a listener.
    if (!field) return PLACE.includes(name) ? [] : [[name, value]]
    const { kind, min, isAddress, mayBeEmpty } = field.member
    const isFree = kind === 'text' && min === undefined && !isAddress
    return isFree || mayBeEmpty ? [[name, '']] : []
  })
  return Object.fromEntries([
    ...needed,
    ...added.filter(([name, value]) => value !== own(present, name)),
  ])
}
