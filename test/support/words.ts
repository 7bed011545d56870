import { join } from 'node:path'
import { i18n } from '@node-red/util'
import { wordsOf, type Words } from '../../nodes/runtime/catalog'
import { packageName, root } from './root'

/** Loads the catalogs with texts of the run time into the i18n of Node-RED, in English. */
export async function loadWords(): Promise<Words> {
  const { init } = i18n as unknown as { init: (settings: { lang: string }) => void }
  init({ lang: 'en-US' })
  for (const node of ['gateway', 'watch', 'failover', 'metrics']) {
    const folder = join(root, 'dist/nodes', node, 'locales')
    await i18n.registerMessageCatalog(`${packageName}/${node}`, folder, `${node}.json`)
  }
  return wordsOf({ _: i18n._ })
}
