// The form of the watch: besides plain rows, it has two lists, the events and the limits.
import { field, read as readField, type Read } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { text as shared } from '../../editor/text'
import { idType, manyDevices, nameType, ownType, type TypedChoices } from '../../editor/typed'
import { eventsIn, faultsOf, isEvent } from '../../../client/model/watch'
import { showEvents } from './events'
import { showLimits } from './limits'
import { text } from './text'

export const watch = {
  prepareForm(node: EditorNode): void {
    prepareForm(node, choices(), {
      events: showEvents(node['events']),
      thresholds: showLimits(node['thresholds']),
    })
    showDefaultHold(node)
  },

  check(read: Read, property: string): string | undefined {
    if (property === 'thresholds') return thresholdFaults(read(property))
    if (read('report') === 'incidents') return undefined
    const others = eventsIn(read(property)).filter((name) => !isEvent(name))
    return others.length > 0 ? `${others.join(', ')}: ${text('error.unknown')}` : undefined
  },
}

function thresholdFaults(value: unknown): string | undefined {
  // A property that a flow does not have takes its default when it runs.
  if (value === undefined || value === null || value === '') return undefined
  if (!Array.isArray(value)) return text('error.list')
  const faults = value.flatMap((limit: unknown, index) => {
    const [fault] = faultsOf(limit)
    return fault ? [`${text('error.row', { row: index + 1 })}: ${text(`error.${fault.key}`)}`] : []
  })
  return faults.join('; ') || undefined
}

/** How long something must last depends on what is reported. */
function showDefaultHold(node: EditorNode): void {
  const report = field(node, 'report')
  const hold = field(node, 'holdFor').get(0) as HTMLInputElement
  const update = (): void => {
    const key = readField(report) === 'incidents' ? 'holdForIncidents' : 'holdFor'
    hold.placeholder = text(`placeholder.${key}`)
  }
  report.on('change', update)
  update()
}

/** A watch gets no messages, so nothing can come from one. */
function choices(): TypedChoices {
  return {
    ...manyDevices(),
    route: [
      { value: 'all', label: text('type.everyRoute'), hasValue: false },
      idType(shared('type.routeId')),
      nameType(shared('type.routeName')),
      ownType('pattern', text('type.pattern'), 'asterisk'),
      'env',
    ],
  }
}
