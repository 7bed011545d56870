import * as fc from 'fast-check'
import { GatewayError, say } from '../../client/errors'
import { applianceKey, checkRows, type RowRules } from '../../client/model/inventory'
import { readInventory, unknownAppliance } from '../../nodes/gateway/inventory'
import { thrownBy } from '../support/errors'

const ACCOUNT = { username: 'ops', password: 'manager' }
const FINGERPRINT = 'AB'.repeat(32)

/** As far as an inventory in a file can be trusted. */
const TRUSTED = { passwordHosts: ['10.*.*.*'], secretPrefix: 'SRT_' }
const read = (rows: unknown, rules: Partial<RowRules> = {}) =>
  readInventory(rows, { lookUp: () => undefined, defaults: ACCOUNT, ...TRUSTED, ...rules })
const faults = (rows: unknown, rules?: Partial<RowRules>): string[] =>
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
      { name: 'l', baseUrl: 'http://10.0.0.12', password: '${SRT_NOT_SET}' },
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
        'Row 7 of the inventory, "g": The field "baseURL" is unknown. Did you mean baseUrl?',
        'Row 8 of the inventory, "h": A fingerprint requires a URL that begins with https://.',
        'Row 9 of the inventory, "i": The fingerprint must be a SHA-256 fingerprint of 64 hexadecimal digits.',
        'Row 10 of the inventory: The field name must be text.',
        `Row 11 of the inventory, "${'k'.repeat(60)}…": The name has more than 200 characters.`,
        'Row 12 of the inventory, "l": The environment variable SRT_NOT_SET is not set (field password).',
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
    read([part], { lookUp, isTyped: true }).rows[0]!.baseUrl.should.equal('http://x/${OSLO}')
    // Looked up once: what a variable names is no address.
    faults([{ ...row, baseUrl: '${NESTED}' }], { lookUp, isTyped: true }).should.eql([
      'Row 1 of the inventory, "oslo": The URL must begin with http:// or https://, such as https://${OSLO_URL}.',
    ])
    const plain = { ...row, username: 'ops', password: 'secret' }
    faults([plain], { lookUp, isTyped: true }).should.eql([
      'Row 1 of the inventory, "oslo": The field username must be the name of an environment variable, such as ${OSLO_USERNAME}, because flows are exported. The field password must be the name of an environment variable, such as ${OSLO_PASSWORD}, because flows are exported.',
    ])
    faults([{ ...plain, baseUrl: 'http://10.0.0.1' }], { lookUp }).should.eql([])
  })

  it('from elsewhere reads variables with the prefix only, for username and password only', () => {
    const asked: string[] = []
    const lookUp = (name: string): string => {
      asked.push(name)
      return `the value of ${name}`
    }
    const good = {
      name: 'a',
      baseUrl: 'http://thief.example',
      username: '${SRT_U}',
      password: '${SRT_P}',
    }
    read([good], { lookUp }).rows.should.match([
      { username: 'the value of SRT_U', password: 'the value of SRT_P' },
    ])
    const only =
      'in an inventory from a file, the environment or the context, only username and password may be one.'
    const wrong: Array<[change: object, sentence: string]> = [
      [{ name: '${SRT_N}' }, `The field name must not be a variable: ${only}`],
      [{ baseUrl: ' ${SRT_B} ' }, `The field baseUrl must not be a variable: ${only}`],
      [{ fingerprint: '${SRT_F}' }, `The field fingerprint must not be a variable: ${only}`],
      ...['AWS_SECRET_ACCESS_KEY', 'SRT', 'srt_P', ' SRT_P'].map((name): [object, string] => [
        { password: `\${${name}}` },
        'The field password must name a variable that begins with SRT_, the prefix for secrets.',
      ]),
      [
        { username: '${NODE_RED_CREDENTIAL_SECRET}' },
        'The field username must name a variable that begins with SRT_, the prefix for secrets.',
      ],
    ]
    for (const [change, sentence] of wrong) {
      asked.length = 0
      const [said] = faults([{ ...good, ...change }], { lookUp })
      said!.should.endWith(sentence)
      JSON.stringify(read([{ ...good, ...change }], { lookUp })).should.not.containEql(
        'the value of',
      )
      asked.some((name) => !/^SRT_[UP]$/.test(name)).should.be.false()
    }
    read([{ ...good, password: '${OSLO_P}' }], {
      lookUp,
      secretPrefix: 'OSLO_',
    }).faults[0]!.message.should.containEql('username')
  })

  it('from elsewhere has the stored password sent to listed hosts only, or to the URL of the config node', () => {
    const hosts = ['*.example.net', '10.0.0.*', 'oslo.example.org:8443', '[::1]']
    const isSent = (baseUrl: string): boolean => {
      const { rows, faults: wrong } = read([{ name: 'a', baseUrl }], { passwordHosts: hosts })
      if (rows.length === 1) return rows[0]!.password === ACCOUNT.password
      wrong[0]!.message.should.endWith(
        `The stored password is not sent to ${new URL(baseUrl).host}. Add this host to the password hosts of the inventory, or give the row its own password.`,
      )
      JSON.stringify([wrong[0]!.message, wrong[0]!.cause]).should.not.containEql(ACCOUNT.password)
      return false
    }
    for (const url of [
      'https://a.example.net',
      'http://A.Example.NET:8080/x',
      'https://10.0.0.7',
      'https://oslo.example.org:8443',
      'http://[::1]:8080',
    ]) {
      isSent(url).should.be.true(url)
    }
    for (const url of [
      'https://thief.example',
      'https://example.net',
      'https://a.b.example.net',
      'https://a.example.net.thief.example',
      'https://a.example.net.',
      'https://thief.example/a.example.net',
      'https://10.0.0.thief.example',
      'https://10.0.1.7',
      'https://oslo.example.org',
    ]) {
      isSent(url).should.be.false(url)
    }
    const own = { name: 'a', baseUrl: 'https://thief.example', password: 'of the row' }
    read([own], { passwordHosts: [] }).rows.should.match([{ password: 'of the row' }])
    const stored = { ...ACCOUNT, baseUrl: 'https://oslo.example.org' }
    const rows = [{ name: 'a' }, { name: 'b', baseUrl: stored.baseUrl }]
    read(rows, { defaults: stored, passwordHosts: [] }).should.match({
      rows: [{ name: 'a', password: ACCOUNT.password }],
      faults: [{ cause: { appliance: 'b' } }],
    })
    read([{ name: 'b', baseUrl: 'https://any.example' }], { isTyped: true }).rows.should.match([
      ACCOUNT,
    ])
  })

  it('is a CSV with a header: columns by name in any case, foreign ones left out', () => {
    const typed = '\ufeffSite;NAME;Base URL;Fingerprint;User name;password;Region\r\n'
    const body = [
      `N1; oslo ;https://10.0.0.1;${FINGERPRINT};own;"of ""oslo""; and more";North`,
      '',
      ';;;;;;',
      'N2;bergen;https://10.0.0.2;;;;"two',
      'lines"',
      'N3;voss;https://10.0.0.3;;;;',
    ].join('\r\n')
    const expected = [
      {
        name: 'oslo',
        baseUrl: 'https://10.0.0.1',
        fingerprint: FINGERPRINT,
        username: 'own',
        password: 'of "oslo"; and more',
      },
      { name: 'bergen', baseUrl: 'https://10.0.0.2', fingerprint: '', ...ACCOUNT },
      { name: 'voss', baseUrl: 'https://10.0.0.3', fingerprint: '', ...ACCOUNT },
    ]
    const found = read(typed + body)
    found.rows.should.eql(expected)
    found.faults.should.eql([])
    found.ignored!.should.eql(['Site', 'Region'])
    const tabs = 'user\tUrl\tname\nops\thttps://10.0.0.1\ta\n'
    read(tabs).rows.should.match([{ name: 'a', baseUrl: 'https://10.0.0.1', username: 'ops' }])
    read('sep=,\r\nname,address\r\na,https://10.0.0.1').rows.should.match([
      { name: 'a', baseUrl: 'https://10.0.0.1' },
    ])
    // A name of its own counts before what people call it.
    read('name,Address,URL\na,Main Street 1,https://10.0.0.1').rows.should.match([
      { baseUrl: 'https://10.0.0.1' },
    ])
    // The same rules as for JSON, and rows as a spreadsheet counts them.
    faults('name,baseUrl,password\n\na,https://10.0.0.1,${HOME}\na,https://10.0.0.2,x').should.eql([
      'Row 3 of the inventory, "a": The field password must name a variable that begins with SRT_, the prefix for secrets.',
      'Row 4 of the inventory, "a": Row 3 has the same name.',
    ])
    read('name,baseUrl\n').should.match({ rows: [], faults: [] })
  })

  it('that is a CSV nobody can read says why, and repeats no cell', () => {
    const wrong: Array<[text: string, sentence: RegExp]> = [
      ['oslo,https://10.0.0.1,ops,s3cret', /^The inventory is no JSON, and no CSV/],
      ['site;url\noslo;https://10.0.0.1', /its first line must name the columns/],
      ['name,password\noslo,"s3cret', /not closed: see line 2\.$/],
      ['name,password\noslo,"s3cret"x', /not closed: see line 2\.$/],
      ['name,baseUrl,passwort\na,b,s3cret', /"passwort"\. Did you mean password\? Rename/],
      ['name,ip\na,10.0.0.1', /"ip"\. Did you mean baseUrl\?/],
      ['name,url,URL\na,b,c', /^Two columns of the inventory are called baseUrl\./],
      [`name,url\n${',\n'.repeat(130_000)}`, /too large/],
    ]
    for (const [text, sentence] of wrong) {
      String(thrownBy(() => read(text)))
        .should.match(sentence)
        .and.not.containEql('s3cret')
    }
  })

  it('leaves out what is not its own, and refuses a slip only where that member is missing', () => {
    const row = { name: 'a', baseUrl: 'http://10.0.0.1' }
    const rows = [{ ...row, site: 'North', region: 7, note: [], 'Name 2': 'x', constructor: 'x' }]
    read(rows).should.match({ rows: [row], faults: [] })
    read(rows).ignored!.should.eql(['site', 'region', 'note', 'Name 2', 'constructor'])
    for (const [slip, meant] of [
      ['fingerprnt', 'fingerprint'],
      ['thumbprint', 'fingerprint'],
      ['passwrod', 'password'],
      ['user', 'username'],
      ['pwd', 'password'],
    ] as const) {
      const [said] = faults([{ ...row, [slip]: 's3cret' }])
      said!.should.equal(
        `Row 1 of the inventory, "a": The field "${slip}" is unknown. Did you mean ${meant}?`,
      )
    }
    faults([{ name: 'a', url: 'http://10.0.0.1' }]).should.match([/Did you mean baseUrl\?/])
    faults([{ ...row, url: 'http://10.0.0.1' }]).should.eql([])
  })

  it('says which name was probably meant', () => {
    const names = ['Site-3', 'Site-30', 'Oslo']
    const hint = (name: string): string => unknownAppliance(name, names).message
    hint('site-3').should.equal('The inventory has no appliance "site-3". Did you mean "Site-3"?')
    for (const slip of ['Osl', 'Olso']) hint(slip).should.endWith('Did you mean "Oslo"?')
    hint('Olos').should.equal('The inventory has no appliance "Olos".')
    hint('Bergen').should.equal('The inventory has no appliance "Bergen".')
    // Of many names, only case is compared.
    const many = [...Array.from({ length: 2000 }, (_, index) => `site ${index}`), 'Oslo']
    unknownAppliance('OSLO', many).message.should.endWith('Did you mean "Oslo"?')
    unknownAppliance('Osl', many).message.should.not.containEql('Did you mean')
    unknownAppliance('x', []).should.match({ code: 'NOT_FOUND', cause: { appliance: 'x' } })
  })

  it('knows an appliance by its address, however that is written and whatever the row is called', () => {
    const key = (baseUrl: string, more: object = {}): string =>
      applianceKey({ name: 'a', baseUrl, ...more })
    key('https://Gateway.example:443//').should.equal('gateway.example:443')
    key('https://gateway.example').should.equal(key('https://GATEWAY.example/', { name: 'b' }))
    key('http://gateway.example').should.equal('gateway.example:80')
    key('https://gateway.example/one/').should.equal('gateway.example:443/one')
    key('https://10.0.0.1', { ownerKey: 'oslo' }).should.equal('oslo')
  })

  it('is refused where it would cost too much, before it is parsed', () => {
    const large = [
      `[${'['.repeat(50)}${']'.repeat(50)}]`,
      `[${'{},'.repeat(300_000)}{}]`,
      `["${'x'.repeat(17 * 1024 * 1024)}"]`,
    ]
    for (const value of large) {
      should(() => read(value)).throw('The list is too large, or nested too deep.')
    }
  })

  it('is no inventory at all when it is no array, and says where its JSON breaks, not what it says', () => {
    for (const value of [undefined, null, {}, '{}', 17, '"text"']) {
      should(() => read(value)).throw(/^The inventory must be a JSON array/)
    }
    const broken = '[\n  {"name": "oslo", "password": "secret" "}\n]'
    const failure = thrownBy(() => read(broken))
    failure.code.should.equal('CONFIG')
    String(failure).should.match(/^The inventory is not valid JSON(: see line 2, column \d+)?\.$/)
    for (const empty of ['', ' \n']) should(() => read(empty)).throw(/its first line must name/)
  })

  it('accounts for each row once, whatever the rows are, and never shows a secret', function () {
    this.timeout(300_000)
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
