import type { MadeReport } from '../wire'
import { element } from './element'

/** Has the browser save a report. */
export function download({ name, file }: MadeReport): void {
  const href = URL.createObjectURL(new Blob([file], { type: 'application/json' }))
  element('a', { href, download: name }).click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
