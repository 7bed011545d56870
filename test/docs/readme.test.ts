// The README is short, in the order that a new user needs, and true.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, root } from '../support/root'

const MOST_LINES = 170
const FIRST_SCREEN = 45
const SECTIONS = [
  'Status',
  'Install',
  'Try it without a gateway',
  'Connect your gateway',
  'Your first flow',
  'Nodes at a glance',
  'Recipes',
  'Safety',
  'Requirements',
  'Documentation and help',
  'Contributing',
  'License',
]

const text = (path: string): string => contentOf(path)
const readme = text('README.md')
/** Its links are absolute: npm and the flow library show it too. */
const BLOB = 'https://github.com/media-gateway/node-red/blob/main/'
const linksIn = (of: string): string[] =>
  [...of.matchAll(/\]\(([^)#]+)/g)]
    .map(([, link]) => link!)
    .filter((link) => link.startsWith(BLOB))
    .map((link) => link.slice(BLOB.length))
const manifest = JSON.parse(text('package.json')) as {
  name: string
  version: string
  description: string
  keywords: string[]
  engines: { node: string }
  repository: { url: string }
  scripts: Record<string, string>
  'node-red': { version: string; nodes: Record<string, string> }
}
const section = (title: string): string => readme.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!

describe('the README', () => {
  it('is short', () => {
    readme.trimEnd().split('\n').length.should.be.belowOrEqual(MOST_LINES)
  })

  it('has its sections in the order in which a new user needs them', () => {
    ;[...readme.matchAll(/^## (.+)$/gm)].map(([, title]) => title).should.eql(SECTIONS)
  })

  it('names on the first screen the commands that are enough on a new machine', () => {
    const lines = readme.split('\n').slice(0, FIRST_SCREEN)
    for (const command of ['git clone', 'npm start', 'npm test']) {
      lines.some((line) => line.startsWith(command)).should.be.true(command)
    }
    manifest.scripts.should.have.properties('start', 'test')
  })

  it('can be found by the names of the vendor, as the package', () => {
    for (const product of ['Haivision', 'Media Gateway', 'SRT Gateway']) {
      readme.split('\n')[0]!.should.containEql(product)
      manifest.description.should.containEql(product)
      manifest.keywords.should.containEql(product.toLowerCase())
    }
    manifest.keywords.should.eql([...new Set(manifest.keywords)])
  })

  it('says which version it describes, and names the package as it is', () => {
    section('Status').should.containEql(`Version ${manifest.version}.`)
    section('Install').should.containEql(`npm install ${manifest.name}`)
  })

  it('asks for the versions that the package asks for', () => {
    const requirements = section('Requirements')
    const node = /^>=(\d+)$/.exec(manifest.engines.node)![1]!
    const nodeRed = /^>=(\d+\.\d+)\.0$/.exec(manifest['node-red'].version)![1]!
    requirements.should.containEql(`Node.js ${node} or newer`)
    requirements.should.containEql(`Node-RED ${nodeRed} or newer`)
  })

  it('names every node as the palette does', () => {
    const named = [...section('Nodes at a glance').matchAll(/^\| \*\*(.+?)\*\*/gm)]
    const names = Object.keys(manifest['node-red'].nodes).map(
      (set) =>
        (JSON.parse(text(`nodes/${set}/locales/en-US/${set}.json`)) as { node: string }).node,
    )
    named
      .map(([, name]) => name!)
      .sort()
      .should.eql(names.sort())
  })

  it('links every recipe', () => {
    const pages = readdirSync(join(root, 'docs/recipes')).filter((file) => file.endsWith('.md'))
    const recipes = linksIn(section('Recipes')).filter((path) => path.startsWith('docs/recipes/'))
    recipes.sort().should.eql(pages.map((file) => `docs/recipes/${file}`).sort())
  })

  it('links a page for each promise of safety', () => {
    const promises = section('Safety').match(/^- .+$/gm)!
    promises.length.should.equal(4)
    for (const promise of promises) {
      const [page = ''] = linksIn(promise)
      should(promise).endWith(')')
      existsSync(join(root, page)).should.be.true(promise)
      should(page).endWith('.md')
    }
  })

  it('shows pictures that the flow library and npm can find', () => {
    const [, repository] = /github\.com\/(.+)\.git$/.exec(manifest.repository.url)!
    const raw = `https://raw.githubusercontent.com/${repository}/main/`
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path]) => path!)
    const own = pictures.filter((path) => path.startsWith(raw))
    own.length.should.be.above(0)
    for (const path of own) existsSync(join(root, path.slice(raw.length))).should.be.true(path)
    pictures.filter((path) => !path.startsWith('https://')).should.eql([])
  })
})

describe('the index of the documentation', () => {
  it('is in the order of what a reader needs', () => {
    const titles = [...text('docs/README.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    titles.should.eql(['Start', 'How to', 'Reference', 'Explanation', 'Project'])
  })
})
