/** The user's setup of the sidebar, as the browser keeps it. */
interface Remembered {
  /** By config node: is it open? */
  open: Record<string, boolean>
  /** By config node: the device that is shown. */
  device: Record<string, string>
}

const KEY = 'media-gateway-sidebar'

export function remembered(): Remembered {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Remembered> | null
    return { open: { ...kept?.open }, device: { ...kept?.device } }
  } catch {
    return { open: {}, device: {} }
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
