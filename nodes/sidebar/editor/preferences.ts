const KEY = 'media-gateway-sidebar'

/** The user's setup of the sidebar, as the browser keeps it: each by config node. */
interface Remembered {
  open: Record<string, boolean>
  device: Record<string, string>
  order: Record<string, string>
  /** Does it show what happened lately? */
  lately: Record<string, boolean>
  /** Are its routes in one line each? */
  compact: Record<string, boolean>
}

export function remembered(): Remembered {
  const none = { open: {}, device: {}, order: {}, lately: {}, compact: {} }
  try {
    return { ...none, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Remembered>) }
  } catch {
    // Something else is there: the defaults.
    return none
  }
}

export function remember<Of extends keyof Remembered>(
  of: Of,
  id: string,
  value: Remembered[Of][string],
): void {
  const kept = remembered()
  kept[of][id] = value
  try {
    localStorage.setItem(KEY, JSON.stringify(kept))
  } catch {
    // A browser that keeps nothing shows the defaults the next time.
  }
}
