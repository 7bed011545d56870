// What a node does with its definition.
import type { UpdateMode } from '../../../client/model/check'
import { checkDefinition, type Use } from '../../../client/model/definition'
import { shownValue } from '../fields'
import { secretPrefixOf } from '../secret-prefix'
import { faultWithPath } from './faults'

export function useOf(node: EditorNode): Use {
  const type = String(node['type'])
  if (type.endsWith('update-route')) {
    return { kind: 'update', mode: (shownValue(node, 'mode') || 'merge') as UpdateMode }
  }
  if (type.endsWith('ensure-route')) {
    return { kind: 'ensure', state: (shownValue(node, 'state') as string | undefined) || 'present' }
  }
  return { kind: 'create' }
}

/** What is wrong with a definition that is given as JSON, in short. */
export function definitionFault(node: EditorNode, json: string): string | undefined {
  const validate = shownValue(node, 'validate') !== false
  const secretPrefix = secretPrefixOf(shownValue(node, 'gateway'))
  const options = { validate, secretPrefix }
  const [first] = checkDefinition(JSON.parse(json), useOf(node), options)
  return first && faultWithPath(first)
}
