// What the form of the config node accepts is what the run time accepts.
import { GatewayError } from '../../../client/errors'
import { openConnection } from '../../../client/connection/connection'
import { RANGES } from '../../../client/model/ranges'
import { checks, type Check } from '../../../nodes/editor/checks'
import { linesProperty, numberProperty } from '../../../nodes/runtime/properties'
import { thrownBy } from '../../support/errors'

const HEX = 'a1'.repeat(32)

/** Values, and whether they are good. */
const CASES: Partial<Record<Check, [value: string, isGood: boolean][]>> = {
  baseUrl: [
    ['https://gateway.example.com', true],
    ['HTTP://[fe80::1]:8443/a/b/', true],
    [' https://10.0.0.5 ', true],
    ['https://gateway/a@b', true],
    ['', false],
    ['gateway one', false],
    ['10.0.0.5', false],
    ['127.0.0.1:8443', false],
    ['localhost:8443', false],
    ['//gateway', false],
    ['ftp://gateway', false],
    ['https://', false],
    ['https://a b', false],
    ['https://user:word@gateway', false],
    ['https://@gateway', false],
    ['https://gateway/?a=1', false],
    ['https://gateway/#a', false],
  ],
  fingerprint: [
    ['', true],
    [HEX, true],
    [HEX.toUpperCase().replace(/(..)(?=.)/g, '$1:'), true],
    [HEX.replace(/(..)(?=.)/g, '$1 '), true],
    [HEX.slice(2), false],
    [`${HEX}a1`, false],
    ['g1'.repeat(32), false],
  ],
  timeout: [
    ['', true],
    ['1', true],
    ['600000', true],
    ['0', false],
    ['1.5', false],
    ['soon', false],
    ['10 s', false],
  ],
  concurrency: [
    ['100', true],
    ['101', false],
    ['1.5', false],
  ],
  pollInterval: [
    ['1.5', true],
    ['0.5', false],
  ],
  protectedRoutes: [
    ['', true],
    ['On air*', true],
    ['Studio ?, left\r\n\n  On air *  \n', true],
    ['${A} and ${B}', true],
    ['On air*\n${STUDIOS}', false],
    [' ${STUDIOS} \nOn air*', false],
  ],
}

describe('a setting of a gateway', () => {
  for (const [name, cases] of Object.entries(CASES) as [Check, [string, boolean][]][]) {
    for (const [value, isGood] of cases) {
      it(`is ${isGood ? 'good' : 'at fault'} in the form and at run time: ${name} "${value}"`, () => {
        should(checks[name](value) === undefined).equal(isGood)
        should(faultAtRunTime(name, value)).equal(isGood ? undefined : 'CONFIG')
      })
    }
  }

  it('may be a variable, with blanks around it too', () => {
    for (const value of ['${WAIT}', ' ${WAIT} ', '\n${WAIT}']) {
      should(checks.timeout(value)).be.undefined()
      should(faultAtRunTime('timeout', value)).equal('CONFIG')
    }
    should(checks.timeout('${WAIT')).be.Array()
  })

  it('that has lines may be a list of texts, as a variable of a flow can be', () => {
    linesProperty('routes', ['On air*', 'Studio 1']).should.eql(['On air*', 'Studio 1'])
    linesProperty('routes', undefined).should.eql([])
    for (const value of [[5], {}, true, ['${STUDIOS}']]) {
      should(() => linesProperty('routes', value)).throw({ code: 'CONFIG' })
    }
  })

  it('that is the prefix of secrets has two characters at least, as in a name of a variable', () => {
    const good = ['SRT_', 'srt', '__', 'A1', '${PREFIX}']
    const bad = ['', 'S', '_', '1A', 'SRT-', 'SRT ', ' SRT_', 'Ü_', 'SRT_\n', '${A}_']
    for (const value of good) should(checks.secretPrefix(value)).be.undefined()
    for (const value of bad) should(checks.secretPrefix(value)).eql(['secretPrefix'], value)
  })

  it('says how the address was probably meant, and repeats none that may hold a secret', () => {
    const message = (baseUrl: string): string =>
      thrownBy(() => openConnection({ baseUrl, username: 'user', password: 'word' })).message
    should(message('127.0.0.1:8443')).match(
      /begin with http.*, such as https:\/\/127\.0\.0\.1:8443\./,
    )
    should(checks.baseUrl('127.0.0.1:8443')).eql([
      'urlBegin',
      { suggested: 'https://127.0.0.1:8443' },
    ])
    for (const baseUrl of [
      'admin:secret-word@gateway',
      'gateway?key=secret-word',
      'ftp://a:secret-word@b',
    ]) {
      should(message(baseUrl))
        .match(/URL/)
        .and.not.match(/secret-word/)
      should(JSON.stringify(checks.baseUrl(baseUrl))).not.match(/secret-word/)
    }
  })
})

/** The code with which it is refused; undefined when it is not. */
function faultAtRunTime(name: Check, value: string): string | undefined {
  try {
    if (name === 'baseUrl' || name === 'fingerprint') {
      const options = { baseUrl: 'https://gateway', username: 'user', password: 'word' }
      void openConnection({ ...options, [name]: value }).close()
    } else if (name === 'protectedRoutes') linesProperty(name, value)
    else numberProperty('the value', value, RANGES[name as keyof typeof RANGES])
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
}
