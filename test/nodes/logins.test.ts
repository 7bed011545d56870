import type { Connection } from '../../client/connection/connection'
import { Stop } from '../../client/stop'
import { createLogins, NotTried } from '../../nodes/gateway/admin/logins'

/** One turn, and 20 that wait for it: whoever asks beyond that is refused. */
const ROOM = 21

describe('the logins with the values of a form', () => {
  let closed: number
  const gatewayOn = (host: string): Connection => {
    const close = (): Promise<void> => Promise.resolve(void closed++)
    const counters = { logins: { ok: 0, refused: 0 } }
    return { identity: { host }, counters, close } as unknown as Connection
  }

  beforeEach(() => (closed = 0))

  for (const [who, asks] of [
    ['for one gateway, whoever asks', (count: number) => ['one.example.com', `user ${count}`]],
    ['for one user, wherever', (count: number) => [`${count}.example.com`, 'somebody']],
  ] as const) {
    it(`wait in a line with an end ${who}`, async () => {
      const logins = createLogins()
      const ask = (count: number): ReturnType<typeof logins.inTurn> => {
        const [host, user] = asks(count) as [string, string]
        return logins.inTurn(gatewayOn(host), 'operator', { user, stop: new Stop() })
      }
      const waiting = Array.from({ length: ROOM }, (_, count) => ask(count))
      await ask(ROOM).should.be.rejectedWith(NotTried)
      closed.should.equal(1)
      for (const turn of waiting) await (await turn)()
      closed.should.equal(1 + ROOM)
      await (
        await ask(0)
      )()
    })
  }

  it('without a line are refused while another runs', async () => {
    const logins = createLogins()
    const end = await logins.inTurn(gatewayOn('one.example.com'), 'operator', {})
    await logins.inTurn(gatewayOn('one.example.com'), 'other', {}).should.be.rejectedWith(NotTried)
    await end()
    await (
      await logins.inTurn(gatewayOn('one.example.com'), 'other', {})
    )()
  })
})
