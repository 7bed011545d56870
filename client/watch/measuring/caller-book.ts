// The names of callers, by their addresses.
import { BlockList, isIP } from 'node:net'
import { networkIn, type CallerBook, type CallerRow, type Place } from '../../model/callers'
import { grouped, isSameId } from '../../model/ids'
import type { Named } from '../../model/types'

/** Makes a book of rows without faults. The first row that fits a caller counts. */
export function newCallerBook(rows: readonly CallerRow[]): CallerBook {
  const entries = rows.map((row) => {
    const list = new BlockList()
    const { address, bits, family } = networkIn(row.network)!
    list.addSubnet(address, bits, family)
    return {
      row,
      fits(caller: string, place: Place): boolean {
        const version = isIP(caller)
        if (version === 0 || !isPlaceOf(row, place)) return false
        return list.check(caller, version === 4 ? 'ipv4' : 'ipv6')
      },
    }
  })
  const expected = grouped(entries, ({ row: { name, route, output, expected: when } }) =>
    when ? JSON.stringify([name, route, output]) : undefined,
  )
  return {
    nameOf: (address, place) => entries.find((one) => one.fits(address, place))?.row.name,
    expected: Array.from(expected, ([key, same]) => ({
      key,
      row: same[0]!.row,
      is: (address, place) => same.some((one) => one.fits(address, place)),
    })),
  }
}

const isPlaceOf = (row: CallerRow, { route, destination, source }: Place): boolean =>
  isRouteOf(row, route) && isCalled(destination ?? source, row.output)

/** Whether a row of the list of callers is about a route. */
export const isRouteOf = ({ route: wanted }: CallerRow, route: Named): boolean =>
  isCalled(route, wanted)

/** Whether an ID or a name means this, or anything. Names may end in blanks. */
export const isCalled = (named: Partial<Named> | undefined, wanted: string): boolean =>
  wanted === '' ||
  (named !== undefined && (isSameId(named.id, wanted) || named.name?.trim() === wanted))
