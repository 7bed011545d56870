// The help of the nodes, as the editor shows it: short, with every choice of the form, and with samples
// that are what the nodes send.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from '../../client/errors'
import { INCIDENT_EVENTS } from '../../client/model/incident'
import { startSimulator, type Simulator } from '../../simulator'
import { LANGUAGES, type Language } from '../support/editor-module'
import { type Message, helper, load, send, simulated, unload } from '../support/flow'
import { manifestOf, nodes } from '../support/manifests'
import { contentOf, root } from '../support/root'
import { until } from '../support/until'

const packaged = JSON.parse(contentOf('package.json')) as {
  name: string
  repository: { url: string }
}

/** The nodes that have more to say than others. */
const LONG = ['watch']

/** The nodes with by far the most fields. */
const LONGEST = ['gateway', 'failover', 'ensure-route']

/** Words of a page, at least and at most. Words are counted the same way in every language. */
const LENGTHS: Record<
  Language,
  Record<'least' | 'most' | 'mostOfLong' | 'mostOfLongest', number>
> = {
  'en-US': { least: 150, most: 345, mostOfLong: 420, mostOfLongest: 540 },
  de: { least: 150, most: 355, mostOfLong: 420, mostOfLongest: 540 },
  ja: { least: 250, most: 455, mostOfLong: 540, mostOfLongest: 700 },
}

for (const language of LANGUAGES) {
  describe(`the help in ${language}`, () => {
    for (const node of nodes) {
      describe(`of ${node}`, () => {
        const page = (): string => help(node, language)

        it('begins with one sentence, which is the tooltip', () => {
          const [, first = ''] = /^<script[^>]*>\s*<p>([^]*?)<\/p>/.exec(page()) ?? []
          matches(first, /[.。]/g).length.should.equal(1)
          first.trim().should.match(/[.。]$/)
        })

        it('is short, and not too short', () => {
          const { least, most, mostOfLong, mostOfLongest } = LENGTHS[language]
          const mostOfIts = LONG.includes(node) ? mostOfLong : most
          const count = wordsIn(page(), language)
          count.should.be.within(
            least,
            LONGEST.includes(node) ? mostOfLongest : mostOfIts,
            `words in the help of ${node} in ${language}`,
          )
        })

        it('breaks where a line ends: the editor cuts what does not', () => {
          // Code has no breaks, and Japanese none before a full stop.
          matches(page(), /<code>([^<]*)<\/code>/g)
            .filter((code) => code.replace(/&\w+;/g, '.').length > 40)
            .should.eql([])
          page().should.not.match(/、<code>\./)
        })

        it('marks nothing but values, with code', () => {
          const known = /^(script|p|br|h3|h4|dl|dt|dd|ul|li|a|span|code|pre)$/
          matches(page(), /<\/?([a-z]\w*)/g)
            .filter((tag) => !known.test(tag))
            .should.eql([])
        })

        it('has every choice of the form', () => {
          const values = matches(page(), /<code>([^<]*)<\/code>/g)
          const quoted = matches(page(), /[“„「]([^”“」]*)[”“」]/g)
          const missing = choicesOf(node).filter(
            ({ value, key }) =>
              !values.includes(value) && !quoted.includes(labelAt(node, language, key)),
          )
          missing.should.eql([])
        })

        it('names few errors, and links the page with all of them', () => {
          const { errors } = ends(page())
          const named = matches(errors, /<code>([A-Z_]+)<\/code>/g)
          named.length.should.be.within(2, 4)
          named.filter((code) => !ERROR_CODES.some((known) => known === code)).should.eql([])
          should(links(errors)).containEql('docs/errors.md')
        })

        it('refers only to pages that there are', () => {
          links(ends(page()).references).length.should.be.above(1)
          for (const path of links(page())) {
            should(path === 'issues' || existsSync(join(root, path))).be.true(path)
          }
          matches(page(), /(<a [^>]*>)/g).length.should.equal(links(page()).length)
        })
      })
    }
  })
}

/** How each node is set in its sample. */
const SETTINGS: Record<string, object> = {
  'list-routes': { output: 'routes', filter: 'studio', state: 'running' },
  'control-route': { action: 'msg' },
  'update-route': { mode: 'merge' },
}

/** The nodes whose messages do not follow from one input; each has a test of its own below. */
const OTHERS = ['gateway', 'watch', 'failover']

describe('the samples of the help', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulated()
    const actions = nodes.filter((node) => !OTHERS.includes(node))
    const all = actions.map((node): [string, object] => [node, SETTINGS[node] ?? {}])
    await load(
      simulator.url,
      { ...Object.fromEntries(all), watch: { report: 'incidents', holdFor: 0 } },
      { gateway: { name: 'Studio gateway', pollInterval: 1 } },
    )
  })

  for (const node of nodes.filter((one) => !OTHERS.includes(one))) {
    it(`are what ${node} takes and gives`, async () => {
      const example = sampleOf(node)
      const { messages, error } = await send(node, withRealDevice(example.in))
      should(error).be.undefined()
      expectShown(example.out, messages[0])
    })
  }

  it('are what a Catch node gets', async () => {
    const example = sampleOf('gateway')
    const { caught } = await send('control-route', { ...example.in })
    const { message, code, cause } = caught!.error
    const real = message.replace(new URL(simulator.url).host, 'gw1.example.com')
    expectShown(example.out, { ...caught, error: { message: real, code, cause } })
  })

  it('are what a watch gives', async () => {
    const shown = sampleOf('watch').out
    INCIDENT_EVENTS.should.containEql(shown['topic'])
    const received: Message[] = []
    helper.getNode('out').on('input', (message: unknown) => received.push(message as Message))
    await until(() => simulator.journal.some(({ path }) => /^\/api\/devices\/.+/.test(path)))
    simulator.fail('Studio A', { source: 'disconnected' })
    await until(() => received.length > 0)
    expectShown(shown, received[0])
  })

  const withRealDevice = (message: Message): Message =>
    message['deviceId'] ? { ...message, deviceId: simulator.devices[0]!._id } : { ...message }
})

