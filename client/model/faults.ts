/** One fault: where it is, as a JSON path such as `destinations[1].port`, and of which kind, with its values. */
export type Fault = { path: string } & Reason

export type Reason =
  /** No value, where one is needed; a wrong one. */
  | { kind: 'missing'; given: Given; wanted: Wanted }
  | { kind: 'wrong'; given?: Given; wanted: Wanted }
  /** A member that a route does not have; with the one that was probably meant. */
  | { kind: 'unknown' }
  | { kind: 'didYouMean'; member: string }
  /** A text that no host or network has as its address; blanks at an end of a new name. */
  | { kind: 'address'; given: Given }
  | { kind: 'blanks' }
  /** `state` says how a route is, not how it is to be. */
  | { kind: 'state' }
  | { kind: 'startRoute' }
  | { kind: 'action' }
  | { kind: 'nothingGiven' }
  /** Neither an ID nor a name says which one is meant. */
  | { kind: 'whichRoute' | 'whichDestination' }
  /** Two destinations of the definition share an ID or a name. `row` counts from 1. */
  | { kind: 'repeated'; member: string; other: string; row: number }
  /** `null` for what a route always has; for what an update cannot empty. */
  | { kind: 'lasting' | 'notEmptied' }
  /** `${…}` in a secret that is not replaced; with how the names begin that are. */
  | { kind: 'variable'; prefix?: string }
  /** `${NAME}` as a secret, where this variable has no value. */
  | { kind: 'unset'; variable: string }
  /** The sign for a hidden value, in a new route; where there is no value to keep. */
  | { kind: 'hidden' | 'nothingToKeep' }
  | { kind: 'notRead' }
  | { kind: 'otherSource' | 'otherDestination' }
  | { kind: 'severalFit'; ids: string }
  | { kind: 'noSuchDestination' }
  | { kind: 'sameDestination'; other: string }
  | { kind: 'sameName' }
  /** A destination that the route does not have; with those that it has. */
  | { kind: 'incomplete'; names: string }
  | { kind: 'redundancy' }

export type Wanted =
  | { kind: 'route' | 'object' | 'list' | 'paths' | 'boolean' | 'text' }
  /** The destinations of a route; of a merge; of a wanted route. */
  | { kind: 'destinations' | 'destinationPatches' | 'wantedDestinations' }
  | { kind: 'choice'; choices: string }
  | { kind: 'whole' | 'number'; least: number; most: number }
  | { kind: 'atLeast'; least: number }
  | { kind: 'length'; least: number; most: number; orEmpty?: true }

/** What was given, never the content of a secret. */
export type Given =
  | { kind: 'missing' | 'null' | 'empty' | 'emptyList' | 'list' | 'object' | 'notPlain' | 'text' }
  | { kind: 'hiddenNumber' }
  | { kind: 'value' | 'typed'; shown: string }
  | { kind: 'hiddenText'; length: number }
  | { kind: 'longText'; shown: string; length: number }

/** A fault in a few words, which the catalogs have; with how many there are in all. */
export interface Short {
  key: ShortKey
  /** `what` is the path, or the property of a node. */
  values?: Readonly<Record<string, string | number>>
  of?: number
}

type ShortKey =
  | 'missing'
  | 'text'
  | 'list'
  | 'object'
  | 'type'
  | 'range'
  | 'long'
  | 'length'
  | 'choice'
  | 'unknown'
  | 'unset'
  | 'which'
  | 'address'
  | 'invalid'

/** The fault as an English sentence, to be read after its path. */
export const sentenceOf = (reason: Reason): string => wordsFrom(SENTENCES, reason.kind, reason)

/** The fault as a sentence of its own, where that is not its path and what is wrong there. */
export function wholeSentenceOf(fault: Fault): string | undefined {
  if (fault.kind === 'didYouMean')
    return `Unknown field ${fault.path}. Did you mean ${fault.member}?`
  if (fault.kind !== 'unknown') return undefined
  return `Unknown field ${fault.path}. A route has name, source and destinations.`
}

export function shortOf(fault: Fault): Short {
  const values = { what: fault.path || 'payload' }
  switch (fault.kind) {
    case 'missing':
      return { key: fault.given.kind === 'emptyList' ? 'list' : 'missing', values }
    case 'wrong':
      return { key: shortOfGiven(fault.given, fault.wanted), values }
    case 'unset':
      return { key: 'unset', values: { variable: fault.variable } }
    case 'whichRoute':
    case 'whichDestination':
      return { key: 'which' }
    default:
      return { key: SHORT_KEYS[fault.kind] ?? 'invalid', values }
  }
}

const SHORT_KEYS: Partial<Record<Reason['kind'], ShortKey>> = {
  didYouMean: 'unknown',
  unknown: 'unknown',
  address: 'address',
}

