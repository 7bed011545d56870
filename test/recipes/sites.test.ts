// Recipes about two gateways: sites that are to be alike, and a key that changes at both ends.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator, type RouteSpec, type Simulator } from '../../simulator'
import { passOn, ScriptedAppliance } from '../support/scripted-appliance'
import { until } from '../support/until'
import { startChats, type Chats } from './chats'
import {
  type FlowNode,
  nodeNamed,
  read,
  SECOND,
  secretsOf,
  simulator,
  stageRecipes,
  TWO,
  withTab,
} from './support'
import { afterThisTest } from '../support/hooks'

type Fields = Record<string, unknown>

describe('the example flows', () => {
  const { deploy, open, connected, inject, output, told, writes, nodeRed } = stageRecipes()
  let chats: Chats

  beforeEach(async () => {
    chats = await startChats()
  })
  afterEach(() => chats.stop())

  const said = (): string[] => chats.shown.SLACK
  const sayOf = (debug: string, count: number): Promise<void> =>
    until(() => told(debug).length >= count, `"${debug}" ${count}`)

  /** The recipe with a simulator of its own for the second gateway. */
  function forBoth(title: string, second: Simulator, properties: Fields): FlowNode[] {
    const flow = withTab(read(`Recipes/${title}.json`), properties)
    flow.find(({ id }) => id === SECOND)!.baseUrl = second.url
    return flow
  }

  describe('Two sites alike', () => {
    const TITLE = 'Two sites alike'
    const TABLE = {
      networkInterface: { eth0: 'eth1', eth1: 'eth0' },
      address: { '203.0.113.': '198.51.100.', '203.0.113.2': '192.0.2.2', '192.0.2.': '192.0.2.' },
    }
    let second: Simulator

    beforeEach(async () => (second = await startSimulator({ routes: [] })))
    afterEach(async () => {
      await deploy([])
      await until(() => second.openSessions === 0, 'the end of its session')
      await second.stop()
    })

    function prepared(table: object = TABLE, properties: Fields = {}, secrets = {}): FlowNode[] {
      const flow = forBoth(TITLE, second, { ARMED: true, ...properties })
      const [rule] = nodeNamed(flow, 'table')['rules'] as [{ to: string }]
      rule.to = JSON.stringify(table)
      const { env } = flow.find(({ type }) => type === 'tab')! as unknown as { env: object[] }
      for (const [name, value] of Object.entries({ ...secretsOf(simulator), ...secrets })) {
        env.push({ name, value, type: 'str' })
      }
      return flow
    }
    const press = async (flow: FlowNode[], button: string, of = 'result'): Promise<string> => {
      const count = told(of).length + 1
      await inject(flow, button)
      await sayOf(of, count)
      return told(of).at(-1)!
    }

    it('plans, applies and takes back the routes of the first at the second, with its addresses', async () => {
      const flow = await open(TITLE, { flow: prepared() })
      const plan = await press(flow, 'plan')
      plan.should.match(/^PLAN for site B\n/)
      const left = /^Left out, because it is not in the table: (.*)$/m.exec(plan)
      const count = simulator.routes.length - (left ? left[1]!.split('; ').length : 0)
      plan.should.containEql(`${count} to add, 0 to change, 0 to remove; 0 to start, 0 to stop.`)
      second.routes.should.have.length(0)
      ;(await press(flow, 'apply')).should.startWith('APPLIED at site B\n')
      second.routes.should.have.length(count)
      for (const { name, state, source } of second.routes) {
        const first = simulator.route(name)!.source
        state.should.equal('idle')
        if (first.networkInterface) {
          should(source.networkInterface).equal(first.networkInterface === 'eth0' ? 'eth1' : 'eth0')
        }
        should(source.port).equal(first.port)
      }
      for (const [name, secret] of Object.entries(secretsOf(second))) {
        should(secretsOf(simulator)[name]).equal(secret)
      }
      const { sourceAddress } = second.route('Studio A')!.source
      should(sourceAddress).equal('198.51.100.154')
      ;(await press(flow, 'plan')).should.containEql('Nothing to do.')
      ;(await press(flow, 'apply', 'error')).should.match(/There is no plan/)
      ;(await press(flow, 'undo')).should.startWith('UNDONE at site B\n')
      second.routes.should.have.length(0)
      writes().should.equal(0, 'nothing is changed at the first site')
      output().should.not.containEql('invented')
    })

    it('names what is not in its table and leaves that out, and starts as the first if it is told to', async () => {
      const { '203.0.113.': _, '203.0.113.2': _two, ...address } = TABLE.address
      const table = { ...TABLE, address }
      const flow = await open(TITLE, { flow: prepared(table, { START: true }) })
      const plan = await press(flow, 'plan')
      plan.should.match(/^Left out.*"Studio A": source\.sourceAddress 203\.0\.113\.154/m)
      await press(flow, 'apply')
      should(second.route('Studio A')).be.undefined()
      second.routes.length.should.be.above(0)
      for (const { name, state } of second.routes) {
        const isRunning = simulator.route(name)!.state === 'running'
        ;(state === 'running').should.equal(isRunning, name)
      }
      const none = await open(TITLE, { flow: prepared({}, { ROUTES: 'OB van' }) })
      ;(await press(none, 'plan', 'error')).should.match(
        /"OB van 3": source\.networkInterface eth0/,
      )
    })

    it('applies nothing when the first or the second has changed, when it is not armed, or without a secret', async () => {
      const flow = await open(TITLE, { flow: prepared() })
      const nothing = async (why: RegExp, button = 'apply'): Promise<void> => {
        should(await press(flow, button, 'error')).match(why)
        second.routes.filter(({ name }) => name !== 'Mine').should.have.length(0)
      }
      await press(flow, 'plan')
      simulator.route('Stadium North')!.source.port = 11090
      await nothing(/"Stadium North" is not given as in the plan/)
      await press(flow, 'plan')
      second.addRoute({ ...TWO, name: 'Newsroom feed' })
      should(await press(flow, 'apply', 'error')).match(/"Newsroom feed" has changed/)
      second.removeRoute('Newsroom feed')
      await open(TITLE, { flow: prepared(TABLE, { ARMED: false }) })
      await press(flow, 'plan')
      await nothing(/ARMED/)
      const [name] = Object.keys(secretsOf(simulator)) as [string]
      await open(TITLE, { flow: prepared(TABLE, {}, { [name]: '' }) })
      await nothing(new RegExp(`${name}, which is not set`), 'plan')
    })
  })

  describe('Key rotation', () => {
    const TITLE = 'Key rotation'
    const OLD = 'the former key of the link'
    const SRT = { protocol: 'srt', srtMode: 'caller', srtEncryption: 'AES128', srtPassPhrase: OLD }
    const SENDING: RouteSpec = {
      name: 'To Bergen',
      startRoute: true,
      source: TWO.source,
      destinations: [
        { ...SRT, name: 'Bergen', address: '192.0.2.7', port: 5700 },
        { ...TWO.destinations![0]!, name: 'Monitor' },
      ],
    }
    const RECEIVING: RouteSpec = {
      name: 'From Oslo',
      startRoute: true,
      source: {
        name: 'Oslo',
        protocol: 'srt',
        srtMode: 'listener',
        address: '0.0.0.0',
        port: 5700,
        srtPassPhrase: OLD,
      },
      destinations: [TWO.destinations![1]!],
    }
    const LINK = { SENDER: 'To Bergen', DESTINATION: 'Bergen', RECEIVER: 'From Oslo', ARMED: true }
    let second: Simulator

    beforeEach(async () => {
      second = await startSimulator({ routes: [RECEIVING] })
      simulator.addRoute(SENDING)
    })
    afterEach(async () => {
      await deploy([])
      await until(() => second.openSessions === 0, 'the end of its session')
      await second.stop()
    })

    it('says what to enter, as it is imported', async () => {
      const properties = { SENDER: '', DESTINATION: 'Bergen', RECEIVER: '' }
      const flow = forBoth(TITLE, second, properties)
      await open(TITLE, { flow })
      await inject(flow, 'rotate now')
      await until(() => told('error').length === 1, 'the error')
      told('error')[0]!.should.match(
        /^Nothing was done: enter SENDER, RECEIVER\. Double-click the tab/,
      )
      for (const { journal } of [simulator, second]) journal.should.eql([])
    })

    const keys = (): unknown[] => [
      simulator.route('To Bergen')!.destinations[0]!['srtPassPhrase'],
      second.route('From Oslo')!.source['srtPassPhrase'],
    ]
    const sent = (of: Simulator): Array<{ at: number; body?: unknown }> =>
      of.journal.filter(({ path, method }) => method === 'POST' && path.endsWith('/updates'))
    const rotate = async (properties: Fields = {}): Promise<string> => {
      const flow = forBoth(TITLE, second, { ...LINK, ...chats.url, ...properties })
      await open(TITLE, { flow })
      await inject(flow, 'rotate now')
      await sayOf('result', 1)
      return told('result')[0]!
    }
    // Node.js 24 would follow the links to packages.
    const filesBelow = (place: string): string[] =>
      readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
        const path = join(place, entry.name)
        if (entry.isDirectory() && entry.name !== 'node_modules') return filesBelow(path)
        return entry.isFile() ? [path] : []
      })

    /** No key that was ever sent is in what Node-RED has printed or saved, or in a chat. */
    function shownNowhere(): void {
      const used = [simulator, second].flatMap((each) =>
        sent(each).flatMap(({ body }) =>
          [...JSON.stringify(body).matchAll(/"srtPassPhrase":"([^"]+)"/g)].map(([, key]) => key!),
        ),
      )
      const saved = filesBelow(nodeRed.userDir).map((path) => readFileSync(path, 'utf8'))
      const all = [output(), ...saved, ...said(), ...chats.shown.TEAMS].join('\n')
      for (const key of used) all.should.not.containEql(key)
    }

    it('gives both ends the same new key at the same time, and shows it nowhere', async () => {
      ;(await rotate()).should.match(
        /^ROTATED To Bergen: both ends have the new key, confirmed after \d+\.\d s\.$/,
      )
      const [sender, receiver] = keys()
      should(sender).be.a.String().and.equal(receiver)
      String(sender).should.match(/^[\w-]{20,}$/)
      sent(simulator).should.have.length(1)
      sent(second).should.have.length(1)
      Math.abs(sent(simulator)[0]!.at - sent(second)[0]!.at).should.be.below(1000)
      simulator.route('To Bergen')!.destinations.should.have.length(2)
      simulator.route('To Bergen')!.state.should.equal('running')
      await until(() => said().length === 1, 'the message in the chat')
      shownNowhere()
      await rotate()
      keys()[0]!.should.equal(keys()[1]).and.not.equal(sender)
      shownNowhere()
    })

    for (const [refusing, failing, done] of [
      ['receiver', () => second, 'sender'],
      ['sender', () => simulator, 'receiver'],
    ] as const) {
      it(`takes the new key back when the ${refusing} refuses it, also after an earlier rotation`, async () => {
        await rotate()
        const former = keys()
        failing().fault({ kind: 'status', status: 400, match: { action: 'update' } })
        const flow = forBoth(TITLE, second, { ...LINK, ...chats.url })
        await inject(flow, 'rotate now')
        await sayOf('result', 2)
        told('result')[1]!.should.match(
          new RegExp(
            `^ALERT To Bergen: the ${refusing} was not changed \\(.+\\)\\. The ${done} has its former key again\\.$`,
          ),
        )
        keys().should.eql(former)
        await until(() => said().some((text) => text.startsWith('ALERT')), 'the alert in the chat')
        shownNowhere()
      })
    }

    it('writes the key also where a gateway shows only asterisks', async () => {
      const masking = new ScriptedAppliance(async (call) => {
        const answer = await passOn(call, second.url + call.url)
        if (answer === 'cut') return answer
        const text = String(answer.text).replace(/("srtPassPhrase":")[^"]+"/g, '$1********"')
        const headers = Object.fromEntries(
          Object.entries(answer.headers!).filter(([name]) => !/length|encoding/.test(name)),
        )
        return { ...answer, headers, text }
      })
      await masking.start()
      afterThisTest(async () => {
        await deploy([])
        await masking.stop()
      })
      const flow = forBoth(TITLE, second, { ...LINK, ...chats.url })
      flow.find(({ id }) => id === SECOND)!.baseUrl = masking.url
      await open(TITLE, { flow })
      for (const count of [1, 2]) {
        const before = keys()[1]
        await inject(flow, 'rotate now')
        await sayOf('result', count)
        told('result').at(-1)!.should.startWith('ROTATED To Bergen: both ends have the new key')
        should(keys()[1]).equal(keys()[0]).and.not.equal(before)
      }
      shownNowhere()
    })

    it('does not take "no error" for "changed"', async () => {
      const flow = forBoth(TITLE, second, { ...LINK, ...chats.url })
      const key = nodeNamed(flow, 'new key')
      key['func'] = String(key['func']).replace(
        'source: { srtPassPhrase }',
        "source: { srtPassPhrase: '••••••' }",
      )
      await open(TITLE, { flow })
      await inject(flow, 'rotate now')
      await sayOf('result', 1)
      told('result')[0]!.should.equal(
        'ALERT To Bergen: the receiver was not changed (no key was written). The sender has its former key again.',
      )
      keys().should.eql([OLD, OLD])
    })

    it('says so when one end is left with the new key', async () => {
      second.fault({ kind: 'status', status: 400, match: { action: 'update' } })
      simulator.fault({ kind: 'status', status: 400, match: { action: 'update' }, after: 1 })
      ;(await rotate()).should.match(
        /^ALERT To Bergen: the receiver was not changed \(.+\)\. The sender has the new key, which could not be taken back \(.+\)\. If the link stays down, press "rotate now" again\.$/,
      )
      keys()[0]!.should.not.equal(OLD)
      keys()[1]!.should.equal(OLD)
      shownNowhere()
    })

    it('takes nothing back when it is not known whether the other end has the new key', async () => {
      second.fault({ kind: 'reset', match: { action: 'update' } })
      const flow = forBoth(TITLE, second, LINK)
      nodeNamed(flow, 'new key of the receiver')['waitTimeout'] = 2
      await open(TITLE, { flow })
      await inject(flow, 'rotate now')
      await sayOf('result', 1)
      told('result')[0]!.should.match(
        /^ALERT To Bergen: the sender has the new key, the receiver has the new key or not: that is not known\. /,
      )
      sent(simulator).should.have.length(1)
    })

    it('changes nothing when an end is missing, not encrypted, or when it is not armed', async () => {
      ;(await rotate({ RECEIVER: 'Nobody' })).should.match(
        /^ALERT To Bergen: nothing was changed\. /,
      )
      ;(await rotate({ DESTINATION: 'Nobody' })).should.match(
        /^ALERT To Bergen: nothing was changed\. /,
      )
      ;(await rotate({ DESTINATION: 'Monitor' })).should.match(/The destination is not SRT\.$/)
      ;(await rotate({ ARMED: false })).should.startWith('Not armed: both ends are there')
      simulator.route('To Bergen')!.destinations[0]!['srtEncryption'] = 'None'
      ;(await rotate()).should.match(/The destination is not encrypted\.$/)
      writes().should.equal(0)
      sent(second).should.have.length(0)
      keys().should.eql([OLD, OLD])
    })

    it('says after a deploy that a rotation was cut off', async () => {
      second.fault({ kind: 'hang', match: { action: 'update' } })
      const flow = forBoth(TITLE, second, LINK)
      await open(TITLE, { flow })
      await inject(flow, 'rotate now')
      await until(() => sent(second).length === 1 && keys()[0] !== OLD, 'the new key of the sender')
      await deploy(connected(forBoth(TITLE, second, LINK)))
      await sayOf('result', 1)
      told('result')[0]!.should.match(/a deploy has cut off a rotation/)
    })
  })
})
