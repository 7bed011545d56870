import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { ERROR_CODES, GatewayError, invalidInput, say, words } from '../../../client/errors'
import { dataOf, errorOf } from '../../../client/fleet/nats/outcome'
import { tokenOf } from '../../../client/fleet/nats/subjects'
import { packed, sealed, unpacked, unsealed } from '../../../client/fleet/nats/wire'

describe('the name of an appliance as a token', () => {
  const nameOf = (token: string): string => {
    if (token === '=') return ''
    const byteOf = (_: string, digits: string): string => String.fromCharCode(parseInt(digits, 16))
    return Buffer.from(token.replace(/=([0-9A-F]{2})/g, byteOf), 'latin1').toString()
  }

  it('keeps letters, digits, hyphens and underscores, and encodes every other byte', () => {
    tokenOf('Oslo-1_a').should.equal('Oslo-1_a')
    tokenOf('a.b *').should.equal('a=2Eb=20=2A')
    tokenOf('ü=').should.equal('=C3=BC=3D')
  })

  it('is one token of a subject, of a topic and of a key, and never that of another name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
        tokenOf(name).should.match(/^[A-Za-z0-9_=-]+$/)
        nameOf(tokenOf(name)).should.equal(name)
      }),
    )
  })
})

describe('what instances send each other', () => {
  it('is JSON, whatever is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        should(await unpacked(await packed(value))).eql(value)
      }),
    )
    should(await unpacked(await packed(undefined))).be.undefined()
  })

  it('is compressed from 1 kB on, and refused where JSON cannot say it', async () => {
    const long = 'a'.repeat(100_000)
    ;(await packed(long)).length.should.be.below(1000)
    should(await unpacked(await packed(long))).equal(long)
    await packed(1n).should.be.rejectedWith(TypeError)
    const deep: unknown[] = []
    let inner = deep
    for (let depth = 0; depth < 100_000; depth++) inner.push((inner = []))
    await packed(deep).should.be.rejectedWith(RangeError)
  })

  it('is refused where it would become too much in memory', async () => {
    for (const text of ['['.repeat(200), `[${'[],'.repeat(600_000)}[]]`]) {
      await unpacked(gzipSync(`{"value":${text}`)).should.be.rejectedWith(RangeError)
    }
    await unpacked(gzipSync(Buffer.alloc(50_000_000, 'a'))).should.be.rejectedWith({
      code: 'ERR_BUFFER_TOO_LARGE',
    })
  })

  describe('under seal', () => {
    const place = { subject: 'a.b', reply: 'c.1' }

    it('is whole for who has the key, in its place', () => {
      fc.assert(
        fc.property(fc.string(), fc.uint8Array(), (text, bytes) => {
          const sent = unsealed('key', place, sealed('key', place, { text }, bytes))!
          should(sent.head).eql({ text })
          Buffer.from(sent.bytes).equals(bytes).should.be.true()
        }),
      )
    })

    it('is nothing with another key, in another place, or with any byte changed', () => {
      const message = sealed('key', place, { id: 1 }, Buffer.from('bytes'))
      should(unsealed('kez', place, message)).be.undefined()
      for (const other of [
        { subject: 'a.b' },
        { subject: 'a.b', reply: 'c.2' },
        { subject: 'a.c', reply: 'c.1' },
      ]) {
        should(unsealed('key', other, message)).be.undefined()
      }
      for (let at = 0; at < message.length; at++) {
        const changed = Buffer.from(message)
        changed[at]! ^= 1
        should(unsealed('key', place, changed)).be.undefined()
        should(unsealed('key', place, message.subarray(0, at))).be.undefined()
      }
    })

    it('has a head that is an object, and not too large', () => {
      for (const head of [[], null, 'text', { text: 'a'.repeat(5000) }]) {
        should(unsealed('key', place, sealed('key', place, head as object))).be.undefined()
      }
    })
  })
})

describe('an error that comes from another instance', () => {
  const there = (error: unknown, writes = true): GatewayError =>
    errorOf(JSON.parse(JSON.stringify(dataOf(error, writes))))

  it('is the same: code, message, sentences and cause', () => {
    for (const code of ERROR_CODES) {
      const error = new GatewayError(code, [say('failed', { status: 500 }), words('More.')], {
        operation: 'update-route',
        gateway: { id: 'g1', name: 'Oslo' },
        statusCode: 500,
      })
      const arrived = there(error)
      arrived.message.should.equal(error.message)
      arrived.code.should.equal(code)
      should(arrived.cause).eql(error.cause)
      should(arrived.sentences).eql(error.sentences)
    }
    const bad = invalidInput([{ path: 'port', problem: 'must be a number' }])
    should(there(bad).cause.problems).eql(bad.cause.problems)
  })

  it('of a change that failed for a reason of ours may have been made', () => {
    const changed = there(new TypeError('oops'))
    should(changed.code).equal('BAD_RESPONSE')
    should(changed.cause.applied).equal('maybe')
    should(there(new TypeError('oops'), false).cause.applied).equal('no')
  })

  it('is an error too if it cannot be read', () => {
    for (const data of [undefined, {}, { code: 'OTHER', sentences: [] }, { code: 'CLOSED' }]) {
      should(errorOf(data).code).equal('BAD_RESPONSE')
      should(errorOf(data).cause.applied).equal('maybe')
    }
  })
})
