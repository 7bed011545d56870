import { errorOf } from '../../support/errors'
import type { Call, Reply } from '../../support/scripted-appliance'
import { program as gateway, scripted } from '../../support/stage'

interface Fields {
  name: string
  source: Record<string, unknown>
}

/** An appliance that keeps what an update leaves out, as they do. */
describe('an undo of a change of fields', () => {
  let source: Record<string, unknown>

  function reply({ method, path, body }: Call): Reply | undefined {
    const { fields } = (body ?? {}) as { fields?: Fields }
    if (fields) source = { ...source, ...fields.source }
    if (path.endsWith('/updates')) return { body: { status: 'ok' } }
    const route = { id: 'R', name: 'A', state: 'idle', source, destinations: [] }
    if (method === 'GET' && path.endsWith('/routes/R')) return { body: route }
    if (method === 'GET' && path.includes('/routes')) {
      return { body: { data: [route], numPages: 1, numResults: 1 } }
    }
    return undefined
  }

  beforeEach(() => {
    const place = { address: '192.0.2.7', port: 5000 }
    source = { id: 'S', name: 'In', protocol: 'srt', srtMode: 'caller', ...place, later: 1 }
    source.srtPassPhrase = ''
    return scripted(reply)
  })

  it('is refused where the gateway would keep what the route did not have', async () => {
    await gateway.routes.ensure({ name: 'A', source: { srtStreamID: 'one' } })
    const error = await errorOf(gateway.routes.undo())
    error.should.match({ code: 'CONFLICT', cause: { applied: 'no' } })
    error.message.should.match(/source\.srtStreamID cannot be cleared/)
  })

  it('leaves alone what this package does not know, which may be a counter', async () => {
    await gateway.routes.ensure({ name: 'A', source: { port: 6000 } })
    source.later = 2
    await gateway.routes.undo()
    source.should.match({ port: 5000, later: 2 })
  })
})
