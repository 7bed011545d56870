// The script of all forms, loaded once, by gateway.html. The templates contain the rows; this
// brings those that exist to life.
import { checks, type Check } from './editor/checks'
import { concernsInventory } from './editor/pickers/appliance-row'
import { prepareForm, saveForm } from './editor/form'
import { applies, shownValue, type Read } from './editor/fields'
import { labelOf } from './editor/label'
import { prepareNew } from './editor/new-node'
import { checkTyped } from './editor/typed'
import { faultsOf, faultWithPath } from './editor/route-form/faults'
import { reason, text, type CheckOptions } from './editor/text'
import { ensure } from './ensure-route/editor'
import { failover } from './failover/editor'
import { gateway } from './gateway/editor'
import { metrics } from './metrics/editor'
import { watch } from './watch/editor'

/** A form that needs more than its rows. */
interface OwnForm {
  prepareForm: (node: EditorNode) => void
  /** What is wrong with a property, in words; undefined if nothing is. */
  check: (read: Read, property: string) => string | undefined
}

const OWN: Record<string, OwnForm | undefined> = {
  'media-gateway': gateway,
  'media-gateway-ensure-route': ensure,
  'media-gateway-failover': failover,
  'media-gateway-metrics': metrics,
  'media-gateway-watch': watch,
}

/** The checks, as a manifest names them. */
const CHECKS = {
  own: (node: EditorNode, property: string, value: unknown): string | undefined =>
    OWN[node.type]?.check((name) => (name === property ? value : shownValue(node, name)), property),

  /** A property that a flow does not have takes its default when it runs. */
  value(_: EditorNode, property: string, value: unknown): string | undefined {
    const given = value as string | number | undefined
    const fault = given === undefined ? undefined : checks[property as Check](String(given).trim())
    return fault && text(`error.${fault[0]}`, fault[1])
  },

  /** With a type beside it, such as `route` and `routeType`. */
  typed(node: EditorNode, property: string, value: unknown): string | undefined {
    if (value === undefined) return undefined
    const type = shownValue(node, `${property}Type`)
    const fault = checkTyped(type, value as string | number)
    if (fault !== true) return fault
    if (property !== 'definition' || type !== 'json') return undefined
    const [first] = faultsOf(node, JSON.parse(value as string))
    return first && faultWithPath(first)
  },

  /** It counts only where the gateway has an inventory. */
  appliance(node: EditorNode, property: string, value: unknown): string | undefined {
    const isUsed = concernsInventory(shownValue(node, 'gateway'), shownValue(node, 'gateways'))
    return isUsed ? CHECKS.typed(node, property, value) : undefined
  },
}

/** What the registration of every node calls: see scripts/build/registration.mjs. */
const mediaGatewayNodes = {
  /** In `onadd`. */
  prepareNew,

  /** What a node without a name does; empty where its messages say it. */
  label: labelOf,

  /** In `oneditprepare`. */
  prepareForm(node: EditorNode): void {
    ;(OWN[node.type]?.prepareForm ?? prepareForm)(node)
  },

  /** In `oneditsave`. */
  saveForm,

  /** True, or the reason why the value of a property is not valid. */
  check(
    node: EditorNode,
    property: string,
    value: unknown,
    options: CheckOptions = {},
  ): true | string {
    const { check = 'own', when } = node._def.defaults[property]!
    // What is not shown does not count. An own check knows that better.
    if (check !== 'own' && when && !applies(when, (name) => shownValue(node, name))) return true
    const fault = CHECKS[check](node, property, value)
    return fault === undefined || reason(fault, options)
  },
}

declare global {
  interface Window {
    mediaGatewayNodes: typeof mediaGatewayNodes
  }
}

window.mediaGatewayNodes = mediaGatewayNodes
