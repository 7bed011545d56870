// Recipes about routes as a file: what differs, plans that somebody approves, a second site, and a
// key that changes at both ends. With real files, and stand-ins for chats.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RouteSpec, Simulator } from '../../simulator'
import { CONFIG_VERSION } from '../../nodes/runtime/migrations'
import { pause, until } from '../support/until'
import { startChats, type Chats } from './chats'
import {
  type FlowNode,
  nodeNamed,
  read,
  secretsOf,
  simulator,
  stageRecipes,
  TWO,
  withTab,
} from './support'

type Fields = Record<string, unknown>

describe('the example flows', () => {
  const { open, inject, output, told, writes, nodeRed } = stageRecipes()
  let chats: Chats
  let folder: string

  beforeEach(async () => {
    chats = await startChats()
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-files-'))
  })
  afterEach(async () => {
    await chats.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const said = (): string[] => chats.shown.SLACK
  const sayOf = (debug: string, count: number): Promise<void> =>
    until(() => told(debug).length >= count, `"${debug}" ${count}`)

  describe('Routes as a file', () => {
    const TITLE = 'Routes as a file'
    const NAME = 'oslo-1'
    let file: string

    beforeEach(() => (file = join(folder, 'files', 'routes.yaml')))

    /** The recipe with a file in the folder of the test. It compares a second after a change. */
    function prepared(properties: Fields = {}, secrets: Record<string, string> = {}): FlowNode[] {
      const flow = withTab(read(`Recipes/${TITLE}.json`), {
        NAME,
        FILE: file,
        URL: nodeRed.url,
        REMOVE: 'Pop*',
        ARMED: true,
        ...chats.url,
        ...properties,
      })
      nodeNamed(flow, 'quiet for 10 seconds')['duration'] = '1'
      const { env } = flow.find(({ type }) => type === 'tab')! as unknown as { env: object[] }
      for (const [name, value] of Object.entries(secrets)) env.push({ name, value, type: 'str' })
      return flow
    }

    /** Exports the routes, and deploys the flow again with the secrets that the file names. */
    async function exported(properties: Fields = {}): Promise<FlowNode[]> {
      await inject(await open(TITLE, { flow: prepared(properties) }), 'export now')
      await sayOf('exported', 1)
      return open(TITLE, { flow: prepared(properties, secretsOf(simulator)) })
    }

    const press = async (flow: FlowNode[], button: string, of: string): Promise<string> => {
      const count = told(of).length
      await inject(flow, button)
      await sayOf(of, count + 1)
      // A long text comes in pieces, one after the other.
      for (let seen = 0; told(of).length > seen; await pause(200)) seen = told(of).length
      return told(of).slice(count).join('\n')
    }
    const alerts = (): string[] => said().filter((text) => text.startsWith('ALERT'))
    /** The token in the last message with a plan. */
    const tokenIn = (text: string): string => /\/routes-as-a-file#(\S+)/.exec(text)![1]!
    const approve = async (
      token: string,
      more: Record<string, string> = {},
    ): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${nodeRed.url}routes-as-a-file`, {
        method: 'POST',
        body: new URLSearchParams({ token, ...more }),
      })
      return { status: answer.status, text: await answer.text() }
    }

    it('writes the file without secrets, names those that are missing, and keeps the former file', async () => {
      const flow = await open(TITLE, { flow: prepared() })
      const names = Object.keys(secretsOf(simulator))
      names.length.should.be.above(1)
      const text = await press(flow, 'export now', 'exported')
      text.should.startWith('Exported 8 routes. Set these in the environment of Node-RED: ')
      for (const name of names) text.should.containEql(name)
      const written = readFileSync(file, 'utf8')
      written.should.startWith(
        `version: 1\ngateway: ${NAME}\nroutes:\n  - name: City hall\n    state: running\n`,
      )
      written.should.not.containEql('invented')
      for (const name of names) written.should.containEql('${' + name + '}')
      simulator.stopRoute('City hall')
      await inject(flow, 'export now')
      await sayOf('exported', 2)
      readFileSync(`${file}.old`, 'utf8').should.equal(written)
      readFileSync(file, 'utf8').should.not.equal(written)
      readdirSync(join(folder, 'files')).sort().should.eql(['routes.yaml', 'routes.yaml.old'])
      ;(
        await press(
          await open(TITLE, { flow: prepared({}, secretsOf(simulator)) }),
          'export now',
          'exported',
        )
      ).should.equal('Exported 8 routes.')
      writes().should.equal(0)
    })

    // All kinds of differences are in test/nodes/ensure-plan.test.ts.
    it('names what differs, once, brings all back when the chat approves it, and undoes that', async () => {
      const flow = await exported()
      ;(await press(flow, 'compare now', 'difference')).should.equal(
        `RESOLVED ${NAME}: the routes are as in the file`,
      )
      const before = pictureOf(simulator)
      const exportedFile = readFileSync(file, 'utf8')

      simulator.addRoute({ ...TWO, name: 'Pop-up', source: { ...TWO.source, port: 5801 } })
      simulator.removeRoute('Weather desk')
      simulator.renameRoute('Newsroom feed', 'Newsroom 2')
      simulator.stopRoute('Studio A')
      simulator.route('OB van 3')!.source['srtPassPhrase'] = 'invented by somebody else'
      await until(() => alerts().length === 1, 'the alert after the changes')
      const [alert] = alerts() as [string]
      for (const line of [
        `ALERT ${NAME}: 5 routes differ from the file`,
        /^~ "Newsroom 2" → "Newsroom feed" {2}update\n {4}name: "Newsroom 2" → "Newsroom feed"$/m,
        /^~ "OB van 3" {2}update\n {4}source\.srtPassPhrase: •••••• → ••••••$/m,
        /^~ "Studio A" {2}start\n {4}state: idle → running$/m,
        /^\+ "Weather desk" {2}create\n/m,
        /^1 to add, 2 to change, 0 to remove; 1 to start, 0 to stop\.$/m,
        /^Only on the gateway: "Pop-up"$/m,
      ]) {
        should(alert).match(line instanceof RegExp ? line : new RegExp(`^${line}$`, 'm'))
      }
      alert.should.not.match(/invented/)
      // The same again is no news, unless it is the clock that asks.
      await press(flow, 'compare now', 'difference')
      alerts().length.should.equal(1)
      await inject(flow, 'every night at 02:00')
      await until(() => alerts().length === 2, 'the alert of the night')
      writes().should.equal(0)

      const plan = await press(flow, 'plan', 'result')
      plan.should.match(/^PLAN oslo-1, to be applied within 15 minutes\n/)
      plan.should.containEql('1 to add, 2 to change, 1 to remove; 1 to start, 0 to stop.')
      await until(() => said().some((text) => text.startsWith('PLAN')), 'the plan in the chat')
      const token = tokenIn(said().at(-1)!)
      output().should.not.containEql(token)
      // What opens links automatically approves nothing.
      const page = await fetch(`${nodeRed.url}routes-as-a-file`)
      page.headers.get('cache-control')!.should.equal('no-store')
      page.headers
        .get('content-security-policy')!
        .should.match(/^default-src 'none';.* frame-ancestors 'none'$/)
      ;(await page.text()).should.containEql('Apply this plan')
      ;(await approve(`${token}x`)).status.should.equal(403)
      ;(await approve('')).status.should.equal(403)
      writes().should.equal(0)

      // The page shows the plan, with its token, and only that approves nothing either.
      const seen = await approve(token, { show: 'plan' })
      seen.status.should.equal(200)
      plan.should.endWith(`\n${seen.text}`)
      ;(await approve(`${token}x`, { show: 'plan' })).status.should.equal(403)
      writes().should.equal(0)

      const drifted = pictureOf(simulator)
      const { status, text } = await approve(token)
      status.should.equal(200, text)
      text.should.startWith(`APPLIED ${NAME}\n`)
      await simulator.settle()
      pictureOf(simulator).should.eql(before)
      readFileSync(file, 'utf8').should.equal(exportedFile)
      ;(await approve(token)).should.match({ status: 403, text: /applied already/ })
      await until(() => said().some((each) => each.startsWith('RESOLVED')), 'the end of the alert')

      ;(await press(flow, 'undo', 'result')).should.startWith(`UNDONE ${NAME}\n`)
      await simulator.settle()
      pictureOf(simulator).should.eql(drifted)
    })

    it('knows what a failover owns: a route on its backup differs in nothing, and is no news', async () => {
      simulator.addRoute(TWO)
      const [main, backup] = [{ port: 5800 }, { port: 5888 }]
      const protectedBy = (flow: FlowNode[]): FlowNode[] => [
        ...flow,
        {
          id: 'failover-of-two',
          type: 'media-gateway-failover',
          z: flow.find(({ type }) => type === 'tab')!.id,
          gateway: flow.find(({ type }) => type === 'media-gateway')!.id,
          configVersion: CONFIG_VERSION,
          route: 'Two',
          routeType: 'name',
          holdOff: 3600,
          main: JSON.stringify(main),
          mainType: 'json',
          backup: JSON.stringify(backup),
          backupType: 'json',
          wires: [[]],
        },
      ]
      await exported()
      const exportedFile = readFileSync(file, 'utf8')
      const flow = await open(TITLE, { flow: protectedBy(prepared({}, secretsOf(simulator))) })
      simulator.route('Two')!.source.port = backup.port
      // Until the failover has seen it, nobody knows why.
      let shown = ''
      const isKnown = (): boolean => shown.includes('port stays 5888: on backup by failover')
      await until(
        async () => ((shown = await press(flow, 'plan', 'result')), isKnown()),
        () => shown,
      )
      // The watch of the recipe compares, too, when the routes change.
      const compared = await press(flow, 'compare now', 'difference')
      ;[...new Set(compared.split('\n'))].should.eql([
        `RESOLVED ${NAME}: the routes are as in the file`,
      ])
      shown.should.startWith(`PLAN ${NAME}\nNothing to do.\n= "Two"\n`)
      await press(flow, 'export now', 'exported')
      readFileSync(file, 'utf8').should.equal(exportedFile)

      // What only the failover can change is a difference, at night too.
      writeFileSync(file, exportedFile.replace('port: 5800', 'port: 5801'))
      const differs = await press(flow, 'compare now', 'difference')
      differs.should.startWith(`ALERT ${NAME}: 1 route differs from the file\n`)
      differs.should.containEql('the failover has 5800 for main, not 5801; change it there')
      writes().should.equal(0)
    })

    it('gives no link to approve where the chat cannot show the whole plan, and then shows what goes first', async () => {
      const udp = (name: string, at: number): RouteSpec => ({
        ...TWO,
        name,
        source: { ...TWO.source, port: at },
      })
      for (let each = 0; each < 60; each++) simulator.addRoute(udp(`Desk ${each}`, 20_000 + each))
      const moved = (name: string): void => {
        const { source } = simulator.route(name)!
        source.port = Number(source.port) + 1000
      }
      const flow = await exported()
      for (let each = 0; each < 60; each++) moved(`Desk ${each}`)
      for (let each = 0; each < 3; each++) simulator.addRoute(udp(`Pop ${each}`, 30_000 + each))
      simulator.startRoute('Concert hall')
      const inChat = async (): Promise<string> => {
        const before = said().length
        await inject(flow, 'plan')
        const plans = (): string[] =>
          said()
            .slice(before)
            .filter((text) => text.startsWith('PLAN'))
        await until(() => plans().length > 0, 'the plan in the chat')
        return plans()[0]!
      }
      const text = await inChat()
      text.length.should.be.belowOrEqual(3000)
      text.should.not.containEql('#')
      text.should.match(
        /\n… \d+ more lines are in the debug sidebar\.\nA message that is cut has no link/,
      )
      const heads = text.split('\n').filter((line) => !line.startsWith(' '))
      heads
        .slice(1, 6)
        .should.eql([
          '0 to add, 60 to change, 3 to remove; 0 to start, 1 to stop.',
          '- "Pop 0"  delete',
          '- "Pop 1"  delete',
          '- "Pop 2"  delete',
          '~ "Concert hall"  stop',
        ])
      // A debug node would cut a text at 1,000 characters.
      const shown = told('result').join('\n')
      for (const each of told('result')) each.length.should.be.below(1000)
      for (let each = 0; each < 60; each++) shown.should.containEql(`~ "Desk ${each}"  update`)

      for (const { name } of simulator.routes.filter(({ state }) => state === 'idle')) {
        simulator.startRoute(name)
      }
      for (let each = 0; each < 60; each++)
        simulator.renameRoute(`Desk ${each}`, `${'x'.repeat(40)} ${each}`)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(/name: Desk (\d+)$/gm, `name: ${'x'.repeat(40)} $1`),
      )
      for (let each = 0; each < 3; each++) simulator.removeRoute(`Pop ${each}`)
      ;(await inChat()).should.match(
        /\nNot even all routes to delete or stop fit into this message\. A message that is cut has no link/,
      )
      writes().should.equal(0)
    })

    it('applies a plan by its button once, not when it is old, and not when anything has changed', async () => {
      const flow = await exported()
      simulator.stopRoute('Studio A')
      const refused = async (button: string, why: RegExp): Promise<void> => {
        should(await press(flow, button, 'error')).match(why)
        writes().should.equal(0)
      }
      await refused('apply', /There is no plan to apply/)
      await press(flow, 'plan', 'result')
      simulator.route('Studio A')!.source.port = 4999
      await refused('apply', /CONFLICT|is out of date: "Studio A" has changed/)
      await refused('apply', /There is no plan to apply/)

      const early = withTab(prepared({}, secretsOf(simulator)), {})
      const approval = nodeNamed(early, 'approved?')
      approval['func'] = String(approval['func']).replace('minutes = 15', 'minutes = 0.00001')
      await open(TITLE, { flow: early })
      await press(early, 'plan', 'result')
      await until(() => said().at(-1)!.startsWith('PLAN'), 'the plan in the chat')
      const old = await approve(tokenIn(said().at(-1)!))
      old.status.should.equal(403)
      old.text.should.match(/^The plan is older than/)
      writes().should.equal(0)

      await open(TITLE, { flow: prepared({ ARMED: false }, secretsOf(simulator)) })
      await press(flow, 'plan', 'result')
      await refused('apply', /ARMED/)
      await refused('undo', /ARMED/)
      await open(TITLE, { flow: prepared({}, secretsOf(simulator)) })
      await press(flow, 'plan', 'result')
      ;(await press(flow, 'apply', 'result')).should.startWith('APPLIED')
      simulator.route('Studio A')!.state.should.equal('running')
    })

    it('makes no plan from a file that is missing, empty, broken, cut off, or of another gateway', async () => {
      const flow = await exported()
      const good = readFileSync(file, 'utf8')
      simulator.stopRoute('Studio A')
      const list = good.slice(good.indexOf('routes:'))
      const BROKEN: Record<string, [content: string | undefined, why: RegExp]> = {
        missing: [undefined, /is not there\. Press "export now"/],
        empty: ['', /is empty/],
        'only spaces': [' \n\n', /is empty/],
        broken: [
          `${good}\n  - name: "Cut off`,
          /unexpected end|unclosed|bad indentation|missed|can not read/i,
        ],
        'of no version': [list, /is empty, or is not a file of routes/],
        'of another gateway': [good.replace(NAME, 'bergen-1'), /is for the gateway "bergen-1"/],
        'without routes': [`version: 1\ngateway: ${NAME}\nroutes: []\n`, /has no routes/],
        'with null': [`version: 1\ngateway: ${NAME}\nroutes:\n`, /has no routes/],
        'cut off': [good.slice(0, good.indexOf('source:')), /without a name or a source/],
      }
      for (const [what, [content, why]] of Object.entries(BROKEN)) {
        if (content === undefined) rmSync(file)
        else writeFileSync(file, content)
        should(await press(flow, 'plan', 'error')).match(why, what)
      }
      should(await press(flow, 'compare now', 'error')).match(/without a name or a source/)
      should(await press(flow, 'apply', 'error')).match(/There is no plan to apply/)
      await until(() => alerts().length >= Object.keys(BROKEN).length + 2, 'an alert for each')
      told('result').should.eql([])
      writes().should.equal(0)
      writeFileSync(file, good)
      ;(await press(flow, 'plan', 'result')).should.containEql('1 to start')
    })

    it('says which secret is not set, and shows none', async () => {
      await exported()
      const flow = await open(TITLE, { flow: prepared() })
      const [name] = Object.keys(secretsOf(simulator)).sort()
      should(await press(flow, 'plan', 'error')).match(new RegExp(`${name!}, which is not set`))
      output().should.not.containEql('invented')
      said().join().should.not.containEql('invented')
    })
  })
})

/** All routes with their states and secrets, without IDs and what changes by itself. */
function pictureOf({ routes }: Simulator): object {
  const bare = (part: Fields): Fields =>
    Object.fromEntries(
      Object.entries(part).filter(
        ([name, value]) =>
          value !== null &&
          value !== '' &&
          value !== undefined &&
          typeof value !== 'object' &&
          !/^(id|state|started|summary|signal)/.test(name),
      ),
    )
  return routes
    .map(({ name, state, source, destinations }) => ({
      name,
      state,
      source: bare(source),
      destinations: destinations
        .map(bare)
        .sort((one, other) => (String(one['name']) < String(other['name']) ? -1 : 1)),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
