// The function nodes of the examples by themselves, with what Node-RED gives to them.
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'
import { examples, nodeNamed, type FlowNode, type TabProperty } from './support'

export const exampleFiles = (readdirSync(examples, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

/** The names that a plain object has already, and others that are seldom thought of. */
export const HOSTILE = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'gateway',
  'Studio "A"',
  "it's",
  '<b>Studio</b> & {{name}} ${HOME}',
  'Studio 📺 é 名前',
  'Studio\nA',
  'x'.repeat(200),
  'Studio A ',
]

export type Message = Record<string, unknown>

/** What one message made of a function node. */
export interface Ran {
  /** For each output, the messages that left it. */
  readonly sent: Message[][]
  readonly errors: string[]
  readonly statuses: Message[]
  /** What it returned, before it was sorted by outputs. */
  readonly returned: unknown
}

/** Contexts as a store in files keeps them: only what JSON can say survives. */
export class Store {
  readonly values = new Map<string, string>()
  readonly get = (name: string): unknown => {
    const text = this.values.get(name)
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  }
  readonly set = (name: string, value: unknown): void => {
    const text = JSON.stringify(value) as string | undefined
    if (text === undefined) this.values.delete(name)
    else this.values.set(name, text)
  }
  readonly keys = (): string[] => [...this.values.keys()]
}

/** The functions of one tab: they share its context. */
export class Functions {
  readonly flow = new Store()
  readonly own = new Map<string, Store>()
  readonly env: Record<string, unknown> = {}
  now: () => number = Date.now
  private readonly ready = new Set<string>()

  constructor(
    readonly nodes: FlowNode[],
    env: Record<string, unknown> = {},
  ) {
    const tab = nodes.find(({ type }) => type === 'tab')
    for (const { name, value, type } of (tab?.['env'] ?? []) as TabProperty[]) {
      this.env[name] = typed(value, type)
    }
    Object.assign(this.env, env)
  }

  run(node: string | FlowNode, msg: Message): Ran {
    const functions = this.nodes.filter(({ type }) => type === 'function')
    const each = typeof node === 'string' ? nodeNamed(functions, node) : node
    if (!this.ready.has(each.id)) {
      this.ready.add(each.id)
      this.call(each, (each['initialize'] as string | undefined) ?? '', {})
    }
    return this.call(each, String(each['func']), msg)
  }

  private call(each: FlowNode, code: string, msg: Message): Ran {
    const context = this.own.get(each.id) ?? new Store()
    this.own.set(each.id, context)
    const errors: string[] = []
    const statuses: Message[] = []
    const extra: unknown[] = []
    const { now } = this
    class Clock extends Date {
      constructor(...parts: number[]) {
        super(...((parts.length > 0 ? parts : [now()]) as [number]))
      }
      static override now = (): number => now()
    }
    const given: Record<string, unknown> = {
      msg,
      env: { get: (name: string) => this.env[name] },
      flow: this.flow,
      context,
      node: {
        id: each.id,
        name: each.name,
        error: (text: unknown) =>
          void errors.push(text instanceof Error ? text.message : String(text)),
        warn: (text: string) => void errors.push(text),
        status: (status: Message) => void statuses.push(status),
        send: (more: unknown) => void extra.push(more),
      },
      RED: { util: { generateId: () => Math.random().toString(16).slice(2) } },
      Date: Clock,
      Buffer,
    }
    for (const { var: name, module } of (each['libs'] ?? []) as Array<Record<string, string>>) {
      given[name!] = load(module!)
    }
    // As in Node-RED, the code is in a function of its own, and may use these names for other things.
    const inner = `return (function (msg, node) {${code}\n})(msg, node)`
    const run = compileFunction(inner, Object.keys(given)) as (...values: unknown[]) => unknown
    const returned = run(...Object.values(given))
    return { sent: [returned, ...extra].reduce(sorted, []), errors, statuses, returned }
  }
}

/** Runs until `value` comes, as a message of one output, a list of them, or one for each output. */
function sorted(all: Message[][], value: unknown): Message[][] {
  const outputs = Array.isArray(value) ? value : [value]
  for (const [at, output] of outputs.entries()) {
    const messages = (Array.isArray(output) ? output : [output]) as Array<
      Message | null | undefined
    >
    all[at] = [
      ...(all[at] ?? []),
      ...messages.filter((each) => each !== null && each !== undefined),
    ]
  }
  return all
}

const load = createRequire(__filename)

function typed(value: string, type: string): unknown {
  if (type === 'bool') return value === 'true'
  if (type === 'num') return Number(value)
  if (type === 'json') return JSON.parse(value)
  return type === 'env' ? process.env[value] : value
}
