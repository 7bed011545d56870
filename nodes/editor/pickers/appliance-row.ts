// The row "Appliance": which appliances of an inventory a node is about. It shows only where the
// gateway of the node has an inventory. Below it, where needed, in which of them the other fields look.
import { RequestError } from '../ask'
import { isVariable } from '../checks'
import { hasInventory } from '../connection'
import { element, iconOf } from '../element'
import { field } from '../fields'
import { applianceState, isCovered, openInventory, type Inventory } from '../inventory'
import { createListeners } from '../look'
import type { Entry, Offer } from './choices'
import { createListbox } from './list'
import { createPicker, entryOf, stateAndPlace, typedField, warning } from './picker'
import { text } from '../text'

export interface ApplianceRow {
  /** The appliance whose devices and routes are offered; undefined while none is chosen. */
  lookIn: () => string | undefined
  /** Says whether the other fields have something to offer, so that one has to be chosen. */
  offersLook: (isWanted: boolean) => void
  /** Calls back when the gateway has changed, or the appliance to look in. */
  onChange: (listener: () => void) => void
}

/** True where a node may be about an inventory: that of its gateway, or of any for all gateways. */
export function concernsInventory(gatewayId: unknown, gateways?: unknown): boolean {
  if (gateways === 'all') {
    let found = false
    RED.nodes.eachConfig((config) => {
      found ||= config.type === 'media-gateway' && !config.d && hasInventory(config)
    })
    return found
  }
  if (typeof gatewayId !== 'string') return false
  // A subflow sets it: nobody knows.
  return isVariable(gatewayId) || hasInventory(RED.nodes.node(gatewayId))
}

/** To call once the fields have become typed inputs. */
export function prepareApplianceRow(node: EditorNode): ApplianceRow {
  const gateway = field(node, 'gateway')
  const gateways = field(node, 'gateways')
  const { tell, onChange } = createListeners()
  const hidden = field(node, 'appliance')
  if (hidden.length === 0) {
    gateway.on('change', tell)
    return { lookIn: () => undefined, offersLook: () => undefined, onChange }
  }

  const isAll = () => gateways.length > 0 && gateways.val() === 'all'
  const gatewayNow = () => {
    const found = isAll() ? undefined : RED.nodes.node(gateway.val() ?? '')
    return hasInventory(found) ? found : undefined
  }
  const inventory = openInventory(gatewayNow)
  const its = typedField(node, 'appliance')
  const row = hidden.closest('.form-row')
  const entry = () => entryOf(its)
  const isNamed = () => entry().type === 'str'
  let isTyping = false
  /** What is typed narrows the list; otherwise it has all, unless it only has to tell of the value. */
  const searched = () => {
    if (!isNamed()) return ''
    const isUsed = document.activeElement === its.input && !isTyping
    return isUsed || isVariable(entry().value) ? '' : entry().value.trim()
  }
  const update = () => {
    if (picker.isOn()) inventory.update({ search: searched() })
    picker.show()
  }
  const picker = createPicker('appliance', its, {
    kind: 'appliance',
    look: () =>
      gatewayNow()
        ? inventory.now()
        : { loading: false, failure: new RequestError(text('picker.gatewayLater')) },
    offer: () => offerOf(inventory),
    isDescribed: (type) => type === 'pattern' && gatewayNow() !== undefined,
    describe: (now) => describe(now, inventory),
    update,
    reload: () => inventory.update({ again: true }),
  })
  const look = createLook(inventory, gatewayNow, tell)
  row.get(0).after(look.element)

  let isLookWanted = false
  const show = () => {
    const isShown = concernsInventory(gateway.val(), isAll() ? 'all' : undefined)
    row.toggle(isShown)
    look.element.hidden = !isShown || !isLookWanted || isNamed() || !gatewayNow()
  }
  inventory.onChange(() => {
    picker.show()
    look.show()
  })
  its.input.addEventListener('input', () => {
    isTyping = true
    update()
  })
  const changed = () => {
    isTyping = false
    show()
    // With another type, the field gets its value only after this event.
    queueMicrotask(() => {
      update()
      tell()
    })
  }
  for (const each of [hidden, gateway, gateways]) each.on('change', changed)
  show()
  update()

  return {
    lookIn() {
      if (!gatewayNow()) return undefined
      if (!isNamed()) return look.value()
      const name = (hidden.val() ?? '').trim()
      return name === '' || isVariable(name) ? undefined : name
    },
    offersLook(isWanted) {
      isLookWanted = isWanted
      show()
    },
    onChange,
  }
}

function offerOf(inventory: Inventory): Offer | undefined {
  const { found, loading } = inventory.now()
  // What fits nothing is followed by something else.
  if (!found || (loading && found.rows.length === 0)) return undefined
  if (found.total === 0) return { items: [], why: text('picker.none.appliance') }
  const items = found.rows.map((one) => ({
    id: one.address ?? '',
    name: one.name,
    place: one.address,
    state: applianceState(one),
  }))
  return { items, number: found.total }
}

function describe({ value }: Entry, inventory: Inventory): (Node | string)[] | undefined {
  const look = inventory.now()
  const found = look.found?.seen.get(value)
  if (found) return stateAndPlace(applianceState(found), found.address)
  return isCovered(look, value) ? [...warning(), text('picker.appliance.unknown')] : undefined
}

/** In which appliance each form looked last, by its gateway: most users ask for the same again. */
const looked = new Map<string, string>()

let counter = 0

/** The row "Offer from": a choice for the lists of this form, which is not saved. */
function createLook(
  inventory: Inventory,
  gatewayNow: () => EditorNode | undefined,
  onChoose: () => void,
) {
  const id = `media-gateway-look-in-${counter++}`
  const words = element('span', text('form.lookIn'))
  const label = element('label', { htmlFor: id }, iconOf('search'), words)
  const placeholder = text('form.chooseAppliance')
  const input = element('input', { id, type: 'text', placeholder, autocomplete: 'off' })
  const frame = element('div.media-gateway-look-in', input)
  const row = element('div.form-row', { hidden: true }, label, frame)
  let chosenFor: string | undefined

  const list = createListbox({
    input,
    frame,
    kind: 'appliance',
    isOn: () => true,
    choices: () => offerOf(inventory)?.items ?? (inventory.now().loading ? undefined : []),
  })
  input.addEventListener('focus', () => inventory.update())
  input.addEventListener('input', () => inventory.update({ search: input.value.trim() }))
  input.addEventListener('change', choose)

  function choose(): void {
    const { id: gatewayId } = gatewayNow() ?? {}
    if (gatewayId !== undefined) looked.set(gatewayId, input.value.trim())
    onChoose()
  }

  return {
    element: row,
    show: list.show,
    /** Another gateway has other appliances. */
    value(): string | undefined {
      const { id: gatewayId } = gatewayNow() ?? {}
      if (gatewayId !== chosenFor) {
        chosenFor = gatewayId
        input.value = looked.get(gatewayId ?? '') ?? ''
      }
      return looked.get(gatewayId ?? '') || undefined
    },
  }
}
