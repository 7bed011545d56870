// The rows about a fleet: which share of an inventory an instance works for, and its lease and key.
import { DEFAULTS, RANGES } from '../../../client/model/ranges'
import { isShortTtl, numberIn } from '../../../client/model/settings'
import { say } from '../../editor/element'
import { field } from '../../editor/fields'
import { signIcon } from '../../editor/states'
import { text } from '../../editor/text'

export function prepareFleet(node: EditorNode): void {
  prepareShare(node)
  prepareTtl(node)
  prepareKey(node)
}

const WORDS = ['all', 'lease']

/** Beside the choice is the field of the property, shown while it holds a part. */
function prepareShare(node: EditorNode): void {
  const choice = document.querySelector<HTMLSelectElement>('#media-gateway-share')!
  const input = field(node, 'share')
  const place = input.get(0)
  const now = () => input.val() ?? ''
  place.ariaLabel = text('label.part')
  let part = WORDS.includes(now()) ? '' : now()

  function show(): void {
    choice.value = WORDS.includes(now()) ? now() : 'part'
    place.hidden = choice.value !== 'part'
  }

  choice.addEventListener('change', () => {
    const isPart = choice.value === 'part'
    if (!WORDS.includes(now())) part = now()
    enter(input, isPart ? part : choice.value)
    show()
    if (isPart) place.focus()
  })
  show()
}

/** As if it were typed: the form checks it. */
export const enter = (input: EditorQuery, value: string): unknown =>
  input.val(value).trigger('change')

/** Warns of a lease TTL that is too short for a cluster; what a variable holds is not known here. */
function prepareTtl(node: EditorNode): void {
  const place = document.querySelector<HTMLElement>('#media-gateway-short-ttl')!
  const [ttl, replicas] = [field(node, 'leaseTtl'), field(node, 'engineReplicas')]

  function show(): void {
    const seconds = numberIn(ttl.val() || DEFAULTS.leaseTtl, RANGES.leaseTtl)
    const isShort = seconds !== undefined && isShortTtl(seconds, Number(replicas.val()))
    say(place, ...(isShort ? [signIcon('warning'), ` ${text('hint.shortTtl')}`] : []))
  }

  for (const input of [ttl, replicas]) input.on('change keyup', show)
  show()
}

/** The button makes a key, and shows it: it has to be entered on the other instances too. */
function prepareKey(node: EditorNode): void {
  const input = field(node, 'fleetKey')
  const place = input.get(0) as HTMLInputElement
  const button = document.querySelector('#media-gateway-fleet-key')!
  button.textContent = text('fleetKey.generate')
  button.addEventListener('click', () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    place.type = 'text'
    enter(input, Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''))
    place.select()
  })
}
