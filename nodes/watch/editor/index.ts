// The form of the watch: besides plain rows, it has two lists, the events and the limits.
import { field, read } from '../../editor/fields'
import { prepareForm } from '../../editor/form'
import { reason, text as shared, type CheckOptions } from '../../editor/text'
import { idType, manyAppliances, nameType, ownType, type TypedChoices } from '../../editor/typed'
import { eventsIn, faultsOf, isEvent } from '../../../client/model/watch'
import { showEvents } from './events'
import { showLimits } from './limits'
import { text } from './text'

export const watch = {
  /** To call in `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    prepareForm(node, choices(), {
      events: showEvents(node['events']),
      thresholds: showLimits(node['thresholds']),
    })
    showDefaultHold(node)
  },

  /** True, or which of the events do not exist. */
  checkEvents(value: unknown, options: CheckOptions = {}): true | string {
    const others = eventsIn(value).filter((name) => !isEvent(name))
    return others.length === 0 || reason(`${others.join(', ')}: ${text('error.unknown')}`, options)
  },

  /** True, or what is wrong with the limits. */
  checkThresholds(value: unknown, options: CheckOptions = {}): true | string {
    // A property that a flow does not have takes its default when it runs.
    if (value === undefined || value === null || value === '') return true
    if (!Array.isArray(value)) return reason(text('error.list'), options)
    const faults = value.flatMap((limit: unknown, index) => {
      const [fault] = faultsOf(limit)
      return fault
        ? [`${text('error.row', { row: index + 1 })}: ${text(`error.${fault.key}`)}`]
        : []
    })
    return faults.length === 0 || reason(faults.join('; '), options)
  },
}

/** How long something must last depends on what is reported. */
function showDefaultHold(node: EditorNode): void {
  const report = field(node, 'report')
  const hold = field(node, 'holdFor').get(0) as HTMLInputElement
  const update = (): void => {
    const key = read(report) === 'incidents' ? 'holdForIncidents' : 'holdFor'
    hold.placeholder = text(`placeholder.${key}`)
  }
  report.on('change', update)
  update()
}

/** A watch gets no messages, so nothing can come from one. */
function choices(): TypedChoices {
  return {
    appliance: manyAppliances(),
    device: [
      { value: 'auto', label: text('type.onlyDevice'), hasValue: false },
      idType(shared('type.deviceId')),
      'env',
    ],
    route: [
      { value: 'all', label: text('type.everyRoute'), hasValue: false },
      idType(shared('type.routeId')),
      nameType(shared('type.routeName')),
      ownType('pattern', text('type.pattern'), 'asterisk'),
      'env',
    ],
  }
}
