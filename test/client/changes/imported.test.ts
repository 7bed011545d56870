import { errorOf } from '../../support/errors'
import type { Call, Reply } from '../../support/scripted-appliance'
import { appliance, program as gateway, scripted } from '../../support/stage'

/** An appliance that masks its secrets, and shows no change of its only route. */
describe('after an import of a preset', () => {
  let status: number
  let whileImporting: () => Promise<unknown>

  const source = {
    id: 'S',
    name: 'In',
    protocol: 'srt',
    mode: 'caller',
    address: '192.0.2.7',
    port: 5000,
    srtPassPhrase: '********',
  }
  const route = { id: 'R', name: 'A', state: 'idle', source, destinations: [] }
  const preset = { preset_version: 1, routes: [{ name: 'A', source }] }

  function reply({ method, path }: Call): Reply | undefined | Promise<Reply> {
    if (path.endsWith('/preset') && method === 'GET') return { body: preset }
    if (path.endsWith('/preset')) {
      return whileImporting().then(() => ({ status, body: { type: 'postSystemPreset' } }))
    }
    if (path.endsWith('/updates')) return { body: { status: 'ok' } }
    if (method === 'GET' && path.endsWith('/routes/R')) return { body: route }
    if (method === 'GET' && path.endsWith('/routes')) {
      return { body: { data: [route], numPages: 1, numResults: 1 } }
    }
    return undefined
  }

  beforeEach(() => {
    status = 200
    whileImporting = () => Promise.resolve()
    return scripted(reply)
  })

  interface Fields {
    source: { port: number; srtPassPhrase?: string }
  }
  const updates = (): Fields[] =>
    appliance.calls
      .filter(({ path }) => path.endsWith('/updates'))
      .map(({ body }) => body!.fields as unknown as Fields)
  const given = { ...preset, routes: [{ name: 'A', source: { ...source, srtPassPhrase: '' } }] }

  it('a secret that was written before is written again', async () => {
    const wanted = { name: 'A', source: { srtPassPhrase: 'a secret word' } }
    const ensure = (): Promise<unknown> => gateway.routes.ensure(wanted)
    await ensure()
    await ensure()
    updates()
      .map((one) => one.source.srtPassPhrase)
      .should.eql(['a secret word'])
    await gateway.presets.import(given)
    await ensure()
    updates().length.should.equal(2)
    // Also where nobody knows whether it arrived.
    status = 504
    await gateway.presets.import(given).catch(() => undefined)
    await ensure()
    updates().length.should.equal(3)
  })

  it('no change builds on what was sent before and does not show', async () => {
    const ports = (): number[] => updates().map((one) => one.source.port)
    await gateway.routes.update({ id: 'R' }, { source: { port: 5999 } })
    await gateway.presets.import(given)
    await gateway.routes.update({ id: 'R' }, { name: 'B' })
    ports().should.eql([5999, 5000])
  })

  it('that was refused, the next change still builds on it', async () => {
    await gateway.routes.update({ id: 'R' }, { source: { port: 5999 } })
    status = 403
    await gateway.presets.import(given).should.be.rejectedWith({ code: 'FORBIDDEN' })
    await gateway.routes.update({ id: 'R' }, { source: { address: '192.0.2.8' } })
    updates()
      .map((one) => one.source.port)
      .should.eql([5999, 5999])
  })

  it('what was sent while it was on its way still counts', async () => {
    whileImporting = () => gateway.routes.update({ id: 'R' }, { source: { port: 5999 } })
    await gateway.presets.import(given)
    await gateway.routes.update({ id: 'R' }, { name: 'B' })
    updates()
      .map((one) => one.source.port)
      .should.eql([5999, 5999])
  })

  it('and instead of one: what the appliance masks cannot be kept, so the import is refused', async () => {
    for (const hidden of ['••••••', '********']) {
      const routes = [{ name: 'A', source: { ...source, srtPassPhrase: hidden } }]
      const error = await errorOf(gateway.presets.import({ ...preset, routes }))
      error.should.match({ code: 'INVALID_INPUT', cause: { applied: 'no' } })
      error.message.should.match(/routes\[0\]\.source\.srtPassPhrase is a hidden value/)
    }
    const isImport = ({ what }: Call): boolean => /^POST .*preset$/.test(what)
    appliance.calls.some(isImport).should.be.false()
  })
})
