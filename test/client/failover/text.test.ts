import 'should'
import { LANGUAGES } from '../../../client/model/watch'
import { ERROR_CODES } from '../../../client/errors'
import { failoverText, type Reported } from '../../../client/failover/text'
import { FAILOVER_EVENTS, FAILOVER_STATES, UNPROTECTED } from '../../../client/model/failover'

const about = (event: Partial<Reported>): Reported => ({
  event: 'failover.state',
  at: 1,
  state: 'normal',
  from: null,
  to: null,
  cause: null,
  outageMs: null,
  durationMs: null,
  held: false,
  route: { id: 'r1', name: 'Studio A' },
  ...event,
})

const failure = (code: string, applied: 'no' | 'maybe' | 'yes' = 'no') => ({
  code,
  message: 'Not for the text.',
  applied,
})

type Case = [event: Partial<Reported>, english: string, german: string, japanese: string]

const DIFFERS = { main: ['port'], backup: ['address', 'port'] }

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
    'switched to backup, as requested, but backup is not good',
    'auf backup umgeschaltet, wie angefordert, aber backup ist nicht gut',
    '要求に従い、backup に切り替わりました。ただし、backup は正常ではありません',
  ],
  [
    { event: 'failover.switched', to: 'backup', cause: 'signal-degrade', state: 'protecting' },
    'switched to backup, because the source in use failed repeatedly',
    'auf backup umgeschaltet, weil die aktive Quelle wiederholt ausgefallen ist',
    '使用中のソースに障害が繰り返し発生したため、backup に切り替わりました',
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
    'the switch to main failed: outcome unknown; it may still take effect',
    'die Umschaltung auf main ist fehlgeschlagen: Ergebnis unbekannt; sie kann noch wirksam werden',
    'main への切り替えに失敗しました: 結果は不明です。後から反映される可能性があります',
  ],
  [
    { event: 'failover.failed', to: 'backup', failure: failure('REJECTED', 'yes') },
    'the switch to backup failed and neither route runs: request rejected',
    'die Umschaltung auf backup ist fehlgeschlagen, keine der beiden Routen läuft: Anfrage abgewiesen',
    'backup への切り替えに失敗しました。どちらのルートも実行中ではありません: 要求が拒否されました',
  ],
  [
    { event: 'failover.failed', from: 'backup', to: 'main', cause: 'restore', reason: 'not-good' },
    'the switch to main failed: main did not become good in time, so the route gets backup again',
    'die Umschaltung auf main ist fehlgeschlagen: main wurde nicht rechtzeitig gut, die Route bekommt wieder backup',
    'main への切り替えに失敗しました: main が時間内に正常になりませんでした。ルートを backup に戻します',
  ],
  [
    { event: 'failover.failed', from: 'backup', to: 'main', reason: 'not-good', held: true },
    'the switch to main failed: main did not become good in time',
    'die Umschaltung auf main ist fehlgeschlagen: main wurde nicht rechtzeitig gut',
    'main への切り替えに失敗しました: main が時間内に正常になりませんでした',
  ],
  [
    { event: 'failover.unprotected', from: 'main', reason: 'held', held: true },
    'no protection: main failed, and the failover is held (it would switch to backup now)',
    'kein Schutz: main ist ausgefallen, und das Failover ist angehalten (es würde jetzt auf backup umschalten)',
    '保護なし: main に障害が発生しましたが、フェイルオーバーは保留中です (保留でなければ backup に切り替わります)',
  ],
  [
    { event: 'failover.unprotected', from: 'backup', reason: 'both-bad' },
    'no protection: neither main nor backup is good',
    'kein Schutz: weder main noch backup ist gut',
    '保護なし: main も backup も正常ではありません',
  ],
  [
    { event: 'failover.unprotected', from: 'backup', reason: 'switch-failed' },
    'no protection: backup failed, and the switch to main does not succeed',
    'kein Schutz: backup ist ausgefallen, und die Umschaltung auf main gelingt nicht',
    '保護なし: backup に障害が発生しましたが、main への切り替えに失敗しています',
  ],
  [
    { event: 'failover.unprotected', from: 'main', reason: 'unknown' },
    'no protection: main failed, and now the gateway does not show the route',
    'kein Schutz: main ist ausgefallen, und jetzt zeigt das Gateway die Route nicht',
    '保護なし: main に障害が発生し、現在ゲートウェイはルートの状態を返しません',
  ],
  [
    { event: 'failover.unprotected', from: 'main', reason: 'backup-bad' },
    'no protection: main is good, but backup is not',
    'kein Schutz: main ist gut, aber backup nicht',
    '保護なし: main は正常ですが、backup は正常ではありません',
  ],
  [
    { event: 'failover.protected', from: 'main', reason: 'both-bad', outageMs: 300_000 },
    'all clear: main is in use and good (outage: 5 minutes)',
    'Entwarnung: main ist aktiv und gut (Ausfall: 5 Minuten)',
    '復旧: main を使用中で、正常です (中断時間: 5分)',
  ],
  [
    { event: 'failover.protected', from: 'backup', reason: 'held', held: true },
    'all clear: backup is in use and good (held)',
    'Entwarnung: backup ist aktiv und gut (angehalten)',
    '復旧: backup を使用中で、正常です (保留中)',
  ],
  [
    { event: 'failover.taken-over', from: 'main', to: 'other', differs: DIFFERS },
    'another source was set elsewhere: the source differs from main in port, and from backup in address, port',
    'eine andere Quelle wurde anderswo eingestellt: die Quelle unterscheidet sich von main in port und von backup in address, port',
    '外部から別のソースに変更されました。main との違い: port。backup との違い: address, port',
  ],
  [
    { event: 'failover.taken-over', from: 'main', to: 'backup' },
    'backup was set elsewhere',
    'backup wurde anderswo eingestellt',
    '外部から backup に変更されました',
  ],
  [
    { event: 'failover.held' },
    'the failover is held: no automatic switches',
    'das Failover ist angehalten: keine automatischen Umschaltungen',
    'フェイルオーバーは保留中です: 自動切り替えは行われません',
  ],
  [
    { event: 'failover.released' },
    'the failover is released: it switches automatically again',
    'das Failover ist freigegeben: es schaltet wieder automatisch um',
    'フェイルオーバーの保留が解除されました: 自動切り替えが再び可能です',
  ],
  [
    { event: 'failover.state', state: 'standby', held: true },
    'the route is stopped (held)',
    'die Route ist gestoppt (angehalten)',
    'ルートは停止しています (保留中)',
  ],
  [
    { event: 'failover.state', state: 'foreign', differs: DIFFERS },
    'neither main nor backup is in use: the source differs from main in port, and from backup in address, port',
    'weder main noch backup ist aktiv: die Quelle unterscheidet sich von main in port und von backup in address, port',
    'main も backup も使用されていません。main との違い: port。backup との違い: address, port',
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
      ...UNPROTECTED.map((reason) =>
        failoverText(about({ event: 'failover.unprotected', from: 'main', reason }), language),
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
