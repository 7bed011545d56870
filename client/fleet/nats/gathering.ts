import type { Gathering } from '../types'
import type { Bucket } from './bucket'
import { latestRecords } from './latest'
import type { Line } from './line'
import { tokenOf } from './names'
import type { Mirror } from './retained'

/** @param mirror gets each picture that is kept */
export function createGathering(line: Line, bucket: Bucket, mirror?: Mirror): Gathering {
  const pictures = latestRecords<{ appliance: string }>(bucket, 'picture', () => line.room)

  return {
    publish(appliance, event, token) {
      const name = event.event.split('.').map(tokenOf).join('.')
      const subject = `event.${tokenOf(appliance)}.${name}`
      line.publish(subject, JSON.stringify({ ...event, appliance, token }))
    },
    async keep(appliance, picture, token, shorter) {
      const key = tokenOf(appliance)
      let isWhole = true
      // Who has not seen anything yet keeps what a former owner has seen.
      const makeOf = (present: object) => (before: object | undefined) => ({
        ...before,
        ...present,
        appliance,
      })
      const makeShorter = (before: object | undefined) => {
        isWhole = false
        return makeOf(shorter!)(before)
      }
      const isMine = await pictures.write(key, token, makeOf(picture), shorter && makeShorter)
      if (isMine) mirror?.show(key)
      return isWhole
    },
    async read(appliance) {
      const present = await pictures.read(tokenOf(appliance))
      if (!present) return undefined
      const { token, appliance: _, ...picture } = present
      return { picture, token }
    },
  }
}
