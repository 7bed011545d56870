// What may leave, and what may be sent back.
import { createRedaction, secretsIn } from '../../../client/connection/redaction'
import { planMerge } from '../../../client/changes/merge'
import { diffRoutes } from '../../../client/model/diff'
import { definitionsOf } from '../../../client/changes/definitions'
import { toSent } from '../../../client/model/convert'
import {
  HIDDEN,
  findHidden,
  hideSecrets,
  keepHidden,
  keepsPresent,
  withoutUserInfo,
} from '../../../client/model/secrets'
import type { Route } from '../../../client/model/types'

const CAMERA = 'rtsp://camera:its-password@203.0.113.7/one?key=CAMKEY'
const HIDDEN_CAMERA = 'rtsp://••••••@203.0.113.7/one?••••••'

const route = (address = CAMERA): Route =>
  ({
    id: 'R',
    name: 'Studio',
    state: 'idle',
    source: { id: 'S', name: 'in', protocol: 'rtsp', address, password: 'secret-of-the-camera' },
    destinations: [{ id: 'D', name: 'out', protocol: 'udp', address: '239.1.1.1', port: 5000 }],
  }) as unknown as Route

describe('what may leave', () => {
  it('has no credentials and no query in URLs, also in lists and in texts for people', () => {
    hideSecrets({ address: CAMERA }).should.eql({ address: HIDDEN_CAMERA })
    hideSecrets({ all: [`see ${CAMERA} now`] }).should.eql({ all: [`see ${HIDDEN_CAMERA} now`] })
    hideSecrets('srt://a b:c d@host:1').should.equal('srt://••••••@host:1')
    hideSecrets({ address: 'http://host/path' }).should.eql({ address: 'http://host/path' })
  })

  it('has none in addresses without a scheme, and other texts stay as they are', () => {
    for (const [address, shown] of [
      ['media.example.org/live?token=SECRET', 'media.example.org/live?••••••'],
      ['admin:SEC RET@cam.example.org/1', '••••••@cam.example.org/1'],
      ['admin:SECRET@cam.example.org//1?key=SECRET', '••••••@cam.example.org//1?••••••'],
      ['media.example.org/live', 'media.example.org/live'],
    ] as const) {
      hideSecrets({ paths: [{ address }] }).should.eql({ paths: [{ address: shown }] })
      hideSecrets({ address: shown }).should.eql({ address: shown })
    }
    const text = 'Where? mail a@b'
    hideSecrets({ text }).should.eql({ text })
  })

  it('has no secret of any type, and keeps what says that there is none', () => {
    const given = {
      srtPassPhrase: 1234567890,
      password: { value: 'a' },
      passcode: ['1234'],
      sessionID: true,
    }
    hideSecrets(given).should.eql({
      srtPassPhrase: HIDDEN,
      password: HIDDEN,
      passcode: HIDDEN,
      sessionID: true,
    })
    const none = { srtPassPhrase: '', password: null, passcode: [], sessionID: false }
    hideSecrets(none).should.equal(none)
  })

  it('keeps names and IDs: they say which route it is', () => {
    const named = { id: 'x//a@b', name: CAMERA }
    hideSecrets(named).should.equal(named)
  })

  it('has the password of the account nowhere, in any spelling, and no short one in words', () => {
    const { hiding } = createRedaction()
    const password = 'stored-"password'
    const written = [password, encodeURIComponent(password), JSON.stringify(password)]
    for (const text of written) {
      const hidden = hiding([password, 'it'])({ name: `Pass ${text} end`, list: [text] })
      JSON.stringify(hidden).should.not.containEql('stored')
      hidden.name.should.startWith('Pass ').and.endWith(' end')
    }
    hiding(['it'])({ name: 'bitrate' }).should.eql({ name: 'bitrate' })
    // Another session, with another ID.
    hiding(['first-session'])('first-session other-session').should.equal(`${HIDDEN} other-session`)
    hiding(['other-session'])('first-session other-session').should.equal(`first-session ${HIDDEN}`)
  })

  it('hides URLs in an error of the gateway, and numbers that were sent as secrets', () => {
    secretsIn({ srtPassPhrase: 1234567890 }).should.eql(['1234567890'])
    createRedaction()
      .withoutSecrets(`cannot open ${CAMERA}: 1234567890`, ['1234567890'])
      .should.equal('cannot open rtsp://••••••@203.0.113.7/one?•••••• ••••••')
  })

  it('is found in one pass: a field of a million slashes takes no second', () => {
    const slashes = '/'.repeat(1_000_000)
    const before = process.cpuUsage()
    for (const text of [slashes, `${slashes}@`, '//a '.repeat(250_000), '//?'.repeat(300_000)]) {
      withoutUserInfo(text)
      hideSecrets({ text })
    }
    const { user } = process.cpuUsage(before)
    user.should.be.below(1_000_000)
  })

  it('of a definition is without URL secrets, also where names stand for the others', async () => {
    for (const secrets of ['hidden', 'names'] as const) {
      const [definition] = await definitionsOf([route()], { secrets })
      const { address, password } = definition!.source as unknown as Record<string, string>
      address!.should.equal(HIDDEN_CAMERA)
      password!.should.equal(secrets === 'names' ? '${SRT_STUDIO_SOURCE}' : HIDDEN)
    }
  })
})

