// What becomes of an error in the example flows. A Catch node adds an error to a message that is as
// it was when it failed: from a watch, without anything else.
import jsonata from 'jsonata'
import { tmpdir } from 'node:os'
import { exampleFiles, Functions, type Message } from './functions'
import { read, type FlowNode } from './support'

const WHY = 'The gateway refused it: <b>no</b>'

/** Nodes that pass a message on much as it came. */
const PASSING = /^(link in|link out|switch|delay|trigger|change|template|junction)$/

const PAYLOADS: Array<[string, Message]> = [
  ['no payload', {}],
  ['the payload null', { payload: null }],
  ['a text as payload', { payload: 'text' }],
  ['a number as payload', { payload: 42 }],
  ['a list as payload', { payload: [null] }],
  ['an object as payload', { payload: { error: {} } }],
]
const CAUSES: Array<[string, Message]> = [
  ['', {}],
  [' and no cause', { cause: null }],
  [' and a code', { cause: { code: 'NOT_FOUND', applied: 'no', gateway: { name: 'G' } } }],
]
const REQUESTS: Array<[string, Message]> = [
  ['', {}],
  [' of a request', { req: { method: 'GET', params: {}, query: {}, headers: {} }, res: {} }],
]

/** What has gone before, where a function takes part in something longer. */
const BEFORE: Record<string, (functions: Functions) => void> = {
  'Recipes/Salvo.json': ({ flow }) =>
    flow.set('outcomes', { salvo: 'stop', total: 1, done: [], failed: [] }),
}
/** These go on with what was under way, and tell how that ends: other tests let it fail for good. */
const UNDER_WAY = new Map([
  ['Recipes/Key rotation.json: one end fails', 'both or none'],
  ['Recipes/Alarm with recovery.json: no response', 'what to send now?'],
])

describe('an error that a Catch node of an example passes on', () => {
  for (const file of exampleFiles) {
    const nodes = read(file)
    for (const each of nodes.filter(({ type }) => type === 'catch')) {
      const title = `${file}: ${each.name}`
      it(`${title}: is told, whatever the message has besides it`, async () => {
        for (const [what, payload] of PAYLOADS) {
          for (const [which, cause] of CAUSES) {
            for (const [whose, request] of REQUESTS) {
              const scope = each.scope?.[0] ?? nodes.find(({ z }) => z === each.z)!.id
              const { id, type, name = '' } = nodes.find((node) => node.id === scope)!
              const error = { message: WHY, source: { id, type, name }, ...cause }
              const { ends, ran } = await follow(file, each, { error, ...payload, ...request })
              const label = `${what}${which}${whose}: ${ran.join(', ')}`
              if (UNDER_WAY.has(title)) should(ran).eql([UNDER_WAY.get(title)])
              else should(ends.some((text) => text.includes(WHY))).be.true(label)
            }
          }
        }
      })
    }
  }

  it('comes to functions in many of them', async () => {
    let reached = 0
    for (const file of exampleFiles) {
      for (const each of read(file).filter(({ type }) => type === 'catch')) {
        const { ran } = await follow(file, each, { error: { message: WHY, source: {} } })
        if (ran.length > 0) reached++
      }
    }
    should(reached).be.above(10)
  })
})

/** Sends a message from a node: the functions it ran, and what they and other nodes made of it. */
async function follow(file: string, from: FlowNode, msg: Message) {
  const nodes = read(file)
  const env = { SLACK: 'http://chat/', TEAMS: 'http://chat/', HOME: tmpdir(), ARMED: true }
  const functions = new Functions(nodes, env)
  BEFORE[file]?.(functions)
  const ends: string[] = []
  const ran: string[] = []
  const deliver = async (ids: string[], sent: Message): Promise<void> => {
    should(ran.length).be.below(100)
    for (const node of nodes.filter(({ id }) => ids.includes(id))) {
      if (node.type === 'function') {
        ran.push(node.name!)
        const { sent: outputs, errors } = functions.run(node, { ...sent })
        ends.push(...errors)
        for (const [at, output] of outputs.entries()) {
          for (const each of output) await deliver(node.wires![at] ?? [], each)
        }
      } else if (node.type === 'link out') await deliver(node['links'] as string[], sent)
      else if (node.type === 'change') await deliver(node.wires!.flat(), await changed(node, sent))
      else if (PASSING.test(node.type)) await deliver(node.wires!.flat(), sent)
      else ends.push(texts(sent).join('\n'))
    }
  }
  await deliver(from.wires!.flat(), msg)
  return { ends, ran }
}

/** The message after the rules of a change node that examples have behind a Catch node. */
async function changed(node: FlowNode, msg: Message): Promise<Message> {
  const after = { ...msg }
  for (const { t, p, to, tot } of node['rules'] as Array<Record<string, string>>) {
    if (t === 'delete') delete after[p!]
    else if (tot === 'jsonata') after[p!] = (await jsonata(to!).evaluate(after)) as unknown
    else throw new Error(`No rule ${t} ${tot} was expected.`)
  }
  return after
}

const texts = (value: unknown): string[] =>
  value !== null && typeof value === 'object'
    ? Object.values(value).flatMap(texts)
    : [String(value)]
