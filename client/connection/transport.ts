import http from 'node:http'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse, AxiosStatic } from 'axios'
import { parsedWithin, type TextFault } from '../model/foreign'
import { say } from '../errors'
import { LinkedSet } from '../linked-set'
import type { Stop } from '../stop'
import { withoutSlashes } from '../model/settings'
import { createAgents, type AgentOptions } from './agents'
import type { Answer } from './answer'
import type { Counters } from './counters'
import type { Request } from './operation'
import {
  LateConnection,
  TransportFault,
  connectionFault,
  cutOff,
  encoded,
  timedOut,
  tooLarge,
} from './faults'

const MIB = 1024 * 1024
/** The largest response that is read where the request says nothing else, in bytes. */
const MOST = 1 * MIB
/** What all responses of one appliance may have in memory while they are read, in bytes. */
const MOST_AT_ONCE = 32 * MIB
/** With more than this of all appliances together, each may have only `MOST_WHEN_FULL`. */
const FULL = 64 * MIB
const MOST_WHEN_FULL = 1 * MIB
/** What one chunk costs beside its bytes: a response may come byte by byte. */
const CHUNK_BYTES = 128
/** Nothing in the interface is nested more than about ten levels deep. */
const LEVELS = 100
/** How many bytes a value has at least, on average, in what an appliance sends. */
const BYTES_OF_VALUE = 16

export interface TransportOptions extends Omit<AgentOptions, 'secure'> {
  /** `http://` or `https://`, host, optional port and path prefix, without a trailing slash. */
  base: URL
  /** The largest response that is read, in bytes, whatever the request allows. */
  maxAnswerBytes?: number
  /** Asked when a request could be written: false, and it is not. */
  maySend?: (request: Pick<TransportRequest, 'method' | 'path'>) => boolean
  /** Gets each response, as it came. */
  onAnswer?: (exchange: Exchange) => void
  counters: Counters
}

/** A call as it is sent: its path is below the base. */
export interface TransportRequest extends Pick<
  Request,
  'method' | 'path' | 'contentType' | 'most'
> {
  body?: string | Buffer
  cookie?: string
  /** Milliseconds for the whole call. */
  timeout: number
  /** Asked once the connection stands: true, and the call is not written. */
  isLate?: () => boolean
  /** Over a connection that is kept, as reads are; default for `GET` only. */
  reusesConnection?: boolean
  stop?: Stop
}

export interface Exchange extends Answer, Pick<TransportRequest, 'method' | 'path'> {
  /** How long it took, in ms. */
  ms: number
}

export type Transport = ReturnType<typeof createTransport>

interface Pending {
  method?: string
  end: () => void
}

