import { pathTo, pathUnder } from '../../../client/model/json'

describe('model: paths', () => {
  it('of a member are as a program writes them', () => {
    pathTo('source', 'port').should.equal('source.port')
    pathTo('', 'source').should.equal('source')
    pathTo('destinations', 'Studio A').should.equal('destinations["Studio A"]')
  })

  it('within another one need a dot only between two names', () => {
    pathUnder('msg.payload', 'source.port').should.equal('msg.payload.source.port')
    pathUnder('msg.payload', '[1].name').should.equal('msg.payload[1].name')
    pathUnder('[1]', 'name').should.equal('[1].name')
    pathUnder('msg.payload', '').should.equal('msg.payload')
    pathUnder('', 'name').should.equal('name')
  })
})
