import type { NodeAPI } from 'node-red'
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
  const templates = new Map<string, Template>()

  function templateOf(key: string, values: Values): Template {
    const known = templates.get(key)
    if (known) return known
    const names = Object.keys(values)
    const signs = Object.fromEntries(
      names.map((name, index) => [name, String.fromCharCode(FIRST_SIGN + index)]),
    )
    const template = { text: RED._(key, signs), names }
    templates.set(key, template)
    return template
  }

  return (name, values = {}) => {
    const { text, names } = templateOf(`${PACKAGE}/${name}`, values)
    return text.replace(SIGNS, (sign) => String(values[names[sign.charCodeAt(0) - FIRST_SIGN]!]))
  }
}

/** The catalog would also replace marks of its own within a value, so it gets signs instead. */
interface Template {
  text: string
  /** Of the values, in the order of the signs. */
  names: string[]
}

const FIRST_SIGN = 0xe000
const SIGNS = /[\ue000-\ue00f]/g

/** In characters: there is no room for more under a node. */
export const LONGEST_NAME = 20

/** A time of day, as the clock of the Node-RED server shows it. */
export const clockTime = (at: number = Date.now()): string =>
  new Date(at).toTimeString().slice(0, 8)
