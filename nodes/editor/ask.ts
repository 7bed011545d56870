import { text } from './text'

/** A question to the runtime that was not answered as wished. The message is for the user. */
export class Unanswered extends Error {
  constructor(
    message: string,
    /** One of the error codes of the package, where the runtime gave one. */
    readonly code?: string,
    readonly passwordNeeded = false,
    /** The gateway that was asked for does not run. */
    readonly notDeployed = false,
  ) {
    super(message)
  }
}

/**
 * Asks the part of the package that runs in Node-RED.
 * @throws Unanswered
 */
export function ask<Answer>(
  path: 'connection' | 'lookup' | 'definition',
  body: object,
): Promise<Answer> {
  return call({
    url: `media-gateway/${path}`,
    method: 'POST',
    contentType: 'application/json',
    data: JSON.stringify(body),
  })
}

/** The credentials of a config node as the editor may know them: no password. */
export function askCredentials(id: string): Promise<Record<string, unknown>> {
  return call({ method: 'GET', url: `credentials/media-gateway/${encodeURIComponent(id)}` })
}

function call<Answer>(
  what: Pick<EditorRequest, 'url' | 'method' | 'contentType' | 'data'>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    $.ajax({
      ...what,
      dataType: 'json',
      success: (answer) => resolve(answer as Answer),
      error: (reply) => reject(unanswered(reply)),
    })
  })
}

function unanswered({ status, responseJSON }: EditorReply): Unanswered {
  const { code, message, ...flags } = (responseJSON ?? {}) as Record<string, unknown>
  if (typeof code === 'string' && typeof message === 'string') {
    return new Unanswered(
      message,
      code,
      flags['passwordNeeded'] === true,
      flags['notDeployed'] === true,
    )
  }
  if (status === 401 || status === 403) return new Unanswered(text('connection.noPermission'))
  if (status === 404) return new Unanswered(text('connection.noSuchFunction'))
  if (status === 0) return new Unanswered(text('connection.noNodeRed'))
  return new Unanswered(text('connection.strangeAnswer', { status }))
}

/** The codes that have a title of their own, under `connection.failed`. */
const TITLED = [
  'CONFIG',
  'LOGIN_REFUSED',
  'TOO_MANY_SESSIONS',
  'FORBIDDEN',
  'TLS',
  'UNAVAILABLE',
  'TIMEOUT',
  'BAD_RESPONSE',
]

/** What a code means, in a few words. */
export function titleOf(code: string | undefined): string {
  return text(`connection.failed.${code && TITLED.includes(code) ? code : 'other'}`)
}
