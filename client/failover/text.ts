import type {
  FailoverCause,
  FailoverEventName,
  FailoverState,
  InUse,
  Unprotected,
} from '../model/failover'
import { own } from '../model/json'
import type { Language } from '../model/watch'
import { legible } from '../model/legible'
import { WORDS as OF_WATCH } from '../watch/text/event-text'
import { clipped, durationOf } from '../watch/text/parts'
import type { FailoverEvent } from './types'

/** What a sentence is about. */
export interface Reported extends FailoverEvent {
  route: { id: string | null; name: string | null }
}

/**
 * Says in one sentence what an event of a failover is about: one line, without secrets, and nothing
 * that is not known. In English where there is no such language.
 */
export function failoverText(event: Reported, language: Language = 'en-US'): string {
  const spoken = Object.hasOwn(WORDS, language) ? language : 'en-US'
  const [words, ofWatch] = [WORDS[spoken], OF_WATCH[spoken]]
  // Main and backup are called that in every language, as in messages.
  const called = (side: InUse): string => (side === 'other' ? words.other : side)
  const { from, to, route, differs, failure, outageMs } = event
  const why = own(words, failure?.code ?? '') ?? own(ofWatch.reasons, failure?.code ?? '')
  const values: Record<string, unknown> = {
    from: called(from ?? 'other'),
    to: called(to ?? (from === 'main' ? 'backup' : 'main')),
    main: differs?.main.join(', '),
    backup: differs?.backup.join(', '),
    outage: durationOf(outageMs ?? undefined, ofWatch),
    why: why ?? failure?.code,
  }
  const sentence = partsOf(event)
    .map((part) => (part ? words[part] : ''))
    .join('')
    .replace(/__([a-z]+)__/g, (_mark, name: string) => String(values[name]))
  return legible(`${clipped(route.name ?? route.id ?? words.route)}: ${sentence}`)
}

/** What the sentence on an event consists of. */
function partsOf(reported: Reported): Array<Part | false> {
  const { event, state, reason, outageMs, differs, held, failure } = reported
  const isState = event === 'failover.state'
  const wasNotGood = reason === 'not-good'
  const applied = wasNotGood ? undefined : failure?.applied
  const isBad = state === 'hold-off' || state === 'no-protection'
  return [
    BEGINS[event](reported),
    event === 'failover.switched' && isBad && 'notGood',
    event === 'failover.unprotected' && `unprotected.${reason as Unprotected}`,
    applied === 'yes' && 'neitherRuns',
    event === 'failover.failed' && (wasNotGood ? 'notGoodInTime' : failure ? 'why' : 'notShown'),
    // While it is held it stays where it is.
    wasNotGood && !held && 'goesBack',
    applied === 'maybe' && 'mayBeMade',
    // Less than a second would read as none.
    (outageMs ?? 0) >= 1000 && 'outage',
    (isState || event === 'failover.taken-over') && differs !== undefined && 'differ',
    (isState || event === 'failover.protected') && held && 'isHeld',
  ]
}

const BEGINS: Record<FailoverEventName, (event: Reported) => Part> = {
  'failover.switched': ({ cause }) => `cause.${cause!}`,
  'failover.failed': () => 'failed',
  'failover.unprotected': () => 'unprotected',
  'failover.protected': () => 'protected',
  'failover.taken-over': ({ to }) => (to === 'other' ? 'setOther' : 'set'),
  'failover.held': () => 'held',
  'failover.released': () => 'released',
  'failover.state': ({ state }) => `state.${state}`,
}

type Part = keyof typeof ENGLISH

