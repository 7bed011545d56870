// A loss of protection: reported once, then after 1, 2, 4 hours and so on, and once more when it is over.
import type { Unprotected } from '../model/failover'
import { HOUR_MS, isDueAgain, report, type Run } from './run'

/** The all-clear takes no longer to come, however often it was wrong. */
const LONGEST_CLEAR_MS = 600_000

/** There is no protection now, for this reason. */
export function lose(run: Run, reason: Unprotected): void {
  const { memory, now } = run
  const { loss, losses, waits } = memory
  // The backup may have been lost before main is: then nothing is on the air, which is more.
  const isMore = loss?.reason === 'backup-bad' && reason !== 'backup-bad'
  if (loss) delete loss.overSince
  if (loss && !isMore) {
    if (!isDueAgain(loss, now)) return
    loss.told++
  } else {
    const { goodAt } = waits
    const isOnAir = reason === 'backup-bad'
    memory.loss = {
      reason,
      since: now,
      told: 1,
      ...(!isOnAir && goodAt !== undefined && { goodAt }),
    }
    if (!loss) {
      const isSoon = now - losses.endedAt < HOUR_MS
      memory.losses = { count: isSoon ? losses.count + 1 : 0, endedAt: losses.endedAt }
    }
  }
  report(run, {
    event: 'failover.unprotected',
    from: memory.inUse ?? null,
    reason: memory.loss!.reason,
  })
}

/** The source in use is good: the loss is over once that has lasted, longer after each one. */
export function endLoss(run: Run): void {
  const { memory, settings, now } = run
  const { loss, losses } = memory
  if (!loss) return
  loss.overSince ??= now
  const wait = Math.min(LONGEST_CLEAR_MS, settings.guard * 1000 * 2 ** Math.min(20, losses.count))
  if (now - loss.overSince < wait) return
  delete memory.loss
  memory.losses = { ...losses, endedAt: now }
  const { goodAt, overSince, reason } = loss
  report(run, {
    event: 'failover.protected',
    from: memory.inUse ?? null,
    reason,
    outageMs: goodAt === undefined ? null : overSince - goodAt,
  })
}
