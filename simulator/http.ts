import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** One call as the simulator received it, kept in the journal. */
export interface Call {
  /** When its last byte arrived, on the simulator's clock (ms). */
  at: number
  method: string
  /** Without the query, as sent (percent-encoded). */
  path: string
  url: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  /** Value of the `sessionID` cookie, whether or not that session exists. */
  cookie?: string
  /** The parsed body of a JSON call. */
  body?: unknown
  rawBody: Buffer
  /** The file of a multipart call, whatever its field is called. */
  multipart?: Upload
  /** The HTTP status sent; absent if no response was sent. */
  status?: number
  /** Whether the appliance acted on the call: carried out a read, accepted a write. */
  applied: boolean
  /** The live session the call belonged to, and its user. */
  session?: string
  user?: string
  /** Kind of the fault that struck the call; several are joined by `+`. */
  fault?: string
}

export interface Upload {
  field: string
  filename: string
  content: string
}

/** A response before it is sent. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

export function page(title: string): Reply {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
  }
}

export function redirect(location: string): Reply {
  return { status: 302, headers: { Location: location }, body: '' }
}

/**
 * A call the appliance refuses: the error body of docs/project/interface.md#errors. No list of
 * error types is public, so apart from `SessionAuthorization` the types are ours, modelled on the
 * known ones.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message)
  }

  reply(): Reply {
    return json(
      this.status,
      { error: { type: this.type, message: this.message } },
      { ...this.headers },
    )
  }
}

const LARGEST_BODY = 64 * 1024 * 1024

/** Reads a call and its body; rejects if the client disconnects first or sends more than 64 MB. */
export async function receive(request: IncomingMessage, now: () => number): Promise<Call> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LARGEST_BODY) throw new Refusal(413, 'Request', 'The body is too large.')
    chunks.push(chunk)
  }
  const rawBody = Buffer.concat(chunks)
  const url = request.url ?? '/'
  const question = url.indexOf('?')
  const call: Call = {
    at: now(),
    method: request.method ?? 'GET',
    path: question < 0 ? url : url.slice(0, question),
    url,
    query: question < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(question + 1))),
    headers: request.headers,
    rawBody,
    applied: false,
  }
  const cookie = sessionCookie(request.headers.cookie)
  if (cookie !== undefined) call.cookie = cookie
  const type = contentType(call)
  if (type === 'application/json') call.body = parsed(rawBody)
  if (type === 'multipart/form-data') {
    const upload = await uploadedFile(rawBody, request.headers['content-type'] ?? '')
    if (upload) call.multipart = upload
  }
  return call
}

/** The media type of a call's body without parameters, lower case; empty when none was sent. */
export function contentType(call: Call): string {
  return (call.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value if it is a JSON object, else an empty one. */
export function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

function sessionCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [name, ...value] = pair.split('=')
    if (name?.trim() === 'sessionID') return value.join('=').trim().replace(/^"|"$/g, '')
  }
  return undefined
}

/** The first part with a file name, or else the first part (RFC 7578). */
async function uploadedFile(body: Buffer, type: string): Promise<Upload | undefined> {
  try {
    const headers = { 'Content-Type': type }
    const parts = [...(await new Response(new Uint8Array(body), { headers }).formData())]
    const part = parts.find(([, value]) => typeof value !== 'string' && value.name) ?? parts[0]
    if (!part) return undefined
    const [field, value] = part
    if (typeof value === 'string') return { field, filename: '', content: value }
    const content = Buffer.from(await value.arrayBuffer()).toString('utf8')
    return { field, filename: value.name, content }
  } catch {
    // Not a form: the endpoint that needs a file refuses the call.
    return undefined
  }
}