const ENGLISH = {
  route: 'Route',
  other: 'another source',
  'cause.signal-fail': 'switched to __to__, because the source in use failed',
  'cause.signal-degrade': 'switched to __to__, because the source in use failed repeatedly',
  'cause.trial-failed': 'switched to __to__, because the other source was not good',
  'cause.restore': 'switched to __to__, because main is good again',
  'cause.manual': 'switched to __to__, as requested',
  notGood: ', but __to__ is not good',
  outage: ' (outage: __outage__)',
  failed: 'the switch to __to__ failed',
  notGoodInTime: ': __to__ did not become good in time',
  goesBack: ', so the route gets __from__ again',
  neitherRuns: ' and neither route runs',
  why: ': __why__',
  // Codes with a meaning of their own for a switch; the others are those of the watch.
  NOT_FOUND: 'the route was not found',
  CONFLICT: 'conflict with another change of the route',
  CLOSED: 'the failover was stopped',
  notShown: ': the route did not show it in time',
  mayBeMade: '; it may still take effect',
  unprotected: 'no protection: ',
  'unprotected.held': '__from__ failed, and the failover is held (it would switch to __to__ now)',
  'unprotected.both-bad': 'neither main nor backup is good',
  'unprotected.switch-failed': '__from__ failed, and the switch to __to__ does not succeed',
  'unprotected.unknown': '__from__ failed, and now the gateway does not show the route',
  'unprotected.backup-bad': '__from__ is good, but __to__ is not',
  protected: 'all clear: __from__ is in use and good',
  set: 'somebody else has set __to__',
  setOther: 'somebody else has set another source',
  differ: ': the source differs from main in __main__, and from backup in __backup__',
  held: 'the failover is held: no automatic switches',
  released: 'the failover is released: it switches by itself again',
  isHeld: ' (held)',
  'state.unknown': 'the source in use is not known',
  'state.standby': 'the route is stopped',
  'state.foreign': 'neither main nor backup is in use',
  'state.normal': 'main is in use and good',
  'state.hold-off': 'the source in use is not good',
  'state.switching': 'a switch is in progress',
  'state.protecting': 'backup is in use and good',
  'state.wait-to-restore': 'backup is in use, main is good again',
  'state.no-protection': 'the source in use is not good, and there is no protection',
} satisfies Record<
  `cause.${FailoverCause}` | `unprotected.${Unprotected}` | `state.${FailoverState}`,
  string
> &
  Record<string, string>

const GERMAN: Record<Part, string> = {
  route: 'Route',
  other: 'eine andere Quelle',
  'cause.signal-fail': 'auf __to__ umgeschaltet, weil die aktive Quelle ausgefallen ist',
  'cause.signal-degrade':
    'auf __to__ umgeschaltet, weil die aktive Quelle wiederholt ausgefallen ist',
  'cause.trial-failed': 'auf __to__ umgeschaltet, weil die andere Quelle nicht gut war',
  'cause.restore': 'auf __to__ umgeschaltet, weil main wieder gut ist',
  'cause.manual': 'auf __to__ umgeschaltet, wie angefordert',
  notGood: ', aber __to__ ist nicht gut',
  outage: ' (Ausfall: __outage__)',
  failed: 'die Umschaltung auf __to__ ist fehlgeschlagen',
  notGoodInTime: ': __to__ wurde nicht rechtzeitig gut',
  goesBack: ', die Route bekommt wieder __from__',
  neitherRuns: ', keine der beiden Routen läuft',
  why: ': __why__',
  NOT_FOUND: 'die Route wurde nicht gefunden',
  CONFLICT: 'Konflikt mit einer anderen Änderung der Route',
  CLOSED: 'das Failover wurde beendet',
  notShown: ': die Route hat sie nicht rechtzeitig angezeigt',
  mayBeMade: '; sie kann noch wirksam werden',
  unprotected: 'kein Schutz: ',
  'unprotected.held':
    '__from__ ist ausgefallen, und das Failover ist angehalten (es würde jetzt auf __to__ umschalten)',
  'unprotected.both-bad': 'weder main noch backup ist gut',
  'unprotected.switch-failed':
    '__from__ ist ausgefallen, und die Umschaltung auf __to__ gelingt nicht',
  'unprotected.unknown': '__from__ ist ausgefallen, und jetzt zeigt das Gateway die Route nicht',
  'unprotected.backup-bad': '__from__ ist gut, aber __to__ nicht',
  protected: 'Entwarnung: __from__ ist aktiv und gut',
  set: 'jemand anders hat __to__ eingestellt',
  setOther: 'jemand anders hat eine andere Quelle eingestellt',
  differ: ': die Quelle unterscheidet sich von main in __main__ und von backup in __backup__',
  held: 'das Failover ist angehalten: keine automatischen Umschaltungen',
  released: 'das Failover ist freigegeben: es schaltet wieder automatisch um',
  isHeld: ' (angehalten)',
  'state.unknown': 'die aktive Quelle ist nicht bekannt',
  'state.standby': 'die Route ist gestoppt',
  'state.foreign': 'weder main noch backup ist aktiv',
  'state.normal': 'main ist aktiv und gut',
  'state.hold-off': 'die aktive Quelle ist nicht gut',
  'state.switching': 'eine Umschaltung läuft',
  'state.protecting': 'backup ist aktiv und gut',
  'state.wait-to-restore': 'backup ist aktiv, main ist wieder gut',
  'state.no-protection': 'die aktive Quelle ist nicht gut, und es gibt keinen Schutz',
}