describe('what may be sent back', () => {
  for (const [secret, present] of [
    ['of a URL', route()],
    ['of an address without a scheme', route('admin:SECRET@cam.example.org/1?key=SECRET')],
  ] as const) {
    it(`${secret} is no difference, and is sent as the present value`, () => {
      const hidden = hideSecrets(present)
      findHidden(hidden).should.eql(['source.address', 'source.password'])
      diffRoutes(toSent(hidden), toSent(present)).should.eql([])
      const { fields, problems } = planMerge(
        { source: hidden.source, destinations: [{ name: 'out', port: 5001 }] as never },
        present,
      )
      problems.should.eql([])
      const { address, password } = fields.source as unknown as Record<string, string>
      address!.should.equal(present.source.address)
      password!.should.equal('secret-of-the-camera')
    })
  }

  const present = route()
  const hidden = hideSecrets(present)

  it('is refused for another host, and for a new route', () => {
    const moved = { source: { address: HIDDEN_CAMERA.replace('203.0.113.7', '203.0.113.8') } }
    planMerge(moved, present).problems.should.eql([
      { path: 'source.address', kind: 'nothingToKeep' },
    ])
    findHidden(moved).should.eql(['source.address'])
    keepHidden(hidden, undefined)
      .problems.map(({ path }) => path)
      .should.eql(['source.address', 'source.password'])
  })

  it('keeps a name in which the password of the account was hidden', () => {
    const named = { ...present, name: 'Pass stored-password end' }
    const name = 'Pass •••••• end'
    planMerge({ name }, named).fields.name.should.equal(named.name)
    planMerge({ name }, present).problems.should.eql([{ path: 'name', kind: 'nothingToKeep' }])
  })

  for (const [wanted, kept, is] of [
    [HIDDEN, 'anything', true],
    [HIDDEN, 1234567890, true],
    [HIDDEN, '', false],
    [HIDDEN, undefined, false],
    ['a••••••b', 'a--b', true],
    ['a••••••b', 'ab', true],
    ['a••••••a', 'a', false],
    ['a••••••b••••••c', 'a-c-b-c', true],
    ['a••••••b••••••c', 'a-c-c', false],
    ['plain', 'plain', false],
  ] as const) {
    it(`${wanted} ${is ? 'keeps' : 'does not keep'} ${JSON.stringify(kept)}`, () => {
      keepsPresent(wanted, kept).should.equal(is)
    })
  }
})
