/** The user's setup of the sidebar, as the browser keeps it: each by config node. */
interface Remembered {
  /** Is it open? */
  open: Record<string, boolean>
  /** The device that is shown. */
  device: Record<string, string>
  /** The order of its routes. */
  order: Record<string, string>
  /** Does it show what happened lately? */
  lately: Record<string, boolean>
  /** Are its routes in one line each? */
  compact: Record<string, boolean>
}

const KEY = 'media-gateway-sidebar'

export function remembered(): Remembered {
  let kept = null as Partial<Remembered> | null
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as typeof kept
  } catch {
    // Something else is there: the defaults.
  }
  return {
    open: { ...kept?.open },
    device: { ...kept?.device },
    order: { ...kept?.order },
    lately: { ...kept?.lately },
    compact: { ...kept?.compact },
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
