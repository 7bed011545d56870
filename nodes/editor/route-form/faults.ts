// Faults of a definition: at which field each belongs, and in which words it is told there.
import type { Problem } from '../../../client/model/definition'
import { text } from './text'

/** The faults of a definition, each to be taken once. */
export interface Faults {
  take: (path: string) => string | undefined
  /** Takes all in and below a path; answers how many they were. */
  takeAll: (path: string) => number
  rest: () => Problem[]
}

export function faultsFrom(problems: readonly Problem[]): Faults {
  let left = [...problems]
  return {
    take(path) {
      const found = left.find((problem) => problem.path === path)
      left = left.filter((problem) => problem !== found)
      return found?.problem
    },
    takeAll(path) {
      const before = left.length
      left = left.filter(
        (problem) => problem.path !== path && !/^[.[]/.test(afterPath(problem.path, path)),
      )
      return before - left.length
    },
    rest: () => left,
  }
}

const afterPath = (whole: string, path: string): string =>
  whole.startsWith(path) ? whole.slice(path.length) : ''

/**
 * A fault in the language of the user, to be read beside its place; one that the catalog does not
 * know as the check says it.
 */
export function wordsOf(problem: string): string {
  for (const [sentence, key, names = []] of SENTENCES) {
    const found = sentence.exec(problem)
    if (!found) continue
    const values = Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']))
    return text(`fault.${key}`, key === 'repeated' ? rowOf(values) : values)
  }
  return problem
}

/** A fault with its place in the definition. */
export const faultWithPath = ({ path, problem }: Problem): string =>
  path === '' ? wordsOf(problem) : `${path}: ${wordsOf(problem)}`

/** Rows are counted from 1. */
const rowOf = ({ index }: Record<string, string>) => ({ row: Number(index) + 1 })

/** What the checks say, the key of its text, and what the groups are called in it; the first counts. */
const SENTENCES: Array<[sentence: RegExp, key: string, names?: string[]]> = [
  [/hidden value/, 'hidden'],
  [/^contains \$\{/, 'variable'],
  [/^cannot be set by a definition/, 'state'],
  [/^is for creating a route only/, 'startRoute'],
  [/^is not known here; did you mean (\w+)\?/, 'didYouMean', ['member']],
  [/^is not known here/, 'unknown'],
  [/^has none of name, source and destinations/, 'nothingGiven'],
  [/^has neither id nor name/, 'noIdentity'],
  [/destinations\[(\d+)\] too/, 'repeated', ['index']],
  [/this member cannot be removed/, 'lasting'],
  [/^is no wanted state/, 'action'],
  [/^is (missing|empty|null|an empty list); it must be/, 'missing'],
  [/must be a whole number from (\d+) to (\d+)$/, 'whole', ['least', 'most']],
  [/must be a number from ([\d.]+) to ([\d.]+)$/, 'number', ['least', 'most']],
  [/must be a (?:whole )?number of at least ([\d.]+)$/, 'atLeast', ['least']],
  [/must be text of (\d+) to (\d+) characters/, 'length', ['least', 'most']],
  [/must be text/, 'text'],
  [/must be one of /, 'choice'],
  [/must be true or false$/, 'boolean'],
  [/must be a list/, 'list'],
  [/must be an object/, 'object'],
]
