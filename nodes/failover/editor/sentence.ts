// What a failover will do, in a few sentences that follow its form.
import type { Shown } from './shown'
import { text } from './text'

export function sentencesOf(shown: Shown): string[] {
  const { method, failOn, restore, times, low, limit, degrade, dryRun, hold, monitor } = shown
  const { holdOff, degradePer, waitToRestore, limitPer } = times
  const said = (key: string, values?: Record<string, string>) => text(`does.${key}`, values)
  const bad = said(`bad.${failOn}`, { low })
  return [
    ...(dryRun === true ? [said('dryRun')] : []),
    ...(hold === true ? [said('held')] : []),
    said(`fail.${method}`, { bad, time: holdOff }),
    ...(degrade === '0' ? [] : [said('degrade', { share: degrade, time: degradePer })]),
    said(`restore.${restore}`, { time: waitToRestore, monitor }),
    said('limit', { limit, time: limitPer }),
    ...(typeof dryRun === 'string' ? [said('dryRunIf', { variable: dryRun })] : []),
    ...(typeof hold === 'string' ? [said('heldIf', { variable: hold })] : []),
  ]
}
