import { createRoute } from '../../../client/changes/create'
import { getRoute } from '../../../client/api/routes'
import { listDevices } from '../../../client/api/devices'
import { sessionInformation, startSession } from '../../../client/api/session'
import type { GatewayOptions } from '../../../client/connection/connection'
import { MONOTONIC, type Clock } from '../../../client/clock'
import { errorOf } from '../../support/errors'
import {
  ScriptedAppliance,
  type Answer,
  type Call,
  type Reply,
  type Script,
} from '../../support/scripted-appliance'
import { pause } from '../../support/until'
import { aheadBy, NEW, op } from './support'
import { appliance, gateway, scripted } from '../../support/stage'

const PAGE: Reply = { headers: { 'content-type': 'text/html' }, text: '<!doctype html><form>' }
const LOGIN_PAGE: Reply = { status: 302, headers: { location: '/login' } }

/** Gives each login a session of its own, and knows which of them are open. */
class Sessions extends ScriptedAppliance {
  readonly open = new Set<string>()
  logins = 0
  /** More of the Set-Cookie header. */
  attributes = ''

  constructor(readonly special: (call: Call, isKnown: boolean) => ReturnType<Script>) {
    super((call) => this.#respond(call))
  }

  #respond(call: Call): ReturnType<Script> {
    const [, id = ''] = /sessionID=([^;]*)/.exec(call.headers.cookie ?? '') ?? []
    const special = this.special(call, this.open.has(id))
    if (call.what === 'DELETE /api/session') this.open.delete(id)
    if (special) return special
    if (call.what === 'POST /api/session') return this.login()
    return call.what === 'DELETE /api/session' || this.open.has(id) ? undefined : { status: 401 }
  }

  login(): Answer {
    const id = `session-number-${++this.logins}`
    this.open.add(id)
    return {
      headers: { 'set-cookie': [`sessionID=${id}; Path=/${this.attributes}`] },
      body: { response: { type: 'Session', sessionID: id } },
    }
  }
}

