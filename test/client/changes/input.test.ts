import { errorOf } from '../../support/errors'
import { connected, program as gateway, simulator } from '../../support/stage'
import { planMerge } from '../../../client/changes/merge'
import { doubtsOfRoute } from '../../../client/model/doubts'
import { PRESENT } from './support'

/** What was checked is what is sent, whatever becomes of the object that was given. */
describe('an input that changes after the call', () => {
  beforeEach(() => connected({ routes: 3 }))

  const named = (name: string): Record<string, unknown> =>
    simulator.readForm(simulator.routes.find((route) => route.name === name)!.id) as never
  const definition = (name: string, port: number) => ({
    name,
    source: { name: 'in', protocol: 'udp', address: '239.1.1.1', port },
    destinations: [] as object[],
  })

  it('is sent by update as it was', async () => {
    const [first, second] = simulator.routes.map(({ id }) => id)
    const template = { source: { srtLatency: 500 }, name: 'one' }
    const one = gateway.routes.update({ id: first! }, template)
    template.name = 'two'
    const two = gateway.routes.update({ id: second! }, template)
    template.name = 'neither'
    await Promise.all([one, two])
    await simulator.settle()
    simulator.route(first!)!.name.should.equal('one')
    simulator.route(second!)!.name.should.equal('two')
  })

  it('is sent by create as it was', async () => {
    const template = definition('New', 6001)
    const work = gateway.routes.create(template as never)
    template.name = 'Other'
    template.source.port = 6002
    await work
    await simulator.settle()
    named('New').source!.should.match({ port: 6001 })
    simulator.routes.some(({ name }) => name === 'Other').should.be.false()
  })

  it('is brought about by ensure as it was', async () => {
    const [first, second] = simulator.routes.map(({ name }) => name)
    const other = named(second!)
    const wanted = { name: first!, source: { name: 'renamed in' } }
    const work = gateway.routes.ensure(wanted as never)
    wanted.name = second!
    wanted.source.name = 'wrong'
    await work
    named(first!).source!.should.match({ name: 'renamed in' })
    named(second!).source!.should.match({ name: (other.source as { name: string }).name })
  })

  it('is imported as it was: an object and a Buffer', async () => {
    const preset = await gateway.presets.export()
    const kept = JSON.stringify(preset)
    const { name } = simulator.routes[0]!
    for (const given of [preset, Buffer.from(kept)]) {
      const work = gateway.presets.import(given)
      if (Buffer.isBuffer(given)) given.fill('x')
      else (given.routes as Array<{ name: string }>)[0]!.name = 'wrong'
      await work
      await simulator.settle()
      simulator.routes.some((route) => route.name === name).should.be.true()
      simulator.routes.some((route) => route.name === 'wrong').should.be.false()
    }
  })

  it('is what toJSON returns, and passes the same checks', async () => {
    const [first] = simulator.routes.map(({ id }) => id)
    const given = { source: { srtLatency: 500, toJSON: () => ({ port: 70_000 }) } }
    const error = await errorOf(gateway.routes.update({ id: first! }, given))
    error.should.match({ code: 'INVALID_INPUT' })
    error.message.should.match(/source\.port/)
    simulator.journal.some(({ path }) => path.endsWith('/updates')).should.be.false()
  })

  it('is read once, where a getter gives something else each time', async () => {
    const [first] = simulator.routes.map(({ id }) => id)
    let reads = 0
    const given = {
      get name() {
        return `name ${++reads}`
      },
    }
    await gateway.routes.update({ id: first! }, given)
    await simulator.settle()
    reads.should.equal(1)
    simulator.route(first!)!.name.should.equal('name 1')
  })

  it('is refused where it cannot be written as JSON, with the place', async () => {
    const [first] = simulator.routes.map(({ id }) => id)
    const error = await errorOf(gateway.routes.update({ id: first! }, { source: { port: NaN } }))
    error.should.match({ code: 'INVALID_INPUT', cause: { applied: 'no' } })
    error.message.should.match(/source\.port is NaN/)
    simulator.journal.should.have.length(0)
  })
})

const MANY = 130_000
/** Their names are too long for a slip: that saves time. */
const manyFields: Record<string, unknown> = Object.fromEntries(
  Array.from({ length: MANY }, (_, number) => [`${'x'.repeat(40)}${number}`, number]),
)

describe('an input with more fields than a call may have arguments', () => {
  it('is refused for them', async () => {
    await connected()
    const error = await errorOf(gateway.routes.ensure(manyFields))
    error.code.should.equal('INVALID_INPUT')
    error.message.should.containEql('Unknown field')
  })

  it('is read to its end', () => {
    doubtsOfRoute({ source: manyFields }).unknown.should.have.length(MANY)
    const { problems } = planMerge({ destinations: { new: manyFields } }, PRESENT, {})
    problems.should.not.be.empty()
  })
})
