import { unturned } from '../../client/model/legible'
import { signsFor, withValues } from '../../client/model/marks'

/** What Node-RED passes to a check that may return the reason. */
export interface CheckOptions {
  label?: string
}

export type Values = Record<string, string | number>

/**
 * The texts of one node's catalog. Values may come from an appliance. The build puts the name of the
 * package in the place of `{{package}}`.
 */
export function textsOf(node: string): (key: string, values?: Values) => string {
  return (key, values = {}) => {
    const names = Object.keys(values)
    return unturned(withValues(RED._(`{{package}}/${node}:${key}`, signsFor(names)), names, values))
  }
}

/** Of the editor: a language that this package has texts in. */
export const language = (): string => textsOf('watch')('locale')

/** A number as the language of the editor writes it. */
export const numeral = (value: number): string =>
  new Intl.NumberFormat(language(), { useGrouping: false, maximumFractionDigits: 20 }).format(value)

/** A time as the language of the editor writes it, on a clock of 24 hours. */
export const timeOf = (at: Date): string => at.toLocaleTimeString(language(), CLOCK)

/** The same, with the date: in English the month is a word, as its countries disagree on the order. */
export const dateOf = (at: Date): string =>
  at.toLocaleString(language(), { dateStyle: 'medium', timeStyle: 'medium', ...CLOCK })

const CLOCK = { hourCycle: 'h23' } as const

/** A text that the forms and the sidebar share: all of them are in the catalog of the config node. */
export const text = textsOf('gateway')

/** The same; where the catalog has none, the given words. */
export function textOr(key: string, words: string): string {
  const found = text(key)
  return found.endsWith(key) ? words : found
}

/** A fault as the editor shows it at the node: with the label of the property, where it has one. */
export function reason(fault: string, { label }: CheckOptions): string {
  return label === undefined ? fault : `${label}: ${fault}`
}
