import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Whether what is typed is for this process. One in the background (`… &`) that reads from its
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

/** By /proc/PID/stat: whether the group of the process is the one that its terminal serves. */
export function isForeground(stat: string): boolean {
  // The name of the program comes before, in brackets, and may have anything in it.
  const [, , group, , , served] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return group === served
}
