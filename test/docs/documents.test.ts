// The documentation says what the code says: pictures, properties, messages, events, routes of
// the editor, exports of the client. readme.test is about the README.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { NodeAPI } from 'node-red'
import * as client from '../../client'
import { EVENTS } from '../../client/model/watch'
import type { Connection } from '../../client/connection/connection'
import { REASONS } from '../../client/model/health'
import { CLOSINGS, INCIDENT_EVENTS, INCIDENT_KINDS, SEVERITIES } from '../../client/model/incident'
import {
  FAILOVER_ACTIONS,
  FAILOVER_DEFAULTS,
  FAILOVER_EVENTS,
  FAILOVER_STATES,
  failoverFaults,
  failoverSettings,
} from '../../client/model/failover'
import { SECRET_NAMES } from '../../client/model/members'
import { protectOptions } from '../../nodes/failover/options'
import { registerAdminRoutes } from '../../nodes/gateway/admin/routes'
import { startSimulator } from '../../simulator'
import { helper, load, send, unload, type Message } from '../support/flow'
import { defaultsOf, manifestOf, membersOf, nodes as sets, typeOf } from '../support/manifests'
import { contentOf, root } from '../support/root'
import { until } from '../support/until'

/** Where the flow library and npm find a picture of the README. */
const RAW = 'https://raw.githubusercontent.com/media-gateway/node-red/main/'
/** Where pages that are read outside of the repository find one of it. */
const BLOB = 'https://github.com/media-gateway/node-red/blob/main/'

/** What is installed or made. */
const NOT_OURS = ['node_modules', 'dist', 'resources', 'coverage', '.git']
const FOLDERS = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !NOT_OURS.includes(entry.name))
  .map(({ name }) => name)
/** A document that is not here; not a word before a numbered list. */
const NUMBERED = /\b(?:facts?|spec|design|sections?)(?: |\n *(?:\*|\/\/) (?!\d+\. ))\d/gi
const READABLE = /\.(md|ts|mjs|js|json|html|yml|yaml)$/

describe('the documentation', () => {
  const inRoot = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
  const pages = [...inRoot, ...filesIn('docs', /\.md$/)]
  const all = [...inRoot, ...FOLDERS.flatMap((folder) => filesIn(folder, READABLE))]

  it('links only what is there', () => {
    for (const page of pages) {
      for (const { path, anchor } of links(page)) {
        const target = path ? join(dirname(page), path) : page
        const isSection = anchor !== undefined && target.endsWith('.md')
        should(isThere(target, isSection ? anchor : undefined)).be.true(
          `${page}: ${path}#${anchor}`,
        )
      }
    }
  })

  it('has absolute links on the pages that npm, the flow library and releases show', () => {
    for (const page of ['README.md', 'CHANGELOG.md', 'SECURITY.md']) {
      const found = [...contentOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
      found.length.should.be.above(0)
      found.filter((link) => !link.startsWith('https://')).should.eql([], page)
    }
  })

  it('lists every page in its index', () => {
    const listed = links('docs/README.md').map(({ path }) => join('docs', path))
    for (const page of pages) {
      if (page.startsWith('docs/') && page !== 'docs/README.md') listed.should.containEql(page)
    }
  })

  it('is referred to by its pages and their sections, and nothing else is', () => {
    const wrong = all.flatMap((file) => {
      const content = contentOf(file)
      const elsewhere = content.match(NUMBERED) ?? []
      const missing = [...content.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)]
        .filter(([, page = '', anchor]) => !isThere(page, anchor))
        .map(([reference]) => reference)
      return [...elsewhere, ...missing].map((reference) => `${file}: ${reference}`)
    })
    wrong.should.eql([])
  })

  it('has each fact about the gateway once, with its source and its certainty', () => {
    const page = contentOf('docs/project/interface.md')
    const sources = rows(page, "# The gateway's interface")
      .filter((cells) => cells.length === 2)
      .map(([source]) => source!)
    const facts = rows(page, "# The gateway's interface").filter((cells) => cells.length !== 2)
    const names = facts.map(([name]) => name!)
    names.filter((name, at) => names.indexOf(name) !== at).should.eql([])
    for (const [name, , source, certainty, read, ...more] of facts) {
      should(name).match(/^`[a-z0-9]+(-[a-z0-9]+)+`$/)
      should(certainty).match(/^(documented|seen|inferred|open)$/, name)
      if (certainty === 'open') should(source).equal('', name)
      else for (const each of source!.split(', ')) sources.should.containEql(each)
      should(read).match(/^(yes)?$/, name)
      more.should.eql([], name)
    }
  })

  it('names for each rule of quality that is kept the test that proves it', () => {
    const rules = rows(contentOf('docs/project/quality.md'), '# Quality')
    rules.length.should.be.above(10)
    for (const [level, rule, , status, proof] of rules) {
      should(level).match(/^(Bronze|Silver|Gold|Platinum)$/, rule)
      should(rule).match(/^`[a-z-]+`$/)
      const [, test = ''] = /^\[(test\/[\w./-]+)\]\(\.\.\/\.\.\/\1\)$/.exec(proof!) ?? []
      should(status).equal(test === '' ? 'open' : 'done', rule)
      if (test !== '') should(test).match(/\.test\.ts$/, rule)
      should(test === '' ? proof : existsSync(join(root, test))).equal(
        test === '' ? '' : true,
        rule,
      )
    }
  })

  describe('in pictures', () => {
    const pictures = readdirSync(join(root, 'docs/images')).sort()

    it('has those that the script takes', () => {
      const script = join(root, 'tools/screenshots/screenshots.mjs')
      const names = execFileSync(process.execPath, [script, '--list'], { encoding: 'utf8' })
      const files = names.trim().split('\n')
      pictures.should.eql(files.map((name) => `${name}.png`).sort())
    })

    it('shows each of them somewhere, and says in words what is in it', () => {
      const shown = pages.flatMap((page) =>
        [...contentOf(page).matchAll(/!\[([^\]]*)\]\(([^)]+\.png)\)/g)].map(
          ([, words = '', path = '']) => {
            words.length.should.be.above(30, `${page}: ${path}`)
            return path.startsWith(RAW) ? path.slice(RAW.length) : join(dirname(page), path)
          },
        ),
      )
      pictures.map((file) => join('docs/images', file)).should.eql([...new Set(shown)].sort())
    })

    it('is small', () => {
      const sizes = pictures.map((file) => statSync(join(root, 'docs/images', file)).size)
      Math.max(...sizes).should.be.below(120_000)
      sizes.reduce((sum, size) => sum + size, 0).should.be.below(1_000_000)
    })
  })
})

