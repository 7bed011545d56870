// The script of all forms, loaded once, by gateway.html. The templates contain the rows; this
// brings those that exist to life.
import { concernsInventory } from './editor/pickers/appliance-row'
import { checks, type Check } from './editor/checks'
import { prepareForm, saveForm } from './editor/form'
import { shownValue } from './editor/fields'
import { labelOf } from './editor/label'
import { prepareNew } from './editor/new-node'
import { checkTyped } from './editor/typed'
import { definitionFault } from './editor/route-form/use'
import { reason, text, type CheckOptions } from './editor/text'
import { ensure } from './ensure-route/editor'
import { failover } from './failover/editor'
import { gateway } from './gateway/editor'
import { metrics } from './metrics/editor'
import { watch } from './watch/editor'

/** The value of a plain field or in a saved node; undefined when a flow lacks the property. */
type Value = string | number | undefined

const mediaGatewayNodes = {
  /** To call in `onadd`. */
  prepareNew,

  /** What a node without a name does; empty where its messages say it. */
  label: labelOf,

  /** To call in `oneditprepare`. */
  prepareForm,

  /** To call in `oneditsave`. */
  saveForm,

  /** The present value of a property: in the open form of the node, or else in the node. */
  value: shownValue,

  /** True, or the reason why the value is not valid. */
  check(name: Check, value: Value, options: CheckOptions = {}): true | string {
    // A property that a flow does not have takes its default when it runs.
    const fault = value === undefined ? undefined : checks[name](String(value).trim())
    return fault === undefined || reason(text(`error.${fault[0]}`, fault[1]), options)
  },

  /** The same for a property with a type beside it, such as `route` and `routeType`. */
  checkTyped(
    node: EditorNode,
    property: string,
    value: Value,
    options: CheckOptions = {},
  ): true | string {
    if (value === undefined) return true
    const type = shownValue(node, `${property}Type`)
    const fault = checkTyped(type, value)
    if (fault !== true) return reason(fault, options)
    if (property !== 'definition' || type !== 'json') return true
    const inside = definitionFault(node, String(value))
    return inside === undefined || reason(inside, options)
  },

  /** The same for `appliance`, which counts only where the gateway has an inventory. */
  checkAppliance(node: EditorNode, value: Value, options: CheckOptions = {}): true | string {
    const isUsed = concernsInventory(shownValue(node, 'gateway'), shownValue(node, 'gateways'))
    return !isUsed || mediaGatewayNodes.checkTyped(node, 'appliance', value, options)
  },

  /** What only the form of ensure route needs. */
  ensure,

  /** What only the form of the failover needs. */
  failover,

  /** What only the form of the config node needs. */
  gateway,

  /** What only the form of the metrics node needs. */
  metrics,

  /** What only the form of the watch needs. */
  watch,
}

declare global {
  interface Window {
    mediaGatewayNodes: typeof mediaGatewayNodes
  }
}

window.mediaGatewayNodes = mediaGatewayNodes
