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
import { clipped, durationOf, filled, wordsIn, type Values } from '../watch/text/words'
import type { FailoverEvent } from './types'
import german = require('./locales/de.json')
import english = require('./locales/en-US.json')
import japanese = require('./locales/ja.json')

export interface Reported extends FailoverEvent {
  route: { id: string | null; name: string | null }
}

/** In one sentence without secrets, and nothing that is not known. In English where it has no such words. */
export function failoverText(event: Reported, language?: Language): string {
  const ofWatch = wordsIn(language)
  const words = WORDS[ofWatch.language]
  // Main and backup are called that in every language, as in messages.
  const called = (side: InUse): string => (side === 'other' ? words.other : side)
  const { from, to, route, differs, failure, outageMs } = event
  const why =
    (own(words, failure?.code ?? '') as string | undefined) ??
    ofWatch.find('failure', failure?.code ?? '')
  const values: Values = {
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
  const said = filled(sentence, values)
  return legible(`${clipped(route.name ?? route.id ?? words.route)}: ${said}`)
}

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

/** Every catalog has every part: the compiler sees to it. */
type Part = keyof typeof english

const WORDS: Readonly<Record<Language, Record<Part, string>>> = {
  'en-US': english,
  de: german,
  ja: japanese,
} satisfies Record<Language, Record<Named, string>>

type Named = `cause.${FailoverCause}` | `unprotected.${Unprotected}` | `state.${FailoverState}`
