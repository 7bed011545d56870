import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contentOf, root } from '../support/root'

describe('what is remembered of an appliance', () => {
  it('stands in client/memory.ts alone: no module keeps anything by gateway', () => {
    const byGateway = /^(export )?(const|let) .*\b(Map|Set)<(Connection|Gateway|object)\b/m
    'const known = new Map<Connection, string>()'.should.match(byGateway)
    const files = readdirSync(join(root, 'client'), { recursive: true, encoding: 'utf8' })
    const modules = files.filter((file) => file.endsWith('.ts'))
    modules.length.should.be.above(50)
    for (const file of modules) {
      contentOf('client', file).should.not.match(byGateway, file)
    }
  })
})
