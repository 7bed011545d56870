export type OutageLog = ReturnType<typeof createOutageLog>

/**
 * Logs when the appliance stops responding as it should, and when it does again.
 * @param over what is logged at the end of an outage
 */
export function createOutageLog(
  log: (level: 'info' | 'warn', text: string) => void,
  over = 'The gateway responds again.',
) {
  const failing = new Set<string>()
  const logged = new Set<string>()
  function remove(source: string): boolean {
    const isOver = failing.delete(source) && failing.size === 0
    if (isOver) logged.clear()
    return isOver
  }
  return {
    /** Records a failure that `source` has seen. Each error code is logged once per outage. */
    failed(source: string, code: string, text: string): void {
      failing.add(source)
      if (!logged.has(code)) log('warn', text)
      logged.add(code)
    },
    /** Records that `source` sees no failure. The outage is over when no source sees one. */
    recovered(source: string): void {
      if (remove(source)) log('info', over)
    },
    /** `source` stops watching. What it has seen no longer counts. */
    remove: (source: string): void => void remove(source),
  }
}
