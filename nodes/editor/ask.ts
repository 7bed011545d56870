import type { Failure, Path, Requests, Said } from '../wire'
import { numeral, text, textOr } from './text'

/** A failed request to the runtime. The message is in the language of the editor where possible. */
export class RequestError extends Error {
  code?: Failure['code']
  passwordNeeded?: boolean
  notDeployed?: boolean
  /** No answer of this package came: what was asked for may have been done. */
  isLost?: boolean
}

/** Asks the part of the package that runs in Node-RED. @param timeout in ms @throws RequestError */
export function ask<To extends Path>(
  path: To,
  body?: Requests[To]['body'],
  timeout?: number,
): Promise<Requests[To]['answer']> {
  const json = { method: 'POST', contentType: 'application/json', data: JSON.stringify(body) }
  return call(`media-gateway/${path}`, { timeout, ...(body && json) })
}

/** Whoever may not is offered nothing that needs it: it could only fail. */
export const mayWrite = (): boolean => RED.user.hasPermission?.('media-gateway.write') ?? true

export const settled = <Answer>(
  asked: Promise<Answer>,
): Promise<{ answer?: Answer; failure?: RequestError }> =>
  asked.then(
    (answer) => ({ answer }),
    (failure: RequestError) => ({ failure }),
  )

/** Returns the credentials of a config node as the editor may know them: without the password. */
export function askCredentials(id: string): Promise<Record<string, unknown>> {
  return call(`credentials/media-gateway/${encodeURIComponent(id)}`)
}

function call<Answer>(url: string, request?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    $.ajax({
      url,
      ...request,
      dataType: 'json',
      cache: false,
      success: (answer) => resolve(answer as Answer),
      error: (reply) => reject(requestError(reply)),
    })
  })
}

function requestError({ status, responseJSON }: EditorReply): RequestError {
  const failure = responseJSON as Failure | undefined
  if (typeof failure?.message === 'string') {
    const { code, passwordNeeded, notDeployed } = failure
    const error = new RequestError(sentenceOf(failure))
    return Object.assign(error, { code, passwordNeeded, notDeployed })
  }
  if (status === 401 || status === 403) return new RequestError(text('connection.noPermission'))
  if (status === 404) return new RequestError(text('connection.noSuchFunction'))
  const why =
    status === 0 ? text('connection.noNodeRed') : text('connection.strangeAnswer', { status })
  return Object.assign(new RequestError(why), { isLost: true })
}

/** Why a command has failed, and whether it may have been carried out. */
export function sentenceOfCommand({ message, isLost = false }: RequestError): string {
  const doubt: Said[] = isLost ? [{ key: 'mayBeApplied', values: {} }] : []
  return sentenceOf({ message, sentences: [{ text: message }, ...doubt] })
}

/** What a code means, in a few words. */
export const titleOf = (code: string | undefined): string =>
  textOr(`connection.failed.${code}`, text('connection.failed.other'))

/** What to show of a failure: the editor's own sentences where it has them, or else the message. */
export function sentenceOf({
  message,
  sentences,
}: Pick<Failure, 'message'> & Partial<Failure>): string {
  if (!sentences) return message
  const said = sentences.map((one) => ('key' in one ? wordsOf(one) : one.text))
  // Japanese has no space after its full stop.
  return said.join(' ').replaceAll('。 ', '。')
}

function wordsOf({ key, values }: Extract<Said, { key: string }>): string {
  const { host = text('failure.thisGateway'), property, time } = values
  const label = property !== undefined && {
    property: textOr(`label.${property}`, String(property)),
  }
  const shown = typeof time === 'number' && { time: numeral(time) }
  return text(`failure.${key}`, { ...values, host, ...label, ...shown })
}
