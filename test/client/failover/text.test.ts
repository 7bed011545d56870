import { LANGUAGES } from '../../../client/model/watch'
import { ERROR_CODES, type ErrorCode } from '../../../client/errors'
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

const failure = (code: ErrorCode, applied: 'no' | 'maybe' | 'yes' = 'no') => ({
  code,
  message: 'Not for the text.',
  applied,
})

const DIFFERS = { main: ['port'], backup: ['address', 'port'] }

/** By what they say in English without the name of the route: the event, and its German and Japanese. */
const CASES: Record<string, [event: Partial<Reported>, german: string, japanese: string]> = {
  'switched to backup, because the source in use failed (outage: 15 seconds)': [
    {
      event: 'failover.switched',
      from: 'main',
      to: 'backup',
      cause: 'signal-fail',
      state: 'protecting',
      outageMs: 15_000,
    },
    'auf backup umgeschaltet, weil die aktive Quelle ausgefallen ist (Ausfall von 15 Sekunden)',
    '使用中のソースに障害が発生したため、backupに切り替わりました (中断時間: 15秒)',
  ],
  'switched to main, because main is good again': [
    { event: 'failover.switched', to: 'main', cause: 'restore' },
    'auf main umgeschaltet, weil main wieder in Ordnung ist',
    'mainが正常に戻ったため、mainに切り替わりました',
  ],
  'switched to backup, as requested, but backup is not good': [
    { event: 'failover.switched', to: 'backup', cause: 'manual', state: 'hold-off' },
    'auf backup umgeschaltet, wie angefordert, aber backup ist nicht in Ordnung',
    '要求に従い、backupに切り替わりました。ただし、backupは正常ではありません',
  ],
  'switched to backup, because the source in use failed repeatedly': [
    { event: 'failover.switched', to: 'backup', cause: 'signal-degrade', state: 'protecting' },
    'auf backup umgeschaltet, weil die aktive Quelle wiederholt ausgefallen ist',
    '使用中のソースに障害が繰り返し発生したため、backupに切り替わりました',
  ],
  'the switch to backup failed: the gateway did not show it in time': [
    { event: 'failover.failed', to: 'backup' },
    'die Umschaltung auf backup ist fehlgeschlagen: das Gateway hat sie nicht rechtzeitig angezeigt',
    'backupへの切り替えに失敗しました: 時間内にゲートウェイに反映されませんでした',
  ],
  'the switch to main failed: conflict with another change of the route': [
    { event: 'failover.failed', to: 'main', failure: failure('CONFLICT') },
    'die Umschaltung auf main ist fehlgeschlagen: Konflikt mit einer anderen Änderung der Route',
    'mainへの切り替えに失敗しました: ルートの別の変更と競合しました',
  ],
  'the switch to main failed: outcome unknown; it may still take effect': [
    { event: 'failover.failed', to: 'main', failure: failure('OUTCOME_UNKNOWN', 'maybe') },
    'die Umschaltung auf main ist fehlgeschlagen: Ergebnis unbekannt; sie kann noch wirksam werden',
    'mainへの切り替えに失敗しました: 結果は不明です。後から反映される可能性があります',
  ],
  'the switch to backup failed and neither route runs: request rejected': [
    { event: 'failover.failed', to: 'backup', failure: failure('REJECTED', 'yes') },
    'die Umschaltung auf backup ist fehlgeschlagen, keine der beiden Routen läuft: Anfrage abgelehnt',
    'backupへの切り替えに失敗しました。どちらのルートも実行中ではありません: 要求が拒否されました',
  ],
  'the switch to main failed: main did not become good in time, so the route goes back to backup': [
    { event: 'failover.failed', from: 'backup', to: 'main', cause: 'restore', reason: 'not-good' },
    'die Umschaltung auf main ist fehlgeschlagen: main war nicht rechtzeitig in Ordnung, die Route geht auf backup zurück',
    'mainへの切り替えに失敗しました: mainが時間内に正常になりませんでした。ルートをbackupに戻します',
  ],
  'the switch to main failed: main did not become good in time': [
    { event: 'failover.failed', from: 'backup', to: 'main', reason: 'not-good', held: true },
    'die Umschaltung auf main ist fehlgeschlagen: main war nicht rechtzeitig in Ordnung',
    'mainへの切り替えに失敗しました: mainが時間内に正常になりませんでした',
  ],
  'no protection: main failed, and the failover is held (it would switch to backup now)': [
    { event: 'failover.unprotected', from: 'main', reason: 'held', held: true },
    'kein Schutz: main ist ausgefallen, und das Failover ist angehalten (es würde jetzt auf backup umschalten)',
    '保護なし: mainに障害が発生しましたが、フェイルオーバーは保留中です (保留でなければbackupに切り替わります)',
  ],
  'no protection: neither main nor backup is good': [
    { event: 'failover.unprotected', from: 'backup', reason: 'both-bad' },
    'kein Schutz: weder main noch backup ist in Ordnung',
    '保護なし: mainもbackupも正常ではありません',
  ],
  'no protection: backup failed, and the switch to main fails': [
    { event: 'failover.unprotected', from: 'backup', reason: 'switch-failed' },
    'kein Schutz: backup ist ausgefallen, und die Umschaltung auf main schlägt fehl',
    '保護なし: backupに障害が発生しましたが、mainへの切り替えに失敗しています',
  ],
  'no protection: main failed, and the gateway no longer shows the route': [
    { event: 'failover.unprotected', from: 'main', reason: 'unknown' },
    'kein Schutz: main ist ausgefallen, und das Gateway zeigt die Route nicht mehr',
    '保護なし: mainに障害が発生し、現在ゲートウェイはルートの状態を返しません',
  ],
  'no protection: main is good, but backup is not': [
    { event: 'failover.unprotected', from: 'main', reason: 'backup-bad' },
    'kein Schutz: main ist in Ordnung, backup aber nicht',
    '保護なし: mainは正常ですが、backupは正常ではありません',
  ],
  'all clear: main is in use and good (outage: 5 minutes)': [
    { event: 'failover.protected', from: 'main', reason: 'both-bad', outageMs: 300_000 },
    'Entwarnung: main ist aktiv und in Ordnung (Ausfall von 5 Minuten)',
    '復旧: mainを使用中で、正常です (中断時間: 5分)',
  ],
  'all clear: main is in use and good (outage: 2 days and 1 hour)': [
    { event: 'failover.protected', from: 'main', reason: 'both-bad', outageMs: 49 * 3_600_000 },
    'Entwarnung: main ist aktiv und in Ordnung (Ausfall von 2 Tagen und 1 Stunde)',
    '復旧: mainを使用中で、正常です (中断時間: 2日1時間)',
  ],
  'all clear: backup is in use and good (held)': [
    { event: 'failover.protected', from: 'backup', reason: 'held', held: true },
    'Entwarnung: backup ist aktiv und in Ordnung (angehalten)',
    '復旧: backupを使用中で、正常です (保留中)',
  ],
  'the route was set to another source outside this failover: the source differs from main in port, and from backup in address, port':
    [
      { event: 'failover.taken-over', from: 'main', to: 'other', differs: DIFFERS },
      'die Route wurde außerhalb dieses Failovers auf eine andere Quelle gesetzt: die Quelle unterscheidet sich von main in port und von backup in address, port',
      'フェイルオーバー以外の操作で別のソースに変更されました。mainとの違い: port。backupとの違い: address, port',
    ],
  'the route was set to backup outside this failover': [
    { event: 'failover.taken-over', from: 'main', to: 'backup' },
    'die Route wurde außerhalb dieses Failovers auf backup gesetzt',
    'フェイルオーバー以外の操作でbackupに変更されました',
  ],
  'the failover is held: no automatic switches': [
    { event: 'failover.held' },
    'das Failover ist angehalten: keine automatischen Umschaltungen',
    'フェイルオーバーは保留中です: 自動切り替えは行われません',
  ],
  'the failover is released: it switches automatically again': [
    { event: 'failover.released' },
    'das Failover ist freigegeben: es schaltet wieder automatisch um',
    'フェイルオーバーの保留が解除されました: 自動切り替えが再び可能です',
  ],
  'the route is stopped (held)': [
    { event: 'failover.state', state: 'standby', held: true },
    'die Route ist gestoppt (angehalten)',
    'ルートは停止しています (保留中)',
  ],
  'neither main nor backup is in use: the source differs from main in port, and from backup in address, port':
    [
      { event: 'failover.state', state: 'foreign', differs: DIFFERS },
      'weder main noch backup ist aktiv: die Quelle unterscheidet sich von main in port und von backup in address, port',
      'mainもbackupも使用されていません。mainとの違い: port。backupとの違い: address, port',
    ],
}

describe('the text of an event of a failover', () => {
  it('says in every language what happened', () => {
    for (const [english, [event, ...others]] of Object.entries(CASES)) {
      const said = LANGUAGES.map((language) => failoverText(about(event), language))
      said.should.eql([english, ...others].map((text) => `Studio A: ${text}`))
    }
  })

  it('is tested for every event', () => {
    const tested = new Set(Object.values(CASES).map(([{ event }]) => event))
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
