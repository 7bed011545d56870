import http from 'node:http'
import https from 'node:https'
import zlib from 'node:zlib'
import type { TLSSocket } from 'node:tls'
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse, AxiosStatic } from 'axios'
import { isTooDeep, mayBeTooDeep } from '../model/json'
import { say } from '../errors'
import { LinkedSet } from '../linked-set'
import type { Stop } from '../stop'
import { createAgents, type ProxyOptions, type TlsOptions } from './agents'
import type { Answer } from './answer'
import type { Counters } from './counters'
import { TransportFault, connectionFault, cutOff, timedOut, tooLarge } from './faults'

/** The largest response that is read, in bytes. Ten thousand routes are about 15 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface TransportOptions {
  /** `http://` or `https://`, host, optional port and path prefix, without a trailing slash. */
  base: URL
  tls?: TlsOptions
  fingerprint?: string
  proxy?: ProxyOptions
  /** Bytes; default {@link MAX_ANSWER_BYTES}. */
  maxAnswerBytes?: number
  /** Milliseconds that a proxy may take to connect to the appliance. */
  timeout: number
  /** Asked when a request could be written: false, and it is not. */
  maySend?: () => boolean
  counters: Counters
}

export interface TransportRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** Path below the base, such as `/api/devices`, with its query, encoded. */
  path: string
  /** The body as it is sent. */
  body?: string | Buffer
  contentType?: string
  /** Value of the Cookie header. */
  cookie?: string
  /** Milliseconds for the whole call. */
  timeout: number
  stop?: Stop
}

export interface Transport {
  /**
   * Makes one call, once. No redirect is followed.
   * @throws TransportFault without a complete response; it says whether the call may have reached the appliance
   */
  send(request: TransportRequest): Promise<Answer>
  /** Aborts every read. From then on none is sent. */
  endReads(): void
  /** Aborts every call and closes every socket. From then on nothing is sent. */
  destroy(): void
}

/** A call on its way, and how to abort it. */
interface Pending {
  method?: string
  end: () => void
}

/** The one place that speaks HTTP: an axios instance over a thin adapter that knows how far a call got. */
export function createTransport(options: TransportOptions): Transport {
  const secure = options.base.protocol === 'https:'
  const agents = createAgents({ ...options, secure })
  const pending = new LinkedSet<Pending>()
  const adapter = nodeAdapter(options, secure, pending)
  const { requests } = options.counters
  let sends: 'all' | 'no reads' | 'nothing' = 'all'
  return {
    async send(request) {
      if (sends === 'nothing' || (sends === 'no reads' && request.method === 'GET')) {
        throw stoppedFault(false)
      }
      const agent = request.method === 'GET' ? agents.kept : agents.single
      const config: CallConfig = { adapter, call: new Call(request, agent) }
      try {
        const { data, status, received } = await axios().request<string, Received>(config)
        if (status < 400) requests.ok++
        else requests.rejected++
        return answerOf(status, received, data)
      } catch (fault) {
        if (!(fault instanceof TransportFault && fault.code === 'CLOSED')) requests.failed++
        throw fault
      }
    },
    endReads() {
      if (sends === 'all') sends = 'no reads'
      for (const { method, end } of pending.all()) if (method === 'GET') end()
    },
    destroy() {
      sends = 'nothing'
      for (const { end } of pending.all()) end()
      agents.destroy()
    },
  }
}

const stoppedFault = (reached: boolean): TransportFault =>
  new TransportFault('CLOSED', say('stopped'), { reached })

/**
 * What the adapter needs of a call. axios hands on an object of a class as it is; given as options of
 * its own, it would copy every one and look up every header by its name.
 */
class Call {
  constructor(
    readonly request: TransportRequest,
    readonly agent: http.Agent,
  ) {}
}

const notOwned = (): TransportFault =>
  new TransportFault('UNAVAILABLE', say('notOwned'), { reached: false })

interface CallConfig extends AxiosRequestConfig {
  call: Call
}

/** A response with the headers as they came, beside those that axios would make of them. */
interface Received extends AxiosResponse<string> {
  received: http.IncomingHttpHeaders
}

function headersOf({ body, contentType, cookie }: TransportRequest): http.OutgoingHttpHeaders {
  const headers: http.OutgoingHttpHeaders = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = contentType ?? 'application/json'
  if (cookie !== undefined) headers['cookie'] = cookie
  return headers
}

function answerOf(status: number, headers: http.IncomingHttpHeaders, text: string): Answer {
  const { body, unreadable } = parse(text)
  return { status, headers, body, unreadable }
}

