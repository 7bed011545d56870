import type { Node } from 'node-red'
import type { GatewayError } from '../../client/internal'
import type { Language } from '../../client/model/watch'
import { shortened } from '../../client/model/shortened'
import { briefly } from './reason'
import { LONGEST_NAME, type Words } from './words'

/** How it is with one appliance of many. */
export interface Standing {
  fill: 'green' | 'yellow' | 'red'
  /** It counts among those that do what they should. */
  isUp: boolean
  /** What is to be said of it; with the same key it is the same news. Absent where all is well. */
  trouble?: { key: string; text: () => string }
}

/** The status of a node that works for many appliances: one line, trouble first. */
export interface FleetStatus {
  /** An appliance that nothing is known of yet has no standing. */
  set(name: string, standing?: Standing): void
  remove(name: string): void
  /** What is wrong with the inventory: all of it, or the rows that concern the node. */
  faulty(failure: GatewayError | undefined, rows: readonly GatewayError[]): void
  /** The node cannot work. */
  fail(failure: GatewayError): void
  /** Clears the status: Node-RED would show it under the node that a deploy puts in its place. */
  close(): void
}

/**
 * Creates the status of one node. It is made once for all that happens in one turn of the event loop.
 * @param kind with which the texts of the catalog begin, such as `watch:status`
 */
export function createFleetStatus(
  node: Node,
  words: Words,
  kind: string,
  language: Language,
): FleetStatus {
  const numbers = new Intl.NumberFormat(language)
  const all = new Map<string, Standing | undefined>()
  /** Those in trouble, the earliest first. */
  const troubled = { red: new Map<string, Standing>(), yellow: new Map<string, Standing>() }
  let good = 0
  let known = 0
  let failure: GatewayError | undefined
  let rows: readonly GatewayError[] = []
  let shown = ''
  let pending: NodeJS.Immediate | undefined
  let closed = false

  function put(name: string, standing: Standing | undefined): void {
    const before = all.get(name)
    known += Number(standing !== undefined) - Number(before !== undefined)
    good += Number(standing?.isUp ?? false) - Number(before?.isUp ?? false)
    for (const fill of ['red', 'yellow'] as const) {
      if (standing?.trouble && standing.fill === fill) troubled[fill].set(name, standing)
      else troubled[fill].delete(name)
    }
  }

  function changed(): void {
    pending ??= setImmediate(() => {
      pending = undefined
      render()
    })
  }

  function show(fill: Standing['fill'], text: string): void {
    if (closed || `${fill} ${text}` === shown) return
    shown = `${fill} ${text}`
    node.status({ fill, shape: fill === 'green' ? 'dot' : 'ring', text })
  }

  function render(): void {
    if (failure) return show('red', briefly(failure, words))
    const total = all.size + rows.length
    if (total === 0) return show('yellow', words(`${kind}.fleetNone`, {}))
    const values = { up: numbers.format(good), all: numbers.format(total) }
    const [worst] = troubled.red.size > 0 ? troubled.red : troubled.yellow
    const reason = worst
      ? { name: worst[0], text: worst[1].trouble!.text() }
      : rows[0] && { name: rows[0].cause.appliance ?? '?', text: briefly(rows[0], words) }
    if (!reason) {
      // Before the first polls there is nothing to say.
      if (known > 0) show('green', words(`${kind}.fleet`, values))
      return
    }
    const fill = good === 0 && troubled.red.size > 0 ? 'red' : 'yellow'
    const name = shortened(reason.name, LONGEST_NAME)
    show(fill, words(`${kind}.fleetTrouble`, { ...values, name, reason: reason.text }))
  }

  return {
    set(name, standing) {
      const before = all.get(name)
      const isSame =
        before?.isUp === standing?.isUp &&
        before?.fill === standing?.fill &&
        before?.trouble?.key === standing?.trouble?.key
      if (isSame && all.has(name)) return
      put(name, standing)
      all.set(name, standing)
      changed()
    },
    remove(name) {
      put(name, undefined)
      all.delete(name)
      changed()
    },
    faulty(ofAll, ofRows) {
      failure = ofAll
      rows = ofRows
      changed()
    },
    fail(error) {
      failure = error
      render()
    },
    close() {
      clearImmediate(pending)
      if (shown !== '') node.status({})
      closed = true
    },
  }
}
