// What a form has asked the appliance, and who shows the answer.
import type { RequestError } from './ask'

export interface Look<Found> {
  loading: boolean
  /** During a reload, the previous result. */
  found?: Found
  failure?: RequestError
}

export function createListeners() {
  const listeners: (() => void)[] = []
  return {
    tell: (): void => listeners.forEach((listener) => listener()),
    onChange: (listener: () => void): void => void listeners.push(listener),
  }
}

export function createLook<Found>() {
  const { tell, onChange } = createListeners()
  let look: Look<Found> = { loading: false }
  let turn = 0

  function show(next: Look<Found>): void {
    look = next
    tell()
  }

  return {
    now: () => look,
    onChange,
    /** Shows what `ask` finds; meanwhile, what was known. @returns false where it was asked again */
    async read(known: Found | undefined, ask: () => Promise<Found>): Promise<boolean> {
      const mine = ++turn
      try {
        const asked = ask()
        show({ loading: true, found: known })
        const found = await asked
        if (mine === turn) show({ loading: false, found })
      } catch (failure) {
        if (mine === turn) show({ loading: false, failure: failure as RequestError })
      }
      return mine === turn
    },
  }
}
