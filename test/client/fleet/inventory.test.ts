import * as fc from 'fast-check'
import should from 'should'
import { readInventory, type InventoryRules } from '../../../client/fleet/inventory'
import { GatewayError, say } from '../../../client/internal'
import { checkRows } from '../../../client/model/inventory'

const ACCOUNT = { username: 'ops', password: 'manager' }
const FINGERPRINT = 'AB'.repeat(32)

const read = (rows: unknown, rules: Partial<InventoryRules> = {}) =>
  readInventory(rows, { lookUp: () => undefined, defaults: ACCOUNT, ...rules })
const faults = (rows: unknown, rules?: Partial<InventoryRules>): string[] =>
  read(rows, rules).faults.map(({ message }) => message)

describe('an inventory', () => {
  it('is an array or its JSON text; what a row leaves out comes from the config node', () => {
    const given = [
      { name: ' oslo ', baseUrl: ' https://10.0.0.1/ ', username: 'own', password: ' own ' },
      { name: 'bergen', fingerprint: null },
    ]
    const defaults = { ...ACCOUNT, baseUrl: 'https://10.0.0.2', fingerprint: FINGERPRINT }
    for (const value of [given, JSON.stringify(given), `\ufeff${JSON.stringify(given)}`]) {
      const { rows, faults: wrong } = read(value, { defaults })
      wrong.should.eql([])
      rows.should.eql([
        {
          name: 'oslo',
          baseUrl: 'https://10.0.0.1/',
          fingerprint: FINGERPRINT,
          username: 'own',
          password: ' own ',
        },
        { name: 'bergen', ...defaults },
      ])
    }
  })

  it('names each row that cannot be used, and what is wrong with it; the others work', () => {
    const rows = [
      { name: 'a', baseUrl: 'http://10.0.0.1' },
      'b',
      { baseUrl: 'http://10.0.0.3' },
      { name: 'a', baseUrl: 'http://10.0.0.4' },
      { name: 'e', baseUrl: 'HTTP://10.0.0.1:80//' },
      { name: 'f', baseUrl: '10.0.0.6' },
      { name: 'g', baseURL: 'http://10.0.0.7' },
      { name: 'h', baseUrl: 'http://10.0.0.8', fingerprint: FINGERPRINT },
      { name: 'i', baseUrl: 'https://10.0.0.9', fingerprint: 'AB' },
      { name: 17, baseUrl: 'http://10.0.0.10' },
      { name: 'k'.repeat(201), baseUrl: 'http://10.0.0.11' },
      { name: 'l', baseUrl: 'http://10.0.0.12', password: '${NOT_SET}' },
      { name: 'm', baseUrl: 'http://10.0.0.13' },
    ]
    const { rows: usable, faults: wrong } = read(rows)
    usable.map(({ name }) => name).should.eql(['a', 'm'])
    wrong
      .map(({ cause }) => cause.appliance ?? '-')
      .join(' ')
      .should.equal(`- - a e f g h i - ${'k'.repeat(201)} l`)
    for (const fault of wrong) fault.should.match({ code: 'CONFIG', cause: { applied: 'no' } })
    wrong
      .map(({ message }) => message)
      .should.eql([
        'Row 2 of the inventory: It is not an object.',
        'Row 3 of the inventory: The name is missing.',
        'Row 4 of the inventory, "a": Row 1 has the same name.',
        'Row 5 of the inventory, "e": Row 1 has the same URL.',
        'Row 6 of the inventory, "f": The URL must begin with http:// or https://, such as https://10.0.0.6.',
        'Row 7 of the inventory, "g": The field "baseURL" is unknown. Known fields are name, baseUrl, fingerprint, username, password.',
        'Row 8 of the inventory, "h": A fingerprint requires a URL that begins with https://.',
        'Row 9 of the inventory, "i": The fingerprint must be a SHA-256 fingerprint of 64 hexadecimal digits.',
        'Row 10 of the inventory: The field name must be text.',
        `Row 11 of the inventory, "${'k'.repeat(60)}…": The name has more than 200 characters.`,
        'Row 12 of the inventory, "l": The environment variable NOT_SET is not set (field password).',
      ])
  })

  it('misses an account only where neither the row nor the config node has one', () => {
    const rows = [{ name: 'a', baseUrl: 'http://10.0.0.1', username: 'ops' }]
    faults(rows, { defaults: { password: 'x' } }).should.eql([])
    faults(rows, { defaults: {} }).should.eql([
      'Row 1 of the inventory, "a": The password is missing.',
    ])
    faults(rows, { defaults: { password: '${GONE}' } }).should.eql([
      'Row 1 of the inventory, "a": The environment variable GONE is not set (field password).',
    ])
  })

  it('takes whole values from the environment, and accounts of a flow only from there', () => {
    const variables = new Map([
      ['OSLO', '10.0.0.1'],
      ['OSLO_URL', 'http://10.0.0.1'],
      ['OSLO_PASSWORD', 'from outside'],
      ['NESTED', '${OSLO_URL}'],
    ])
    const lookUp = (name: string): string | undefined => variables.get(name)
    const row = { name: 'oslo', baseUrl: '${OSLO_URL}', password: ' ${OSLO_PASSWORD} ' }
    read([row], { lookUp, isTyped: true }).rows.should.match([
      { baseUrl: 'http://10.0.0.1', password: 'from outside' },
    ])
    // Only whole values: a part of one is no variable.
    const part = { ...row, baseUrl: 'http://x/${OSLO}' }
    read([part], { lookUp }).rows[0]!.baseUrl.should.equal('http://x/${OSLO}')
    // Looked up once: what a variable names is no address.
    faults([{ ...row, baseUrl: '${NESTED}' }], { lookUp }).should.eql([
      'Row 1 of the inventory, "oslo": The URL must begin with http:// or https://, such as https://${OSLO_URL}.',
    ])
    const plain = { ...row, username: 'ops', password: 'secret' }
    faults([plain], { lookUp, isTyped: true }).should.eql([
      'Row 1 of the inventory, "oslo": The field username must be the name of an environment variable, such as ${OSLO_USERNAME}, because flows are exported. The field password must be the name of an environment variable, such as ${OSLO_PASSWORD}, because flows are exported.',
    ])
    faults([plain], { lookUp }).should.eql([])
  })

  it('is no inventory at all when it is no array, and says where its JSON breaks, not what it says', () => {
    for (const value of [undefined, null, {}, '{}', 17, '"text"']) {
      should(() => read(value)).throw(/^The inventory must be a JSON array/)
    }
    const broken = '[\n  {"name": "oslo", "password": "secret" "}\n]'
    let failure: unknown
    try {
      read(broken)
    } catch (error) {
      failure = error
    }
    should(failure).match({ code: 'CONFIG' })
    String(failure).should.match(/^The inventory is not valid JSON(: see line 2, column \d+)?\.$/)
    should(() => read('')).throw(/^The inventory is not valid JSON\.$|line 1, column 1\.$/)
  })

  it('accounts for each row once, whatever the rows are, and never shows a secret', () => {
    const secret = fc.constantFrom('s3cret-1', 's3cret-2', '${SET}', '${UNSET}', '', undefined)
    const row = fc.record(
      {
        name: fc.oneof(fc.constantFrom('a', 'b', 'ä'), fc.string({ unit: 'binary' }), fc.integer()),
        baseUrl: fc.oneof(
          fc.constantFrom('http://a', 'http://A/', 'https://b:8443/x', 'http://u:s3cret-3@c'),
          fc.string(),
          fc.integer(),
        ),
        fingerprint: fc.constantFrom(FINGERPRINT, 'x', '', undefined, 3),
        username: secret,
        password: fc.oneof(secret, fc.integer()),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(row, row, fc.integer()), { maxLength: 8 }),
        fc.boolean(),
        (rows, isTyped) => {
          const lookUp = (name: string): string | undefined =>
            name === 'SET' ? 's3cret-4' : undefined
          const { rows: usable, faults: wrong } = readInventory(rows, {
            lookUp,
            isTyped,
            defaults: { username: 'ops', password: 's3cret-5' },
          })
          ;(usable.length + wrong.length).should.equal(rows.length)
          new Set(usable.map(({ name }) => name)).size.should.equal(usable.length)
          for (const one of usable) {
            ;(one.name !== '' && one.username !== '' && one.password !== '').should.be.true()
            URL.canParse(one.baseUrl).should.be.true()
          }
          for (const fault of wrong) {
            if (!(fault instanceof GatewayError)) throw fault
            const shown = JSON.stringify([fault.message, fault.cause, fault.sentences])
            shown.includes('s3cret').should.be.false()
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('of 10,000 rows is read in a moment', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      name: `site-${index}`,
      baseUrl: `https://10.${index >> 8}.${index & 255}.1`,
    }))
    const before = process.cpuUsage()
    read(rows).rows.should.have.length(10_000)
    const { user, system } = process.cpuUsage(before)
    // Quadratic work would take a hundred times as long.
    ;((user + system) / 1000).should.be.below(1500)
  })

  it('is checked by the same rules in a form, where nobody knows variables and the account', () => {
    const typed = { isTyped: true, defaults: { baseUrl: 'https://10.0.0.9' } }
    const rows = [
      { name: 'a', baseUrl: '${URL}', fingerprint: '${PRINT}', password: '${PASSWORD}' },
      { name: '${NAME}' },
      { name: 'c', baseUrl: 'http://10.0.0.3', password: 'manager' },
      { name: 'd', baseUrl: '${URL}' },
      { name: 'e', baseUrl: '${OTHER}', fingerprint: 'AB' },
      { name: '${NAME}', baseUrl: 'https://10.0.0.6' },
      { name: 'g' },
    ]
    const keys = ({ faults: found }: ReturnType<typeof checkRows>) =>
      found.map(({ name, sentences }) => [name, ...sentences.slice(1).map(({ key }) => key)])
    const found = checkRows(rows, { ...typed, say })
    keys(found).should.eql([
      ['c', 'rowPlain'],
      ['d', 'rowSameUrl'],
      ['e', 'fingerprintInvalid'],
      ['${NAME}', 'rowSameName'],
      ['g', 'rowSameUrl'],
    ])
    // Whatever the variables are, the run time finds at least the same.
    const values: Record<string, string> = {
      URL: 'https://10.0.0.1',
      OTHER: 'https://10.0.0.5',
      PRINT: FINGERPRINT,
      NAME: 'b',
      PASSWORD: 'manager',
    }
    const defaults = { ...ACCOUNT, ...typed.defaults }
    const known = checkRows(rows, { ...typed, defaults, lookUp: (name) => values[name], say })
    keys(known)
      .map(([, ...wrong]) => wrong)
      .should.eql(keys(found).map(([, ...wrong]) => wrong))
  })
})
