import type {
  FailoverCause,
  FailoverEventName,
  FailoverState,
  InUse,
  Side,
} from '../model/failover'
import { own } from '../model/json'
import type { Language } from '../model/watch'
import { clipped, durationOf, oneLine, WORDS as OF_WATCH } from '../watch/text/event-text'
import type { Blocked, FailoverEvent } from './types'

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
  const words = WORDS[spoken]
  const { name, id } = event.route
  const route = clipped(name ?? id ?? words.route)
  const dryRun = event.dryRun ? words.dryRun : ''
  const sentence = SENTENCES[event.event](event, words, spoken)
  return oneLine(`${route}: ${dryRun}${sentence}`)
}

type Sentence = (event: Reported, words: Words, language: Language) => string

const SENTENCES: Readonly<Record<FailoverEventName, Sentence>> = {
  'failover.switched': ({ to, cause, state, outageMs }, words, language) => {
    // Less than a second would read as none.
    const isShown = outageMs && outageMs >= 1000
    const outage = isShown ? durationOf(outageMs, OF_WATCH[language]) : undefined
    const isBad = state === 'hold-off' || state === 'no-protection'
    return (
      words.switched(words.sides[to!], cause && words.causes[cause]) +
      (isBad ? words.notGood : '') +
      (outage ? words.outage(outage) : '')
    )
  },
  'failover.failed': ({ to, failure }, words, language) => {
    const why = failure ? reasonOf(failure.code, words, language) : words.notShown
    const [isOpen, isHalf] = [failure?.applied === 'maybe', failure?.applied === 'yes']
    return words.failed(words.sides[to!], why, isHalf) + (isOpen ? words.mayBeMade : '')
  },
  'failover.no-protection': ({ from, reason }, words) =>
    words.noProtection(words.sides[from!], reason && words.blocked[reason]),
  'failover.taken-over': ({ to }, words) => words.takenOver(words.sides[to!]),
  'failover.held': (_event, { held }) => held,
  'failover.released': (_event, { released }) => released,
  'failover.limit': ({ switches }, words) => words.limit(switches),
  'failover.limit-over': (_event, { limitOver }) => limitOver,
  'failover.state': ({ state, held }, { states, isHeld }) => states[state] + (held ? isHeld : ''),
}

/** Codes with a meaning of their own for a switch; the others are those of the watch. */
type OwnReason = 'NOT_FOUND' | 'CONFLICT' | 'CLOSED'

function reasonOf(code: string, { reasons }: Words, language: Language): string {
  const known = own(reasons, code) ?? own(OF_WATCH[language].reasons, code)
  return typeof known === 'string' ? known : code
}

/**
 * All that the sentences consist of, in one language, after the name of the route. What a table
 * leaves out, or has too much, is a compile error.
 */
interface Words {
  /** Instead of a name that is not known. */
  readonly route: string
  readonly dryRun: string
  readonly sides: Readonly<Record<InUse, string>>
  switched(to: string, cause: string | null): string
  readonly causes: Readonly<Record<FailoverCause, string>>
  /** The new source is not good. */
  readonly notGood: string
  outage(duration: string): string
  /** `isHalf`: one of two routes was stopped, and the other does not run. */
  failed(to: string, why: string, isHalf: boolean): string
  /** The route did not show the switch in time. */
  readonly notShown: string
  readonly mayBeMade: string
  readonly reasons: Readonly<Record<OwnReason, string>>
  noProtection(from: string, why: string | undefined): string
  readonly blocked: Readonly<Record<Blocked, string>>
  takenOver(to: string): string
  readonly held: string
  readonly released: string
  limit(switches: number): string
  readonly limitOver: string
  readonly states: Readonly<Record<FailoverState, string>>
  readonly isHeld: string
}

/** In every language the same words as in messages. */
const MAIN: Record<Side, string> = { main: 'main', backup: 'backup' }

const ENGLISH: Words = {
  route: 'Route',
  dryRun: 'dry run, nothing is changed: ',
  sides: { ...MAIN, other: 'another source' },
  switched: (to, cause) => `switched to ${to}${cause ? `, ${cause}` : ''}`,
  causes: {
    'signal-fail': 'because the source in use failed',
    'signal-degrade': 'because the source in use failed repeatedly',
    restore: 'because main is good again',
    manual: 'as requested',
  },
  notGood: ', which is not good',
  outage: (duration) => ` (outage: ${duration})`,
  failed: (to, why, isHalf) => `the switch to ${to} failed${isHalf ? ' halfway' : ''}: ${why}`,
  notShown: 'the route did not show it in time',
  mayBeMade: ', and may still have an effect',
  reasons: {
    NOT_FOUND: 'the route was not found',
    CONFLICT: 'conflict with another change of the route',
    CLOSED: 'the failover was stopped',
  },
  noProtection: (from, why) => `${from} failed and there is no protection${why ? `: ${why}` : ''}`,
  blocked: {
    held: 'the failover is held',
    switching: 'another switch is in progress',
    'main-bad': 'main is not good either',
    guard: 'the guard time after the latest switch is running',
  },
  takenOver: (to) => `somebody else has set ${to}`,
  held: 'the failover is held: no automatic switches',
  released: 'the failover is released: automatic switches are possible again',
  limit: (switches) =>
    `${switches} automatic switches, which is the limit: from now on slower, and no automatic return to main`,
  limitOver: 'the limit of automatic switches no longer applies',
  states: {
    unknown: 'the source in use is not known',
    standby: 'the route is stopped',
    foreign: 'neither main nor backup is in use',
    normal: 'main is in use and good',
    'hold-off': 'the source in use is not good',
    switching: 'a switch is in progress',
    protecting: 'backup is in use and good',
    'wait-to-restore': 'backup is in use, main is good again',
    'no-protection': 'the source in use is not good and there is no protection',
  },
  isHeld: ' (held)',
}

