import type { Node } from 'node-red'
import type { GatewayError, Health } from '../../client/internal'

/** The prefix of all catalog names. The path is relative to dist/nodes/runtime. */
const { name: PACKAGE } = require('../../../package.json') as { name: string }

/** The status of an action node. Nothing else sets it. */
export interface Status {
  /** A message came in. */
  begin(): void
  /** How far a long call has got, in signs and numbers. */
  progress: (text: string) => void
  /** A message is done; with the error if it failed. */
  end(failure?: GatewayError): void
  /** Clears the status: Node-RED would show it under the node that a deploy puts in its place. */
  close(): void
}

/** A shorter call shows nothing: the status would cost more than the call. */
const SHOW_AFTER_MS = 300
/** More often nobody can read it. */
const PROGRESS_EVERY_MS = 500

const NOTHING = ''
const BUSY = 'busy'

export function createStatus(node: Node): Status {
  let open = 0
  /** Nothing, busy, or what failed in a few words. */
  let shown = NOTHING
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let progressAt = -Infinity

  function show(next: string): void {
    if (next === shown || closed) return
    shown = next
    if (next === NOTHING) node.status({})
    else if (next === BUSY) busy(`${PACKAGE}/gateway:status.requesting`)
    else node.status({ fill: 'red', shape: 'ring', text: next })
  }

  const busy = (text: string): void => node.status({ fill: 'blue', shape: 'dot', text })

  return {
    progress(text) {
      if (shown !== BUSY || closed || performance.now() - progressAt < PROGRESS_EVERY_MS) return
      progressAt = performance.now()
      busy(text)
    },
    begin() {
      open++
      if (closed) return
      timer ??= setTimeout(() => {
        timer = undefined
        if (open > 0) show(BUSY)
      }, SHOW_AFTER_MS)
    },
    end(failure) {
      open--
      // The stop of a node is not a fault.
      if (failure && failure.code !== 'CLOSED') show(briefly(failure))
      else if (open === 0 || shown !== BUSY) show(NOTHING)
    },
    close() {
      show(NOTHING)
      closed = true
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** In characters: there is no room for a sentence under a node. */
const LONGEST_REASON = 40

/** The code and a short reason, from what the appliance says or else from the message. */
export function briefly({ code, message, cause }: GatewayError): string {
  const said = cause.applianceMessage || message.replace(/^Nothing was changed\. /, '')
  // To the end of the first sentence; a name in quotes may contain a full stop.
  const sentence = /^(?:"[^"]*"|[^"])*?(?=[.;!?](?:\s|$))/.exec(said)?.[0] ?? said
  const reason = sentence
    .replace(/\s+/g, ' ')
    .replace(/^(There is|The appliance has|The appliance) /, '')
    .replace(' with the name "', ' "')
  if (reason.length <= LONGEST_REASON) return `${code}: ${reason}`
  const cut = reason.slice(0, LONGEST_REASON)
  // At a space, unless that leaves next to nothing.
  const space = cut.lastIndexOf(' ')
  return `${code}: ${space > LONGEST_REASON / 2 ? cut.slice(0, space) : cut}…`
}

/** The status of a node that watches. */
export interface WatchStatus {
  /** How well it knows what it watches, which may be chosen routes only. */
  show(health: Health, isChosen: boolean): void
  /** It cannot watch. */
  fail(failure: GatewayError): void
  close(): void
}

/** While all is well, a status for each poll would say nothing new, and costs more than the poll. */
const TIME_SHOWN_EVERY_MS = 10_000

export function createWatchStatus(node: Node): WatchStatus {
  let shown = ''
  let shownAt = -Infinity
  let closed = false

  function show(fill: 'green' | 'yellow' | 'red', parts: string[], time = ''): void {
    const news = [fill, ...parts].join(' ')
    if (closed || (news === shown && performance.now() - shownAt < TIME_SHOWN_EVERY_MS)) return
    shown = news
    shownAt = performance.now()
    const text = [...parts, time].filter(Boolean).join('  ')
    node.status({ fill, shape: fill === 'green' ? 'dot' : 'ring', text })
  }

  return {
    // Signs and numbers, or words from the catalog: a status with both cannot be translated.
    show({ known, failure, unreachable }, isChosen) {
      const counts = known ? [`▶ ${known.running}/${known.routes}`] : []
      const time = known && clockTime(known.seenAt)
      // A name with a typo must not look as if all were well.
      if (!failure && isChosen && known?.routes === 0) return show('yellow', [NO_ROUTE])
      if (!failure) return show('green', counts, time)
      const age = known ? [`${Math.round((Date.now() - known.seenAt) / 1000)} s`] : []
      show(unreachable ? 'red' : 'yellow', [failure.code, ...counts, ...age], time)
    },
    fail: (failure) => show('red', [briefly(failure)]),
    close() {
      closed = true
    },
  }
}

const NO_ROUTE = `${PACKAGE}/watch:status.noRoute`

const clockTime = (at: number): string => new Date(at).toTimeString().slice(0, 8)
