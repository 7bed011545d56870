import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the project. */
export const root = join(__dirname, '../../..')

/** The text of a file of the project. */
export const contentOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')

/** The name of the package. */
export const { name: packageName } = JSON.parse(contentOf('package.json')) as { name: string }
