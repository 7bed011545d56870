import 'should'
import { LANGUAGES } from '../../../client/internal'
import { ERROR_CODES } from '../../../client/errors'
import { failoverText, type Reported } from '../../../client/failover/text'
import { FAILOVER_EVENTS, FAILOVER_STATES } from '../../../client/model/failover'

const about = (event: Partial<Reported>): Reported => ({
  event: 'failover.state',
  at: 1,
  state: 'normal',
  from: null,
  to: null,
  cause: null,
  outageMs: null,
  durationMs: null,
  switches: 0,
  held: false,
  dryRun: false,
  route: { id: 'r1', name: 'Studio A' },
  ...event,
})

const failure = (code: string, applied: 'no' | 'maybe' | 'yes' = 'no') => ({
  code,
  message: 'Not for the text.',
  applied,
})

type Case = [event: Partial<Reported>, english: string, german: string, japanese: string]

/** Without the name of the route. */
const CASES: Case[] = [
  [
    {
      event: 'failover.switched',
      from: 'main',
      to: 'backup',
      cause: 'signal-fail',
      state: 'protecting',
      outageMs: 15_000,
    },
    'switched to backup, because the source in use failed (outage: 15 seconds)',
    'auf backup umgeschaltet, weil die aktive Quelle ausgefallen ist (Ausfall: 15 Sekunden)',
    '使用中のソースに障害が発生したため、backup に切り替わりました (中断時間: 15秒)',
  ],
  [
    { event: 'failover.switched', to: 'main', cause: 'restore' },
    'switched to main, because main is good again',
    'auf main umgeschaltet, weil main wieder gut ist',
    'main が正常に戻ったため、main に切り替わりました',
  ],
  [
    { event: 'failover.switched', to: 'backup', cause: 'manual', state: 'hold-off' },
    'switched to backup, as requested, which is not good',
    'auf backup umgeschaltet, wie angefordert, aber diese Quelle ist nicht gut',
    '要求に従い、backup に切り替わりました。ただし、このソースは正常ではありません',
  ],
  [
    { event: 'failover.switched', to: 'backup', cause: 'signal-degrade', dryRun: true },
    'dry run, nothing is changed: switched to backup, because the source in use failed repeatedly',
    'Probelauf, nichts wird geändert: auf backup umgeschaltet, weil die aktive Quelle wiederholt ausgefallen ist',
    'ドライラン (変更なし): 使用中のソースに障害が繰り返し発生したため、backup に切り替わりました',
  ],
  [
    { event: 'failover.failed', to: 'backup' },
    'the switch to backup failed: the route did not show it in time',
    'die Umschaltung auf backup ist fehlgeschlagen: die Route hat sie nicht rechtzeitig angezeigt',
    'backup への切り替えに失敗しました: 時間内にルートに反映されませんでした',
  ],
  [
    { event: 'failover.failed', to: 'main', failure: failure('CONFLICT') },
    'the switch to main failed: conflict with another change of the route',
    'die Umschaltung auf main ist fehlgeschlagen: Konflikt mit einer anderen Änderung der Route',
    'main への切り替えに失敗しました: ルートの別の変更と競合しました',
  ],
  [
    { event: 'failover.failed', to: 'main', failure: failure('OUTCOME_UNKNOWN', 'maybe') },
    'the switch to main failed: outcome unknown, and may still have an effect',
    'die Umschaltung auf main ist fehlgeschlagen: Ergebnis unbekannt, sie kann aber noch wirksam werden',
    'main への切り替えに失敗しました: 結果は不明です。後から反映される可能性があります',
  ],
  [
    { event: 'failover.failed', to: 'backup', failure: failure('REJECTED', 'yes') },
    'the switch to backup failed halfway: request rejected',
    'die Umschaltung auf backup ist auf halbem Weg fehlgeschlagen: Anfrage abgewiesen',
    'backup への切り替えに途中で失敗しました: 要求が拒否されました',
  ],
  [
    { event: 'failover.no-protection', from: 'backup', to: 'main', reason: 'main-bad' },
    'backup failed and there is no protection: main is not good either',
    'backup ist ausgefallen, es gibt keinen Schutz: auch main ist nicht gut',
    'backup に障害が発生し、保護されていません: main も正常ではありません',
  ],
  [
    { event: 'failover.taken-over', from: 'main', to: 'other' },
    'somebody else has set another source',
    'jemand anders hat eine andere Quelle eingestellt',
    '他のユーザーが別のソースに変更しました',
  ],
  [
    { event: 'failover.taken-over', from: 'main', to: 'backup' },
    'somebody else has set backup',
    'jemand anders hat backup eingestellt',
    '他のユーザーが backup に変更しました',
  ],
  [
    { event: 'failover.held' },
    'the failover is held: no automatic switches',
    'das Failover ist angehalten: keine automatischen Umschaltungen',
    'フェイルオーバーは保留中です: 自動切り替えは行われません',
  ],
  [
    { event: 'failover.released' },
    'the failover is released: automatic switches are possible again',
    'das Failover ist freigegeben: automatische Umschaltungen sind wieder möglich',
    'フェイルオーバーの保留が解除されました: 自動切り替えが再び可能です',
  ],
  [
    { event: 'failover.limit', switches: 4 },
    '4 automatic switches, which is the limit: from now on slower, and no automatic return to main',
    '4 automatische Umschaltungen, damit ist die Grenze erreicht: ab jetzt langsamer und ohne automatische Rückkehr zu main',
    '自動切り替えが上限の4回に達しました: 以後は間隔が長くなり、main への自動復帰は行われません',
  ],
  [
    { event: 'failover.limit-over' },
    'the limit of automatic switches no longer applies',
    'die Grenze für automatische Umschaltungen gilt nicht mehr',
    '自動切り替えの上限は適用されなくなりました',
  ],
  [
    { event: 'failover.state', state: 'standby', held: true },
    'the route is stopped (held)',
    'die Route ist gestoppt (angehalten)',
    'ルートは停止しています (保留中)',
  ],
]

