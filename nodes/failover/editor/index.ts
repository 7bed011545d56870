// The form of the failover: besides plain rows it has two columns, and sentences that follow it.
import { secretPrefixOf } from '../../editor/connection'
import { SIDES } from '../../../client/model/failover-sides'
import { plainText } from '../../../client/model/json'
import { element, say } from '../../editor/element'
import { field, presentValue, read as readField, type Read } from '../../editor/fields'
import { prepareForm, type OpenForm } from '../../editor/form'
import { isRunning, signIcon } from '../../editor/states'
import { checkTyped, manyDevices, type TypedChoices } from '../../editor/typed'
import { wordsOf } from './faults'
import { showHold } from './hold'
import { followRoute, nowLine } from './now'
import { sentencesOf } from './sentence'
import { faultsIn, MONITORS, propertyOf } from './settings'
import { prepareColumns, prepareMethods, sideTypes } from './sides'
import { text } from './text'

export const failover = {
  prepareForm(node: EditorNode): void {
    const hold = showHold(presentValue(node, 'hold'))
    const form = prepareForm(node, choices(node), { hold })
    prepareMethods(node)
    follow(node, form, hold)
  },

  /** A property that a flow does not have takes its default when it runs. */
  check: (read: Read, property: string): string | undefined =>
    read(property) === undefined ? undefined : faultOf(read, property),
}

function faultOf(now: Read, property: string): string | undefined {
  if (TYPED.includes(property) && isUsed(now, property)) {
    const plain = checkTyped(now(`${property}Type`), textIn(now, property))
    if (plain !== true) return plain
    if (isMonitor(property) && isProtected(now, property)) return text('warning.monitorIsRoute')
  }
  const found = faultsIn(now, secretPrefixOf(now('gateway'))).find(
    ({ path }) => propertyOf(path) === property,
  )
  return found && wordsOf(found)
}

const textIn = (now: Read, property: string): string => plainText(now(property))

const TYPED = ['route', 'main', 'backup', ...MONITORS]
const isMonitor = (property: string) => MONITORS.some((each) => each === property)

function isUsed(now: Read, property: string): boolean {
  if (property === 'route') return now('method') !== 'routes'
  if (property === 'monitorBackup') return textIn(now, property) !== ''
  return property !== 'monitor' || now('restore') === 'monitor'
}

/** The properties that name the routes that are switched: while one is not in use, it receives nothing. */
const switched = (now: Read) => (now('method') === 'routes' ? SIDES : ['route'])

const isProtected = (now: Read, monitor: string): boolean =>
  textIn(now, monitor) !== '' &&
  switched(now).some(
    (route) =>
      textIn(now, route) === textIn(now, monitor) && now(`${route}Type`) === now(`${monitor}Type`),
  )

/** No message says which route is protected. */
const choices = (node: EditorNode): TypedChoices => {
  const byName = sideTypes('routes')
  const sides = sideTypes(presentValue(node, 'method'))
  return {
    ...manyDevices(),
    route: [...byName, 'env', 'flow', 'global'],
    main: sides,
    backup: sides,
    monitor: byName,
    monitorBackup: byName,
  }
}

function follow(node: EditorNode, form: OpenForm, hold: () => unknown): void {
  const at = (id: string) => document.querySelector<HTMLElement>(`#media-gateway-failover-${id}`)!
  const [line, remarks, sentences] = [at('now'), at('faults'), at('says')]
  const now: Read = (property) => {
    if (property === 'hold') return hold()
    const input = field(node, property)
    return input.length > 0 ? readField(input) : presentValue(node, property)
  }
  const changed = () => {
    // The dialog may be closed by now.
    if (line.isConnected) show()
  }
  const columns = prepareColumns(node, form, { now, changed })
  const route = followRoute(form, { now, changed })

  function show(): void {
    const known = route()
    columns.show(known.source)
    say(line, ...nowLine(now, known, { picked: form.picked, take: (side) => columns.take(side) }))
    const faults = faultsIn(now, secretPrefixOf(now('gateway')), known.source)
    const filled = SIDES.filter((side) => textIn(now, side) !== '') as string[]
    const ofSides = faults.filter(({ path }) => filled.includes(propertyOf(path)))
    const rest = columns.showFaults(ofSides).map((fault) => {
      const side = text(`label.${propertyOf(fault.path)}`)
      return item('critical', `${side}: ${wordsOf(fault)}`)
    })
    say(remarks, ...rest, ...remarksOn(now, form))
    const monitor = form.picked.route('monitor')?.name || textIn(now, 'monitor')
    say(sentences, ...sentencesOf(now, monitor).map((words) => element('li', words)))
  }

  for (const property of Object.keys(node._def.defaults)) {
    field(node, property).on('change', changed)
  }
  const whole = line.closest<HTMLElement>('.media-gateway-form')!
  whole.addEventListener('input', changed)
  whole.addEventListener('change', changed)
  form.picked.onChange(changed)
  show()

  const details = at('more') as HTMLDetailsElement
  details.open = ADVANCED.some((property) => faultOf(now, property) !== undefined)
}

const ADVANCED = ['settle', 'guard', 'pollEvery']

const item = (sign: 'critical' | 'warning', words: string) =>
  element('li', signIcon(sign), ' ', words)

/** What the gateway shows to be wrong with the monitors and the user, and a monitor that is missing. */
function remarksOn(now: Read, { appliance, picked }: OpenForm): HTMLElement[] {
  const ofMonitors = MONITORS.filter((property) => isUsed(now, property)).flatMap((property) => {
    const label = text(`label.${property}`)
    if (textIn(now, property) === '') return [item('critical', text('error.monitor'))]
    const found = picked.route(property)
    const isRoute = switched(now).some((route) => found && picked.route(route) === found)
    if (isRoute || isProtected(now, property)) {
      return [item('critical', `${label}: ${text('warning.monitorIsRoute')}`)]
    }
    const isStopped = found && !isRunning(found)
    return isStopped ? [item('warning', `${label}: ${text('warning.monitorStopped')}`)] : []
  })
  const mayNot = appliance.now().found?.mayChange === false
  return [...ofMonitors, ...(mayNot ? [item('warning', text('warning.observer'))] : [])]
}