const JAPANESE: Record<Part, string> = {
  route: 'ルート',
  other: '別のソース',
  'cause.signal-fail': '使用中のソースに障害が発生したため、__to__ に切り替わりました',
  'cause.signal-degrade': '使用中のソースに障害が繰り返し発生したため、__to__ に切り替わりました',
  'cause.trial-failed': 'もう一方のソースが正常ではなかったため、__to__ に切り替わりました',
  'cause.restore': 'main が正常に戻ったため、__to__ に切り替わりました',
  'cause.manual': '要求に従い、__to__ に切り替わりました',
  notGood: '。ただし、__to__ は正常ではありません',
  outage: ' (中断時間: __outage__)',
  failed: '__to__ への切り替えに失敗しました',
  notGoodInTime: ': __to__ が時間内に正常になりませんでした',
  goesBack: '。ルートを __from__ に戻します',
  neitherRuns: '。どちらのルートも実行中ではありません',
  why: ': __why__',
  NOT_FOUND: 'ルートが見つかりません',
  CONFLICT: 'ルートの別の変更と競合しました',
  CLOSED: 'フェイルオーバーが停止されました',
  notShown: ': 時間内にルートに反映されませんでした',
  mayBeMade: '。後から反映される可能性があります',
  unprotected: '保護なし: ',
  'unprotected.held':
    '__from__ に障害が発生しましたが、フェイルオーバーは保留中です (保留でなければ __to__ に切り替わります)',
  'unprotected.both-bad': 'main も backup も正常ではありません',
  'unprotected.switch-failed':
    '__from__ に障害が発生しましたが、__to__ への切り替えに失敗しています',
  'unprotected.unknown': '__from__ に障害が発生し、現在ゲートウェイはルートの状態を返しません',
  'unprotected.backup-bad': '__from__ は正常ですが、__to__ は正常ではありません',
  protected: '復旧: __from__ を使用中で、正常です',
  set: '他の人が __to__ に変更しました',
  setOther: '他の人が別のソースに変更しました',
  differ: '。main との違い: __main__。backup との違い: __backup__',
  held: 'フェイルオーバーは保留中です: 自動切り替えは行われません',
  released: 'フェイルオーバーの保留が解除されました: 自動切り替えが再び可能です',
  isHeld: ' (保留中)',
  'state.unknown': '使用中のソースは不明です',
  'state.standby': 'ルートは停止しています',
  'state.foreign': 'main も backup も使用されていません',
  'state.normal': 'main を使用中で、正常です',
  'state.hold-off': '使用中のソースは正常ではありません',
  'state.switching': '切り替えが進行中です',
  'state.protecting': 'backup を使用中で、正常です',
  'state.wait-to-restore': 'backup を使用中で、main は正常に戻りました',
  'state.no-protection': '使用中のソースは正常ではなく、保護されていません',
}

const WORDS: Readonly<Record<Language, Record<Part, string>>> = {
  'en-US': ENGLISH,
  de: GERMAN,
  ja: JAPANESE,
}
