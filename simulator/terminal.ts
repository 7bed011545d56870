import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Whether this process may read what is typed. A background process (`… &`) that reads from its
 * terminal is stopped by the system, and the appliance would hang.
 */
export function mayRead(): boolean {
  if (!process.stdin.isTTY || process.platform === 'win32') return true
  try {
    return process.platform === 'linux'
      ? isForeground(readFileSync('/proc/self/stat', 'utf8'))
      : execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
          encoding: 'utf8',
        }).includes('+')
  } catch {
    return false
  }
}

/** From /proc/PID/stat: whether the process is in the foreground group of its terminal. */
export function isForeground(stat: string): boolean {
  // The program's name comes before, in parentheses, and may contain anything.
  const [, , group, , , served] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group === served
}
