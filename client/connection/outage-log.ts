/** Whether the appliance answers as it should, for the log: one line for each change of state. */
export interface Outlook {
  /** Something found the appliance not answering as it should. A code that is known already is not told again before all is fine. */
  trouble(who: string, code: string, text: string): void
  /** It found nothing wrong. */
  fine(who: string): void
  /** It does not look any more. */
  forget(who: string): void
}

export function createOutlook(log: (level: 'info' | 'warn', text: string) => void): Outlook {
  const inTrouble = new Set<string>()
  const told = new Set<string>()
  function forget(who: string): boolean {
    const isOver = inTrouble.delete(who) && inTrouble.size === 0
    if (isOver) told.clear()
    return isOver
  }
  return {
    trouble(who, code, text) {
      inTrouble.add(who)
      if (!told.has(code)) log('warn', text)
      told.add(code)
    },
    fine(who) {
      if (forget(who)) log('info', 'The appliance answers again.')
    },
    forget,
  }
}
