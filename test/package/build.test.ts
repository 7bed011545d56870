// The html of the nodes as the build makes it, from parts that are written once.
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'acorn'
import should from 'should'
import { root } from '../support/root'

interface Parts {
  addFile(path: string, text: string): void
  fillIn(path: string, text: string): string
  expectAllUsed(): void
}

describe('the build of forms and help', () => {
  let parts: Parts

  before(async () => {
    const module = pathToFileURL(join(root, 'scripts/build/parts.mjs')).href
    const { Parts } = (await import(module)) as { Parts: new () => Parts }
    parts = new Parts()
    parts.addFile('rows.html', '<!-- About. -->\n\n<!-- part: row a -->\n<p>\n  A $&\n</p>\n\n')
    parts.addFile('script.js', 'export default {\n  // part: b\n  b: {\n    c: 1,\n  },\n}\n')
  })

  it('puts each part in its place, indented like it', () => {
    should(parts.fillIn('x.html', '<i>\n  <!-- include: row a -->\n</i>\n')).equal(
      '<i>\n  <p>\n    A $&\n  </p>\n</i>\n',
    )
    should(parts.fillIn('x.html', '    // include: b\n    d: 2,')).equal(
      '    b: {\n      c: 1,\n    },\n    d: 2,',
    )
  })

  it('takes the condition of a row', () => {
    parts.addFile('with.html', '<!-- part: row d -->\n<p id="{{of}}">{{of}} {{package}}</p>')
    should(parts.fillIn('x.html', '<!-- include: row d, with of=x is=y, when c=d -->')).equal(
      '<p id="x" data-media-gateway-when="c=d">x {{package}}</p>',
    )
    should(parts.fillIn('x.html', '<!-- include: row a, when c=d|e, f=g -->')).equal(
      '<p data-media-gateway-when="c=d|e, f=g">\n  A $&\n</p>',
    )
  })

  it('fails when a part is missing, there twice or included nowhere', () => {
    should(() => parts.fillIn('x.html', '<!-- include: row b -->')).throw(
      'x.html includes "row b", and there is no such part.',
    )
    should(() => parts.addFile('more.html', '<!-- part: row a -->')).throw(
      'more.html has a second part "row a".',
    )
    parts.addFile('more.html', '<!-- part: row c -->\n<p></p>')
    should(() => parts.expectAllUsed()).throw('more.html has a part "row c" that nothing includes.')
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
      should(html).not.match(/(<!--|\/\/) (include|part): |\{\{package/, file)
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
