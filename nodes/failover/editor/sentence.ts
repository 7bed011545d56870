// What a failover will do, in a few sentences that follow its form.
import { FAILOVER_DEFAULTS, FAILOVER_RANGES } from '../../../client/model/failover'
import { isText } from '../../../client/model/json'
import { flagIn, numberIn } from '../../../client/model/settings'
import { isVariable } from '../../editor/checks'
import type { Read } from '../../editor/fields'
import { numeral } from '../../editor/text'
import { text } from './text'

/** Instead of a value that is missing or wrong. */
const OPEN = '…'

export function sentencesOf(read: Read, monitor: string | undefined): string[] {
  const choice = (property: 'method' | 'failOn' | 'restore') =>
    (read(property) as string | undefined) || FAILOVER_DEFAULTS[property]
  const time = (property: keyof typeof FAILOVER_RANGES) => timeIn(read, property)
  const said = (key: string, values?: Record<string, string>) => text(`does.${key}`, values)
  const bad = said(`bad.${choice('failOn')}`)
  const hold = read('hold')
  return [
    ...(flagIn(hold) === true ? [said('held')] : []),
    ...(isText(hold) && isVariable(hold) ? [said('heldIf', { variable: hold.trim() })] : []),
    said(`fail.${choice('method')}`, { bad, time: time('holdOff') }),
    said('trial', { time: time('settle') }),
    said(`restore.${choice('restore')}`, { time: time('waitToRestore'), monitor: monitor || OPEN }),
  ]
}

/** In words, such as `10 s`. A blank means the default. */
function timeIn(read: Read, property: keyof typeof FAILOVER_RANGES): string {
  const value = read(property) ?? ''
  if (isText(value) && isVariable(value)) return value.trim()
  const isBlank = isText(value) ? value.trim() === '' : value === ''
  const seconds = numberIn(isBlank ? FAILOVER_DEFAULTS[property] : value, FAILOVER_RANGES[property])
  if (seconds === undefined) return OPEN
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? SECONDS
  return text(`time.${unit}`, { number: numeral(seconds / size) })
}

const SECONDS = ['seconds', 1] as const
const UNITS = [['hours', 3600], ['minutes', 60], SECONDS] as const
