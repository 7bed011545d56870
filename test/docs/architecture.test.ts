// What docs/project/architecture.md names is there. test/commands/operation.test.ts follows its steps.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, root } from '../support/root'

const page = contentOf('docs/project/architecture.md')
const section = (title: string): string => page.split(`## ${title}\n`)[1]!.split(/^## /m)[0]!

describe('docs/project/architecture.md', () => {
  for (const title of ['one message', 'one command', 'one event', 'one lookup', 'one failover']) {
    it(`names the files on the way of ${title}, each once`, () => {
      const files = [...section(`The way of ${title}`).matchAll(/^\d+\. `([^`]+)`/gm)].map(
        ([, file]) => file!,
      )
      files.length.should.be.above(8)
      new Set(files).size.should.equal(files.length)
      for (const file of files) existsSync(join(root, file)).should.be.true(file)
    })
  }

  it('names no file or folder that is not there, but for those of its example', () => {
    const added = [...section('Add an operation').matchAll(/^\d+\. [^\n]* in `([^`]+)`:/gm)].map(
      ([, file]) => file,
    )
    const named = [...page.matchAll(/`((?:client|nodes|simulator|test)\/[\w./-]+)`/g)].map(
      ([, at]) => at!,
    )
    for (const path of named) {
      should(existsSync(join(root, path)) || added.includes(path)).be.true(path)
    }
  })
})
