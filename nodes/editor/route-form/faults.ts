// Faults of a definition: the field to which each belongs, and the words that are shown there.
import { secretPrefixOf } from '../connection'
import type { UpdateMode } from '../../../client/model/check'
import { checkDefinition, type Use } from '../../../client/model/definition'
import type { Fault, Reason } from '../../../client/model/faults'
import { flagIn } from '../../../client/model/settings'
import { shownValue } from '../fields'
import type { Values } from '../text'
import { text } from './text'

export type Faults = ReturnType<typeof faultsFrom>

export function faultsFrom(all: readonly Fault[]) {
  let left = [...all]
  return {
    take(path: string): Fault | undefined {
      const found = left.find((fault) => fault.path === path)
      left = left.filter((fault) => fault !== found)
      return found
    },
    /** Takes all in and below a path; returns how many there were. */
    takeAll(path: string): number {
      const before = left.length
      const isIn = (whole: string) =>
        whole === path || whole.startsWith(`${path}.`) || whole.startsWith(`${path}[`)
      left = left.filter((fault) => !isIn(fault.path))
      return before - left.length
    },
    rest: (): Fault[] => left,
  }
}

/** A fault in the language of the user, to be read beside its place. */
export function wordsOf(reason: Reason): string {
  if (reason.kind !== 'wrong') return text(`fault.${reason.kind}`, valuesOf(reason))
  return text(`wanted.${reason.wanted.kind}`, valuesOf(reason.wanted))
}

export const faultWithPath = (fault: Fault): string =>
  fault.path === '' ? wordsOf(fault) : `${fault.path}: ${wordsOf(fault)}`

const valuesOf = (members: object): Values =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [],
    ),
  )

export function useOf(node: EditorNode): Use {
  if (node.type.endsWith('update-route')) {
    return { kind: 'update', mode: (shownValue(node, 'mode') || 'merge') as UpdateMode }
  }
  if (node.type.endsWith('ensure-route')) {
    return { kind: 'ensure', state: (shownValue(node, 'state') as string | undefined) || 'present' }
  }
  return { kind: 'create' }
}

export const faultsOf = (node: EditorNode, definition: unknown): Fault[] =>
  checkDefinition(definition, useOf(node), {
    validate: flagIn(shownValue(node, 'validate')) !== false,
    secretPrefix: secretPrefixOf(shownValue(node, 'gateway')),
  })
