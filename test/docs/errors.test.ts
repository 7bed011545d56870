// docs/errors.md has every code and every field of the cause, and quotes only what errors say.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ERROR_CODES } from '../../client'
import { contentOf, root } from '../support/root'

const page = contentOf('docs/errors.md')

/** All that errors say, as templates, in the order of the files. */
function templates(): string[] {
  const folders = ['client', 'nodes/runtime']
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(root, folder, file)),
  )
  return files.flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return Array.from(source.matchAll(/'((?:[^'\\\n]|\\.)*[.:_])'/g), ([, text]) => text!)
  })
}

/** A pattern for a sentence with any values. */
const patternOf = (template: string): string =>
  template
    .split(/__[a-z]+__/i)
    .map((fixed) => fixed.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.+?')

describe('docs/errors.md', () => {
  it('has a section for each code, and no other', () => {
    const sections = Array.from(page.matchAll(/^### (.+)$/gm), ([, title]) => title!)
    sections.should.eql([...ERROR_CODES])
  })

  it('says of each code whether a change may have been applied, and what to do', () => {
    for (const section of page.split(/^### /m).slice(1)) {
      section.should.match(/^- Applied: `/m, section)
      section.should.match(/^- What to do: /m, section)
      section.should.match(/^> /m, section)
    }
  })

  it('has every field of the cause', () => {
    const source = contentOf('client/errors.ts')
    const [, fields = ''] = /export interface ErrorCause \{(.*?)\n\}/s.exec(source)!
    const names = Array.from(fields.matchAll(/^ {2}(\w+)\??:/gm), ([, name]) => name!)
    names.length.should.be.above(8)
    for (const name of names) page.should.containEql(`| \`cause.${name}\``)
  })

  it('quotes only sentences that errors consist of', () => {
    const known = templates().filter((template) => template.replace(/__[a-z]+__\W*/gi, '') !== '')
    known.length.should.be.above(100)
    const sentence = `(?:${known.map(patternOf).join('|')})`
    // What is wrong with an input is put together from words.
    const whole = new RegExp(
      `^(?:Route ".+?"(?: on \\S+)?: )?(?:\\S+ is \\S+; it must be .+?\\. |Unknown field \\S+\\. Did you mean \\S+\\? )?${sentence}(?: ${sentence})*$`,
    )
    const quotes = Array.from(page.matchAll(/^> (.+)$/gm), ([, quote]) => quote!)
    quotes.length.should.be.above(25)
    for (const quote of quotes) quote.should.match(whole)
  })
})
