// Faults of a definition: at which field each belongs, and in which words it is told there.
import type { Problem } from '../../../client/model/definition'
import { isEmptyText } from './empty'
import type { FormField } from '../../../client/model/form'
import { isVariable } from '../checks'
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

/** A fault in the language of the user; one without a translation as the check says it. */
export function wordsOf(problem: string, { member, value }: FormField): string {
  if (problem.includes('hidden value')) return text('fault.hidden')
  if (member.secret && isVariable(String(value))) return text('fault.variable')
  const repeated = /destinations\[(\d+)\] too/.exec(problem)
  if (repeated) return text('fault.repeated', { row: Number(repeated[1]) + 1 })
  if (!problem.includes('; it must be ')) return problem
  if (isEmptyText(value)) return text('fault.missing')
  const { kind, whole, min = 0, max } = member
  switch (kind) {
    case 'number':
      if (max === undefined) return text('fault.atLeast', { least: min })
      return text(whole ? 'fault.whole' : 'fault.number', { least: min, most: max })
    case 'text':
      return max === undefined
        ? text('fault.text')
        : text('fault.length', { least: min, most: max })
    default:
      return text(`fault.${kind}`)
  }
}
