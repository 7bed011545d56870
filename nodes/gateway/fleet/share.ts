import { GatewayError, say } from '../../../client/errors'
import { partsOf } from '../../../client/fleet/slots'
import type { Share } from '../../../client/fleet/lease'
import { partIn, partName } from '../../../client/model/share'
import { refuseUnresolved } from '../../runtime/properties'
import type { GatewayConfig } from '../options'

/**
 * Opens the share of a config node: which appliances of its inventory it works for.
 * @param openLease opens the share of a `lease`
 * @throws GatewayError `CONFIG`
 */
export function openShare({ share }: GatewayConfig, openLease: () => Share): Share {
  refuseUnresolved('share', share)
  const given = share ?? 'all'
  const own = typeof given === 'string' ? given.trim().toLowerCase() : ''
  // Not the empty text: a part that was not entered is not everything.
  if (own === 'all') return unchanging(() => true)
  if (own === 'lease') return openLease()
  const part = partIn(own)
  if (!part) throw new GatewayError('CONFIG', [say('share'), say('correct')])
  const partOf = partsOf(part.of)
  return {
    ...unchanging((key) => partOf(key) === part.index),
    parts: (key) => ({ part: partName({ index: partOf(key), of: part.of }, own), own }),
  }
}

const unchanging = (owns: Share['owns']): Share => ({ owns, close: () => Promise.resolve() })
