/** True for what a field shows as nothing. */
export const isEmptyText = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
