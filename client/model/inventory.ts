// Which rows of an inventory can be used, and what is wrong with the others: one rule for the forms
// and for the run time.
import type { say, Sentence } from '../errors'
import { parsedWithin, type Limits } from './foreign'
import { readTable } from './csv'
import { seenAt } from './ids'
import { isObject, membersIn, variableIn } from './json'
import { nearest } from './near'
import { patternFilter } from './pattern'
import { SECRET_PREFIX } from './secrets'
import { addressFault, fingerprintFault, suggestedAddress, withoutSlashes } from './settings'
import { shortened } from './legible'

const ROW_MEMBERS = ['name', 'baseUrl', 'fingerprint', 'username', 'password', 'ownerKey'] as const
type Member = (typeof ROW_MEMBERS)[number]

/** What people call them. A column of a CSV may have these names; in JSON they are slips. */
const ALIASES: Readonly<Record<string, Member>> = {
  url: 'baseUrl',
  address: 'baseUrl',
  user: 'username',
}
/** The same, but not clear enough to be taken for them. */
const LIKELY: Readonly<Record<string, Member>> = {
  ...ALIASES,
  host: 'baseUrl',
  hostname: 'baseUrl',
  ip: 'baseUrl',
  login: 'username',
  pass: 'password',
  passwd: 'password',
  pwd: 'password',
  thumbprint: 'fingerprint',
}

/** In characters: the engine of a fleet takes no longer ones. */
const LONGEST_NAME = 200

/** What an inventory may cost: 10,000 rows take a quarter of it. */
export const INVENTORY_LIMITS: Limits = {
  levels: 10,
  values: 250_000,
  characters: 16 * 1024 * 1024,
}

/** A row with all that a connection needs. */
export interface UsableRow {
  readonly name: string
  readonly baseUrl: string
  readonly fingerprint?: string
  readonly username?: string
  readonly password?: string
  /** Which appliance it is, where the instances of a fleet reach it at different addresses. */
  readonly ownerKey?: string
}

/**
 * Which appliance a row stands for, whatever it is called: host, port and path of its URL. Instances
 * divide appliances by it, so that a new name makes no second owner.
 */
