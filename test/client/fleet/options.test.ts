import { checkOptions } from '../../../client/fleet/nats/options'
import { areEngineServers } from '../../../client/model/settings'

const addressOf = (servers: string): ReturnType<typeof checkOptions> | undefined => {
  try {
    const log = (): void => undefined
    return checkOptions({ servers, fleet: 'fleet', key: '', replicas: 1, ttlMs: 15_000, log })
  } catch {
    return undefined
  }
}

describe('the servers of an engine', () => {
  it('may have their scheme once, before the first, or each', () => {
    for (const servers of ['nats://a:4222,b:4223', ' nats://a:4222 , nats://b:4223 ']) {
      should(addressOf(servers)).eql({ servers: ['a:4222', 'b:4223'], secure: false })
    }
    should(addressOf('tls://a,b')).eql({ servers: ['a:4222', 'b:4222'], secure: true })
  })

  it('are the same for the form and for the connection', () => {
    const good = [
      'nats://a',
      'nats://a:4222',
      'nats://a:1,b:2',
      'tls://a:1,tls://b:2',
      'nats://[::1]:4222',
    ]
    const bad = [
      '',
      'a:4222',
      'a,nats://b',
      'nats://a,tls://b',
      'nats://a,',
      'http://a',
      'nats://u:p@a',
      'nats://a/x',
      'nats://a,u:p@b',
    ]
    for (const text of good)
      should([areEngineServers(text), !!addressOf(text)]).eql([true, true], text)
    for (const text of bad)
      should([areEngineServers(text), !!addressOf(text)]).eql([false, false], text)
  })
})