function parse(text: string): Pick<Answer, 'body' | 'unreadable'> {
  const trimmed = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  if (trimmed.trim() === '') return { body: undefined, unreadable: 'gotNothing' }
  try {
    const body = JSON.parse(trimmed) as unknown
    const isDeep = mayBeTooDeep(trimmed) && isTooDeep(body)
    return isDeep ? { body: undefined, unreadable: 'gotDeep' } : { body }
  } catch {
    const looksHtml = /^\s*<(!doctype|html|head|body|\?xml)/i.test(trimmed)
    return { body: undefined, unreadable: looksHtml ? 'gotPage' : 'gotText' }
  }
}

type Axios = InstanceType<AxiosStatic['Axios']>
let instance: Axios | undefined

/**
 * One for all appliances, without the defaults of axios: no transformation, no status that is an
 * error. axios is loaded at the first call: it costs Node-RED's start nothing.
 */
function axios(): Axios {
  if (instance) return instance
  const { Axios } = require('axios') as AxiosStatic
  // Defaults would be copied for each call, on Node.js 20 into an object shape of its own.
  instance = new Axios()
  return instance
}

/**
 * An axios adapter straight over node:http. Unlike the adapter that axios brings,
 * it reports whether a failed call can have reached the appliance, it follows no
 * redirect, and it stops reading a response that grows over the limit.
 */
function nodeAdapter(
  options: TransportOptions,
  secure: boolean,
  pending: LinkedSet<Pending>,
): AxiosAdapter {
  const { base, maxAnswerBytes = MAX_ANSWER_BYTES, maySend } = options
  const open = secure ? https.request : http.request
  const prefix = base.pathname.replace(/\/+$/, '')
  const hostname = base.hostname.replace(/^\[|\]$/g, '')
  const port = base.port || (secure ? 443 : 80)

  return (config) =>
    new Promise<Received>((resolve, reject) => {
      const { agent, request: wanted } = (config as AxiosRequestConfig as CallConfig).call
      const { method, timeout, stop } = wanted
      let reached = false
      let settled = false
      let unhook: () => void = () => undefined

      let request: http.ClientRequest
      try {
        request = open({
          hostname,
          port,
          method,
          path: prefix + wanted.path,
          headers: headersOf(wanted),
          agent,
        })
      } catch (error) {
        // A certificate or key that cannot be read shows here, not as an event.
        reject(connectionFault(error as Error, false))
        return
      }
      const timer = setTimeout(() => fail(timedOut(timeout, reached)), timeout)
      const abort = (): void => fail(stoppedFault(reached))
      const link = pending.add({ method, end: abort })

      function settle(): boolean {
        if (settled) return false
        settled = true
        clearTimeout(timer)
        link.remove()
        unhook()
        return true
      }
      function fail(fault: TransportFault): void {
        if (!settle()) return
        request.destroy()
        reject(fault)
      }

      request.on('socket', (socket) => {
        const mark = (): void => {
          // Asked this late, since the process may have been frozen while it connected.
          if (maySend && !settled) {
            if (!maySend()) return fail(notOwned())
            request.end(wanted.body)
          }
          reached = true
        }
        const ready = secure ? 'secureConnect' : 'connect'
        const connecting = secure
          ? socket.connecting || !(socket as TLSSocket).getPeerFinished?.()
          : socket.connecting
        if (connecting) socket.once(ready, mark)
        else mark()
      })
      request.on('error', (error) => fail(connectionFault(error, reached)))
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        let bytes = 0
        const stream = decoded(response, maxAnswerBytes)
        const complete = (): void => {
          if (!response.complete) return fail(cutOff(response.statusCode))
          if (!settle()) return
          resolve({
            data: (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)).toString(
              'utf8',
            ),
            status: response.statusCode ?? 0,
            statusText: '',
            headers: {},
            config,
            received: response.headers,
          })
        }
        if (Number(response.headers['content-length']) > maxAnswerBytes) {
          return fail(tooLarge(maxAnswerBytes, response.statusCode))
        }
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxAnswerBytes) return fail(tooLarge(maxAnswerBytes, response.statusCode))
          chunks.push(chunk)
        })
        stream.on('end', complete)
        stream.on('error', () => fail(cutOff(response.statusCode)))
        response.on('error', () => fail(cutOff(response.statusCode)))
        response.on('close', () => {
          if (!response.complete) fail(cutOff(response.statusCode))
        })
      })

      if (stop) unhook = stop.onStop(abort)
      if (!settled && !maySend) request.end(wanted.body)
    })
}

// No encoding is requested, but a server on the way to the appliance may use one all the same.
function decoded(response: http.IncomingMessage, limit: number): NodeJS.ReadableStream {
  switch (response.headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return response.pipe(zlib.createUnzip({ maxOutputLength: limit }))
    case 'br':
      return response.pipe(zlib.createBrotliDecompress({ maxOutputLength: limit }))
    default:
      return response
  }
}
