import type { NodeAPI } from 'node-red'
import { invalidInput, type Problem } from '../../client/errors'
import { OPERATIONS } from '../../client/operations'
import type { Route } from '../../client/model/types'
import { givenWords } from '../../client/model/faults'
import { shownAs } from '../../client/model/given'
import { comparable } from '../../client/model/pattern'
import { serverLanguage } from '../runtime/catalog'
import { registerAction, type ActionConfig } from '../runtime/action'
import { choiceProperty, refuseUnresolved } from '../runtime/properties'
import type { Message } from '../runtime/parameters'
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
        const which = { secrets, prefix: secretPrefix(), only }
        const { answer: payload, deviceId } = await run(OPERATIONS.definitions, which)
        return { payload, did: counted('routes', payload.length), deviceId, isShown: true }
      }
      if (output === 'health') {
        const which = { ...paging, only, language: serverLanguage(RED) }
        const { answer: payload, deviceId } = await run(OPERATIONS.health, which)
        return { payload, did: counted('routes', payload.length), deviceId, isShown: true }
      }
      const { answer, deviceId } = await run(OPERATIONS.listRoutes, paging)
      const list = only ? { ...answer, data: answer.data.filter(only) } : answer
      const did = counted('routes', list.data.length)
      switch (output) {
        case 'routes':
          return { payload: list.data, did, deviceId }
        case 'split':
          return { payload: list.data, did, deviceId, split: 'routes' }
        default:
          return { payload: list, did, deviceId }
      }
    },
    { message: ['page', 'pageSize'] },
  )

/** `msg.page` and `msg.pageSize` select that one page. */
function pagingOf(message: Message): { page?: number; pageSize?: number } {
  const problems: Problem[] = []
  const wholeNumber = (property: 'page' | 'pageSize'): number | undefined => {
    const value = message[property]
    if (value === undefined || value === null || value === '') return undefined
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 1) return number
    const problem = `is ${givenWords(shownAs(value))}; it must be a whole number from 1`
    problems.push({ path: `msg.${property}`, problem })
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
