// What people read of incidents.
import { eventText } from '../../../client/watch/text/event-text'
import type { Language } from '../../../client/model/watch'

describe('the sentences on an incident', () => {
  const INCIDENT = {
    id: 'x',
    severity: 'critical',
    kind: 'route',
    reason: 'no-source',
    since: 0,
    until: 180_000,
    durationMs: 180_000,
  } as const
  const base = {
    at: 0,
    incident: INCIDENT,
    device: { id: 'd', name: 'Nord' },
    route: { id: 'r', name: 'City hall' },
    word: 'disconnected',
    before: 'critical',
  }
  const begun = { ...base, event: 'incident.begun', after: 'critical' } as const
  const changed = { ...base, event: 'incident.changed', after: 'critical' } as const
  const ended = (after: string) => ({ ...base, event: 'incident.ended', after }) as const
  const output = {
    ...ended('stopped'),
    incident: { ...INCIDENT, kind: 'output', severity: 'warning', reason: 'output-lost' },
    destination: { id: '', name: 'X' },
  } as const
  const ofGateway = {
    ...ended('ok'),
    route: undefined,
    incident: { ...INCIDENT, kind: 'gateway', reason: 'gateway-away' },
  } as const

  const SENTENCES = {
    'en-US': [
      'City hall: no source (disconnected)',
      'City hall: now no source (disconnected)',
      'City hall: OK again after 3 minutes (no source)',
      'City hall was stopped: no source for 3 minutes',
      'City hall: no longer watched (no source for 3 minutes)',
      'City hall: stopped (output “X” lost for 3 minutes)',
      'Gateway Nord: OK again after 3 minutes (gateway unreachable)',
    ],
    de: [
      'City hall: keine Quelle (disconnected)',
      'City hall: jetzt keine Quelle (disconnected)',
      'City hall: nach 3 Minuten wieder OK (keine Quelle)',
      'City hall wurde nach 3 Minuten Störung gestoppt: keine Quelle',
      'City hall: nach 3 Minuten Störung nicht mehr überwacht (keine Quelle)',
      'City hall: nach 3 Minuten Störung gestoppt (Ziel „X“ verloren)',
      'Gateway Nord: nach 3 Minuten wieder OK (Gateway nicht erreichbar)',
    ],
    ja: [
      'City hall: ソースなし (disconnected)',
      'City hall: 現在はソースなし (disconnected)',
      'City hall: 3分後に正常に復帰 (ソースなし)',
      'City hall: 停止されました (ソースなし、3分間)',
      'City hall: 監視対象外 (ソースなし、3分間)',
      'City hall: 停止 (出力先「X」切断、3分間)',
      'ゲートウェイ「Nord」: 3分後に正常に復帰 (ゲートウェイに接続不可)',
    ],
  }
  for (const [language, sentences] of Object.entries(SENTENCES)) {
    it(`in ${language}`, () => {
      const events = [
        begun,
        changed,
        ended('ok'),
        ended('stopped'),
        ended('removed'),
        output,
        ofGateway,
      ]
      events.map((event) => eventText(event, language as Language)).should.eql(sentences)
    })
  }

  it('are one line, with names that are cut, whatever the gateway sends', () => {
    const name = `a\nb\u202e${'x'.repeat(5000)}`
    const text = eventText({ ...begun, route: { id: 'r', name }, word: name })
    text.length.should.be.below(500)
    text.should.match(/^a b\\u202exxx.*…\)$/)
    eventText({ ...begun, incident: undefined }).should.equal('incident.begun')
    eventText(begun, 'xx' as Language).should.equal(SENTENCES['en-US'][0])
  })
})
