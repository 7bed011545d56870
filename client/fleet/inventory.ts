// Reads an inventory: which of its rows can be used, and what is wrong with the others.
import { GatewayError, say } from '../errors'
import { checkRows, type RowRules, type UsableRow } from '../model/inventory'

export type { UsableRow } from '../model/inventory'

export interface InventoryRules extends Omit<RowRules, 'say'> {
  lookUp: NonNullable<RowRules['lookUp']>
}

export interface Inventory {
  /** In their order; no two with the same name, or with the same address. */
  rows: UsableRow[]
  /** One for each other row, `CONFIG`. Where the row has a name, `cause.appliance` is that. */
  faults: GatewayError[]
}

/**
 * Reads an inventory. Of two rows with the same name or address, the first one counts.
 * @param value an array, or JSON text
 * @throws GatewayError `CONFIG` when it is no inventory at all
 */
export function readInventory(value: unknown, rules: InventoryRules): Inventory {
  const { rows, faults, failure } = checkRows(value, { ...rules, say })
  if (failure) throw new GatewayError('CONFIG', failure)
  return {
    rows,
    faults: faults.map(
      ({ name, sentences }) =>
        new GatewayError('CONFIG', sentences, { ...(name !== '' && { appliance: name }) }),
    ),
  }
}
