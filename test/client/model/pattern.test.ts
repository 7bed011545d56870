import 'should'
import { patternFilter } from '../../../client/model/pattern'

describe('a pattern of names', () => {
  it('disregards the case, and how an accent is encoded', () => {
    const name = 'Ünïk'
    for (const form of ['NFC', 'NFD']) {
      patternFilter('ünï?')(name.normalize(form)).should.be.true()
      patternFilter('ünï?'.normalize('NFD'))(name.normalize(form)).should.be.true()
    }
    patternFilter('ünï?')('Unik').should.be.false()
  })
})