describe('a session that gets lost', () => {
  let sessions: Sessions

  function start(
    special: Sessions['special'] = () => undefined,
    options: Partial<GatewayOptions> = {},
  ): Promise<void> {
    sessions = new Sessions(special)
    return scripted(sessions, options)
  }

  const read = (): Promise<unknown> => listDevices(gateway, op())
  const create = (): Promise<unknown> => createRoute(gateway, { ...NEW, deviceId: 'D' }, op())
  const writes = (): number => sessions.calls.filter(({ path }) => path.endsWith('/updates')).length

  it('is no reason to send a change again that was made and answered with a redirect', async () => {
    await start(({ path, what }, isKnown) => {
      if (path.endsWith('/updates')) {
        sessions.open.clear()
        return { status: 303, headers: { location: '/done' } }
      }
      return what === 'GET /api/session' && !isKnown ? { status: 401 } : undefined
    })
    const error = await errorOf(create())
    error.should.match({ code: 'BAD_RESPONSE', cause: { applied: 'maybe' } })
    writes().should.equal(1)
    // The next call has a session again.
    await read()
    sessions.logins.should.equal(2)
  })

  it('nor one that was answered with a web page', async () => {
    await start(({ path }) => {
      if (!path.endsWith('/updates')) return undefined
      sessions.open.clear()
      return PAGE
    })
    ;(await errorOf(create())).cause.applied.should.equal('maybe')
    writes().should.equal(1)
  })

  it('is not lost where each response gives it another ID, to the first question about it too', async () => {
    let ids = 0
    await start(({ what }, isKnown) => {
      if (!isKnown || !what.startsWith('GET ')) return undefined
      const id = `rotated-${++ids}`
      sessions.open.clear()
      sessions.open.add(id)
      const headers = { 'set-cookie': [`sessionID=${id}; Path=/`] }
      return { headers, body: what === 'GET /api/session' ? {} : [{ _id: 'D' }] }
    })
    for (let reads = 0; reads < 3; reads++) await read()
    sessions.logins.should.equal(1)
    await gateway.close()
    sessions.open.size.should.equal(0)
  })

  it('is not lost where that happens while other calls are under way with the former ID', async () => {
    let ids = 0
    await start(({ what }, isKnown) => {
      if (!isKnown || what === 'DELETE /api/session') return undefined
      const id = `rotated-${++ids}`
      sessions.open.clear()
      sessions.open.add(id)
      const headers = { 'set-cookie': [`sessionID=${id}; Path=/`] }
      return { headers, body: what === 'GET /api/session' ? {} : [{ _id: 'D' }] }
    })
    await read()
    // Those that are refused are answered after the one that is not.
    const { reply } = appliance
    appliance.reply = async (call) => {
      const answer = await reply(call)
      if (answer && typeof answer === 'object' && 'status' in answer) await pause(10)
      return answer
    }
    await Promise.all(Array.from({ length: 8 }, read))
    sessions.logins.should.equal(1)
  })

  for (const text of [
    '<!-- v4 -->\n<html><form>',
    '<script>location = "/login"</script>',
    '<!doctype html><form>',
  ]) {
    it(`is opened again after a page that begins with ${text.slice(0, 4)}, and the read repeated`, async () => {
      await start((call, isKnown) =>
        isKnown || call.what === 'POST /api/session' ? undefined : { text },
      )
      await read()
      sessions.open.clear()
      await read()
      sessions.logins.should.equal(2)
    })
  }

  it('is one to send a change again that was answered with 401', async () => {
    await start(({ path }, isKnown) =>
      path.endsWith('/updates') && isKnown
        ? { body: { updates: [{ id: 'R', pendingUpdate: true }] } }
        : undefined,
    )
    await read()
    sessions.open.clear()
    await create()
    sessions.logins.should.equal(2)
    writes().should.equal(2)
  })

  for (const [what, reply] of Object.entries({
    302: LOGIN_PAGE,
    401: { status: 401 },
    page: PAGE,
  })) {
    it(`costs no login for each 404 where a question about it is answered with ${what}`, async () => {
      await start((call) => (call.what === 'GET /api/session' ? reply : undefined))
      for (let reads = 0; reads < 10; reads++) {
        const address = { deviceId: 'D', routeId: `R${reads}` }
        ;(await errorOf(getRoute(gateway, address, op()))).code.should.equal('NOT_FOUND')
      }
      sessions.logins.should.equal(1)
      await gateway.close()
      sessions.open.size.should.equal(0)
    })

    it(`is ended where nobody can know that it is over: ${what}, then a redirect`, async () => {
      let isRedirected = false
      await start((call) => {
        if (call.what === 'GET /api/session') return reply
        return call.what === 'GET /api/devices' && isRedirected ? LOGIN_PAGE : undefined
      })
      for (let rounds = 0; rounds < 2; rounds++) {
        isRedirected = false
        await read()
        isRedirected = true
        await errorOf(read())
      }
      sessions.logins.should.equal(3)
      await gateway.close()
      sessions.open.size.should.equal(0)
    })
  }

  const expired = { error: { type: 'Session', message: 'The session has expired.' } }
  for (const [what, reply] of Object.entries({
    419: { status: 419 },
    440: { status: 440, text: '<html>' },
    'an error in a 200': { body: expired },
  })) {
    it(`is opened again after ${what}, and the change sent once more`, async () => {
      await start((call, isKnown) => {
        if (isKnown) return call.path.endsWith('/updates') ? { body: { status: 'ok' } } : undefined
        return /^(POST|DELETE) .*session$/.test(call.what) ? undefined : reply
      })
      await read()
      sessions.open.clear()
      await create()
      sessions.logins.should.equal(2)
      writes().should.equal(2)
    })

    it(`is alive after ${what} to a change that the gateway does not want`, async () => {
      await start((call, isKnown) => {
        if (call.path.endsWith('/updates')) return reply
        return call.what === 'GET /api/session' && isKnown ? { body: {} } : undefined
      })
      const { code, cause } = await errorOf(create())
      code.should.equal('REJECTED')
      cause.applied.should.equal('no')
      sessions.logins.should.equal(1)
      writes().should.equal(1)
    })
  }

  for (const [status, code] of [
    [204, 'BAD_RESPONSE'],
    [400, 'REJECTED'],
    [403, 'FORBIDDEN'],
    [410, 'REJECTED'],
    [500, 'UNAVAILABLE'],
  ] as const) {
    it(`is opened again when its time is over where it shows as ${status}, and no change is sent twice`, async () => {
      const LIFETIME = 600_000
      const about = { body: { roles: ['Administrator'], expireAt: Date.now() + LIFETIME } }
      let moved = 0
      const special: Sessions['special'] = ({ what }, isKnown) => {
        if (what === 'POST /api/session') return undefined
        if (!isKnown) return { status }
        return what === 'GET /api/session' ? about : undefined
      }
      await start(special, { clock: { ...MONOTONIC, now: () => MONOTONIC.now() + moved } })
      await read()
      sessions.open.clear()
      ;(await errorOf(read())).code.should.equal(code)
      await create().catch(() => undefined)
      writes().should.equal(1)
      sessions.logins.should.equal(1)
      moved = LIFETIME + 1000
      await read()
      writes().should.equal(1)
      sessions.logins.should.equal(2)
    })
  }

  it('whose end is answered with an error has not ended', async () => {
    await start((call) => (call.what === 'DELETE /api/session' ? { body: expired } : undefined))
    await read()
    ;(await errorOf(gateway.endSession(op()))).code.should.equal('REJECTED')
  })

  for (const status of [404, 405, 501]) {
    it(`is opened again after a 404 where a question about it is answered with ${status}`, async () => {
      await start((call, isKnown) => {
        if (call.what === 'GET /api/session') return { status }
        return isKnown || call.method !== 'GET' ? undefined : { status: 404 }
      })
      await read()
      sessions.open.clear()
      const address = { deviceId: 'D', routeId: 'R' }
      ;(await errorOf(getRoute(gateway, address, op()))).code.should.equal('NOT_FOUND')
      sessions.logins.should.equal(2)
      await read()
      sessions.logins.should.equal(2)
    })
  }

  for (const [what, reply] of Object.entries({
    404: { status: 404 },
    302: LOGIN_PAGE,
    page: PAGE,
  })) {
    it(`between its login and the first question about it is opened again: ${what}`, async () => {
      await start((call, isKnown) => {
        if (call.what === 'GET /api/session' && sessions.logins === 1) sessions.open.clear()
        const isFree = call.what === 'POST /api/session' || call.what === 'DELETE /api/session'
        return isFree || (isKnown && sessions.open.size > 0) ? undefined : reply
      })
      await read()
      sessions.logins.should.equal(2)
    })

    it(`each time before it was used is not opened for each call: ${what}`, async () => {
      await start((call) =>
        call.what === 'POST /api/session' || call.what === 'DELETE /api/session'
          ? undefined
          : reply,
      )
      for (let reads = 0; reads < 20; reads++) await errorOf(read())
      sessions.logins.should.be.belowOrEqual(5)
    })
  }

  for (const [what, isOver] of [
    ['is used again', false],
    ['and is over is replaced at once', true],
  ] as const) {
    it(`that a page in place of the gateway made doubtful ${what} when that responds`, async () => {
      let isAway = false
      await start(() => (isAway ? PAGE : undefined))
      await read()
      isAway = true
      const error = await errorOf(create())
      error.should.match({ code: 'BAD_RESPONSE', cause: { applied: 'maybe' } })
      for (let reads = 0; reads < 6; reads++)
        (await errorOf(read())).code.should.equal('BAD_RESPONSE')
      const attempts = (): number =>
        sessions.calls.filter((call) => call.what === 'POST /api/session').length
      attempts().should.equal(2)
      isAway = false
      if (isOver) sessions.open.clear()
      else sessions.open.add('session-number-1')
      await read()
      attempts().should.equal(isOver ? 3 : 2)
    })
  }

  it('is not taken for alive because of a page that arrives with status 200', async () => {
    const served: number[] = []
    await start(({ what }) => (what === 'GET /api/devices' ? PAGE : undefined))
    const session = await gateway.session.open()
    for (let reads = 0; reads < 3; reads++) {
      ;(await errorOf(read())).code.should.equal('BAD_RESPONSE')
      served.push(session.served)
    }
    served.should.eql([0, 0, 0])
    sessions.logins.should.equal(1)
  })

  it('does not get lost because its cookie ends by a clock that differs', async () => {
    const past = new Date(Date.now() - 3_600_000).toUTCString()
    await start(({ what, headers: { cookie = '' } }, isKnown) =>
      what === 'GET /api/devices' && isKnown
        ? {
            headers: { 'set-cookie': [`${cookie}; Path=/; Expires=${past}`] },
            body: [{ _id: 'D' }],
          }
        : undefined,
    )
    sessions.attributes = `; expires=${past}; Max-Age=-1`
    for (let reads = 0; reads < 5; reads++) await read()
    sessions.logins.should.equal(1)
    await gateway.close()
    sessions.open.size.should.equal(0)
  })

  it('again and again, to another client of the same account, is opened more and more slowly', async () => {
    const logged: string[] = []
    let moved = 0
    const clock: Clock = {
      now: () => moved,
      after: (_ms, callback) => MONOTONIC.after(0, callback),
    }
    await start(() => undefined, { log: (_, text) => logged.push(text), clock })
    const errors: string[] = []
    for (let polls = 0; polls < 120; polls++) {
      sessions.open.clear()
      await read().catch(({ message }: Error) => errors.push(message))
      // Each login is followed by a call that works.
      await read().catch(() => undefined)
      moved += 500
    }
    // Of a minute: four at once, then after 2, 4, 8, 16 and 32 s.
    sessions.logins.should.be.within(7, 10)
    errors[0]!.should.match(/keeps ending sessions.*Next attempt in \d s\.$/)
    logged.should.have.length(1)
    // Once it lasts, that is over. The wait before that may be longer than a minute.
    moved += 120_000
    await read()
    moved += 61_000
    await read()
    logged.should.have.length(2)
    logged[1]!.should.match(/responds again/)
  })

  it('four times in as many hours is opened again without a wait', async () => {
    let moved = 0
    const clock = aheadBy(() => moved)
    await start(() => undefined, { clock })
    for (let hours = 0; hours < 10; hours++) {
      sessions.open.clear()
      await read()
      moved += 3_600_000
    }
    sessions.logins.should.equal(10)
  })

  it('while many calls are under way is lost once, and no login is held back', async () => {
    const logged: string[] = []
    await start(() => undefined, { log: (_, text) => logged.push(text) })
    await read()
    sessions.open.clear()
    await Promise.all(Array.from({ length: 8 }, read))
    sessions.logins.should.equal(2)
    logged.should.eql([])
  })

  it('is opened again only once the former one has ended', async () => {
    const order: string[] = []
    await start(async ({ what }) => {
      if (what === 'DELETE /api/session') {
        order.push('end begins')
        await pause(150)
        order.push('ended')
      }
      if (what === 'POST /api/session') order.push('login')
      return undefined
    })
    await read()
    const end = gateway.endSession(op())
    await pause(30)
    await read()
    await end
    order.should.eql(['login', 'end begins', 'ended', 'login'])
  })

  it('is opened again within seconds also where the end of the former one gets no response', async () => {
    await start(({ what }) => (what === 'DELETE /api/session' ? 'silence' : undefined), {
      timeout: 1000,
    })
    await read()
    const end = errorOf(gateway.endSession(op()))
    await pause(30)
    await read()
    ;(await end).code.should.equal('TIMEOUT')
  })

  const cut = (): Reply => {
    const { headers } = sessions.login()
    return {
      raw: `HTTP/1.1 200 OK\r\nset-cookie: ${(headers!['set-cookie'] as string[])[0]}\r\ncontent-length: 500\r\n\r\n{"resp`,
    }
  }
  const tooMuch = (): Reply => ({ ...sessions.login(), text: 'x'.repeat(100_000), body: undefined })
  for (const [what, reply] of Object.entries({ 'cut off': cut, 'far too long': tooMuch })) {
    it(`is ended where the response to its login was ${what}`, async () => {
      await start(({ method }) => (method === 'POST' ? reply() : undefined))
      ;(await errorOf(read())).code.should.equal('BAD_RESPONSE')
      sessions.logins.should.equal(1)
      await gateway.close()
      sessions.open.size.should.equal(0)
    })
  }
})

