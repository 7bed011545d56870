import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { asObject, json, page, redirect, Refusal, type Call, type Reply } from './http'

/** Something that goes wrong on the way or in the appliance. */
export interface Fault {
  kind: FaultKind
  /** Which calls it strikes; without it, every call. */
  match?: {
    method?: string
    /** A pattern, or the whole path, in which `*` stands for anything. */
    path?: string | RegExp
    /** `action` or `command` of the body. */
    action?: string
  }
  /** How many calls it strikes; without it, until it is removed. */
  times?: number
  /** How many matching calls it lets pass first. */
  after?: number
  /** For `status`; 500 if not given. */
  status?: number
  /** For `status`: the body instead of the usual error body. */
  body?: unknown
  /** For `latency`, and for `too-many` as its Retry-After (sent in seconds); 1000 if not given. */
  ms?: number
  /** For `giant`; 300 MB if not given. */
  bytes?: number
}

/** Whether the appliance acts on a struck call, and what becomes of the response. */
interface Effect {
  acts: boolean
  /** What it does, for the command's help. */
  about: string
  answer: (exchange: Exchange, fault: Fault) => void | Promise<void>
}

/** A call in progress: `left` aborts when the client disconnects or the simulator stops. */
export interface Exchange {
  call: Call
  reply: Reply
  response: ServerResponse
  left: AbortSignal
}

export type FaultKind =
  | 'latency'
  | 'hang'
  | 'hang-after'
  | 'reset'
  | 'reset-after'
  | 'truncate'
  | 'html'
  | 'status'
  | 'too-many'
  | 'session-drop'
  | 'redirect'
  | 'giant'
  | 'content-type'
  | 'array'
  | 'invalid-json'
  | 'empty'

export const EFFECTS: Record<FaultKind, Effect> = {
  latency: {
    acts: true,
    about: 'the response comes late (ms)',
    answer: untouched,
  },
  hang: { acts: false, about: 'no response, not carried out', answer: silence },
  'hang-after': { acts: true, about: 'carried out, no response', answer: silence },
  reset: { acts: false, about: 'the connection is cut, not carried out', answer: cut },
  'reset-after': { acts: true, about: 'carried out, then the connection is cut', answer: cut },
  truncate: {
    acts: true,
    about: 'carried out, the connection is cut halfway through the response',
    answer: async ({ call, reply, response }) => {
      const body = Buffer.from(reply.body)
      call.status = reply.status
      response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length })
      await new Promise((sent) => response.write(half(body), sent))
      response.destroy()
    },
  },
  html: {
    acts: false,
    about: 'a web page instead of data, not carried out',
    answer: (exchange) => send(exchange, page('Media gateway')),
  },
  status: {
    acts: false,
    about: 'an error response (status), not carried out',
    answer: (exchange, { status = 500, body }) =>
      send(
        exchange,
        body === undefined
          ? new Refusal(status, 'Simulated', `A simulated error ${status}.`).reply()
          : json(status, body),
      ),
  },
  'too-many': {
    acts: false,
    about: '429 with Retry-After, not carried out',
    answer: (exchange, { ms = 1000 }) =>
      send(
        exchange,
        new Refusal(429, 'Session', 'The maximum number of concurrent sessions is reached.', {
          'Retry-After': String(Math.ceil(ms / 1000)),
        }).reply(),
      ),
  },
  'session-drop': {
    acts: true,
    about: 'the session ends before the request, as if it had expired',
    answer: untouched,
  },
  redirect: {
    acts: false,
    about: '302 to /login, not carried out',
    answer: (exchange) => send(exchange, redirect('/login')),
  },
  giant: { acts: false, about: 'an enormous response (bytes), not carried out', answer: flood },
  'content-type': {
    acts: true,
    about: 'the right response as text/plain',
    answer: (exchange) =>
      send(exchange, {
        ...exchange.reply,
        headers: { ...exchange.reply.headers, 'Content-Type': 'text/plain' },
      }),
  },
  array: {
    acts: true,
    about: 'carried out, the response has [] for an object and {} for an array',
    answer: (exchange) => {
      const { reply } = exchange
      send(exchange, { ...reply, body: reply.body.startsWith('[') ? '{}' : '[]' })
    },
  },
  'invalid-json': {
    acts: true,
    about: 'carried out, the JSON of the response ends in the middle',
    answer: (exchange) => {
      const { reply } = exchange
      send(exchange, { ...reply, body: reply.body.slice(0, Math.ceil(reply.body.length / 2)) })
    },
  },
  empty: {
    acts: true,
    about: 'carried out, 200 without a body',
    answer: (exchange) => send(exchange, { ...exchange.reply, status: 200, body: '' }),
  },
}

