// What a form shows of a definition, and what an edit makes of it. It needs no browser.
import * as fc from 'fast-check'
import { toSent } from '../../client/model/convert'
import type { JsonObject } from '../../client/model/json'
import { PROTOCOLS, type Direction } from '../../client/model/members'
import {
  edit,
  parseDefinition,
  partFields,
  pathFields,
  routeFields,
  textOf,
  valueOf,
  withMember,
  type FormFields,
  type PartUse,
} from '../../nodes/editor/route-form/model'
import { arbitraryRoute, frozen } from '../support/arbitraries'

describe('a definition and its fields', () => {
  const uses: fc.Arbitrary<PartUse> = fc.constantFrom(
    {},
    { isNew: true },
    { partial: true },
    { partial: true, isState: true },
  )
  /** Sources and destinations, as read and as sent. */
  const parts: fc.Arbitrary<[Direction, JsonObject]> = fc
    .tuple(arbitraryRoute, fc.boolean(), fc.nat())
    .map(([route, isSent, at]) => {
      const { source, destinations } = isSent ? toSent(route) : route
      const destination = destinations[at % (destinations.length + 1)]
      return destination ? ['destination', destination] : ['source', source]
    })
  const all = ({ first, more }: FormFields) => [...first, ...more]

  it('shows every member once, as a field or by its name', () => {
    fc.assert(
      fc.property(parts, uses, ([direction, part], use) => {
        const fields = partFields(direction, frozen(part), use)
        const keys = all(fields).map(({ key }) => key)
        should(new Set(keys).size).equal(keys.length)
        const shown = [...keys.filter((key) => key in part), ...fields.others]
        should(shown.sort()).eql(Object.keys(part).sort())
      }),
    )
  })

  it('changes nothing where a field holds what it showed', () => {
    fc.assert(
      fc.property(parts, uses, ([direction, part], use) => {
        const before = JSON.stringify(part)
        for (const field of all(partFields(direction, frozen(part), use))) {
          if (field.name === 'protocol' || field.member.of) continue
          const typed = textOf(field.member, field.value)!
          const value = valueOf(field.member, typed, field.value)
          const { part: after, parked } = edit(direction, { part, parked: [] }, field, value, use)
          should(JSON.stringify(after)).equal(before, field.name)
          should(parked).eql([])
        }
      }),
    )
  })

  it('takes an edit back as if it had not been', () => {
    fc.assert(
      fc.property(parts, fc.nat(), ([direction, part], at) => {
        // With these, members stand there that do not apply, and do once it is another.
        fc.pre(part['rtmpMode'] !== 'PUBLISHER')
        fc.pre(![part['mode'], part['srtMode']].includes('rendezvous'))
        const fields = all(partFields(direction, part)).filter(({ value }) => value !== undefined)
        const field = fields[at % fields.length]!
        const there = edit(direction, { part: frozen(part), parked: [] }, field, 'other')
        const back = edit(direction, there, field, field.value)
        // A protocol that was read as http is sent as hls, and so it is once it is chosen.
        if (part['protocol'] === 'http') return
        should(back.part).eql(part)
      }),
    )
  })

  it('takes out what another protocol does not have, and puts it back', () => {
    fc.assert(
      fc.property(arbitraryRoute, fc.constantFrom(...PROTOCOLS.source), (route, protocol) => {
        const part = toSent(route).source
        const field = { name: 'protocol', key: 'protocol' }
        const there = edit('source', { part: frozen(part), parked: [] }, field, protocol)
        const known = new Set(all(partFields('source', there.part)).map(({ key }) => key))
        const before = new Set(all(partFields('source', part)).map(({ key }) => key))
        for (const key of Object.keys(there.part)) {
          should(known.has(key) || !before.has(key)).be.true(key)
        }
        const back = edit('source', there, field, part.protocol)
        should(back.part).eql(part)
      }),
    )
  })

  it('keeps the order of members, and puts a new one in its place', () => {
    const part = { zz: 1, name: 'A', port: 1, yy: { a: [1] }, ttl: 3 }
    const field = { name: 'address', key: 'address' }
    const { part: after } = edit('destination', { part, parked: [] }, field, '10.0.0.1')
    should(Object.keys(after)).eql(['zz', 'name', 'address', 'port', 'yy', 'ttl'])
    const odd = JSON.parse('{"__proto__": {"a": 1}, "name": "A"}') as JsonObject
    should(JSON.stringify(withMember(odd, 'source', { name: 'S' }))).equal(
      '{"__proto__":{"a":1},"name":"A","source":{"name":"S"}}',
    )
    should(routeFields(odd, {}).others).eql(['__proto__'])
  })

  it('makes a value of what is typed', () => {
    const of = (direction: Direction, protocol: string, name: string) =>
      all(partFields(direction, { protocol, [name]: undefined, srtMode: 'listener' }, {})).find(
        (field) => field.name === name,
      )!.member
    const port = of('source', 'udp', 'port')
    should(valueOf(port, ' 5000 ', undefined)).equal(5000)
    should(valueOf(port, '5000', '5000')).equal('5000')
    should(valueOf(port, '50x', 5000)).equal('50x')
    should(valueOf(port, '', 5000)).be.undefined()
    should(valueOf(port, ' ', 5000)).be.undefined()
    should(valueOf(port, '9'.repeat(400), 5000)).equal('9'.repeat(400))
    const overhead = of('destination', 'srt', 'srtOverhead')
    should(valueOf(overhead, '25', undefined)).equal('25')
    should(valueOf(overhead, '25', 20)).equal(25)
    const flag = of('destination', 'udp', 'shaping')
    should(['true', 'false', ''].map((typed) => valueOf(flag, typed, 'x'))).eql([
      true,
      false,
      undefined,
    ])
    const labels = of('source', 'udp', 'labels')
    should(valueOf(labels, 'a, b,,', undefined)).eql(['a', 'b'])
    should(textOf(labels, ['a,b'])).be.undefined()
    const phrase = of('source', 'srt', 'srtPassPhrase')
    should(valueOf(phrase, '', '••••••')).equal('')
    should(valueOf(phrase, '', 'secret phrase')).be.undefined()
    should(pathFields({ kind: 'list' }, { a: 1 }).others).eql(['a'])
    for (const text of ['[]', 'null', '"a"', '{', '1']) {
      should(parseDefinition(text)).be.undefined()
    }
    should(parseDefinition(' ')).eql({})
  })
})
