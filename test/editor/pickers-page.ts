// Pickers for device, route and destination: a real browser, Node-RED and simulator.
import type { Page, Request } from 'playwright-core'
import { startSimulator, type Simulator } from '../../simulator'
import {
  CONFIG,
  inBrowser,
  sharedEditor,
  type Editor,
  type EditorRED,
  type Properties,
  type View,
} from '../support/editor'
import { flawsOf } from '../support/looks'
import { takePicture } from '../support/pictures'
import { until } from '../support/until'

declare const RED: EditorRED

export const GET = 'media-gateway-get-route'
export const CONTROL = 'media-gateway-control-route'
/** Nothing listens there, nor can anything that takes a free port. */
const NOBODY = 'http://127.0.0.1:1'

/** Describes a suite on a flow with saved and empty fields, on two appliances and one that is away. */
export function withPickers(
  subject: string,
  suite: (pickers: ReturnType<typeof pickersPage>) => void,
): void {
  inBrowser(subject, function () {
    this.timeout(60_000)
    const pickers = pickersPage()
    suite(pickers)
    it('make no error and ask nobody outside', () => {
      should(pickers.editor().complaints).eql([])
    })
  })
}

function pickersPage() {
  let editor: Editor
  let page: Page
  let studio: Simulator
  let several: Simulator
  /** What the editor has asked the runtime to look up. */
  let lookups: Properties[]

  before(async function () {
    studio = await startSimulator()
    several = await startSimulator({ devices: 3, routes: 4 })
    const credentials = { username: 'operator', password: 'supervisor' }
    const place = { z: 'tab', x: 200, y: 80, wires: [[]] }
    const [route] = studio.routes
    const auto = { gateway: 'gateway', device: '', deviceType: 'auto' }
    editor = await sharedEditor()
    await editor.deploy([
      { id: 'tab', type: 'tab', label: 'test' },
      { id: 'gateway', type: CONFIG, name: 'Studio', baseUrl: studio.url, credentials },
      { id: 'several', type: CONFIG, name: 'Several', baseUrl: several.url, credentials },
      { id: 'away', type: CONFIG, name: 'Away', baseUrl: NOBODY, credentials },
      { ...place, id: 'plain', type: GET, ...auto, route: 'routeId', routeType: 'msg' },
      { ...place, id: 'known', type: GET, ...auto, route: route!.id, routeType: 'id' },
      { ...place, id: 'named', type: GET, ...auto, route: 'Weather desk', routeType: 'name' },
      { ...place, id: 'unknown', type: GET, ...auto, route: 'gone', routeType: 'id' },
      { ...place, id: 'far', type: GET, ...auto, gateway: 'away', route: 'x1', routeType: 'id' },
      {
        ...place,
        id: 'target',
        type: CONTROL,
        ...auto,
        action: 'start',
        target: 'destination',
        route: 'Stadium North',
        routeType: 'name',
        destination: '',
        destinationType: 'id',
      },
      {
        ...place,
        id: 'one-of-three',
        type: GET,
        gateway: 'several',
        device: several.devices[1]!._id,
        deviceType: 'id',
        route: several.devices[1]!.routes[0]!.id,
        routeType: 'id',
      },
      {
        ...place,
        id: 'watch',
        type: 'media-gateway-watch',
        ...auto,
        route: 'Studio A',
        routeType: 'name',
      },
    ])
    await open()
  })

  beforeEach(() => {
    lookups = []
  })

  after(async () => {
    await editor?.rest()
    const left = () => studio.openSessions + several.openSessions
    await until(
      () => left() === 0,
      () => `the end of ${left()} sessions`,
    )
    await studio.stop()
    await several.stop()
  })

  const open = (view: View = {}) => editor.open({ ...view, prepare })

  function prepare(opened: Page) {
    page = opened
    page.on('request', (request: Request) => {
      if (!request.url().endsWith('/media-gateway/lookup')) return
      lookups.push(request.postDataJSON() as Properties)
    })
  }

  async function addGateway(id: string, { url }: Simulator, password = 'supervisor') {
    await editor.add({ id, type: CONFIG, name: id, baseUrl: url, timeout: 10000 })
    const credentials = { username: 'operator', password }
    await page.evaluate(
      ([added, given]) => {
        Object.assign(RED.nodes.node(added)!, { changed: true, credentials: given })
      },
      [id, credentials] as const,
    )
  }

  let counter = 0

  async function openNew(properties: Properties = {}): Promise<string> {
    const id = `new-${counter++}`
    const empty = {
      gateway: 'gateway',
      device: '',
      deviceType: 'auto',
      route: '',
      routeType: 'msg',
    }
    await editor.add({ id, type: GET, x: 0, y: 0, ...empty, ...properties })
    await editor.openForm(id)
    return id
  }

  /** Lets the look-ups wait until the function returned is called. */
  async function holdLookups(): Promise<() => Promise<void>> {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/media-gateway/lookup', async (route) => {
      await released
      await route.continue()
    })
    return async () => {
      release()
      await page.unroute('**/media-gateway/lookup')
    }
  }

  const row = (property: string) =>
    page.locator('.form-row', { has: page.locator(`#node-input-${property}`) })
  const field = (property: string) => row(property).locator('.red-ui-typedInput-input')
  const line = (property: string) => page.locator(`#media-gateway-picker-says-${property}`)
  const reload = (property: string) => row(property).locator('.media-gateway-picker-reload')
  const option = (name: string) =>
    page.locator('.media-gateway-picker-option:visible', {
      has: page.locator('.media-gateway-picker-name', { hasText: new RegExp(`^${name}$`) }),
    })
  const options = () =>
    page.locator('.media-gateway-picker-option:visible .media-gateway-picker-name').allInnerTexts()
  const chosen = () =>
    page.locator('[aria-selected="true"]:visible .media-gateway-picker-name').innerText()

  /** Chooses a type with the mouse. */
  async function typed(property: string, kind: string) {
    await row(property).locator('.red-ui-typedInput-type-select').click()
    await page.locator(`.red-ui-typedInput-options:visible [value="${kind}"]`).click()
  }

  async function says(property: string, wanted: string | RegExp) {
    let said = ''
    const is = async () => {
      said = (await line(property).innerText()).trim()
      return typeof wanted === 'string' ? said === wanted : wanted.test(said)
    }
    await until(is).catch(() => should(said).equal(String(wanted)))
  }

  const settled = () =>
    page.waitForFunction(() => document.querySelector('.media-gateway-loading') === null)

  /** The browser itself tells a failed call as an error. */
  function expectFailed(number: number) {
    const complaints = editor.complaints.splice(0)
    should(complaints).matchEach(/Failed to load resource/)
    should(complaints).have.length(number)
  }

  /** Looks for what can be computed; the picture is for the eye. */
  async function shoot(name: string) {
    should(await flawsOf(page.locator('.media-gateway-form'))).eql([], name)
    await takePicture(page.locator('.red-ui-tray-body').last(), `picker-${name}`)
  }

  return {
    editor: () => editor,
    page: () => page,
    studio: () => studio,
    several: () => several,
    lookups: () => lookups,
    open,
    addGateway,
    openNew,
    holdLookups,
    row,
    field,
    line,
    reload,
    option,
    options,
    chosen,
    typed,
    says,
    settled,
    expectFailed,
    shoot,
  }
}
