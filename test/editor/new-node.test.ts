// The gateway of a node that was just added.
import { CONFIG, type EditorRED, type Properties } from '../support/editor'
import { withRouteForm } from './route-form-page'

declare const RED: EditorRED

withRouteForm('a new node', (routeForm) => {
  const { editor, page, simulator, give } = routeForm

  /** What a node has that the editor makes as when it comes from the palette. */
  const fresh = () =>
    page().evaluate(() => {
      const editorRed = RED as unknown as {
        view: { createNode: (type: string) => { node: { gateway: string } } }
      }
      return editorRed.view.createNode('media-gateway-get-route').node.gateway
    })
  const change = (properties: Properties) =>
    page().evaluate((values) => void Object.assign(RED.nodes.node('second')!, values), properties)

  it('has the only gateway that it can use', async () => {
    should(await fresh()).equal('gateway')
    await editor().add({ id: 'second', type: CONFIG, name: 'B', baseUrl: simulator().url })
    should(await fresh()).equal('')
    await change({ d: true })
    should(await fresh()).equal('gateway')
    await change({ d: undefined, z: 'another-flow' })
    should(await fresh()).equal('gateway')
    await change({ z: 'tab' })
    should(await fresh()).equal('')
    await change({ d: true, z: undefined })
  })

  it('is for a route that is picked by its name, and saved it stays what it was', async () => {
    const types = ['get-route', 'update-route', 'delete-route', 'control-route', 'statistics']
    const made = await page().evaluate((names) => {
      const editorRed = RED as unknown as {
        view: { createNode: (type: string) => { node: Properties } }
      }
      return names.map((name) => {
        const { route, routeType } = editorRed.view.createNode(`media-gateway-${name}`).node
        return [route, routeType]
      })
    }, types)
    should(made).eql(types.map(() => ['', 'name']))
    for (const [index, saved] of [{}, { route: 'routeId', routeType: 'msg' }].entries()) {
      const id = `saved-${index}`
      const type = 'media-gateway-control-route'
      await editor().add({ id, type, gateway: 'gateway', x: 0, y: 0, ...saved })
      const before = await editor().exported(id)
      const form = await editor().openForm(id)
      should(await form.locator('#node-input-routeType').inputValue()).equal('msg')
      await editor().press('ok')
      should(await editor().exported(id)).eql(before)
      should(await editor().state(id)).containEql({ changed: false, valid: true })
    }
  })

  it('stands in the palette in the order in which most users need it', async () => {
    const types = await page()
      .locator('#red-ui-palette-media_gateway [data-palette-type]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-palette-type')))
    const first = ['watch', 'control-route', 'list-routes', 'ensure-route', 'failover']
    should(types.slice(0, 5)).eql(first.map((name) => `media-gateway-${name}`))
    should(types).have.length(15)
  })

  it('that is pasted or imported keeps the gateway that it had, known or not', async () => {
    const pasted = await page().evaluate(
      (gateways) => {
        const editorRed = RED as unknown as {
          view: { importNodes: (nodes: Properties[], options: Properties) => void }
          nodes: { eachNode: (visit: (node: Properties) => void) => void }
        }
        const type = 'media-gateway-get-route'
        const added = gateways.map((gateway, index) => ({
          id: `pasted-${index}`,
          type,
          x: 100,
          y: 100 * index,
          z: 'tab',
          name: `pasted ${index}`,
          gateway,
          wires: [[]],
        }))
        editorRed.view.importNodes(added, { generateIds: true, touchImport: true, notify: false })
        const found: unknown[] = []
        editorRed.nodes.eachNode((node) => {
          if (String(node['name']).startsWith('pasted')) found.push(node['gateway'])
        })
        return found
      },
      ['', 'gone', 'gateway'],
    )
    should(pasted).eql(['', 'gone', 'gateway'])
  })

  it('of before keeps none: to look at it is not to choose', async () => {
    await give('create', { gateway: '', changed: false })
    await page().evaluate(() => void Object.assign(RED.nodes.node('create')!, { changed: false }))
    await editor().openForm('create')
    await editor().press('ok')
    should(await editor().exported('create')).containEql({ gateway: '' })
    should(await editor().state('create')).containEql({ changed: false })
  })
})
