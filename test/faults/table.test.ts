import { hasFrame } from './table'

describe('docs/project/reliability.md', () => {
  it('has the rules of the fault matrix, and a column for each node', () => {
    hasFrame().should.be.true('To write its tables: npm run test:faults -- --write')
  })
})