export function applianceKey({ baseUrl, ownerKey = '' }: UsableRow): string {
  if (ownerKey !== '') return ownerKey
  const { protocol, hostname, port, pathname } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}${withoutSlashes(pathname)}`
}

export interface RowRules {
  /** How a sentence is made: the forms have their own words. */
  say: typeof say
  /**
   * The value of an environment variable; undefined where it is not set. Left out, neither variables nor
   * the account of the config node are known: `${NAME}` stays as it is.
   */
  lookUp?: (variable: string) => string | undefined
  /** What a row leaves out. */
  defaults?: { readonly [Name in Exclude<Member, 'name' | 'ownerKey'>]?: unknown }
  /** Part of a flow, which is exported: no row may contain an account. Elsewhere the next two limit it. */
  isTyped?: boolean
  /** With which the variables begin that a username or a password may name. */
  secretPrefix?: string
  /** Patterns of the hosts that get the password of the config node, if a row has none. */
  passwordHosts?: readonly string[]
}

interface CheckedRows {
  /** In their order; no two with the same name, or with the same address. */
  rows: UsableRow[]
  /** For each other row, which one it is and what is wrong with it; its name, or an empty text. */
  faults: { name: string; sentences: Sentence[] }[]
  /** The columns and members that are none of ours, in the order in which they were found. */
  ignored: string[]
  failure?: Sentence
}

/** Of two rows with the same name or address, the first counts. @param value an array, JSON or CSV */
export function checkRows(value: unknown, rules: RowRules): CheckedRows {
  const { say } = rules
  const ignored = new Set<string>()
  const checked: CheckedRows = { rows: [], faults: [], ignored: [] }
  const read: List = typeof value === 'string' ? parsed(value, say, ignored) : { list: value }
  if ('failure' in read) return { ...checked, failure: read.failure }
  const { list, lines } = read
  if (!Array.isArray(list)) return { ...checked, failure: say('inventoryNotArray') }
  /** Where they were seen first, counted from 1; in a CSV, the header is 1. */
  const names = new Map<string, number>()
  const addresses = new Map<string, number>()

  for (const [index, given] of (list as unknown[]).entries()) {
    const at = lines?.[index] ?? index + 1
    const wrong: Sentence[] = []
    const row = readRow(given, rules, wrong, ignored)
    const { name } = row
    const named = name === '' ? undefined : seenAt(names, name, at)
    if (named !== undefined) wrong.push(say('rowSameName', { first: named }))
    const address = wrong.length === 0 ? addressOf(row, rules, wrong) : undefined
    const there = address === undefined ? undefined : seenAt(addresses, address, at)
    if (there !== undefined) wrong.push(say('rowSameUrl', { first: there }))
    if (wrong.length === 0) checked.rows.push(row)
    else checked.faults.push({ name, sentences: [labelOf(at, name, rules), ...wrong] })
  }
  return { ...checked, ignored: [...ignored].slice(0, MOST_IGNORED) }
}

/** Of the names of foreign columns and members: rows may be anything. */
const MOST_IGNORED = 50

/** The member that was probably meant by a name that is none, where that one is missing. */
function meantBy(name: string, given: ReadonlySet<string>): Member | undefined {
  const plain = plainName(name)
  // Of the table itself: the name of a column may be `constructor`.
  const likely = Object.hasOwn(LIKELY, plain)
    ? LIKELY[plain]
    : nearest(plain, ROW_MEMBERS, ({ length }) => (length + 1) / 4)
  return likely === undefined || given.has(likely) ? undefined : (likely as Member)
}

/** `Base URL`, `base_url` and `baseUrl` are one. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, '')

const labelOf = (row: number, name: string, { say }: RowRules): Sentence =>
  name === ''
    ? say('inventoryRow', { row })
    : say('inventoryRowNamed', { row, name: shortened(name, 60) })

function readRow(
  given: unknown,
  rules: RowRules,
  wrong: Sentence[],
  ignored: Set<string>,
): UsableRow {
  const { say, lookUp, defaults = {}, isTyped = false, secretPrefix = SECRET_PREFIX } = rules
  if (!isObject(given)) {
    wrong.push(say('rowNoObject'))
    return { name: '', baseUrl: '' }
  }
  // A typo must not be silent: without its fingerprint, a gateway would be trusted for another reason.
  const members = new Set(membersIn(given).map(([member]) => member))
  for (const member of members) {
    if (ROW_MEMBERS.some((known) => known === member)) continue
    const meant = meantBy(member, members)
    const field = shortened(member, 60)
    if (meant !== undefined) wrong.push(say('rowField', { field, meant }))
    else if (ignored.size < MOST_IGNORED) ignored.add(field)
  }

  function text(member: Member): string {
    const written = given as Partial<Record<Member, unknown>>
    const own = textOf(written[member], member)
    if (own !== '') {
      const fault = faultOf(member, variableIn(own))
      if (fault === undefined) return resolved(own, member)
      wrong.push(fault)
      return ''
    }
    if (member === 'name' || member === 'ownerKey') return ''
    return resolved(textOf(defaults[member], member), member)
  }

  /** What may not stand in a row, by who can write it. */
  function faultOf(field: Member, variable: string | undefined): Sentence | undefined {
    const isSecret = field === 'username' || field === 'password'
    if (isTyped) {
      if (!isSecret || variable !== undefined) return undefined
      return say('rowPlain', { field, example: `\${OSLO_${field.toUpperCase()}}` })
    }
    if (variable === undefined) return undefined
    if (!isSecret) return say('rowNoVariable', { field })
    return variable.startsWith(secretPrefix)
      ? undefined
      : say('rowPrefix', { field, prefix: secretPrefix })
  }

  /** A host that may not have the password of the config node; where it is none, its fault says so. */
  function refusedHost(): string | undefined {
    const { baseUrl: url, password: own } = given as Record<string, unknown>
    if (isTyped || textOf(own, 'password') !== '' || textOf(url, 'baseUrl') === '') return undefined
    const address = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
    if (!address?.host || mayHavePassword(address, rules.passwordHosts)) return undefined
    return address.host
  }

  function textOf(value: unknown, member: Member): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return member === 'password' ? value : value.trim()
    wrong.push(say('rowNotText', { field: member }))
    return ''
  }

  function resolved(value: string, member: Member): string {
    const variable = variableIn(value)
    if (variable === undefined || !lookUp) return value
    const found = lookUp(variable)
    if (found !== undefined && found !== '') return member === 'password' ? found : found.trim()
    wrong.push(say('rowVariable', { variable, field: member }))
    return ''
  }

  const before = wrong.length
  const name = text('name')
  if (name === '' && wrong.length === before) wrong.push(say('rowNoName'))
  if (name.length > LONGEST_NAME) wrong.push(say('rowLongName', { most: LONGEST_NAME }))
  const [baseUrl, fingerprint] = [text('baseUrl'), text('fingerprint')]
  const ownerKey = text('ownerKey')
  const isSound = wrong.length
  const username = text('username')
  const host = wrong.length === isSound ? refusedHost() : undefined
  if (host !== undefined) {
    wrong.push(say('rowHost', { place: host }))
    return { name, baseUrl }
  }
  const password = text('password')
  if (lookUp && wrong.length === isSound) {
    if (username === '') wrong.push(say('noUsername'))
    if (password === '') wrong.push(say('noPassword'))
  }
  return { name, baseUrl, fingerprint, username, password, ...(ownerKey !== '' && { ownerKey }) }
}

/** Part by part: `10.0.0.*` does not stand for `10.0.0.example.org`. */
function mayHavePassword({ host, hostname }: URL, patterns: readonly string[] = []): boolean {
  const fits = (pattern: string, name: string): boolean => {
    const [parts, wanted] = [name.split('.'), pattern.split('.')]
    const areEqual = (part: string, index: number) => patternFilter(wanted[index]!)(part)
    return parts.length === wanted.length && parts.every(areEqual)
  }
  return patterns.some((pattern) => fits(pattern, hostname) || fits(pattern, host))
}

/** The address of a row as all ways to write it have it in common. Where to correct it, the row says. */
function addressOf(
  row: UsableRow,
  { say, lookUp }: RowRules,
  wrong: Sentence[],
): string | undefined {
  const { baseUrl, fingerprint = '' } = row
  // These are left only where nobody knows their values.
  const isKnown = lookUp !== undefined || variableIn(baseUrl) === undefined
  const fault = isKnown ? addressFault(baseUrl) : undefined
  if (fault) {
    wrong.push(say(fault, { suggested: suggestedAddress(baseUrl) ?? '' }))
    return undefined
  }
  const isFingerprint = lookUp !== undefined || variableIn(fingerprint) === undefined
  const other = isFingerprint && fingerprintFault(fingerprint, isKnown ? baseUrl : undefined)
  if (other) {
    wrong.push(say(other))
    return undefined
  }
  return isKnown ? withoutSlashes(new URL(baseUrl).href) : baseUrl
}

/** `lines` of a CSV: where each row begins, as a spreadsheet counts. */
type List = { list: unknown; lines?: number[] } | { failure: Sentence }

function parsed(given: string, say: RowRules['say'], ignored: Set<string>): List {
  const text = given.replace(/^\ufeff/, '')
  if (text.length > INVENTORY_LIMITS.characters) return { failure: say('inventoryTooLarge') }
  const table = /^\s*[[{]/.test(text) ? undefined : tableIn(text, say, ignored)
  if (table !== undefined) return table
  const plain = parsedWithin(text, INVENTORY_LIMITS)
  if (plain.fault === undefined) return { list: plain.value }
  if (plain.fault !== 'is not JSON') return { failure: say('inventoryTooLarge') }
  if (plain.at === undefined) return { failure: say('inventoryNotJson') }
  const lines = text.slice(0, plain.at).split('\n')
  const [line, column] = [lines.length, lines.at(-1)!.length + 1]
  return { failure: say('inventoryNotJsonAt', { line, column }) }
}

/** Undefined for a text that is no CSV. No sentence repeats a cell: it may be a password. */
function tableIn(text: string, say: RowRules['say'], ignored: Set<string>): List | undefined {
  const table = readTable(text, INVENTORY_LIMITS.values)
  if ('line' in table) return { failure: say('inventoryQuote', { line: table.line }) }
  if ('fault' in table) return { failure: say('inventoryTooLarge') }
  const { header, rows } = table
  const columns = header.map(plainName)
  if (!columns.includes('name')) {
    const isJson = header.length <= 1 && text.trim() !== ''
    return isJson ? undefined : { failure: say('inventoryNoHeader') }
  }
  /** Where the cells of each member stand. A name of its own counts before what people call it. */
  const places = new Map<Member, number>()
  for (const member of ROW_MEMBERS) {
    const names = Object.keys(ALIASES).filter((alias) => ALIASES[alias] === member)
    const name = [member.toLowerCase(), ...names].find((each) => columns.includes(each))
    if (name === undefined) continue
    const place = columns.indexOf(name)
    if (columns.includes(name, place + 1)) {
      return { failure: say('inventoryColumnTwice', { field: member }) }
    }
    places.set(member, place)
  }
  const used = new Set<string>(places.keys())
  for (const [place, column] of header.entries()) {
    if (column === '' || [...places.values()].includes(place)) continue
    const field = shortened(column, 60)
    const meant = meantBy(column, used)
    if (meant !== undefined) return { failure: say('inventoryColumn', { field, meant }) }
    if (ignored.size < MOST_IGNORED) ignored.add(field)
  }
  const list = rows.map(({ cells }) =>
    Object.fromEntries([...places].map(([member, place]) => [member, cells[place] ?? ''])),
  )
  return { list, lines: rows.map(({ line }) => line) }
}
