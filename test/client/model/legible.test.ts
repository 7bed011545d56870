// Foreign text in logs, statuses, errors, labels and plans.
import { GatewayError, invalidInput, words } from '../../../client/errors'
import { legible, shortened } from '../../../client/model/legible'
import { labelOf } from '../../../client/metrics/format'
import { eventText } from '../../../client/watch/text/event-text'

const FORGED =
  'X\n23 Nov 15:00:00 - [error] forged\u001b[2J\u001b]0;pwn\u0007\u009b2J\u202Eabc\u2066\u200b\ufeff\ud800'
const SEEN = /[\p{C}\u2028\u2029]/u

describe('foreign text', () => {
  it('is on one line, with what steers a terminal or is not seen as its code', () => {
    legible(FORGED).should.equal(
      'X 23 Nov 15:00:00 - [error] forged\\u001b[2J\\u001b]0;pwn\\u0007\\u009b2J\\u202eabc\\u2066\\u200b\\ufeff\\ud800',
    )
  })

  it('stays as it is where all of it is seen, in any language', () => {
    for (const text of ['Studio A → B', '放送 📺', 'Überspielung ½', 'a  b', '']) {
      legible(text).should.equal(text)
    }
  })

  it('stays different where it is different', () => {
    const names = ['C', 'C\u200b', 'C\u200c', 'C\u00ad', 'C\u3164', 'C\u202d']
    new Set(names.map(legible)).size.should.equal(names.length)
  })

  it('is legible in errors, with all that they have in their cause', () => {
    const error = new GatewayError('REJECTED', words('__host__ says: __says__', { says: FORGED }), {
      applianceMessage: FORGED,
      applianceType: FORGED,
    })
    const faulty = invalidInput([{ path: FORGED, problem: FORGED }])
    const texts = [
      error.message,
      String(error.sentences[0]!.values['says']),
      error.cause.applianceMessage!,
      error.cause.applianceType!,
      faulty.message,
      ...faulty.cause.problems!.flatMap(({ path, problem }) => [path, problem]),
      new GatewayError('CONFIG', FORGED).message,
    ]
    for (const text of texts) text.should.not.match(SEEN)
  })

  it('is legible in statuses, labels and the text of events', () => {
    shortened(FORGED, 500).should.not.match(SEEN)
    labelOf('route', FORGED).should.not.match(SEEN)
    const device = { id: 'D', name: FORGED }
    eventText({
      event: 'route.renamed',
      at: 0,
      device,
      route: { id: 'R', name: FORGED },
      before: FORGED,
      after: 'X',
    }).should.not.match(SEEN)
  })
})
