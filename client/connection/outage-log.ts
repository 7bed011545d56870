/** Logs when the appliance stops responding as it should, and when it does again. */
export interface OutageLog {
  /** Records a failure that `source` has seen. Each error code is logged once per outage. */
  failed(source: string, code: string, text: string): void
  /** Records that `source` sees no failure. The outage is over when no source sees one. */
  recovered(source: string): void
  /** `source` stops watching. What it has seen no longer counts. */
  remove(source: string): void
}

/** @param over what is logged at the end of an outage */
export function createOutageLog(
  log: (level: 'info' | 'warn', text: string) => void,
  over = 'The gateway responds again.',
): OutageLog {
  const failing = new Set<string>()
  const logged = new Set<string>()
  function remove(source: string): boolean {
    const isOver = failing.delete(source) && failing.size === 0
    if (isOver) logged.clear()
    return isOver
  }
  return {
    failed(source, code, text) {
      failing.add(source)
      if (!logged.has(code)) log('warn', text)
      logged.add(code)
    },
    recovered(source) {
      if (remove(source)) log('info', over)
    },
    remove,
  }
}
