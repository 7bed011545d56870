// The project under another name: package.json is the only place that says it.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, packageName, root } from '../support/root'
import { env, Installation } from '../package/installation'

const NAME = '@someone/else'

interface NodeSet {
  module: string
  name: string
  types: string[]
  err?: string
}

type Text = string | Catalog
interface Catalog {
  [key: string]: Text
}

describe('the package under another name', function () {
  this.timeout(180_000)

  let installation: Installation
  let sets: string[]

  before(async () => {
    installation = new Installation(NAME)
    const project = join(installation.home, 'project')
    mkdirSync(project)
    const manifest = JSON.parse(contentOf('package.json')) as { 'node-red': { nodes: object } }
    sets = Object.keys(manifest['node-red'].nodes)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, name: NAME }))
    for (const part of PARTS) cpSync(join(root, part), join(project, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
    // Builds it too.
    installation.install(project)
    await installation.startNodeRed()
  })

  after(() => installation?.remove())

  it('says the other name only', () => {
    const naming = filesIn(join(installation.folder, 'dist')).filter((file) =>
      readFileSync(file, 'utf8').includes(packageName),
    )
    naming.should.deepEqual([])
  })

  it('refers to no source map: none is packed', () => {
    const referring = filesIn(join(installation.folder, 'dist')).filter((file) =>
      readFileSync(file, 'utf8').includes('sourceMappingURL'),
    )
    referring.should.deepEqual([])
  })

  it('registers all its nodes', async () => {
    const all = JSON.parse(await installation.text('nodes')) as NodeSet[]
    const ours = all.filter(({ module }) => module === NAME)
    ours.map(({ name }) => name).should.deepEqual(sets)
    ours.flatMap(({ types }) => types).length.should.equal(sets.length)
    ours.flatMap(({ err }) => err ?? []).should.deepEqual([])
  })

  it('finds every text of its forms and scripts in its catalogs', async () => {
    const forms =
      (await installation.text('nodes', 'text/html')) +
      (await installation.text('plugins', 'text/html'))
    should(forms).match(/\bmediaGatewayNodes=/)
    const catalogs = JSON.parse(await installation.text('nodes/messages?lng=en-US')) as Catalog
    // Not those of which a script makes the end.
    const keys = [...forms.matchAll(/(@someone\/else\/[\w-]+):([\w.-]+)(?![\w.$-])/g)]
    keys.length.should.be.above(50)
    for (const [key, catalog, path] of keys) {
      let text: Text | undefined = catalogs[catalog!]
      for (const part of path!.split('.')) text = (text as Catalog | undefined)?.[part]
      should(text).be.a.String().and.not.equal('', key)
    }
    // The scripts put their names of texts together.
    should(forms).match(/`@someone\/else\/\$\{/)
  })

  it('gives programs the client', () => {
    const script = `console.log(typeof require('${NAME}/client').openGateway)`
    const options = { env, cwd: installation.userDir, encoding: 'utf8' } as const
    execFileSync(process.execPath, ['-e', script], options).should.equal('function\n')
  })
})

describe('the name of the package', () => {
  it('stands in package.json, and in no source', () => {
    const naming = SOURCES.flatMap((folder) => filesIn(join(root, folder))).filter((file) =>
      readFileSync(file, 'utf8').includes(packageName),
    )
    naming.should.deepEqual([])
  })
})

/** What a build and a package need of the project. */
const PARTS = [
  'client',
  'docs',
  'nodes',
  'simulator',
  'scripts',
  'icons',
  'examples',
  'tsconfig.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
]
const SOURCES = ['client', 'nodes', 'simulator', 'scripts', 'tools', 'examples', 'test']

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
