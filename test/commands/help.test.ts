import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { contentOf, root } from '../support/root'

/** The commands of a manifest, each with its file. */
const commandsIn = (folder: string): (readonly [name: string, file: string])[] => {
  const manifest = contentOf(folder, 'package.json')
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> }
  return Object.entries(scripts).flatMap(([name, command]) => {
    const [, file] = /^node (\S+\.mjs)/.exec(command) ?? []
    return file === undefined ? [] : [[name, join(folder, file)] as const]
  })
}
const commands = [...commandsIn('.'), ...commandsIn('tools')]

const run = (file: string, option: string): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, file), option], {
    cwd: root,
    encoding: 'utf8',
    timeout: 15_000,
  })
  return { status, output: stdout + stderr }
}

it('ten commands are enough for who changes the package', () => {
  commandsIn('.').length.should.be.belowOrEqual(10)
})

describe('every command of npm run', () => {
  for (const [name, file] of commands) {
    it(`${name} says with --help what it does, and does nothing`, () => {
      const { status, output } = run(file, '--help')
      status!.should.equal(0, output)
      output.should.containEql(contentOf(file).split('\n')[0]!.slice(3))
    })
  }

  // Of the others, npm test hands what it does not know to mocha.
  for (const [name, file] of commands.filter(([each]) => each !== 'test')) {
    it(`${name} refuses an option that it does not know`, () => {
      const { status, output } = run(file, '--hlep')
      status!.should.equal(1, output)
      output.should.containEql('--hlep')
    })
  }
})
