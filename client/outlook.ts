/** Whether the appliance answers as it should, for the log: one line for each change of state. */
export interface Outlook {
  /** Something found the appliance not answering as it should. A code that is known already is not told again. */
  trouble(who: string, code: string, text: string): void
  /** It found nothing wrong. */
  fine(who: string): void
  /** It does not look any more. */
  forget(who: string): void
}

export function createOutlook(log: (level: 'info' | 'warn', text: string) => void): Outlook {
  const troubles = new Map<string, string>()
  return {
    trouble(who, code, text) {
      const isNew = ![...troubles.values()].includes(code)
      troubles.set(who, code)
      if (isNew) log('warn', text)
    },
    fine(who) {
      if (troubles.delete(who) && troubles.size === 0) log('info', 'The appliance answers again.')
    },
    forget(who) {
      troubles.delete(who)
    },
  }
}
