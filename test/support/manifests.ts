// Every node of the package, and what its manifest says of it.
import should from 'should'
import type { Manifest } from '../../nodes/parts/manifest'
import * as shared from '../../nodes/parts/shared'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import { contentOf } from './root'

const packaged = JSON.parse(contentOf('package.json')) as {
  'node-red': { nodes: Record<string, string> }
}

/** The names of all nodes. */
export const nodes = Object.keys(packaged['node-red'].nodes)

const ALONE = ['gateway', 'watch', 'failover', 'metrics']

/** The nodes that make one call for each message. */
export const actions = nodes.filter((node) => !ALONE.includes(node))

/** Those of them that change nothing. */
export const reading = (): string[] =>
  actions.filter((node) => manifestOf(node).color === shared.reads)

/** A test that fails where others leave a node out that a flow builder can send a message to. */
export function itTestsEach(of: readonly string[], types: Iterable<string>): void {
  it('is tested for each node', () => {
    const tested = new Set([...types].map((type) => type.replace(/^media-gateway-/, '')))
    should(of.filter((node) => !tested.has(node))).eql([])
  })
}

/** The type of a node in a flow. */
export const typeOf = (node: string): string =>
  node === 'gateway' ? 'media-gateway' : `media-gateway-${node}`

export const manifestOf = (node: string): Manifest =>
  (require(`../../nodes/${node}/manifest`) as { default: Manifest }).default

/** What the editor saves of a new node. */
export function defaultsOf(node: string): Record<string, unknown> {
  const saved = Object.entries(manifestOf(node).properties).flatMap(
    ([name, { value, as, type }]) => [
      ...(value === undefined ? [] : [[name, value]]),
      ...(as === 'typed' ? [[`${name}Type`, type]] : []),
    ],
  )
  return { configVersion: CONFIG_VERSION, ...(Object.fromEntries(saved) as object) }
}

/** The names of what a node reads or writes of a message. */
export const membersOf = (node: string, kind: 'inputs' | 'outputs'): string[] =>
  Object.keys(manifestOf(node)[kind] ?? {}).map((name) => name.replace('?', ''))