/** The nodes that send messages by themselves. */
const SENDERS = sets.filter((set) => manifestOf(set).sends)

describe('the contract', () => {
  const contract = contentOf('docs/contract.md')
  const sectionOn = (title: string): string =>
    contract.split(`## ${title}\n`)[1]!.split(/^## /m)[0]!

  it('has every node with every property and its default', () => {
    const documented = rows(contract, '## Saved form').map(([type, saved]) => [
      code(type!),
      JSON.parse(code(saved!)) as unknown,
    ])
    Object.fromEntries(documented).should.eql(
      Object.fromEntries(sets.map((set) => [typeOf(set), defaultsOf(set)])),
    )
  })

  it('tells of each of these properties', () => {
    const [first, , failover] = contract.split(/^## (?:Saved form|Failover)$/m)
    const told = `${first}${failover}${contentOf('docs/nodes.md')}`
    for (const set of sets) {
      for (const property of Object.keys(defaultsOf(set))) {
        should(told.includes(`\`${property}\``)).be.true(`${set}: ${property}`)
      }
    }
  })

  it('has what each node reads from a message', () => {
    const documented = rows(contract, '## Messages').filter(([cell]) => /^`msg\.\w+`$/.test(cell!))
    const inputs = new Map<string, string[]>()
    for (const set of sets) {
      for (const name of membersOf(set, 'inputs')) {
        inputs.set(name, [...(inputs.get(name) ?? []), set.replace('-', ' ')])
      }
    }
    const [ins] = split(documented, ([cell]) => cell === '`msg.payload`')
    const read = ins.map(([name, of]) => [code(name!).slice(4), of!.split(', ').sort()] as const)
    Object.fromEntries(read).should.eql(
      Object.fromEntries([...inputs].map(([name, of]) => [name, of.sort()])),
    )
  })

  it('has what each node writes to a message', () => {
    const [, outs] = split(
      rows(contract, '## Messages').filter(([cell]) => /^`msg\.\w+`$/.test(cell!)),
      ([cell]) => cell === '`msg.payload`',
    )
    const names = outs.map(([name]) => code(name!).slice(4))
    const written = sets
      .filter((set) => !SENDERS.includes(set))
      .flatMap((set) => membersOf(set, 'outputs'))
    names.sort().should.eql([...new Set(written)].sort())
    const watch = rows(contract, '## Watch').map(([cell]) => code(cell!))
    for (const name of membersOf('watch', 'outputs')) watch.should.containEql(`msg.${name}`)
    const [, output = ''] = /^\*\*Output\.\*\*(.*)$/m.exec(sectionOn('Failover'))!
    for (const name of membersOf('failover', 'outputs')) output.should.containEql(`\`msg.${name}\``)
  })

  it('has every event', () => {
    const listed = rows(contract, '## Watch')
      .flatMap(([cell]) => [...cell!.matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, event]) => event!))
      .filter((event) => !event.startsWith('msg.'))
    listed.sort().should.eql([...EVENTS, ...INCIDENT_EVENTS].sort())
  })

  it('has every reason of an incident, and every kind', () => {
    const section = sectionOn('Watch').split('### Incidents\n')[1]!.split(/^### /m)[0]!
    const named = new Set([...section.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!))
    // What nobody knows yet, and what waits, are none.
    const none = ['not-seen', 'no-caller']
    for (const name of [...REASONS, ...INCIDENT_KINDS, ...SEVERITIES, ...CLOSINGS]) {
      named.has(name).should.equal(!none.includes(name), name)
    }
  })

  it('has every event, state and command of a failover, and its defaults', () => {
    const listed = rows(contract, '## Failover')
    const cells = listed.flatMap(([cell]) =>
      [...cell!.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name!),
    )
    const isEvent = (name: string) => name.startsWith('failover.')
    cells
      .filter(isEvent)
      .sort()
      .should.eql([...FAILOVER_EVENTS].sort())
    for (const name of [...FAILOVER_STATES, ...FAILOVER_ACTIONS]) cells.should.containEql(name)
    const told = listed
      .filter((row) => row.length === 3)
      .flatMap(([names, , value]) => {
        const values = value!.split(', ')
        const named = [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
        return named.map((name, at) => [name, code(values[at] ?? '')] as const)
      })
    const defaults = new Map(told)
    for (const [name, value] of Object.entries(FAILOVER_DEFAULTS)) {
      should(defaults.get(name)).equal(String(value), name)
    }
  })

  it('is what a failover does: a property that is left out means its default', async () => {
    const needed = {
      route: 'Studio A',
      main: '{"address":"192.0.2.1"}',
      backup: '{"address":"192.0.2.2"}',
    }
    const { name: _, gateway: _gateway, ...saved } = defaultsOf('failover')
    const found: unknown[] = []
    for (const properties of [{ ...saved, ...needed }, { ...needed }]) {
      const simulator = await startSimulator()
      try {
        await load(simulator.url, { failover: properties })
        const events: Message[] = []
        helper.getNode('out').on('input', (event: unknown) => events.push(event as Message))
        const { error } = await send('failover', { action: 'status' })
        should(error).be.undefined()
        const known = () =>
          events
            .map(({ payload }) => payload as Record<string, unknown>)
            .find(({ state }) => state !== 'unknown')
        await until(() => known() !== undefined)
        const { at: _at, ...event } = known()!
        const calls = simulator.journal.map(({ method, path }) => `${method} ${path}`)
        const evaluate = (_property: string, value: string) => Promise.resolve(value)
        const asGiven = (definition: unknown) => definition
        const options = await protectOptions(properties as never, evaluate, asGiven)
        failoverFaults(options.settings).should.eql([])
        const settings = failoverSettings(options.settings)
        settings.should.containEql(FAILOVER_DEFAULTS)
        found.push({ event, calls: [...new Set(calls)], settings, route: options.route })
      } finally {
        await unload()
        await simulator.stop()
      }
    }
    found[1]!.should.eql(found[0])
  })

  it('is what the run time does: a property that is left out means its default', async function () {
    const actions = sets.filter((set) => set !== 'gateway' && !SENDERS.includes(set))
    const seen = async (properties: (set: string) => object): Promise<unknown[]> => {
      const simulator = await startSimulator()
      const nodes = actions.map((set): [string, object] => [set, properties(set)])
      try {
        await load(simulator.url, Object.fromEntries(nodes), { gateway: properties('gateway') })
        const results: unknown[] = []
        for (const set of actions) {
          simulator.clearJournal()
          const { messages, error } = await send(set, messageFor(set))
          const journal = simulator.journal.map(({ method, path, body }) => ({
            method,
            path,
            body,
          }))
          // What one that waits looks at after its change, and how often, is a matter of time.
          const last = journal.findLastIndex(
            ({ method, path }) => method !== 'GET' && path !== '/api/session',
          )
          const calls = (last < 0 ? journal : journal.slice(0, last + 1)).filter(
            ({ method, path }, at) => method !== 'GET' || path !== journal[at - 1]?.path,
          )
          results.push({ set, sent: messages.length, failed: error?.message, calls })
          await simulator.settle()
        }
        const { concurrency, readOnly, pollInterval } = gatewayNode().client()
        return [...results, { concurrency, readOnly, pollInterval }]
      } finally {
        await unload()
        await simulator.stop()
      }
    }
    const saved = await seen((set) => {
      const { name: _, gateway: _gateway, baseUrl: _url, ...properties } = defaultsOf(set)
      return properties
    })
    const leftOut = await seen(() => ({}))
    leftOut.should.eql(saved)
    // A message that fails early would show nothing of the other defaults.
    saved.filter((each) => (each as { failed?: string }).failed).should.eql([])
  })
})

describe('the page on nodes', () => {
  const page = contentOf('docs/nodes.md')

  it('lists exactly the nodes of the package', () => {
    const listed = rows(page, '## What each node takes and returns').map(([cell]) => type(cell!))
    listed.sort().should.eql(sets.map(typeOf).sort())
  })

  it('has every property of the gateway with its default', () => {
    const listed = rows(page, '## The gateway').flatMap(([, names, , value]) =>
      [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, value!] as const),
    )
    const { configVersion: _hidden, ...saved } = defaultsOf('gateway')
    const told = new Map(listed)
    for (const [name, value] of Object.entries(saved)) {
      should(told.get(name)).equal(String(value), name)
    }
    told.has('username').should.be.true()
    told.has('password').should.be.true()
  })

  const type = (cell: string): string => /`(.+)`/.exec(cell)?.[1] ?? cell
})

describe('the guides', () => {
  it('name each field as the form does', () => {
    const labels = sets.flatMap((set) => {
      const catalog = JSON.parse(contentOf('nodes', set, 'locales/en-US', `${set}.json`)) as Catalog
      return [...Object.entries(catalog.label ?? {}), ...Object.entries(catalog.form ?? {})]
    })
    const isLabel = ([label, property]: readonly [string, string]): boolean =>
      OF_NODE_RED.includes(property) ||
      labels.some(
        ([key, whole]) =>
          key === property.replace(/^(inventory|callers)Type$/, '$1') &&
          (whole === label || whole.startsWith(`${label} (`)),
      )
    const inTable = rows(contentOf('docs/nodes.md'), '## The gateway').map(
      ([label, property]) => [label!, code(property!)] as const,
    )
    const inText = ['nodes', 'update-and-ensure', 'watch'].flatMap((page) =>
      [...contentOf('docs', `${page}.md`).matchAll(/\*\*([^*]+)\*\* \(`(\w+)`/g)].map(
        ([, label, property]) => [label!, property!] as const,
      ),
    )
    inTable.length.should.be.above(8)
    inText.length.should.be.above(8)
    const named = [...inTable, ...inText].filter(([, property]) => /^\w+$/.test(property))
    named.filter((pair) => !isLabel(pair)).should.eql([])
  })

  /** Their labels are Node-RED's own. */
  const OF_NODE_RED = ['name', 'username', 'password']

  interface Catalog {
    label?: Record<string, string>
    form?: Record<string, string>
  }
})

describe('the page on watching', () => {
  const page = contentOf('docs/watch.md')

  it('shows an event of which the contract has the name and every member', () => {
    const [, json = ''] = /```json\n([^]*?)```/.exec(page)!
    const { topic, payload } = JSON.parse(json) as { topic: string; payload: { event: string } }
    payload.event.should.equal(topic)
    INCIDENT_EVENTS.should.containEql(topic)
    const members = rows(contentOf('docs/contract.md'), '## Watch').flatMap(([cell]) =>
      cell!.split(', ').map(code),
    )
    for (const name of Object.keys(payload)) members.should.containEql(name)
  })

  it('names every event', () => {
    const named = rows(page, '## Changes').flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, event]) => event!),
    )
    named.sort().should.eql([...EVENTS].sort())
    const topics = rows(page, '## Incidents').map(([topic]) => code(topic!))
    topics.filter((topic) => topic.startsWith('incident.')).should.eql([...INCIDENT_EVENTS])
  })
})

