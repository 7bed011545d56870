// What a plain field may contain. Each check returns the fault, or undefined. None needs the page.
import { variableIn } from '../../client/model/json'
import { isSecretPrefix } from '../../client/model/secrets'
import { RANGES, type Range } from '../../client/model/ranges'
import {
  addressFault,
  areEngineServers,
  fingerprintDigits,
  isFleetName,
  isHostPattern,
  linesIn,
  numberIn,
  REPLICAS,
  suggestedAddress,
  type AddressFault,
} from '../../client/model/settings'
import { partIn } from '../../client/model/share'

/** The key of a text in the catalog, under `error`, and the values that go into it. */
export type Fault = [key: string, values?: Record<string, number | string>]

export type Check = keyof typeof checks

/** What a variable holds is not known yet: it is no fault. */
function plain(key: string, isGood: (value: string) => unknown) {
  return (value: string): Fault | undefined =>
    isVariable(value) || isGood(value) ? undefined : [key]
}

const areHosts = plain('inventoryHosts', (value) => linesIn(value).every(isHostPattern))
const areServers = plain('engine', areEngineServers)

export const checks = {
  baseUrl(value: string): Fault | undefined {
    if (isVariable(value)) return undefined
    const fault = addressFault(value)
    if (fault === undefined) return undefined
    return [ADDRESS_KEYS[fault], { suggested: suggestedAddress(value) ?? '' }]
  },

  fingerprint: plain('fingerprint', (value) => fingerprintDigits(value) !== undefined),

  /** A variable stands alone: Node-RED replaces none in a line among others. */
  protectedRoutes(value: string): Fault | undefined {
    const isGood = /^\$\{[^}]+\}$/.test(value) || !linesIn(value).some(isVariable)
    return isGood ? undefined : ['oneVariable']
  },

  inventoryHosts: (value: string): Fault | undefined =>
    checks.protectedRoutes(value) ?? areHosts(value),

  secretPrefix: plain('secretPrefix', isSecretPrefix),
  share: plain('share', (value) => ['all', 'lease'].includes(value) || partIn(value)),
  engine: (value: string): Fault | undefined => (value === '' ? ['empty'] : areServers(value)),
  fleet: plain('fleet', (value) => value === '' || isFleetName(value)),
  engineReplicas: plain(
    'engineReplicas',
    (value) => value === '' || REPLICAS.includes(Number(value)),
  ),

  // Empty means the default.
  timeout: number(RANGES.timeout),
  concurrency: number(RANGES.concurrency),
  pollInterval: number(RANGES.pollInterval),
  waitTimeout: number(RANGES.waitTimeout),
  holdFor: number(RANGES.holdFor),
  statistics: number(RANGES.statistics),
  leaseTtl: number(RANGES.leaseTtl),
}

const ADDRESS_KEYS: Record<AddressFault, string> = {
  urlMissing: 'noUrl',
  urlLong: 'urlLong',
  urlNoScheme: 'urlBegin',
  urlScheme: 'urlScheme',
  urlInvalid: 'url',
  urlUser: 'urlUser',
  urlQuery: 'urlQuery',
}

function number(range: Range) {
  const { least, most, whole } = range
  return (value: string): Fault | undefined => {
    const isGood = value === '' || isVariable(value) || numberIn(value, range) !== undefined
    return isGood ? undefined : [whole ? 'wholeNumber' : 'number', { least, most }]
  }
}

/** `${NAME}` as the whole value: Node-RED replaces it by the variable when the flow starts. */
export const isVariable = (value: string): boolean => variableIn(value) !== undefined
