/** A value that differs from the reported one, but has not lasted long enough. */
export interface Held<Value = string> {
  /** Since when the value differs, by the clock. */
  readonly since: number
  readonly value: Value
  /** Since when it has been this value, by the clock. */
  readonly at: number
}

/** Returns how long a value has differed, with what was known of that before. */
export function held<Value>(
  before: Held<Value> | undefined,
  value: Value,
  at: number,
): Held<Value> {
  if (!before) return { since: at, value, at }
  return before.value === value ? before : { since: before.since, value, at }
}
