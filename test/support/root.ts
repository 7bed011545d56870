import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the project. */
export const root = join(__dirname, '../../..')

/** The name of the package. */
export const { name: packageName } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as { name: string }
