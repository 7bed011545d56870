// A config node with an inventory: its appliances, those in trouble first. One that is opened shows its
// routes and is polled; of the others, what Node-RED knows anyway.
import { type RequestError, sentenceOf } from '../../editor/ask'
import { arrange, element, say } from '../../editor/element'
import type { Sign } from '../../editor/states'
import { language } from '../../editor/text'
import type { FleetList, FleetQuestion, FleetRow, ListedGateway, Place } from '../../wire'
import { request } from './api'
import { createFleetRow, isInTrouble, signOfRow, type FleetRowView } from './fleet-row'
import { createFleetTools } from './fleet-tools'
import { createGatewayPanel, nameOf, type Panel, type PanelOptions } from './gateway-panel'
import { createHead } from './head'
import { text } from './text'
import { isHeld, whenReleased } from './widgets'

const OLD_MS = 10_000
/** A file of the wrong kind has as many faults as rows. */
const MOST_FAULTS = 20

let counter = 0

export function createFleetPanel(listed: ListedGateway, options: PanelOptions): Panel {
  const id = `media-gateway-sidebar-fleet-${counter++}`
  let gateway = listed
  let isOpen = options.isOpen
  /** What was asked for the answer that is shown, and when it came, in ms by the clock of this page. */
  let answer: FleetList | undefined
  let answeredAt = 0
  let shownFor = ''
  let inTrouble: { number: number; isAll: boolean } | undefined
  let failure: RequestError | undefined
  let isShownOld = false
  let order: string[] = []
  const rows = new Map<string, FleetRowView>()
  const panels = new Map<string, Panel>()

  const head = createHead(id, `${id}-body`, () => {
    isOpen = !isOpen
    panels.clear()
    answer = undefined
    inTrouble = undefined
    show()
    options.onToggle(isOpen)
  })
  const tools = createFleetTools(() => {
    showRows(true)
    options.onCommand()
  })
  const faults = element('ul.media-gateway-sidebar-faults')
  const notice = element('div.media-gateway-sidebar-notice')
  const label = text('fleet.label', { name: nameOf(listed) })
  const list = element('div.media-gateway-sidebar-appliances', { role: 'group', ariaLabel: label })
  const top = element('div', ...head.elements)
  const content = [tools.element, faults, notice, list, tools.further]
  const body = element('div', { id: `${id}-body` }, ...content)
  const panel = element('section.media-gateway-sidebar-block', top, body)
  const messages = element('div')

  whenReleased(list, showRows)

  const isOld = (): boolean => failure !== undefined || Date.now() - answeredAt > OLD_MS

  function show(isOther = false): void {
    isShownOld = isOld()
    showHead()
    showFaults()
    showRows(isOther)
  }

  function showHead(): void {
    const { appliances = 0, owned = 0, faults: wrong = [] } = gateway.inventory ?? {}
    const number = inTrouble?.number ?? 0
    const facts = [
      text('fleet.appliances', { number: appliances }),
      text('fleet.owned', { number: owned }),
    ]
    if (inTrouble && !isOld()) {
      facts.push(text(inTrouble.isAll ? 'fleet.trouble' : 'fleet.troubleMore', { number }))
    }
    if (wrong.length > 0) facts.push(text('fleet.faults', { number: wrong.length }))
    if (gateway.readOnly) facts.push(text('readOnly'))
    head.show({ title: nameOf(gateway), address: '', isOpen, tone: tone(), facts })
    showAge()
    body.hidden = !isOpen
  }

  function tone(): Sign {
    if (gateway.error) return 'critical'
    if (isOld()) return answer || failure ? 'warning' : 'unknown'
    const signs = (answer?.rows ?? []).map(signOfRow)
    if (signs.includes('critical')) return 'critical'
    const isWrong = (gateway.inventory?.faults.length ?? 0) > 0
    return isWrong || (inTrouble?.number ?? 0) > 0 ? 'warning' : 'ok'
  }

  /** Only what is out of date has an age. */
  function showAge(): void {
    head.showAge(answer && isOld() ? Date.now() - answeredAt : undefined)
  }

  function showFaults(): void {
    const wrong = gateway.inventory?.faults ?? []
    const sentences = wrong.slice(0, MOST_FAULTS).map(sentenceOf)
    if (wrong.length > MOST_FAULTS) {
      sentences.push(text('fleet.moreFaults', { number: wrong.length - MOST_FAULTS }))
    }
    // What somebody reads or marks stays as it is.
    say(faults, ...sentences.map((sentence) => element('li', sentence)))
    faults.hidden = sentences.length === 0
  }

  /** `isOther`: the user has asked for other appliances than those shown. */
  function showRows(isOther = false): void {
    const found = isOpen ? (answer?.rows ?? []) : []
    const before = new Set(order)
    order = orderOf(found, isOther)
    const known = new Map(found.map((row) => [row.name, row]))
    const isWanted = new Set(order)
    for (const name of rows.keys()) if (!isWanted.has(name)) rows.delete(name)
    for (const name of order) {
      const row = known.get(name)
      const view = rows.get(name) ?? createFleetRow(`${id}-${counter++}`, name, () => openOne(name))
      rows.set(name, view)
      if (row) view.show(row, isOld())
      else view.age()
      if (row) panels.get(name)?.update(listedOne(row))
    }
    arrange(list, ...order.map((name) => (panels.get(name) ?? rows.get(name)!).element))
    const shown = [...panels].filter(([name]) => isWanted.has(name))
    arrange(messages, ...shown.map(([, one]) => one.messages))
    notice.textContent = noticeWords()
    notice.hidden = notice.textContent === ''
    // The button may be gone now, or far below what it has brought.
    const added = isOther && tools.isAtMore() ? order.find((name) => !before.has(name)) : undefined
    tools.show({ found: answer?.found ?? 0, shown: found.length })
    if (added !== undefined) rows.get(added)?.focus()
    options.onChange()
  }

  /** Rows under the mouse or the focus keep their places; what is new comes below them. */
  function orderOf(found: readonly FleetRow[], isOther: boolean): string[] {
    if (!isOpen) return []
    const names = found.map(({ name }) => name)
    const kept = isHeld(list) && !isOther ? order : []
    // What is open stays, wherever it would be in the list.
    const open = tools.isWhole() ? [...panels.keys()] : []
    return [...new Set([...kept, ...names, ...open])]
  }

  function noticeWords(): string {
    const fault = gateway.error ?? failure
    if (fault) return sentenceOf(fault)
    if (!answer) return text('loading')
    if (answer.total === 0) return text('fleet.none')
    return answer.found === 0 ? text('fleet.noMatch') : ''
  }

  function listedOne({ name, address }: Pick<FleetRow, 'name' | 'address'>): ListedGateway & Place {
    const { id: gatewayId, name: of, readOnly } = gateway
    return { id: gatewayId, name: of, readOnly, appliance: name, address }
  }

  function openOne(name: string): void {
    const row = answer?.rows.find((one) => one.name === name)
    if (!row) return
    const opened = createGatewayPanel(listedOne(row), {
      ...options,
      isOpen: true,
      onToggle() {
        panels.delete(name)
        showRows()
        options.onChange(true)
        rows.get(name)?.focus()
        options.onCommand()
      },
    })
    panels.set(name, opened)
    showRows()
    options.onChange(true)
    opened.element.querySelector('button')?.focus()
    options.onCommand()
  }

  const openOnes = (): Panel[] => order.flatMap((name) => panels.get(name) ?? [])

  /** Of a closed one, only how many are in trouble is of interest. */
  const questionNow = (): FleetQuestion =>
    isOpen ? { id: gateway.id, ...tools.question() } : { id: gateway.id, trouble: true, limit: 1 }

  async function askForList(): Promise<'gone' | undefined> {
    const asked = questionNow()
    const key = JSON.stringify(asked)
    const question = { ...asked, language: language() }
    const { answer: latest, failure: missed } = await request('appliances', question)
    // The user has asked for something else meanwhile.
    if (JSON.stringify(questionNow()) !== key) return undefined
    if (latest && 'notDeployed' in latest) return 'gone'
    failure = missed
    if (latest) take(latest)
    const isOther = key !== shownFor
    shownFor = key
    show(isOther)
    return undefined
  }

  function take(latest: FleetList): void {
    if (latest.error) {
      // As the list of gateways would say, which is read less often. What was known grows old.
      gateway = { ...gateway, error: latest.error }
      return
    }
    answer = latest
    answeredAt = Date.now()
    const before = inTrouble?.number ?? 0
    inTrouble = troubleIn(latest)
    if (inTrouble && inTrouble.number > before) {
      const words = text('fleet.trouble', { number: inTrouble.number })
      options.speak(`${nameOf(gateway)}: ${words}`)
    }
  }

  /** Those in trouble come first: where others follow, all of them are in sight. */
  function troubleIn({ rows: found, found: all }: FleetList): typeof inTrouble {
    if (!isOpen || tools.isTroubleOnly()) return { number: all, isAll: true }
    if (!tools.isWhole()) return undefined
    const number = found.filter(isInTrouble).length
    return { number, isAll: number < found.length || found.length === all }
  }

  show()
  return {
    id: listed.id,
    element: panel,
    messages,
    get isWaiting() {
      return answer === undefined || openOnes().some(({ isWaiting }) => isWaiting)
    },
    get lists() {
      return openOnes().flatMap(({ lists }) => lists)
    },
    update(latest) {
      gateway = latest
      show()
    },
    async ask() {
      if (gateway.error) return undefined
      const [state] = await Promise.all([askForList(), ...openOnes().map((one) => one.ask())])
      return state
    },
    forgetVersion(isDeployed) {
      for (const one of panels.values()) one.forgetVersion(isDeployed)
    },
    tick() {
      for (const one of openOnes()) one.tick()
      if (isOld() === isShownOld) showAge()
      else show()
    },
  }
}
