// The form of one definition.
import { edit, partFields, routeFields, withMember, type Edited, type PartUse } from './model'
import { isObject, own, type JsonObject } from '../../../client/model/json'
import { element } from '../element'
import type { Context } from './context'
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
  const savedSource = own(saved, 'source')
  let source: Edited = { part: isObject(savedSource) ? savedSource : {}, parked: [] }
  const { use } = context

  const sourceUse = (): PartUse => {
    const present = own(context.present(), 'source')
    return isObject(present) ? { ...use, present } : use
  }

  const top = makeGroup(context, {
    part: 'route',
    fields: () => routeFields(route, { ...use, needsName, present: context.present() }),
    edit: (field, value) => (route = withMember(route, field.key, value)),
    path: () => '',
    isFresh: Object.keys(saved).length === 0,
  })
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
    isFresh: savedSource === undefined,
  })
  const hasSource = savedSource === undefined || isObject(savedSource)
  const legend = element('legend.media-gateway-route-title', text('source'))
  const sourcePart = element('fieldset.media-gateway-route-part', legend, sourceGroup.element)

  const given = own(saved, 'destinations')
  const changed = (): void => {
    const list = destinations?.read() ?? []
    const hadList = Array.isArray(own(route, 'destinations'))
    if (list.length > 0 || hadList) route = withMember(route, 'destinations', list)
    context.changed()
  }
  const destinations =
    given === undefined || Array.isArray(given)
      ? makeDestinations({ ...context, changed }, given ?? [])
      : undefined

  const parts = [top, hasSource ? sourceGroup : undefined, destinations]
  return {
    element: element('div', top.element, hasSource && sourcePart, destinations?.element),
    read: () => route,
    refresh(): void {
      for (const each of parts) each?.refresh()
    },
    showFaults(faults: Faults): void {
      for (const each of parts) each?.showFaults(faults)
    },
  }
}
