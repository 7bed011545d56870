// What the account keeps of a request to an appliance.
import { COMMAND } from './flow.mjs'

const POLL = /^\/api\/devices\/[^/]+$/

/** @param call as the journal of the simulator has it */
export function recordOf({ at, method, path, status, session, cookie, user, applied, body }) {
  const record = {
    at,
    client: user,
    session: session ?? cookie,
    kind: kindOf(method, path, status),
  }
  const command = record.kind === 'write' && applied ? commandIn(body) : undefined
  return command === undefined ? record : { ...record, command }
}

function kindOf(method, path, status) {
  if (path === '/api/session') return { POST: 'login', DELETE: 'logout' }[method] ?? 'read'
  if (method !== 'GET') return 'write'
  return POLL.test(path) && status === 200 ? 'poll' : 'read'
}

/** A command is known by a name that only it gives: of a new route, or of a source. */
function commandIn({ fields } = {}) {
  const [, number] = COMMAND.exec(fields?.name) ?? COMMAND.exec(fields?.source?.name) ?? []
  return number && Number(number)
}
