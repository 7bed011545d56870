// Reads an inventory: which of its rows can be used, and what is wrong with the others.
import { GatewayError, say } from '../errors'
import { checkRows, type RowRules, type UsableRow } from '../model/inventory'
import { nearest } from '../model/near'
import { withoutSlashes } from '../model/settings'
import { shortened } from '../model/legible'

export interface InventoryRules extends Omit<RowRules, 'say'> {
  lookUp: NonNullable<RowRules['lookUp']>
}

export interface Inventory {
  /** In their order; no two with the same name, or with the same address. */
  rows: UsableRow[]
  /** One for each other row, `CONFIG`. Where the row has a name, `cause.appliance` is that. */
  faults: GatewayError[]
  /** Its columns and members that nobody reads. */
  ignored?: string[]
}

/**
 * Reads an inventory. Of two rows with the same name or address, the first one counts.
 * @param value an array, or a text: JSON, or CSV with a header
 * @throws GatewayError `CONFIG` when it is no inventory at all
 */
export function readInventory(value: unknown, rules: InventoryRules): Inventory {
  const { rows, faults, ignored, failure } = checkRows(value, { ...rules, say })
  if (failure) throw new GatewayError('CONFIG', failure)
  return {
    rows,
    ignored,
    faults: faults.map(
      ({ name, sentences }) =>
        new GatewayError('CONFIG', sentences, { ...(name !== '' && { appliance: name }) }),
    ),
  }
}

/**
 * Which appliance a row stands for, whatever it is called: host, port and path of its URL. Instances
 * divide appliances by it, so that a new name makes no second owner.
 */
export function keyOf({ baseUrl, ownerKey = '' }: UsableRow): string {
  if (ownerKey !== '') return ownerKey
  const { protocol, hostname, port, pathname } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}${withoutSlashes(pathname)}`
}

/** More names are compared without regard to case only: each comparison takes time. */
const MOST_COMPARED = 2000

/** The error for a name that is not in the inventory, with the one that was probably meant. */
export function unknownAppliance(appliance: string, names: readonly string[]): GatewayError {
  const lower = appliance.toLowerCase()
  const meant =
    names.find((name) => name.toLowerCase() === lower) ??
    (names.length <= MOST_COMPARED
      ? nearest(appliance, names, ({ length }) => Math.max(length / 4, 1))
      : undefined)
  const hint = meant === undefined ? [] : [say('didYouMean', { name: shortened(meant, 60) })]
  const sentences = [say('applianceNotFound', { appliance }), ...hint]
  return new GatewayError('NOT_FOUND', sentences, { appliance })
}
