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

  it('knows one sigma, wherever it stands in a word', () => {
    for (const name of [
      'ΟΔΟΣ',
      'ΟΔΟΣΑ',
      'οδος',
      'οδοσα',
      'Οδός'.normalize('NFD').replace('́', ''),
    ]) {
      patternFilter('ΟΔΟΣ*')(name).should.be.true()
      patternFilter('οδος*')(name).should.be.true()
    }
    patternFilter('Stra?e')('STRAßE').should.be.true()
    patternFilter('ẞ')('ß').should.be.true()
  })
})
