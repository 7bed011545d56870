// The html of the nodes as the build makes it of their manifests.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'acorn'
import { root } from '../support/root'

interface Help {
  textsIn(html: string): Map<string, string>
  helpOf(node: string, manifest: object, form: string, by: object): string
}

describe('the build of the help', () => {
  let help: Help

  before(async () => {
    const module = pathToFileURL(join(root, 'scripts/build/help.mjs')).href
    help = (await import(module)) as Help
  })

  const SHARED = ['Inputs', 'Outputs', 'Details', 'Example', 'Errors', 'References']
    .concat('passed on', 'status', 'message out', 'errors', 'all references', 'output payload')
    .map((name) => `<dd id="${name}">${name}</dd>\n`)
    .join('')

  /** The help of a node with a field `port`, from its own texts and those that all nodes share. */
  const helpWith = (own: string) =>
    help.helpOf(
      'a',
      {
        properties: {},
        outputs: { 'payload?': 'object' },
        errors: ['CLOSED'],
        example: { out: {} },
      },
      '<label data-i18n="label.port"></label>',
      {
        path: 'a.html',
        texts: { own: help.textsIn(own), shared: help.textsIn(SHARED), used: new Set() },
        labelOf: (key: string) => `(${key})`,
      },
    )
  const OWN = `<p>About.</p>
<dd id="field port">
  as {{label.port}} $&
</dd>
<dd id="error CLOSED">closed.</dd>
`

  it('has each text in its place, a text of the node itself first', () => {
    const page = helpWith(`${OWN}<p id="status">own</p>`)
    page.should.containEql('data-help-name="media-gateway-a">\n<p>About.</p>')
    page.should.containEql('<dt>(label.port)</dt>\n<dd>as (label.port) $&</dd>')
    page.should.containEql('<dt class="optional">payload <span class="property-type">object</span>')
    page.should.containEql('<dt><code>CLOSED</code></dt>\n<dd>closed.</dd>')
    page.should.containEql('<p>own</p>')
  })

  it('fails where a text is missing, or is part of nothing', () => {
    should(() => helpWith('<p>About.</p>')).throw('a.html lacks <dd id="field port">.')
    should(() => helpWith(`${OWN}<dd id="field prot">x</dd>`)).throw(
      'a.html has a text "field prot" that is no part of the help.',
    )
  })
})

describe('the code of the package', () => {
  it('is checked without the tests and their global names', () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const shown = execFileSync(process.execPath, [compiler, '-p', root, '--showConfig'])
    const { compilerOptions, files } = JSON.parse(String(shown)) as {
      compilerOptions: { types: string[] }
      files: string[]
    }
    compilerOptions.types.should.deepEqual(['node'])
    files.filter((file) => !/^\.\/(client|nodes|simulator)\//.test(file)).should.deepEqual([])
  })
})

describe('the html of the package', () => {
  const folder = join(root, 'dist/nodes')
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html'))
    .map((file) => ({ file, html: readFileSync(join(folder, file), 'utf8') }))

  it('leaves nothing to fill in', () => {
    all.length.should.be.above(50)
    for (const { file, html } of all) {
      should(html).not.match(/<!-- include: |\{\{\w/, file)
    }
  })

  it('loads no script from elsewhere: the editor would wait for ever for one that fails', () => {
    for (const { file, html } of all) should(html).not.match(/<script[^>]*\bsrc\b/i, file)
  })

  it('holds scripts that run as they are', () => {
    const scripts = all.flatMap(({ html }) =>
      [...html.matchAll(/<script(?: type="text\/javascript")?>([^]*?)<\/script>/g)].map(
        ([, script]) => script!,
      ),
    )
    // One for each type, one for all forms and one for the sidebar.
    scripts.length.should.equal(all.filter(({ html }) => html.includes('registerType(')).length + 2)
    for (const script of scripts) parse(script, { ecmaVersion: 2022 })
  })
})
