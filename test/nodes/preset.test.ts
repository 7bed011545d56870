import type { Simulator } from '../../simulator'
import { type Message, failure, load, result, simulated, unload } from '../support/flow'

const preset = (action: string, more: object = {}): object => ({
  type: 'media-gateway-preset',
  action,
  ...more,
})

describe('preset', () => {
  let simulator: Simulator
  let path: string

  beforeEach(async () => {
    simulator = await simulated({ routes: 12 })
    path = `/api/gateway/${simulator.devices[0]!._id}/system/preset`
    await load(simulator.url, {
      export: preset('export'),
      hidden: preset('export', { hideSecrets: true }),
      import: preset('import'),
    })
  })

  it('a call that the firmware does not know is not told as a missing device alone', async () => {
    simulator.fault({ kind: 'status', status: 404, match: { path } })
    const error = await failure('export')
    error.code.should.equal('NOT_FOUND')
    error.message.should.match(/no preset of device/).and.match(/firmware offers no presets/)
  })

  it('export: GET /api/gateway/<device>/system/preset, secrets as they are or hidden', async () => {
    const { payload } = await result('export')
    simulator.journal.at(-1)!.should.match({ method: 'GET', path })
    payload!.should.match({ preset_version: '1.0' })
    JSON.stringify(payload).should.match(/"srtPassPhrase":"[^"•]{10,}"/)
    const hidden = JSON.stringify((await result('hidden')).payload)
    hidden.should.match(/"srtPassPhrase":"••••••"/)
    hidden.should.not.match(/"(srtPassPhrase|password)":"[^"•]/)
  })

  it('import: POST as multipart, of an object, a text or a Buffer', async () => {
    const exported = (await result('export')).payload as object
    const text = JSON.stringify(exported, null, 2)
    for (const payload of [exported, text, Buffer.from(text)]) {
      simulator.removeRoute(simulator.routes[0]!.id)
      const answer = (await result('import', { payload, confirm: true })).payload
      answer!.should.match({ type: 'postSystemPreset' })
      answer!.should.have.property('pendingCreation').which.has.length(12)
      const call = simulator.journal.at(-1)!
      call.should.match({ method: 'POST', path })
      String(call.headers['content-type']).should.match(/^multipart\/form-data; boundary=/)
      call.multipart!.filename.should.match(/\.hmg$/)
      JSON.parse(call.multipart!.content).should.deepEqual(exported)
      if (typeof payload === 'string') call.multipart!.content.should.equal(text)
      await simulator.settle()
      simulator.routes.should.have.length(12)
    }
  })

  it('a hidden value in an import keeps the secret that is there', async () => {
    const before = (await result('export')).payload
    const hidden = (await result('hidden')).payload
    await result('import', { payload: hidden, confirm: true })
    await simulator.settle()
    ;((await result('export')).payload as object).should.deepEqual(before)

    const strange = JSON.parse(
      JSON.stringify(hidden).replaceAll('"name":"', '"name":"Other '),
    ) as object
    const posts = simulator.journal.filter(({ method }) => method === 'POST').length
    const error = await failure('import', { payload: strange, confirm: true })
    error.code.should.equal('INVALID_INPUT')
    error.cause.problems!.every((one) => one.path.startsWith('routes[')).should.be.true()
    simulator.journal.filter(({ method }) => method === 'POST').should.have.length(posts)
  })

  it('is not imported without msg.confirm === true, nor when it is no preset', async () => {
    const exported = (await result('export')).payload
    simulator.clearJournal()
    const refused: Array<[Message, RegExp]> = [
      [{ payload: exported }, /msg\.confirm is missing; it must be true/],
      [{ payload: exported, confirm: 'true' }, /msg\.confirm is "true"; it must be true/],
      [{ payload: 'no json', confirm: true }, /is not a preset/],
      [{ payload: { routes: 5 }, confirm: true }, /is not a preset/],
      [{ payload: [1], confirm: true }, /is a list; it must be a preset/],
      [{ confirm: true }, /is missing; it must be a preset/],
    ]
    for (const [message, expected] of refused) {
      const error = await failure('import', message)
      error.code.should.equal('INVALID_INPUT')
      error.message.should.match(expected)
    }
    simulator.journal.should.have.length(0)
  })

  it('is for administrators: others are refused with a sentence, and nothing is sent', async () => {
    const exported = (await result('export')).payload
    await unload()
    const credentials = { username: 'operator', password: 'supervisor' }
    await load(
      simulator.url,
      { export: preset('export'), import: preset('import') },
      { credentials },
    )
    simulator.clearJournal()
    for (const [node, message] of [
      ['export', {}],
      ['import', { payload: exported, confirm: true }],
    ] as const) {
      const error = await failure(node, message)
      error.code.should.equal('FORBIDDEN')
      error.message.should.match(/role Operator.*requires Administrator/)
    }
    simulator.journal.filter((call) => call.path === path).should.have.length(0)
  })
})
