import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import 'should'
import { root } from '../support/root'

describe('what is remembered of an appliance', () => {
  it('stands in client/memory.ts alone: no module has a collection that is filled later', () => {
    const files = readdirSync(join(root, 'client'), { recursive: true, encoding: 'utf8' })
    const modules = files.filter((file) => file.endsWith('.ts'))
    modules.length.should.be.above(50)
    for (const file of modules) {
      const source = readFileSync(join(root, 'client', file), 'utf8')
      source.should.not.match(
        /^(export )?(const|let) [^=]*= new (Weak)?(Map|Set)(<.*>)?\(\)/m,
        file,
      )
    }
  })
})