function shortOfGiven(given: Given | undefined, wanted: Wanted): Short['key'] {
  switch (wanted.kind) {
    case 'choice':
      return 'choice'
    case 'length':
      if (given?.kind !== 'longText' && given?.kind !== 'hiddenText') return 'type'
      return given.length > wanted.most ? 'long' : 'length'
    case 'whole':
    case 'number':
    case 'atLeast':
      return given?.kind === 'value' && !given.shown.startsWith('"') ? 'range' : 'type'
    default:
      return given?.kind === 'text' || given?.kind === 'list' || given?.kind === 'object'
        ? given.kind
        : 'type'
  }
}

/** The words for each kind: fixed, or made from its values. */
export type Words<Of extends { kind: string }> = {
  [Kind in Of['kind']]: string | ((of: Of & { kind: Kind }) => string)
}

export function wordsFrom<Kind extends string>(
  table: Record<Kind, string | ((of: never) => string)>,
  kind: Kind,
  of: object,
): string {
  const words = table[kind]
  return typeof words === 'string' ? words : words(of as never)
}

const SENTENCES: Words<Reason> = {
  missing: ({ given, wanted }) => `is ${givenWords(given)}; it must be ${wantedWords(wanted)}`,
  wrong: ({ given, wanted }) =>
    `${given ? `is ${givenWords(given)}; it ` : ''}must be ${wantedWords(wanted)}`,
  unknown: 'is not a field of a route; a route has name, source and destinations',
  didYouMean: ({ member }) => `is not a known field; did you mean ${member}?`,
  address: ({ given }) =>
    `is ${givenWords(given)}; it must be an IP address or a host name, without blanks, scheme or port`,
  blanks: 'begins or ends with a blank, which cannot be seen; remove it',
  state:
    'cannot be set by a definition; set startRoute for a new route, start or stop an existing one, or ensure its state',
  startRoute: 'is only for a new route; start or stop an existing one instead',
  action: 'is not part of a desired route; start or stop the destination instead',
  nothingGiven: 'has none of name, source and destinations; give at least one of them',
  whichRoute: 'has neither id nor name; give one of them to select the route',
  whichDestination: 'has neither id nor name; give one of them to select the destination',
  repeated: ({ member, other }) =>
    `is also the ${member} of ${other}; each destination needs its own`,
  lasting: 'is null; this field cannot be removed',
  notEmptied:
    'cannot be cleared: the gateway keeps a stored value when a field is omitted; give the value you want',
  variable: ({ prefix }) =>
    prefix
      ? `contains \${…}, which is not allowed here; use a variable whose name begins with ${prefix} as the whole value, such as \${${prefix}NAME}`
      : 'contains ${…}, which is not replaced here and would be sent as the secret itself; give the secret',
  unset: ({ variable }) =>
    `names the environment variable ${variable}, which is not set or is empty; set it, or give the secret`,
  hidden: 'is a hidden value; a new route needs the value itself',
  nothingToKeep: 'is a hidden value, but there is no stored value to keep; give the value itself',
  notRead: 'is missing, and the route was not read to take it from',
  otherSource: 'is not the id of the present source',
  otherDestination: 'is not the id of the present destination',
  severalFit: ({ ids }) => `matches several destinations, with the IDs ${ids}; give the ID`,
  noSuchDestination: 'is not the id of a destination of the route',
  sameDestination: ({ other }) => `is the same destination as ${other}`,
  sameName: 'is the name of two destinations',
  incomplete: ({ names }) =>
    `is no destination of the route (it has ${names}), and is not complete enough for a new one`,
  redundancy: 'does not apply with path redundancy; give all paths in srtNetworkBondingParams',
}

export const wantedWords = (wanted: Wanted): string => wordsFrom(WANTED, wanted.kind, wanted)

const WANTED: Words<Wanted> = {
  route: 'an object with name, source and destinations',
  object: 'an object',
  list: 'a list',
  paths: 'a list of objects, one for each path',
  destinations: 'a list of objects ([] for no destinations)',
  destinationPatches: 'a list of objects, or an object with one field for each destination',
  wantedDestinations: 'a list of the desired destinations',
  boolean: 'true or false',
  choice: ({ choices }) => `one of ${choices}`,
  whole: ({ least, most }) => `a whole number from ${least} to ${most}`,
  number: ({ least, most }) => `a number from ${least} to ${most}`,
  atLeast: ({ least }) => `a number of at least ${least}`,
  text: 'text',
  length: ({ least, most, orEmpty }) =>
    `text of ${least} to ${most} characters${orEmpty ? ', or empty' : ''}`,
}

export const givenWords = (given: Given): string => wordsFrom(GIVEN, given.kind, given)

const GIVEN: Words<Given> = {
  missing: 'missing',
  null: 'null',
  empty: 'empty',
  emptyList: 'an empty list',
  list: 'a list',
  object: 'an object',
  notPlain: 'not a plain object',
  text: 'text',
  hiddenNumber: 'a number',
  hiddenText: ({ length }) => `text of ${length} characters`,
  longText: ({ shown, length }) => `${shown} (${length} characters)`,
  value: ({ shown }) => shown,
  typed: ({ shown }) => `a ${shown}`,
}
