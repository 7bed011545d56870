// The flows in examples/ as the editor draws them: one reads them from left to right, at a glance.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inBrowser, sharedEditor, type Editor, type EditorRED } from '../support/editor'
import { root } from '../support/root'
import { examples, PANEL, read, type FlowNode } from '../recipes/support'

/** What of a flow the editor has drawn, and where. */
interface Box {
  id: string
  group?: string
  label: string
  left: number
  right: number
  top: number
  bottom: number
}
interface Wire {
  from: string
  to: string
  /** Points on its curve. */
  points: Array<{ x: number; y: number }>
}
interface Drawing {
  nodes: Box[]
  groups: Box[]
  wires: Wire[]
}

interface Drawn {
  id: string
  type: string
  name?: string
  x: number
  y: number
  w: number
  h: number
  z: string
  g?: string
  _def: { label?: string | ((this: Drawn) => string); button?: object; align?: string }
}
declare const RED: EditorRED & {
  workspaces: { show(id: string): void }
  nodes: {
    eachNode(visit: (node: Drawn) => void): void
    eachGroup(visit: (group: Drawn) => void): void
  }
}

/** In JSONata. */
const NAMED = '$join([error.cause.gateway.name, error.message], ": ")'
const WIDEST = 1440
const files = (readdirSync(examples, { recursive: true }) as string[]).filter((file) =>
  file.endsWith('.json'),
)

describe('an example flow', () => {
  for (const file of files) {
    it(`${file} has each node in a group, except the comment at its top`, () => {
      const flow = read(file)
      const groups = flow.filter(({ type }) => type === 'group')
      for (const group of groups) {
        const members = flow.filter(({ g }) => g === group.id).map(({ id }) => id)
        should(members.sort()).eql([...group.nodes!].sort(), group.name)
        should(group.name).not.be.empty()
      }
      const single = flow.filter((node) => node.x !== undefined && node.type !== 'group' && !node.g)
      should(single.map(({ type }) => type)).eql(['comment'])
    })

    it(`${file} names its nodes by what they do, and shows errors with the name of the gateway`, () => {
      const flow = read(file)
      for (const node of flow) {
        // Nodes of this package say so by themselves.
        if (
          ['tab', 'group', 'global-config'].includes(node.type) ||
          node.type.startsWith('media-gateway-')
        )
          continue
        should(node.name).be.a.String().and.not.equal('', `${node.type} ${node.id}`)
      }
      const error = flow.find(({ type, name }) => type === 'debug' && name === 'error')!
      // Of an inventory, an error names the appliance itself.
      const isOfOne = flow.every(({ inventory }) => inventory === undefined)
      const complete = isOfOne ? NAMED : 'error.message'
      should(error).containEql({ tostatus: true, tosidebar: true, complete })
      const by = (id: string): FlowNode => flow.find((node) => node.id === id)!
      const catches = flow.filter(({ type }) => type === 'catch')
      should(catches).not.be.empty()
      for (const each of catches) should(reached(each, by)).matchAny(/^debug/)
    })
  }

  /** What a message can come to from a node: types and names. */
  function reached(from: FlowNode, by: (id: string) => FlowNode): string[] {
    const seen = new Set<FlowNode>()
    const visit = (node: FlowNode): void => {
      if (seen.has(node)) return
      seen.add(node)
      for (const id of [...(node.wires ?? []).flat(), ...linksOf(node)]) visit(by(id))
    }
    visit(from)
    return [...seen].map(({ type, name }) => `${type} ${name}`)
  }

  const linksOf = (node: FlowNode): string[] =>
    node.type === 'link out' ? (node['links'] as string[]) : []
})

