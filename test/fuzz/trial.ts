import { ERROR_CODES, type GatewayError } from '../../client/errors'
import type { Outcome } from '../support/flow'

/** What must be true whatever an appliance, a message or a flow file contains. */

const LONGEST_MESSAGE = 2000
const LONGEST_DETAIL = 2000
const MOST_CPU_MS = 5000
const MOST_WAIT_MS = 45_000

/** What went wrong outside of any promise or call that a trial waits for. */
let strays: unknown[] = []
let before: Array<[string, Array<(...args: unknown[]) => void>]> = []
const note = (reason: unknown): void => void strays.push(reason)

/** From now on an escaped error does not end the run: the trial under way is at fault. */
export function catchStrays(): void {
  const events = ['uncaughtException', 'unhandledRejection'] as const
  before = events.map((event) => {
    const listeners = process.listeners(event as 'uncaughtException') as never[]
    process.removeAllListeners(event)
    process.on(event as 'uncaughtException', note)
    return [event, listeners]
  })
}

export function letStraysGo(): void {
  for (const [event, listeners] of before) {
    process.removeListener(event, note)
    for (const listener of listeners) process.on(event, listener)
  }
  before = []
}

/**
 * Runs a trial.
 * @throws Error when an error escapes, shared objects are polluted, or it takes too long
 */
export async function attempt<T>(work: () => Promise<T>): Promise<T> {
  strays = []
  const from = process.cpuUsage()
  const result = await inTime(work())
  await new Promise((resolve) => setImmediate(resolve))
  const { user, system } = process.cpuUsage(from)
  if (strays.length > 0) throw new Error('something escaped', { cause: strays[0] })
  refusePollution()
  const cpuMs = (user + system) / 1000
  if (cpuMs > MOST_CPU_MS) throw new Error(`it took ${Math.round(cpuMs)} ms of CPU`)
  return result
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it never ended')), MOST_WAIT_MS)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

const SHARED = [Object, Array, Function, String, Number, Promise, Map, Error, Buffer].flatMap(
  (one) => [one, one.prototype as object],
)
const clean = SHARED.map((one) => Reflect.ownKeys(one).map(String).sort().join())

function refusePollution(): void {
  SHARED.forEach((one, index) => {
    const keys = Reflect.ownKeys(one).map(String).sort().join()
    if (keys !== clean[index]) throw new Error(`a shared object was polluted: ${keys}`)
  })
  if ('polluted' in {}) throw new Error('all objects are polluted')
}

/** @throws Error unless a message ended with one `done`, and with a success or a good error */
export function judge(outcome: Outcome, secrets: readonly string[]): void {
  const { messages, error, done } = outcome
  if (done !== 1) throw new Error(`done was called ${done} times`)
  if (error) {
    // One of several nodes may have got it, before a copy for the next one failed.
    if (messages.length > 0 && !/could not be sent on/.test(error.message)) {
      throw new Error('a message came out beside the error')
    }
    return judgeError(error, secrets)
  }
  for (const { payload } of messages) refusePrototypes(payload)
}

/** @throws Error unless it has a code of the closed list and a sentence, and reveals no secret */
export function judgeError(error: GatewayError, secrets: readonly string[]): void {
  const { code, message, cause } = error
  if (!ERROR_CODES.includes(code)) throw new Error(`no code: ${String(code)} ${String(error)}`)
  judgeSentence(message)
  const { applianceMessage = '', applianceType = '', problems = [] } = cause
  for (const text of [applianceMessage, applianceType]) {
    if (text.length > LONGEST_DETAIL) throw new Error('a detail without end')
  }
  for (const { path, problem } of problems) {
    if (path.length + problem.length > LONGEST_DETAIL) throw new Error('a problem without end')
  }
  const all = JSON.stringify([message, cause])
  if (secrets.some((secret) => all.includes(secret))) throw new Error(`a secret is told: ${all}`)
}

export function judgeSentence(message: unknown): void {
  if (typeof message !== 'string' || !/^.{10,}/s.test(message)) {
    throw new Error(`no sentence: ${String(message)}`)
  }
  if (message.length > LONGEST_MESSAGE) throw new Error(`${message.length} characters of error`)
  if (isBlunder(message)) throw new Error(`an error of ours: ${message.slice(0, 400)}`)
}

/** True for a text that shows a mistake in the code, not in the input. */
export const isBlunder = (text: string): boolean =>
  /Please report this|could not be handled|could not take what|(Type|Range|Reference)Error|is not a function|Cannot read/.test(
    text,
  )

/** A member named `__proto__` may be copied as such, but must not become a prototype. */
export function refusePrototypes(payload: unknown): void {
  const waiting = [payload]
  for (let looks = 0; looks < 2000 && waiting.length > 0; looks++) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    if ('polluted' in one && !Object.hasOwn(one, 'polluted')) {
      throw new Error('a result got a prototype of the appliance')
    }
    for (const key of Object.keys(one).slice(0, 100)) {
      const { value } = Object.getOwnPropertyDescriptor(one, key)!
      waiting.push(value as unknown)
    }
  }
}

const ID = '[^/?#]+'
const CALLS = [
  '(GET|POST|DELETE) /api/session',
  'GET /api/devices',
  `GET /api/devices/(?<device>${ID})`,
  `POST /api/devices/(?<device>${ID})/(updates|commands)`,
  `GET /api/gateway/(?<device>${ID})/routes\\?page=\\d+(&pageSize=\\d+)?`,
  `GET /api/gateway/(?<device>${ID})/routes/(?<route>${ID})`,
  `GET /api/gateway/(?<device>${ID})/statistics(/client)?\\?[^/#]*`,
  `(GET|POST) /api/gateway/(?<device>${ID})/system/preset`,
].map((call) => new RegExp(`^${call}$`))

/** @throws Error when a call is not in the interface, or not about what the message says */
export function judgeCall(call: string, deviceId: unknown): void {
  const found = CALLS.map((known) => known.exec(call)).find((match) => match !== null)
  if (!found) throw new Error(`a call that is none: ${call.slice(0, 500)}`)
  const { device, route } = found.groups ?? {}
  for (const id of [device, route]) {
    if (id === undefined) continue
    const meant = decodeURIComponent(id)
    if (encodeURIComponent(meant) !== id || meant === '.' || meant === '..') {
      throw new Error(`an ID that is not encoded: ${call.slice(0, 500)}`)
    }
  }
  if (
    device &&
    typeof deviceId === 'string' &&
    deviceId &&
    decodeURIComponent(device) !== deviceId
  ) {
    throw new Error(`a call to another device: ${call.slice(0, 500)}`)
  }
}
