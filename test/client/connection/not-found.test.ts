import { refusal } from '../../../client/connection/faults'
import type { Subject } from '../../../client/connection/operation'

describe('a 404 says what there is not:', () => {
  const sentences: Record<Subject['kind'], string> = {
    route: 'There is no route "Studio A" on the gateway.',
    destination: 'There is no destination with the ID "X" on the gateway.',
    device: 'There is no device with the ID "X" on the gateway.',
    statistics: 'The gateway has no statistics of this part of route "Studio A".',
    preset:
      'The gateway has no preset of device "X": the device does not exist, or its firmware offers no presets.',
  }
  const messageOf = (what?: Subject, route?: string): string => {
    const error = refusal({ status: 404, headers: {}, body: undefined }, what, route)
    error.code.should.equal('NOT_FOUND')
    return error.message
  }

  for (const [kind, sentence] of Object.entries(sentences)) {
    it(kind, () => {
      const what = { kind: kind as Subject['kind'], id: 'X' }
      messageOf(what, 'Studio A').should.equal(sentence)
      const byId = kind === 'route' ? sentence.replace('route ', 'route with the ID ') : sentence
      messageOf(what).should.equal(byId.replace('Studio A', 'X'))
    })
  }

  it('a gateway, for any other call', () => {
    messageOf().should.match(/does not respond like a media gateway/)
  })
})