describe('a refused login', () => {
  let moved = 0
  const clock = aheadBy(() => moved)
  function start(reply: Script): Promise<void> {
    moved = 0
    return scripted(reply, { clock })
  }

  it('is not repeated by any number of "start" in a row, nor sooner and sooner', async () => {
    await start(() => ({ status: 401, body: { error: { type: 'x', message: 'wrong' } } }))
    const messages: string[] = []
    for (let starts = 0; starts < 20; starts++) {
      messages.push((await errorOf(startSession(gateway, op()))).message)
    }
    appliance.calls.should.have.length(1)
    messages[1]!.should.match(/Next attempt in 5 s\.$/)
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      const { length } = appliance.calls
      moved += (seconds - 1) * 1000
      await errorOf(startSession(gateway, op()))
      appliance.calls.length.should.equal(length, `less than ${seconds} s`)
      moved += 1000
      await errorOf(startSession(gateway, op()))
      appliance.calls.length.should.equal(length + 1, `after ${seconds} s`)
    }
  })

  it('says the first time already that it is not tried again', async () => {
    await start(() => ({ status: 401, body: { error: { type: 'x', message: 'wrong' } } }))
    const { message } = await errorOf(listDevices(gateway, op()))
    message.should.match(/Correct the options username and password\. No further attempt is made/)
  })

  it('for want of a session says the first time already when it is tried again', async () => {
    await start(() => ({ status: 429, headers: { 'retry-after': '7' }, body: {} }))
    const { message } = await errorOf(listDevices(gateway, op()))
    message.should.match(/has no free session.*Next attempt in 7 s\.$/)
  })

  it('after good days waits as short as the first one', async () => {
    let isAway = false
    await start(({ what }) =>
      isAway && what === 'POST /api/session' ? { status: 500, body: {} } : undefined,
    )
    const waits: number[] = []
    for (let days = 0; days < 3; days++) {
      isAway = true
      for (let tries = 0; tries < 4; tries++) {
        await gateway.endSession(op())
        await errorOf(listDevices(gateway, op()))
        const { message } = await errorOf(listDevices(gateway, op()))
        waits.push(Number(/Next attempt in (\d+) s/.exec(message)?.[1]))
        moved += 60_000
      }
      isAway = false
      await listDevices(gateway, op())
    }
    for (const first of [0, 4, 8]) waits[first]!.should.be.belowOrEqual(3)
  })
})

describe('the end of a session as the appliance says it', () => {
  const HOUR = 3_600_000
  for (const hours of [-1, 1]) {
    it(`counts by the clock of the appliance, which is ${hours} h away from ours`, async () => {
      let moved = 0
      const clock = aheadBy(() => moved)
      const theirs = (): number => Date.now() + hours * HOUR
      const reply: Script = ({ what }) =>
        what === 'GET /api/session'
          ? {
              headers: { date: new Date(theirs()).toUTCString() },
              body: { roles: ['Administrator'], expireAt: theirs() + 600_000 },
            }
          : undefined
      await scripted(reply, { clock })
      const asked = (): number =>
        appliance.calls.filter(({ what }) => what === 'GET /api/session').length
      await sessionInformation(gateway, op())
      const before = asked()
      moved = 590_000
      await listDevices(gateway, op())
      asked().should.equal(before, 'before its end')
      moved = 605_000
      await listDevices(gateway, op())
      asked().should.equal(before + 1, 'at its end')
    })
  }
})