describe('the page on security', () => {
  it('has every route of the editor with its permissions', () => {
    const registered: string[] = []
    const needed = (...handlers: unknown[]) => handlers.filter((one) => typeof one === 'string')
    const route =
      (method: string) =>
      (path: string, ...handlers: unknown[]) =>
        registered.push([method, path, ...needed(...handlers)].join(' '))
    const httpAdmin = { get: route('GET'), post: route('POST') }
    const auth = { needsPermission: (permission: string) => permission }
    registerAdminRoutes({ httpAdmin, auth } as unknown as NodeAPI)
    const documented = rows(contentOf('docs/security.md'), '## The editor').map(
      ([method, path, permission]) =>
        [code(method!), code(path!), code(permission!.split(';')[0]!)].join(' '),
    )
    documented.should.eql(registered)
  })

  it('has the name of every secret', () => {
    const [, names = ''] = /Secrets are the fields ([^\n]*), at any/.exec(
      contentOf('docs/security.md'),
    )!
    const listed = [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    listed.should.eql([...SECRET_NAMES].sort())
  })
})

describe('the page on the client', () => {
  it('has everything that is exported', () => {
    const page = contentOf('docs/client.md')
    const index = contentOf('client/index.ts')
    const types = [...index.matchAll(/^export type \{([^}]*)\}/gm)]
      .flatMap(([, names]) => names!.split(','))
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const wholeFiles = [...index.matchAll(/^export type \* from '.\/(.+)'/gm)]
      .flatMap(([, file]) => [...contentOf(`client/${file}.ts`).matchAll(/^export \w+ (\w+)/gm)])
      .map(([, name]) => name!)
    types.length.should.be.above(30)
    wholeFiles.length.should.be.above(30)
    for (const name of [...Object.keys(client), ...types, ...wholeFiles]) {
      should(new RegExp(`\`(new )?${name}[\`([]`).test(page)).be.true(name)
    }
  })
})

