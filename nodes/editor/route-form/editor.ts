// The form of one definition.
import { edit, partFields, routeFields, withMember, type Edited, type PartUse } from './model'
import { isObject, own, type JsonObject } from '../../../client/model/json'
import { element } from '../element'
import { newId, type Context } from './context'
import { makeDestinations } from './destinations'
import type { Faults } from './faults'
import { makeGroup } from './group'
import { text } from './text'

export type RouteEditor = ReturnType<typeof makeRouteEditor>

export function makeRouteEditor(
  context: Context,
  saved: JsonObject,
  { needsName }: { needsName: boolean },
) {
  let route = saved
  let source: Edited = { part: objectIn(own(saved, 'source')), parked: [] }
  const isFresh = Object.keys(saved).length === 0
  const use: PartUse = context.use

  const sourceUse = (): PartUse => {
    const present = own(context.present(), 'source')
    return isObject(present) ? { ...use, present } : use
  }

  const top = makeGroup(context, {
    part: 'route',
    fields: () => routeFields(route, { ...use, needsName, present: context.present() }),
    edit: (field, value) => (route = withMember(route, field.key, value)),
    path: () => '',
    bearer: 'name',
    isFresh,
  })
  const made = element('div', top.element)

  const hasSource = own(saved, 'source') === undefined || isObject(own(saved, 'source'))
  const sourceGroup = makeGroup(context, {
    part: 'source',
    fields: () => partFields('source', source.part, sourceUse()),
    edit(field, value) {
      source = edit('source', source, field, value, sourceUse())
      // An empty form means no source, not one without members.
      const isGone = Object.keys(source.part).length === 0
      route = withMember(route, 'source', isGone ? undefined : source.part)
    },
    path: () => 'source',
    bearer: 'protocol',
    isFresh: own(saved, 'source') === undefined,
  })
  if (hasSource) {
    const legend = element('legend.media-gateway-route-title', text('source'))
    made.append(element('fieldset.media-gateway-route-part', legend, sourceGroup.element))
  }

  const given = own(saved, 'destinations')
  const destinations =
    given === undefined || Array.isArray(given)
      ? makeDestinations(
          {
            ...context,
            changed() {
              const list = destinations?.read() ?? []
              const hadList = Array.isArray(own(route, 'destinations'))
              if (list.length > 0 || hadList) route = withMember(route, 'destinations', list)
              context.changed()
            },
          },
          given ?? [],
        )
      : undefined
  if (destinations) made.append(destinations.element)

  return {
    element: made,
    read: () => route,
    /** Shows what has become known of the route. */
    refresh(): void {
      for (const each of [top, sourceGroup, destinations]) each?.refresh()
    },
    showFaults: (faults: Faults): number =>
      top.showFaults(faults) +
      (hasSource ? sourceGroup.showFaults(faults) : 0) +
      (destinations?.showFaults(faults) ?? 0),
  }
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const newContextId = (): string => newId('media-gateway-route')
