import type { NodeAPI } from 'node-red'
import { invalidInput, type Problem } from '../../client/errors'
import { OPERATIONS } from '../../client/operations'
import type { Route } from '../../client/model/types'
import { comparable } from '../../client/model/pattern'
import { serverLanguage } from '../runtime/catalog'
import { registerAction, type ActionConfig, type Result } from '../runtime/action'
import { choiceProperty, refuseUnresolved } from '../runtime/properties'
import { wrong, type Message } from '../runtime/parameters'
import { counted } from '../runtime/status'
import type { SavedOf } from '../parts/manifest'
import type manifest from './manifest'

type Config = ActionConfig & SavedOf<typeof manifest>

export = (RED: NodeAPI): void =>
  registerAction<Config>(
    RED,
    'media-gateway-list-routes',
    async ({ run, config, message, secretPrefix }) => {
      const paging = pagingOf(message)
      const only = routeFilter(config)
      const output = choiceProperty('output', config.output, [
        'response',
        'routes',
        'split',
        'definitions',
        'health',
      ])
      const secrets = choiceProperty('secrets', config.secrets, ['hidden', 'names'])
      if (output === 'definitions') {
        refusePage(paging)
        return listed(await run(OPERATIONS.definitions, { secrets, prefix: secretPrefix(), only }))
      }
      if (output === 'health') {
        const language = serverLanguage(RED)
        return listed(await run(OPERATIONS.health, { ...paging, only, language }))
      }
      const { answer, deviceId } = await run(OPERATIONS.listRoutes, paging)
      const list = only ? { ...answer, data: answer.data.filter(only) } : answer
      const did = counted('routes', list.data.length)
      if (output === 'response') return { payload: list, did, deviceId }
      return { payload: list.data, did, deviceId, ...(output === 'split' && { split: 'routes' }) }
    },
    { message: ['page', 'pageSize'] },
  )

/** What has no secret any more. */
const listed = (found: { answer: unknown[]; deviceId: string }): Result => {
  const { answer: payload, deviceId } = found
  return { payload, did: counted('routes', payload.length), deviceId, isShown: true }
}

/** `msg.page` and `msg.pageSize` select that one page. */
function pagingOf(message: Message): { page?: number; pageSize?: number } {
  const problems: Problem[] = []
  const wholeNumber = (property: 'page' | 'pageSize'): number | undefined => {
    const value = message[property]
    if (value === undefined || value === null || value === '') return undefined
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 1) return number
    problems.push(wrong(`msg.${property}`, value, 'a whole number from 1'))
    return undefined
  }
  const paging = { page: wholeNumber('page'), pageSize: wholeNumber('pageSize') }
  if (problems.length > 0) throw invalidInput(problems)
  return paging
}

/** A page is not all: what is missing in a file counts as deleted. */
function refusePage(paging: { page?: number; pageSize?: number }): void {
  const given = Object.entries(paging).filter(([, value]) => value !== undefined)
  const problem = 'is given, but definitions always cover all routes; remove it'
  const problems = given.map(([name]) => ({ path: `msg.${name}`, problem }))
  if (problems.length > 0) throw invalidInput(problems)
}

function routeFilter({ filter, state }: Config): ((route: Route) => boolean) | undefined {
  refuseUnresolved('filter', filter)
  const text = comparable(String(filter ?? '')).join('')
  const wanted = stateFrom(state)
  if (!text && !wanted) return undefined
  // Older firmware says "idle" where newer says "stopped".
  const same = (given: unknown): string => {
    const word = String(given).trim().toLowerCase()
    return word === 'stopped' ? 'idle' : word
  }
  return (route) =>
    comparable(String(route.name ?? ''))
      .join('')
      .includes(text) &&
    (!wanted || same(route.state) === same(wanted))
}

/** In upper or lower case; empty for any. */
function stateFrom(state: unknown): string {
  // As it was written: the error names the variable.
  refuseUnresolved('state', state)
  const word = typeof state === 'string' ? state.trim().toLowerCase() : state
  return choiceProperty('state', word, ['', 'running', 'idle', 'stopped'])
}
