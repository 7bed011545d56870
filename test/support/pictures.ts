// Pictures for people: no test checks them.
//   PICTURES=1   takes them, into coverage/screenshots
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { root } from './root'

/** Takes a picture of a page or of a part of it, where pictures are wanted. */
export async function takePicture(of: Page | Locator, name: string): Promise<void> {
  if (!process.env['PICTURES']) return
  await of.screenshot({ path: join(root, 'coverage/screenshots', `${name}.png`) })
}
