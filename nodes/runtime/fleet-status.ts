import type { Node } from 'node-red'
import type { GatewayError } from '../../client/errors'
import type { Language } from '../../client/model/watch'
import { shortened } from '../../client/model/legible'
import { LAMPS, createLamp, type Lamp } from './lamp'
import { shortReason } from './short-reason'
import { LONGEST_NAME, type Words } from './catalog'

/** How it is with one appliance of many. */
export interface Standing {
  lamp: Lamp
  /** It counts among those that do what they should. */
  isUp: boolean
  /** What is to be said of it; with the same key it is the same news. Absent where all is well. */
  trouble?: { key: string; text: () => string }
}

/** The status of a node that works for many appliances: one line, the worst of them first. */
export type FleetStatus = ReturnType<typeof createFleetStatus>

const WORST_FIRST = Object.keys(LAMPS) as Lamp[]

/**
 * Creates the status of one node. It is made once for all that happens in one turn of the event loop.
 * @param kind with which the texts of the catalog begin, such as `watch:status`
 */
export function createFleetStatus(node: Node, words: Words, kind: string, language: Language) {
  const { show, close } = createLamp(node)
  const numbers = new Intl.NumberFormat(language)
  /** Of those with the same lamp, the earliest first. */
  const all = new Map<string, Standing | undefined>()
  let failure: GatewayError | undefined
  let rows: readonly GatewayError[] = []
  let listed = (): number => 0
  let pending: NodeJS.Immediate | undefined

  function changed(): void {
    pending ??= setImmediate(() => {
      pending = undefined
      render()
    })
  }

  function render(): void {
    if (failure) return show('away', shortReason(failure, words))
    // A row that is faulty may be in use as it was before.
    const others = rows.filter(({ cause: { appliance } }) => appliance && !all.has(appliance))
    const total = all.size + others.length
    if (total === 0) return showNone()
    const known = [...all.values()].filter((one) => one !== undefined)
    const good = known.filter(({ isUp }) => isUp).length
    const bad = known.filter(({ trouble }) => trouble).length
    const values = { up: numbers.format(good), all: numbers.format(total) }
    const lamps = new Set(known.map(({ lamp }) => lamp))
    // Before the first polls there is nothing to say.
    if (known.length > 0 && known.length < all.size) lamps.add('unknown')
    const worst = WORST_FIRST.find((lamp) => lamps.has(lamp))
    const [name, first] = [...all].find(([, one]) => one && one.lamp === worst) ?? []
    const reason = first?.trouble
      ? { lamp: first.lamp, name, text: first.trouble.text() }
      : rows[0] && {
          lamp: 'failing' as const,
          name: rows[0].cause.appliance,
          text: shortReason(rows[0], words),
        }
    if (!reason) {
      if (worst) show(worst, words(`${kind}.fleet`, values))
      return
    }
    if (reason.name === undefined) return show(reason.lamp, reason.text)
    const said = {
      ...values,
      troubled: numbers.format(bad + rows.length),
      name: shortened(reason.name, LONGEST_NAME),
      reason: reason.text,
    }
    show(reason.lamp, words(`${kind}.fleetTrouble`, said))
  }

  function showNone(): void {
    const elsewhere = listed()
    if (elsewhere === 0) return show('failing', words(`${kind}.fleetNone`, {}))
    show('unknown', words(`${kind}.fleetElsewhere`, { all: numbers.format(elsewhere) }))
  }

  return {
    /** An appliance that nothing is known of yet has no standing. */
    set(name: string, standing?: Standing): void {
      const before = all.get(name)
      const isSame =
        before?.isUp === standing?.isUp &&
        before?.lamp === standing?.lamp &&
        before?.trouble?.key === standing?.trouble?.key
      if (isSame && all.has(name)) return
      if (before?.lamp !== standing?.lamp) all.delete(name)
      all.set(name, standing)
      changed()
    },
    remove(name: string): void {
      all.delete(name)
      changed()
    },
    /**
     * What is wrong with the inventory: all of it, or the rows that concern the node.
     * @param ofNode how many appliances the node is for, here or on other instances
     */
    faulty(
      ofAll: GatewayError | undefined,
      ofRows: readonly GatewayError[],
      ofNode: () => number,
    ): void {
      failure = ofAll
      rows = ofRows
      listed = ofNode
      changed()
    },
    fail(error: GatewayError): void {
      failure = error
      render()
    },
    close(): void {
      clearImmediate(pending)
      close()
    },
  }
}
