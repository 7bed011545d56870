// Reads an inventory: which of its rows can be used, and what is wrong with the others.
import { normalFingerprint, parseBase } from '../connection/settings'
import { GatewayError, say, withoutLabels, type Sentence } from '../errors'
import { isObject, membersIn } from '../model/json'
import { shortened } from '../model/shortened'
import type { InventoryRow } from './types'

/** What a row may have. */
export const ROW_MEMBERS = ['name', 'baseUrl', 'fingerprint', 'username', 'password'] as const
type Member = (typeof ROW_MEMBERS)[number]

/** In characters: the engine of a fleet takes no longer ones. */
const LONGEST_NAME = 200

export interface InventoryRules {
  /** The value of an environment variable; undefined where it is not set. */
  lookUp: (variable: string) => string | undefined
  /** What a row leaves out. */
  defaults?: { readonly [Name in Exclude<Member, 'name'>]?: unknown }
  /** The inventory is part of a flow, which is exported: no row may contain an account. */
  isTyped?: boolean
}

/** A row with all that a connection needs. */
export type UsableRow = InventoryRow & { readonly baseUrl: string }

export interface Inventory {
  /** In their order; no two with the same name, or with the same address. */
  rows: UsableRow[]
  /** One for each other row, `CONFIG`. Where the row has a name, `cause.appliance` is that. */
  faults: GatewayError[]
}

/**
 * Reads an inventory. Of two rows with the same name or address, the first one counts.
 * @param value an array, or JSON text
 * @throws GatewayError `CONFIG` when it is no inventory at all
 */
export function readInventory(value: unknown, rules: InventoryRules): Inventory {
  const list: unknown = typeof value === 'string' ? parsed(value) : value
  if (!Array.isArray(list)) throw new GatewayError('CONFIG', say('inventoryNotArray'))
  const inventory: Inventory = { rows: [], faults: [] }
  /** Where they were seen first, counted from 1. */
  const names = new Map<string, number>()
  const addresses = new Map<string, number>()

  for (const [index, given] of (list as unknown[]).entries()) {
    const at = index + 1
    const wrong: Sentence[] = []
    const row = readRow(given, rules, wrong)
    const { name } = row
    if (name !== '') {
      const first = names.get(name)
      if (first === undefined) names.set(name, at)
      else wrong.push(say('rowSameName', { first }))
    }
    const address = wrong.length === 0 ? addressOf(row, wrong) : undefined
    if (address !== undefined) {
      const first = addresses.get(address)
      if (first === undefined) addresses.set(address, at)
      else wrong.push(say('rowSameUrl', { first }))
    }
    if (wrong.length === 0) inventory.rows.push(row)
    else inventory.faults.push(faultOf(at, name, wrong))
  }
  return inventory
}

function readRow(given: unknown, rules: InventoryRules, wrong: Sentence[]): UsableRow {
  if (!isObject(given)) {
    wrong.push(say('rowNoObject'))
    return { name: '', baseUrl: '' }
  }
  // A typo must not be silent: without its fingerprint, a gateway would be trusted for another reason.
  for (const [member] of membersIn(given)) {
    if (ROW_MEMBERS.some((known) => known === member)) continue
    const known = ROW_MEMBERS.join(', ')
    wrong.push(say('rowField', { field: shortened(member, 60), known }))
  }
  const { defaults = {}, isTyped = false } = rules

  function text(member: Member): string {
    const written = given as Partial<Record<Member, unknown>>
    const own = textOf(written[member], member)
    if (own !== '') {
      const isSecret = member === 'username' || member === 'password'
      if (!isTyped || !isSecret || variableIn(own) !== undefined) return resolved(own, member)
      wrong.push(say('rowPlain', { field: member, example: `\${OSLO_${member.toUpperCase()}}` }))
      return ''
    }
    return member === 'name' ? '' : resolved(textOf(defaults[member], member), member)
  }

  function textOf(value: unknown, member: Member): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return member === 'password' ? value : value.trim()
    wrong.push(say('rowNotText', { field: member }))
    return ''
  }

  function resolved(value: string, member: Member): string {
    const variable = variableIn(value)
    if (variable === undefined) return value
    const found = rules.lookUp(variable)
    if (found !== undefined && found !== '') return member === 'password' ? found : found.trim()
    wrong.push(say('rowVariable', { variable, field: member }))
    return ''
  }

  const before = wrong.length
  const name = text('name')
  if (name === '' && wrong.length === before) wrong.push(say('rowNoName'))
  if (name.length > LONGEST_NAME) wrong.push(say('rowLongName', { most: LONGEST_NAME }))
  const [baseUrl, fingerprint] = [text('baseUrl'), text('fingerprint')]
  const isSound = wrong.length
  const [username, password] = [text('username'), text('password')]
  if (wrong.length === isSound) {
    if (username === '') wrong.push(say('noUsername'))
    if (password === '') wrong.push(say('noPassword'))
  }
  return { name, baseUrl, fingerprint, username, password }
}

/** The address of a row as all ways to write it have it in common. */
function addressOf({ baseUrl, fingerprint }: UsableRow, wrong: Sentence[]): string | undefined {
  try {
    const base = parseBase(baseUrl)
    normalFingerprint(fingerprint, base)
    return base.href.replace(/\/+$/, '')
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    // Where to correct it is said by the row.
    wrong.push(...error.sentences.filter(({ key }) => key !== 'correct'))
    return undefined
  }
}

function faultOf(row: number, name: string, wrong: readonly Sentence[]): GatewayError {
  const label =
    name === ''
      ? say('inventoryRow', { row })
      : say('inventoryRowNamed', { row, name: shortened(name, 60) })
  return new GatewayError('CONFIG', [label, ...withoutLabels(wrong)], {
    ...(name !== '' && { appliance: name }),
  })
}

/** `${NAME}` as a whole value. */
const variableIn = (text: string): string | undefined => /^\s*\$\{([^}]+)\}\s*$/.exec(text)?.[1]

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    // The message of the error may repeat a part of the text, which may contain a password.
    const [, position] = /at position (\d+)/.exec(String(error)) ?? []
    throw new GatewayError('CONFIG', position ? notJsonAt(text, Number(position)) : NOT_JSON)
  }
}

const NOT_JSON = say('inventoryNotJson')

function notJsonAt(text: string, position: number): Sentence {
  const lines = text.slice(0, position).split('\n')
  return say('inventoryNotJsonAt', { line: lines.length, column: lines.at(-1)!.length + 1 })
}