/** The one place that speaks HTTP: an axios instance over a thin adapter that knows how far a call got. */
export function createTransport(options: TransportOptions) {
  const secure = options.base.protocol === 'https:'
  const agents = createAgents({ ...options, secure })
  const pending = new LinkedSet<Pending>()
  const adapter = nodeAdapter(options, secure, pending)
  const { requests } = options.counters
  let sends: 'all' | 'no reads' | 'nothing' = 'all'
  return {
    /**
     * Makes one call, once. No redirect is followed.
     * @throws TransportFault without a complete response; it says whether the call may have reached the appliance
     */
    async send(request: TransportRequest): Promise<Answer> {
      if (sends === 'nothing' || (sends === 'no reads' && request.method === 'GET')) {
        throw stoppedFault(false)
      }
      const { reusesConnection = request.method === 'GET' } = request
      const agent = reusesConnection ? agents.kept : agents.single
      const config: CallConfig = { adapter, call: new Call(request, agent) }
      const sentAt = performance.now()
      try {
        const { data, status, received } = await axios().request<string, Received>(config)
        if (status < 400) requests.ok++
        else requests.rejected++
        const answer = answerOf(status, received, data, request.most)
        const { method, path } = request
        options.onAnswer?.({ ...answer, method, path, ms: performance.now() - sentAt })
        return answer
      } catch (fault) {
        const code = fault instanceof TransportFault ? fault.code : undefined
        if (code !== 'CLOSED') requests.failed++
        // A firewall or a switch on the way may have forgotten all that are kept, not only this one.
        if (code === 'TIMEOUT') agents.closeIdle()
        throw fault
      }
    },
    /** Aborts every read. From then on none is sent. */
    endReads(): void {
      if (sends === 'all') sends = 'no reads'
      for (const { method, end } of pending.all()) if (method === 'GET') end()
    },
    /** Aborts every call and closes every socket. From then on nothing is sent. */
    destroy(): void {
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
  // Without the second header, a server may send any encoding.
  const headers: http.OutgoingHttpHeaders = {
    accept: 'application/json',
    'accept-encoding': 'identity',
  }
  if (body !== undefined) headers['content-type'] = contentType ?? 'application/json'
  if (cookie !== undefined) headers['cookie'] = cookie
  return headers
}

function answerOf(
  status: number,
  headers: http.IncomingHttpHeaders,
  text: string,
  most = MOST,
): Answer {
  const trimmed = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const values = most / BYTES_OF_VALUE
  const parsed = parsedWithin(trimmed, { levels: LEVELS, values, characters: most })
  if (parsed.fault === undefined) {
    return { status, headers, body: parsed.value, unreadable: undefined }
  }
  return { status, headers, body: undefined, unreadable: whatCame(trimmed, parsed.fault) }
}

function whatCame(text: string, fault: TextFault): Answer['unreadable'] {
  if (fault === 'is nested too deep') return 'gotDeep'
  if (fault !== 'is not JSON') return 'gotMany'
  if (text.trim() === '') return 'gotNothing'
  // Whatever a page begins with: a comment, a script.
  return /^\s*</.test(text) ? 'gotPage' : 'gotText'
}

type Axios = InstanceType<AxiosStatic['Axios']>
let instance: Axios | undefined

/** The bytes of all responses of all appliances that are being read. */
let bytesOfAll = 0

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
  const { base, maxAnswerBytes = Infinity, maySend } = options
  const open = secure ? https.request : http.request
  const prefix = withoutSlashes(base.pathname)
  const hostname = base.hostname.replace(/^\[|\]$/g, '')
  const port = base.port || (secure ? 443 : 80)
  let bytesAtOnce = 0
  /** An HTTP response has come from this address. */
  let speaksHttp = false

  return (config) =>
    new Promise<Received>((resolve, reject) => {
      const { agent, request: wanted } = (config as AxiosRequestConfig as CallConfig).call
      const { method, timeout, stop, isLate } = wanted
      const most = Math.min(wanted.most ?? MOST, maxAnswerBytes)
      const asksFirst = maySend !== undefined || isLate !== undefined
      let reached = false
      let settled = false
      let bytes = 0
      let cost = 0
      let received: http.IncomingHttpHeaders | undefined
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
        bytesAtOnce -= cost
        bytesOfAll -= cost
        clearTimeout(timer)
        link.remove()
        unhook()
        return true
      }
      function fail(fault: TransportFault): void {
        if (!settle()) return
        fault.headers = received
        request.destroy()
        reject(fault)
      }

      request.on('socket', (socket) => {
        const mark = (): void => {
          // Asked this late, since the process may have been frozen while it connected.
          if (asksFirst && !settled) {
            if (maySend && !maySend(wanted)) return fail(notOwned())
            if (isLate?.()) return fail(new LateConnection())
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
      request.on('error', (error) => {
        fail(connectionFault(error, reached, speaksHttp ? undefined : base.protocol))
      })
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        speaksHttp = true
        received = response.headers
        const complete = (): void => {
          if (!settle()) return
          resolve({
            data: (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8'),
            status: response.statusCode ?? 0,
            statusText: '',
            headers: {},
            config,
            received: response.headers,
          })
        }
        const { 'content-encoding': encoding = '', 'content-length': length } = received
        if (!['', 'identity'].includes(encoding.toLowerCase())) {
          return fail(encoded(encoding, response.statusCode))
        }
        if (Number(length) > most) return fail(tooLarge(most, response.statusCode))
        response.on('data', (chunk: Buffer) => {
          if (settled) return
          bytes += chunk.length
          const held = chunk.length + CHUNK_BYTES
          cost += held
          bytesAtOnce += held
          bytesOfAll += held
          if (bytes > most) return fail(tooLarge(most, response.statusCode))
          const mostNow = bytesOfAll > FULL ? MOST_WHEN_FULL : MOST_AT_ONCE
          if (bytesAtOnce > mostNow) return fail(tooLarge(mostNow, response.statusCode))
          chunks.push(chunk)
        })
        response.on('end', complete)
        response.on('error', () => fail(cutOff(response.statusCode)))
        response.on('close', () => {
          if (!response.complete) fail(cutOff(response.statusCode))
        })
      })

      if (stop) unhook = stop.onStop(abort)
      if (!settled && !asksFirst) request.end(wanted.body)
    })
}