/** The faults in force, and how often each has struck. */
export class Faults {
  private active: Array<{ fault: Fault; seen: number; struck: number }> = []

  add(fault: Fault): () => void {
    const entry = { fault, seen: 0, struck: 0 }
    this.active.push(entry)
    return () => {
      this.active = this.active.filter((each) => each !== entry)
    }
  }

  clear(): void {
    this.active = []
  }

  list(): object[] {
    return this.active.map(({ fault, struck }) => ({
      ...fault,
      ...(fault.match && { match: { ...fault.match, path: fault.match.path?.toString() } }),
      struck,
    }))
  }

  /** Returns the faults that strike a call: any number of delays, and the first other fault. */
  strike(call: Call): Fault[] {
    const striking: Fault[] = []
    for (const entry of this.active) {
      const { fault } = entry
      if (!matches(call, fault)) continue
      if (entry.struck >= (fault.times ?? Infinity)) continue
      if (fault.kind !== 'latency' && striking.some(({ kind }) => kind !== 'latency')) continue
      if (entry.seen++ < (fault.after ?? 0)) continue
      entry.struck++
      striking.push(fault)
    }
    return striking
  }
}

/** Throws an error that says what is wrong with an invalid fault. */
export function checkFault(fault: unknown): asserts fault is Fault {
  const { kind, ...rest } = asObject(fault)
  if (typeof kind !== 'string' || !Object.hasOwn(EFFECTS, kind)) {
    throw new Error(`The kind of a fault is one of ${Object.keys(EFFECTS).join(', ')}.`)
  }
  for (const name of ['times', 'after', 'status', 'ms', 'bytes']) {
    const number = rest[name]
    if (number !== undefined && !(typeof number === 'number' && number >= 0)) {
      throw new Error(`${name} of a fault is a number.`)
    }
  }
}

export function send({ call, response }: Exchange, reply: Reply): void {
  call.status = reply.status
  const body = Buffer.from(reply.body)
  response.writeHead(reply.status, { ...reply.headers, 'Content-Length': body.length })
  response.end(body)
}

function matches(call: Call, { match }: Fault): boolean {
  if (!match) return true
  if (match.method !== undefined && match.method.toUpperCase() !== call.method) return false
  if (match.path !== undefined && !pathPattern(match.path).test(call.path)) return false
  if (match.action === undefined) return true
  const body = asObject(call.body)
  return body.action === match.action || body.command === match.action
}

function pathPattern(path: string | RegExp): RegExp {
  if (path instanceof RegExp) return new RegExp(path.source, path.flags.replace(/[gy]/g, ''))
  const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`)
}

function untouched(exchange: Exchange): void {
  send(exchange, exchange.reply)
}

function silence({ left }: Exchange): Promise<void> {
  if (left.aborted) return Promise.resolve()
  return new Promise((resolve) => left.addEventListener('abort', () => resolve(), { once: true }))
}

function cut({ response }: Exchange): void {
  response.destroy()
}

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

const CHUNK = Buffer.alloc(64 * 1024, 'x')

/** Sends very long valid JSON, of which no more than a chunk or two is ever in memory. */
async function flood({ call, response, left }: Exchange, fault: Fault): Promise<void> {
  let rest = fault.bytes ?? 300 * 1024 * 1024
  call.status = 200
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
  response.write('{"data":["')
  while (rest > 0) {
    const more = response.write(CHUNK.subarray(0, Math.min(rest, CHUNK.length)))
    rest -= CHUNK.length
    if (!more) await once(response, 'drain', { signal: left })
  }
  response.end('"]}')
}
