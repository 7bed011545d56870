import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { root } from './root'

export const LANGUAGES = ['en-US', 'de', 'ja'] as const

export type Language = (typeof LANGUAGES)[number]

/** The exports of an editor module, run without a browser; a text missing in a catalog throws. */
export function editorModule<Exports>(file: string, language: Language): Exports {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'nodes', file)],
    bundle: true,
    write: false,
    format: 'cjs',
  })
  const module = { exports: {} }
  const RED = { _: (key: string, values: Values = {}) => filled(textAt(key, language), values) }
  // eslint-disable-next-line typescript/no-implied-eval
  new Function('module', 'RED', outputFiles[0]!.text)(module, RED)
  return module.exports as Exports
}

type Values = Record<string, string | number>

/** The texts at a place of a node's catalog, such as `state` or `state.ok`. */
export function textsAt(node: string, language: Language, path: string): unknown {
  const file = join(root, 'dist/nodes', node, 'locales', language, `${node}.json`)
  const catalog: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], catalog)
}

function textAt(key: string, language: Language): string {
  const [, node = '', path = ''] = /^\{\{package\}\}\/([\w-]+):(.*)$/.exec(key) ?? []
  const text = textsAt(node, language, path)
  if (typeof text === 'string') return text
  throw new Error(`${language} has no text for ${key}`)
}

function filled(text: string, values: Values): string {
  return text.replace(/__(\w+?)__/g, (_, name: string) => {
    if (name in values) return String(values[name])
    throw new Error(`no value for ${name} in: ${text}`)
  })
}
