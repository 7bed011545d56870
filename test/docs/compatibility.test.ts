// docs/compatibility.md: its table is made from the recordings, and it says what is assumed of all that
// is not known.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contentOf, root } from '../support/root'

const text = (path: string): string => contentOf(path)
const page = text('docs/compatibility.md')

describe('docs/compatibility.md', () => {
  it('has a row for each recording', async () => {
    const tool = pathToFileURL(join(root, 'tools/compatibility-page.mjs')).href
    const { written } = (await import(tool)) as { written: (page: string) => Promise<string> }
    should(await written(page)).equal(page, 'run npm --prefix tools run compatibility-page')
    should(page.match(/^\| \[/gm)!.length).be.above(0)
  })

  it('says what the nodes assume for each question that is open', () => {
    const open = text('docs/project/interface.md').split('\n## Unknown\n')[1]!
    const questions = [...open.matchAll(/^\| `unknown-[a-z-]+` +\| (.+?) +\|/gm)].map(
      ([, each]) => each!,
    )
    questions.length.should.be.above(0)
    const [, assumptions = ''] = page.split('\n## Assumptions\n')
    const asked = [...assumptions.matchAll(/^\| (.+?) +\| \S/gm)].map(([, each]) => each!)
    asked.filter((each) => questions.includes(each)).should.eql(questions)
  })
})
