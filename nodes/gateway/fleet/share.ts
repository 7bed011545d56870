import { GatewayError, say } from '../../../client/errors'
import { partsOf } from '../../../client/fleet/slots'
import type { Share, ShareFollower } from '../../../client/fleet/lease'
import { partIn, partName } from '../../../client/model/share'
import { refuseUnresolved } from '../../runtime/properties'

/** Opens the share of a fleet, and tells the follower how it changes. */
export type OpenShare = (follower: ShareFollower) => Share

export interface ShareConfig {
  share?: unknown
}

/**
 * Which appliances of its inventory a config node works for.
 * @param lease opens the share of a `lease`
 * @throws GatewayError `CONFIG`
 */
export function shareOf(config: ShareConfig, lease: () => OpenShare): OpenShare {
  const { share } = config
  refuseUnresolved('share', share)
  const text = typeof share === 'string' ? share.trim().toLowerCase() : (share ?? 'all')
  // Not the empty text: a part that was not entered is not everything.
  if (text === 'all') return () => unchanging(() => true)
  if (text === 'lease') return lease()
  const part = typeof text === 'string' ? partIn(text) : undefined
  if (part) {
    const partOf = partsOf(part.of)
    const nameOf = (index: number): string => partName({ index, of: part.of }, text as string)
    return () => ({
      ...unchanging((key) => partOf(key) === part.index),
      parts: (key) => ({ part: nameOf(partOf(key)), own: text as string }),
    })
  }
  throw new GatewayError('CONFIG', [say('share'), say('correct')])
}

const unchanging = (owns: Share['owns']): Share => ({ owns, close: () => Promise.resolve() })