describe('the text of an event of a failover', () => {
  it('says in every language what happened', () => {
    for (const [event, ...texts] of CASES) {
      const said = LANGUAGES.map((language) => failoverText(about(event), language))
      said.should.eql([`Studio A: ${texts[0]}`, `Studio A: ${texts[1]}`, `Studio A: ${texts[2]}`])
    }
  })

  it('is tested for every event', () => {
    const tested = new Set(CASES.map(([{ event }]) => event))
    FAILOVER_EVENTS.filter((event) => !tested.has(event)).should.eql([])
  })

  it('has different words for each state, each reason and each language', () => {
    const texts = LANGUAGES.flatMap((language) => [
      ...FAILOVER_STATES.map((state) => failoverText(about({ state }), language)),
      ...(['held', 'switching', 'main-bad', 'guard'] as const).map((reason) =>
        failoverText(about({ event: 'failover.no-protection', from: 'main', reason }), language),
      ),
    ])
    new Set(texts).size.should.equal(texts.length)
  })

  it('has words for every error, and shows none of its message', () => {
    for (const language of LANGUAGES) {
      for (const code of ERROR_CODES) {
        const event = about({ event: 'failover.failed', to: 'main', failure: failure(code) })
        const text = failoverText(event, language)
        text.should.not.match(new RegExp(`${code}$`)).and.not.containEql('text.')
      }
    }
  })

  it('is one line with a bounded name, and English for an unknown language', () => {
    const name = `A\n${'b'.repeat(500)}`
    const text = failoverText(about({ route: { id: 'r1', name } }), 'xx' as 'de')
    text.should.match(/^A b+…: main is in use and good$/)
    text.length.should.be.below(250)
    failoverText(about({ route: { id: 'r1', name: null } })).should.startWith('r1: ')
    failoverText(about({ route: { id: null, name: null } })).should.startWith('Route: ')
  })
})
