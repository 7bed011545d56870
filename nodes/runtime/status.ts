import type { Node, NodeStatus } from 'node-red'
import type { GatewayError } from '../../client/errors'
import { LinkedSet } from '../../client/linked-set'
import { shortened } from '../../client/model/legible'
import { shortReason } from './short-reason'
import { LONGEST_NAME, clockTime, type Values, type Words } from './catalog'

/** What an operation did, for the status of its node. */
export interface Did {
  /** Of the text in the catalog of the gateway, below `status.did`. */
  key: string
  /** To what; without a name the text has the time in its place. */
  name?: string
  values?: Values
  /** Whether that is always shown, however quick it was; by default if a change was sent. */
  changed?: boolean
  /** A part of it failed, which the payload has. */
  failed?: boolean
}

/** What an operation did that read a number of things. */
export const counted = (key: string, number: number): Did => ({
  key: number === 1 ? `${key}One` : key,
  values: { number },
})

/** The status of an action node. Nothing else sets it. */
export type Status = ReturnType<typeof createStatus>

/** A shorter wait is not shown: it would only flicker. */
const SHOW_AFTER_MS = 300
/** Quick reads are shown at most this often, the last one always: the status would cost more than they do. */
const SHOW_READ_EVERY_MS = 1000
/** What was done stays as long. */
const SHOW_FOR_MS = 10_000
/** More often nobody can read it. */
const PROGRESS_EVERY_MS = 500

export function createStatus(node: Node, words: Words) {
  const requesting = dot('blue', words('gateway:status.requesting'))
  const timers = new LinkedSet<NodeJS.Timeout>()
  /** Messages that have waited long enough to be shown. */
  let late = 0
  let busy = requesting
  let progressAt = -Infinity
  /** What came of the last message, while it is to be shown. */
  let outcome: NodeStatus | undefined
  let expiry: NodeJS.Timeout | undefined
  let shown: NodeStatus | undefined
  let readAt = -Infinity
  /** The last quick read, and what shows it when it is time. */
  let read: { did: Did; timer: NodeJS.Timeout } | undefined
  let closed = false

  function render(): void {
    const next = late > 0 ? busy : outcome
    if (closed || (next?.fill === shown?.fill && next?.text === shown?.text)) return
    shown = next
    node.status(next ?? {})
  }

  function setOutcome(next?: NodeStatus, forMs?: number): void {
    clearTimeout(expiry)
    clearTimeout(read?.timer)
    read = undefined
    expiry = forMs === undefined ? undefined : setTimeout(setOutcome, forMs)
    outcome = next
    render()
  }

  const setDone = (did: Did): void => setOutcome(dot('grey', textOf(did, words)), SHOW_FOR_MS)

  function setRead(did: Did): void {
    const wait = readAt + SHOW_READ_EVERY_MS - performance.now()
    if (read) read.did = did
    else if (wait > 0) read = { did, timer: setTimeout(setLastRead, wait) }
    else {
      readAt = performance.now()
      setDone(did)
    }
  }

  function setLastRead(): void {
    readAt = performance.now()
    setDone(read!.did)
  }

  return {
    /** A message came in. One of what is returned is to be called when it is done, once. */
    begin() {
      if (closed) return STOPPED
      // A failure or a warning is shown until the next message.
      if (outcome && outcome.fill !== 'grey') setOutcome()
      let isLate = false
      const timer = setTimeout(() => {
        link.remove()
        isLate = true
        late++
        render()
      }, SHOW_AFTER_MS)
      const link = timers.add(timer)

      function end(): void {
        clearTimeout(timer)
        link.remove()
        if (isLate && --late === 0) busy = requesting
      }
      return {
        /** @param unknown paths of fields that were sent though nobody knows them */
        succeeded(did: Did, changed: boolean, unknown: readonly string[] = []): void {
          end()
          if (closed) return
          // One that failed since this message came in is not hidden by it.
          const isHidden = outcome?.fill === 'red'
          if (did.failed) setOutcome(ring(textOf(did, words)))
          else if (changed && unknown.length > 0 && !isHidden) {
            setOutcome(dot('yellow', unknownText(unknown, words)))
          } else if (isHidden) render()
          else if (isLate || (did.changed ?? changed)) setDone(did)
          else setRead(did)
        },
        failed(failure: GatewayError): void {
          end()
          if (!closed) setOutcome(ring(shortReason(failure, words)))
        },
      }
    },
    /** How far a long call has got, in signs and numbers. */
    progress: (text: string): void => {
      if (late === 0 || performance.now() - progressAt < PROGRESS_EVERY_MS) return
      progressAt = performance.now()
      busy = dot('blue', text)
      render()
    },
    /** Clears the status: Node-RED would show it under the node that a deploy puts in its place. */
    close(): void {
      for (const timer of timers.all()) clearTimeout(timer)
      late = 0
      setOutcome()
      closed = true
    },
  }
}

/** For a message that comes in after the close. */
const STOPPED = { succeeded: () => undefined, failed: () => undefined }

const dot = (fill: 'blue' | 'grey' | 'yellow', text: string): NodeStatus => ({
  fill,
  shape: 'dot',
  text,
})
const ring = (text: string): NodeStatus => ({ fill: 'red', shape: 'ring', text })

function unknownText([first = '', ...others]: readonly string[], words: Words): string {
  const field = words('gateway:status.sentUnknown', { field: shortened(first, LONGEST_NAME) })
  return others.length > 0 ? `${field} (+${others.length})` : field
}

/** Words and values cannot both be left to the editor, so this is in the language of the server. */
function textOf({ key, name, values }: Did, words: Words): string {
  const time = clockTime()
  // It may come from the gateway, where a name could be anything.
  const isNamed = typeof name === 'string' && name !== ''
  const what = isNamed
    ? words('gateway:status.named', { name: shortened(name, LONGEST_NAME) })
    : time
  return words(`gateway:status.did.${key}`, { ...values, what, time })
}