describe('the sample of the help of failover', () => {
  const main = { address: '192.0.2.1', port: 5000 }
  const backup = { address: '192.0.2.2', port: 5000 }
  let simulator: Simulator

  before(async () => {
    const source = { name: 'in', protocol: 'srt', srtMode: 'caller', ...main }
    const route = { name: 'Studio A', startRoute: true, source, destinations: [] }
    simulator = await startSimulator({ routes: [route] as never, applyDelay: 0, settleDelay: 500 })
    const sides = { main: JSON.stringify(main), backup: JSON.stringify(backup) }
    const settings = { route: 'Studio A', routeType: 'name', pollEvery: 0.5, ...sides }
    await load(simulator.url, { failover: settings })
  })
  after(async () => {
    await unload()
    await simulator.stop()
  })

  it('is what it takes and gives', async () => {
    const { in: given, out: shown } = sampleOf('failover')
    const received: Message[] = []
    helper.getNode('out').on('input', (message: unknown) => received.push(message as Message))
    // Before that, a command is refused.
    await until(() => received.some(({ payload }) => should(payload).have.property('state')))
    const { error } = await send('failover', { ...given })
    should(error).be.undefined()
    await until(() => received.some(({ topic }) => topic === shown['topic']))
    const switched = received.find(({ topic }) => topic === shown['topic'])!
    simulator.route('Studio A')!.source.should.containEql(backup)
    // How long it took is a number within the text.
    expectShown(withoutTimes(shown), withoutTimes(switched))
    // The help names what is in it, and nothing else.
    const [, dd = ''] = /<dt>payload [^]*?<dd>([^]*?)<\/dd>/.exec(help('failover', 'en-US'))!
    const named = matches(dd, /<code>(\w+)<\/code>/g)
    named.sort().should.eql(Object.keys(switched.payload as object).sort())
  })

  const withoutTimes = (message: Message): Message => {
    const payload = message.payload as { text: string }
    return {
      ...message,
      payload: { ...payload, text: payload.text.replace(/\d+ seconds?/, '# seconds') },
    }
  }
})

/** Fails if a message lacks something that its sample has. IDs and numbers may differ; … goes on. */
function expectShown(sample: unknown, real: unknown, path = 'msg'): void {
  if (Array.isArray(sample)) {
    should(Array.isArray(real)).be.true(path)
    for (const [index, entry] of sample.entries()) {
      expectShown(entry, (real as unknown[])[index], `${path}[${index}]`)
    }
  } else if (typeof sample === 'object' && sample !== null) {
    should(real).be.an.Object()
    for (const [name, value] of Object.entries(sample)) {
      expectShown(value, (real as Record<string, unknown>)[name], `${path}.${name}`)
    }
  } else if (typeof sample === 'number' || /\b_?(id|routeId|deviceId)$/.test(path)) {
    should(typeof real).equal(typeof sample, path)
  } else if (typeof sample === 'string' && sample.endsWith('…')) {
    should(real).be.a.String().and.startWith(sample.slice(0, -1))
  } else {
    should(real).equal(sample, path)
  }
}

// ---- what is read

function help(node: string, language: Language): string {
  return contentOf('dist/nodes', node, 'locales', language, `${node}.html`)
}

const sampleOf = (node: string) => manifestOf(node).example as { in: Message; out: Message }

/** The last two sections. */
function ends(page: string): { errors: string; references: string } {
  const [errors = '', references = ''] = page.split(/<h\d>/).slice(-2)
  return { errors, references }
}

/** The words of a page, without samples. */
function wordsIn(page: string, language: Language): number {
  const prose = page.replace(/<pre>[^]*?<\/pre>/g, '').replace(/<[^>]*>/g, ' ')
  const segments = new Intl.Segmenter(language, { granularity: 'word' }).segment(prose)
  return [...segments].filter(({ isWordLike }) => isWordLike).length
}

/** The pages that a help opens, all of the package itself, and the issues. */
function links(page: string): string[] {
  const home = packaged.repository.url.replace(/^git\+|\.git$/g, '')
  const pages = `resources/${packaged.name}/`
  return matches(page, /<a href="([^"]*)" target="_blank">/g)
    .filter((url) => url === `${home}/issues` || url.startsWith(pages))
    .map((url) =>
      url
        .replace(`${home}/`, '')
        .replace(pages, '')
        .replace(/\.html$/, '.md'),
    )
}

const form = (node: string): string => {
  const html = contentOf('dist/nodes', node, `${node}.html`)
  return /<script type="text\/html" data-template-name[^]*?<\/script>/.exec(html)![0]
}

function choicesOf(node: string): Array<{ value: string; key: string }> {
  const options = form(node).matchAll(/<option value="([^"]*)" data-i18n="([^"]*)"/g)
  return [...options].map(([, value, key]) => ({ value: value!, key: key! }))
}

/** A label as help names it: without what explains it. */
function labelAt(node: string, language: Language, key: string): string {
  const [, of = node, path = ''] = /^(?:.*\/([\w-]+):)?(.*)$/.exec(key)!
  const catalog: unknown = JSON.parse(contentOf('nodes', of, 'locales', language, `${of}.json`))
  const label = path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], catalog)
  return String(label)
    .split(/[:：(（]/)[0]!
    .trim()
}

const matches = (page: string, pattern: RegExp): string[] =>
  [...page.matchAll(pattern)].map(([whole, first]) => first ?? whole)