inBrowser('an example flow in the editor', function () {
  this.timeout(60_000)

  let editor: Editor

  before(async () => {
    editor = await sharedEditor()
    await editor.deploy([])
    await editor.open({ blank: true })
  })
  after(() => editor?.rest())

  for (const file of files) {
    it(`${file} reads from left to right, and nothing is in the way`, async () => {
      await readsWell(file === PANEL ? withoutDashboard(read(file)) : read(file))
    })
  }

  it('the tabs of npm start read from left to right, and nothing is in the way', async () => {
    const { flowOnSimulator } = (await import(
      pathToFileURL(join(root, 'scripts/start/flows.mjs')).href
    )) as { flowOnSimulator: (simulator: { url: string }) => FlowNode[] }
    const flow = flowOnSimulator({ url: 'http://127.0.0.1:8080' })
    const tabs = flow.filter(({ type }) => type === 'tab')
    should(tabs.length).equal(4)
    for (const { id } of tabs) {
      await readsWell(
        flow.filter(({ type, id: own, z }) => own === id || z === id || type === 'media-gateway'),
      )
    }
  })

  async function readsWell(flow: FlowNode[]): Promise<void> {
    const { nodes, groups, wires } = await draw(flow)
    should(nodes.length).be.above(3)
    for (const box of [...nodes, ...groups]) {
      should(box.right).be.belowOrEqual(WIDEST, box.label)
      should(box.left).be.aboveOrEqual(0, box.label)
    }
    should(overlaps(nodes)).eql([])
    should(overlaps(groups)).eql([])
    should(ragged(groups)).eql([])
    const led = new Set(wires.map(({ to }) => to))
    for (const group of groups) {
      should(ragged(nodes.filter((box) => box.group === group.id && !led.has(box.id)))).eql([])
    }
    const named = new Map(nodes.map((box) => [box.id, box]))
    for (const { from, to, points } of wires) {
      const [source, target] = [named.get(from)!, named.get(to)!]
      const wire = `${source.label} to ${target.label}`
      should(target.left).be.above(source.right, wire)
      const crossed = nodes.filter(
        (box) => box !== source && box !== target && points.some((point) => isIn(point, box)),
      )
      should(crossed.map(({ label }) => label)).eql([], wire)
    }
  }

  /** Its nodes are not known here: others of the same size stand for them. */
  const withoutDashboard = (flow: FlowNode[]): FlowNode[] =>
    flow
      .filter(
        ({ type, x }) => type !== 'global-config' && !(type.startsWith('ui-') && x === undefined),
      )
      .map((node) =>
        node.type.startsWith('ui-')
          ? { ...node, type: 'function', outputs: node.wires!.length }
          : node,
      )

  async function draw(flow: FlowNode[]): Promise<Drawing> {
    const { page } = editor
    await page.evaluate((imported) => {
      RED.nodes.clear()
      RED.nodes.import(imported, { generateIds: false })
      RED.workspaces.show(imported.find(({ type }) => type === 'tab')!.id)
      RED.view.redraw(true)
    }, flow)
    await page.waitForFunction(
      (count) => document.querySelectorAll('.red-ui-flow-link-line').length === count,
      flow.flatMap((node) => (node.wires ?? []).flat()).length,
    )
    return page.evaluate(() => {
      const boxOf = (node: Drawn) => {
        const { label } = node._def
        const button = node._def.button ? 20 : 0
        return {
          id: node.id,
          group: node.g,
          label: (typeof label === 'function' ? label.call(node) : label) || node.name || '',
          left: node.x - node.w / 2 - (node._def.align === 'right' ? 0 : button),
          right: node.x + node.w / 2 + (node._def.align === 'right' ? button : 0),
          top: node.y - node.h / 2,
          bottom: node.y + node.h / 2,
        }
      }
      const nodes: Box[] = []
      RED.nodes.eachNode((node) => nodes.push(boxOf(node)))
      const groups: Box[] = []
      RED.nodes.eachGroup(({ id, name = '', x, y, w, h }) =>
        groups.push({ id, label: name, left: x, right: x + w, top: y, bottom: y + h }),
      )
      const wires = [...document.querySelectorAll('.red-ui-flow-link')].flatMap((link) => {
        const data = (link as unknown as { __data__?: { source: Drawn; target: Drawn } }).__data__
        const path = link.querySelector<SVGPathElement>('.red-ui-flow-link-line')
        if (!data || !path) return []
        const length = path.getTotalLength()
        const points = Array.from({ length: 60 }, (_, step) => {
          const { x, y } = path.getPointAtLength((length * step) / 59)
          return { x, y }
        })
        return [{ from: data.source.id, to: data.target.id, points }]
      })
      return { nodes, groups, wires }
    })
  }

  /** Boxes that begin nearly where another one does, and not there. */
  const ragged = (boxes: Box[]): string[] =>
    boxes
      .filter(({ left }) => boxes.some((other) => other.left < left && left - other.left <= 60))
      .map(({ label }) => label)

  const overlaps = (boxes: Box[]): string[] =>
    boxes.flatMap((one, at) =>
      boxes
        .slice(at + 1)
        .filter(
          (other) =>
            one.left < other.right &&
            other.left < one.right &&
            one.top < other.bottom &&
            other.top < one.bottom,
        )
        .map((other) => `${one.label} and ${other.label}`),
    )

  const isIn = ({ x, y }: { x: number; y: number }, box: Box): boolean =>
    x > box.left && x < box.right && y > box.top && y < box.bottom
})