// ---- what is sent

function messageFor(set: string): Message {
  const message: Message = { routeName: 'Studio A' }
  if (set === 'create-route') return { payload: definition('New route') }
  if (set === 'ensure-route') return { payload: definition('Ensured route') }
  if (set === 'update-route') return { ...message, payload: { name: 'Studio A' } }
  if (set === 'delete-route') return { routeName: 'Newsroom feed' }
  return message
}

const definition = (name: string): object => {
  const port = 20_000 + name.length
  const part = { protocol: 'udp', address: '239.1.1.1', port }
  return { name, source: { ...part, name: 'in' }, destinations: [{ ...part, name: 'out' }] }
}

const gatewayNode = (): { client(): Connection } => helper.getNode('gateway') as never

// ---- what is read

function filesIn(folder: string, kind: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => kind.test(file))
    .map((file) => join(folder, file))
}

const isThere = (page: string, anchor?: string): boolean =>
  existsSync(join(root, page)) && (anchor === undefined || headings(page).includes(anchor))

function links(page: string): Array<{ path: string; anchor?: string }> {
  const outside = /^[a-z]+:/
  return [...contentOf(page).matchAll(/\]\(([^)]+)\)/g)]
    .map(([, link = '']) => {
      const own = link.startsWith(BLOB) ? link.slice(BLOB.length) : undefined
      return own === undefined ? link : relative(dirname(page), own)
    })
    .filter((link) => !outside.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#')
      return { path, anchor }
    })
}

/** The anchors of a page, as GitHub makes them of its headings. */
const headings = (page: string): string[] =>
  [...contentOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

/** The rows of all tables under a heading, without the heads of the tables. */
function rows(page: string, heading: string): string[][] {
  const level = heading.split(' ')[0]!
  const [, rest = ''] = page.split(`${heading}\n`)
  const [section = ''] = rest.split(new RegExp(`^${level} `, 'm'))
  const lines = section.split('\n')
  return lines
    .filter(
      (line, at) =>
        line.startsWith('|') && !/^\| ?-/.test(line) && !/^\| ?-/.test(lines[at + 1] ?? ''),
    )
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

const code = (cell: string): string => /^`(.*)`$/.exec(cell)?.[1] ?? cell

/** What comes before the second entry that fits, and from there on. */
function split<T>(list: T[], fits: (entry: T) => boolean): [T[], T[]] {
  const at = list.findLastIndex(fits)
  return [list.slice(0, at), list.slice(at)]
}
