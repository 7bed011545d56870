import type { NodeAPI } from 'node-red'
import { signsFor, withValues } from '../../client/model/marks'
import { languageOf, type Language } from '../../client/model/watch'

/** The prefix of all catalog names. The path is relative to dist/nodes/runtime. */
const { name: PACKAGE } = require('../../../package.json') as { name: string }

export type Values = Record<string, string | number>

/** Returns a text of the catalogs in the language of the server, by node and key: `gateway:status.named`. */
export type Words = (key: string, values?: Values) => string

/** The language of the server. Only one catalog says it, so the name of that goes with the key. */
export const serverLanguage = (RED: Pick<NodeAPI, '_'>): Language =>
  languageOf(RED._(`${PACKAGE}/watch:locale`))

/** Each text is taken from the catalog once: a watch may need it with every poll. */
export function wordsOf(RED: Pick<NodeAPI, '_'>): Words {
  const templates = new Map<string, { text: string; names: string[] }>()

  return (name, values = {}) => {
    const key = `${PACKAGE}/${name}`
    let template = templates.get(key)
    if (!template) {
      const names = Object.keys(values)
      template = { text: RED._(key, signsFor(names)), names }
      templates.set(key, template)
    }
    return withValues(template.text, template.names, values)
  }
}

/** In characters: there is no room for more under a node. */
export const LONGEST_NAME = 20

/** A time of day, as the clock of the Node-RED server shows it. */
export const clockTime = (at: number = Date.now()): string =>
  new Date(at).toTimeString().slice(0, 8)