const GERMAN: Words = {
  route: 'Route',
  dryRun: 'Probelauf, nichts wird geändert: ',
  sides: { ...MAIN, other: 'eine andere Quelle' },
  switched: (to, cause) => `auf ${to} umgeschaltet${cause ? `, ${cause}` : ''}`,
  causes: {
    'signal-fail': 'weil die aktive Quelle ausgefallen ist',
    'signal-degrade': 'weil die aktive Quelle wiederholt ausgefallen ist',
    restore: 'weil main wieder gut ist',
    manual: 'wie angefordert',
  },
  notGood: ', aber diese Quelle ist nicht gut',
  outage: (duration) => ` (Ausfall: ${duration})`,
  failed: (to, why, isHalf) =>
    `die Umschaltung auf ${to} ist ${isHalf ? 'auf halbem Weg ' : ''}fehlgeschlagen: ${why}`,
  notShown: 'die Route hat sie nicht rechtzeitig angezeigt',
  mayBeMade: ', sie kann aber noch wirksam werden',
  reasons: {
    NOT_FOUND: 'die Route wurde nicht gefunden',
    CONFLICT: 'Konflikt mit einer anderen Änderung der Route',
    CLOSED: 'das Failover wurde beendet',
  },
  noProtection: (from, why) =>
    `${from} ist ausgefallen, es gibt keinen Schutz${why ? `: ${why}` : ''}`,
  blocked: {
    held: 'das Failover ist angehalten',
    switching: 'eine andere Umschaltung läuft',
    'main-bad': 'auch main ist nicht gut',
    guard: 'die Schutzzeit nach der letzten Umschaltung läuft',
  },
  takenOver: (to) => `jemand anders hat ${to} eingestellt`,
  held: 'das Failover ist angehalten: keine automatischen Umschaltungen',
  released: 'das Failover ist freigegeben: automatische Umschaltungen sind wieder möglich',
  limit: (switches) =>
    `${switches} automatische Umschaltungen, damit ist die Grenze erreicht: ab jetzt langsamer und ohne automatische Rückkehr zu main`,
  limitOver: 'die Grenze für automatische Umschaltungen gilt nicht mehr',
  states: {
    unknown: 'die aktive Quelle ist nicht bekannt',
    standby: 'die Route ist gestoppt',
    foreign: 'weder main noch backup ist aktiv',
    normal: 'main ist aktiv und gut',
    'hold-off': 'die aktive Quelle ist nicht gut',
    switching: 'eine Umschaltung läuft',
    protecting: 'backup ist aktiv und gut',
    'wait-to-restore': 'backup ist aktiv, main ist wieder gut',
    'no-protection': 'die aktive Quelle ist nicht gut, es gibt keinen Schutz',
  },
  isHeld: ' (angehalten)',
}

const JAPANESE: Words = {
  route: 'ルート',
  dryRun: 'ドライラン (変更なし): ',
  sides: { ...MAIN, other: '別のソース' },
  switched: (to, cause) => `${cause ?? ''}${to} に切り替わりました`,
  causes: {
    'signal-fail': '使用中のソースに障害が発生したため、',
    'signal-degrade': '使用中のソースに障害が繰り返し発生したため、',
    restore: 'main が正常に戻ったため、',
    manual: '要求に従い、',
  },
  notGood: '。ただし、このソースは正常ではありません',
  outage: (duration) => ` (中断時間: ${duration})`,
  failed: (to, why, isHalf) => `${to} への切り替えに${isHalf ? '途中で' : ''}失敗しました: ${why}`,
  notShown: '時間内にルートに反映されませんでした',
  mayBeMade: '。後から反映される可能性があります',
  reasons: {
    NOT_FOUND: 'ルートが見つかりません',
    CONFLICT: 'ルートの別の変更と競合しました',
    CLOSED: 'フェイルオーバーが停止されました',
  },
  noProtection: (from, why) => `${from} に障害が発生し、保護されていません${why ? `: ${why}` : ''}`,
  blocked: {
    held: 'フェイルオーバーは保留中です',
    switching: '別の切り替えが進行中です',
    'main-bad': 'main も正常ではありません',
    guard: '前回の切り替え後のガード時間中です',
  },
  takenOver: (to) =>
    `他のユーザーが${to === MAIN.main || to === MAIN.backup ? ` ${to} ` : to}に変更しました`,
  held: 'フェイルオーバーは保留中です: 自動切り替えは行われません',
  released: 'フェイルオーバーの保留が解除されました: 自動切り替えが再び可能です',
  limit: (switches) =>
    `自動切り替えが上限の${switches}回に達しました: 以後は間隔が長くなり、main への自動復帰は行われません`,
  limitOver: '自動切り替えの上限は適用されなくなりました',
  states: {
    unknown: '使用中のソースは不明です',
    standby: 'ルートは停止しています',
    foreign: 'main も backup も使用されていません',
    normal: 'main を使用中で、正常です',
    'hold-off': '使用中のソースは正常ではありません',
    switching: '切り替えが進行中です',
    protecting: 'backup を使用中で、正常です',
    'wait-to-restore': 'backup を使用中で、main は正常に戻りました',
    'no-protection': '使用中のソースは正常ではなく、保護されていません',
  },
  isHeld: ' (保留中)',
}

const WORDS: Readonly<Record<Language, Words>> = {
  'en-US': ENGLISH,
  de: GERMAN,
  ja: JAPANESE,
}
