// The one door for what the editor sends, and the one for what it gets.
import { setImmediate as turn } from 'node:timers/promises'
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import type { NodeAPI } from 'node-red'
import { GatewayError, invalidInput, say, type ErrorCode } from '../../../client/errors'
import { Stop } from '../../../client/stop'
import type { Connection } from '../../../client/connection/connection'
import { plainCopy, type Limits } from '../../../client/model/foreign'
import { isObject, own, type JsonObject } from '../../../client/model/json'
import type { Received } from '../../wire'
import type { ConnectionForm } from '../options'
import { hostOf, isDeployedOnly } from './connection'
import { failureOf } from './failure'

export interface Question<Body = JsonObject> {
  /** Plain data within limits. */
  body: Received<Body>
  /** The config node that it is about. */
  form: ConnectionForm
  appliance: string | undefined
  /** The name of the user; undefined where Node-RED has no users. */
  user: string | undefined
  /** The editor has gone, or has its answer. */
  stop: Stop
  /** The connections that were used: their passwords and sessions stand in no answer. */
  used: Connection[]
}

/** Node-RED itself takes no more than 5 MB. */
const MOST: Limits = { levels: 50, values: 250_000, characters: 5 * 1024 * 1024 }

/**
 * Takes a request before anything else reads it. What is not JSON is refused: a web page elsewhere
 * can send a form without the browser's permission.
 */
export const take: RequestHandler = (request, response, next) => {
  const refuse = (why: GatewayError): void => void fail(response, why).catch(next)
  if (request.method === 'POST' && !request.is('application/json')) {
    response.status(415)
    return refuse(new GatewayError('INVALID_INPUT', 'JSON is expected.'))
  }
  const plain = plainCopy(request.body, MOST)
  if (plain.fault !== undefined) {
    return refuse(invalidInput([{ path: plain.path || 'request', problem: plain.fault }]))
  }
  request.body = isObject(plain.value) ? plain.value : {}
  next()
}

export interface Work {
  /** It may change the appliance. */
  changes?: true
  /** The audit log names who did it: always, or for values that are not deployed, with which it may log in. */
  isAudited?: boolean | 'unsaved'
  work: (question: Question) => unknown
}

export const answering =
  (
    RED: NodeAPI,
    name: string,
    { changes, isAudited, work }: Work,
    formIn: (body: JsonObject) => ConnectionForm,
  ): RequestHandler =>
  (request, response, next) => {
    const body = bodyOf(request)
    const form = formIn(body)
    const stop = new Stop()
    response.once('close', () => stop.now())
    const appliance = textOf(body.appliance)
    const question = { body, form, appliance, user: userOf(request), stop, used: [] }
    const isRecorded = isAudited === true || (isAudited && !isDeployedOnly(form))
    const audit = (outcome: unknown): void => {
      if (isRecorded) RED.log.audit(recordOf(RED, name, question, outcome) as never, request)
    }
    Promise.resolve()
      .then(() => work(question))
      .then(
        async (result) => {
          // A test that failed is a result too; one that was not made has no code.
          audit(own(result, 'code') ?? (own(result, 'ok') === false ? 'INVALID_INPUT' : 'ok'))
          await answer(response, result, question.used)
        },
        async (error: unknown) =>
          audit(await fail(response, error, hostOf(RED, form, appliance), question.used, changes)),
      )
      .catch(next)
  }

/** Responds with the error that another handler of the route has thrown. */
export const answeringThrown: ErrorRequestHandler = (thrown, _request, response, next) =>
  void fail(response, thrown).catch(next)

/** @param host where the user may know it @returns the code of the failure */
async function fail(
  response: Response,
  error: unknown,
  host = '',
  used: readonly Connection[] = [],
  changes = false,
): Promise<ErrorCode> {
  const failure = failureOf(error, host, changes)
  const isKnown = error instanceof GatewayError
  if (response.statusCode === 200) response.status(isKnown ? statusOf(failure.code) : 400)
  await answer(response, failure, used)
  return failure.code
}

/**
 * Every answer is written here, as it may leave: without what its connections hide. One with thousands of
 * routes has megabytes: everything else runs between its steps.
 */
async function answer(
  response: Response,
  result: unknown,
  used: readonly Connection[],
): Promise<void> {
  const shown = used.reduce((value, { hide }) => hide(value), result)
  await turn()
  // The name of a member cannot be hidden.
  const json = { name: JSON.stringify(shown) }
  await turn()
  // The editor is gone.
  if (response.headersSent || response.destroyed) return
  if (used.some(({ hide }) => hide(json) !== json)) {
    const repeated = new GatewayError('BAD_RESPONSE', say('secretRepeated'))
    response.status(502).json(failureOf(repeated, used[0]!.identity.host))
  } else response.type('json').send(json.name)
}

/** Not 401 or 403: the editor would take those for the end of its own login. */
function statusOf(code: ErrorCode): number {
  if (code === 'NOT_FOUND') return 404
  return ['CONFIG', 'INVALID_INPUT', 'READ_ONLY'].includes(code) ? 400 : 502
}

export const bodyOf = ({ body }: Request): JsonObject => body as JsonObject

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const userOf = (request: Request): string | undefined =>
  textOf(own((request as { user?: unknown }).user, 'username'))

/** What was asked for, as the audit log may have it: no secret, and no text without end. */
function recordOf(RED: NodeAPI, name: string, question: Question, outcome: unknown): object {
  const { form, appliance, body } = question
  const { deviceId, routeId, destinationId, failoverId, action } = body
  const place = { gateway: form.id, appliance, deviceId, routeId, destinationId }
  const about = Object.entries({ ...place, failoverId, action }).flatMap(([member, value]) => {
    const text = textOf(value)
    return text === undefined ? [] : [[member, text.slice(0, 200)]]
  })
  const host = hostOf(RED, form, appliance)
  return { event: `media-gateway.${name}`, host, ...Object.fromEntries(about), outcome }
}
