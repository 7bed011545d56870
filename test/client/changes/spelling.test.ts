import { diffRoutes, showsUpdate } from '../../../client/model/diff'
import { isPending, wholeRoute } from '../../../client/model/route-state'
import type { Route, RouteFields } from '../../../client/model/types'
import { planMerge } from '../../../client/changes/merge'
import { PRESENT, SENT, withDestination } from './support'

const route = (members: object): Route => ({ ...PRESENT, ...members })

describe('what firmware writes in its own way', () => {
  it('a pending delete as text: "false" is none', () => {
    isPending(route({ hasPendingDelete: 'false' })).should.be.false()
    isPending(route({ hasPendingDelete: 'true' })).should.be.true()
    isPending(route({ hasPendingDelete: true })).should.be.true()
  })

  it('no destinations as null: an empty list', () => {
    wholeRoute(route({ destinations: null })).destinations.should.eql([])
    ;(() => wholeRoute(route({ destinations: undefined }))).should.throw()
  })

  it('"None" and an empty text are the same, except as a name', () => {
    const wanted = withDestination(0, { srtEncryption: 'None' })
    diffRoutes(wanted, withDestination(0, { srtEncryption: '' })).should.eql([])
    diffRoutes(withDestination(0, { srtEncryption: '' }), wanted).should.eql([])
    diffRoutes(
      withDestination(0, { name: 'none' }),
      withDestination(0, { name: '' }),
    ).should.have.length(1)
  })
})

describe('an update shows', () => {
  const before = SENT
  const sent = withDestination(0, { port: 7000 })
  const shows = (now: RouteFields, what = sent): boolean => showsUpdate(what, before, now)

  it('once what it changed has left its former value, as sent or otherwise', () => {
    shows(before).should.be.false()
    shows(sent).should.be.true()
    shows(withDestination(0, { port: 7001 })).should.be.true()
  })

  it('by nothing else: a counter, an edit elsewhere, a destination of others', () => {
    shows({ ...before, name: 'other' }).should.be.false()
    shows(withDestination(1, { port: 9 })).should.be.false()
    shows({ ...before, source: { ...before.source, counter: 7 } }).should.be.false()
    const added = { ...before.destinations[1]!, id: 'd9', name: 'nine' }
    shows({ ...before, destinations: [...before.destinations, added] }).should.be.false()
  })

  it('by all of what it changed', () => {
    const both = { ...sent, name: 'both' }
    shows({ ...before, name: 'both' }, both).should.be.false()
    shows(both, both).should.be.true()
  })

  it('by a destination that is there, or gone', () => {
    const [first, second] = before.destinations
    const fewer = { ...before, destinations: [first!] }
    shows(before, fewer).should.be.false()
    shows(fewer, fewer).should.be.true()
    const { id: _, ...fresh } = { ...second!, name: 'three' }
    const more = { ...before, destinations: [...before.destinations, fresh as never] }
    shows(before, more).should.be.false()
    const made = {
      ...before,
      destinations: [...before.destinations, { ...fresh, id: 'd3' } as never],
    }
    shows(made, more).should.be.true()
  })
})

describe('destinations of an update without checks', () => {
  it('that are given by name do not take the ID that another row has taken', () => {
    const twice = [
      { name: 'one', port: 1 },
      { name: 'one', port: 2 },
    ]
    const { problems } = planMerge({ destinations: twice }, PRESENT, { validate: false })
    problems.should.containDeep([{ kind: 'sameDestination' }])
  })
})
