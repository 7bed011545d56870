/** True for a value that a field shows as empty. */
export const isEmptyText = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
