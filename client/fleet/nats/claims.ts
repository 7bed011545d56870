import type { Bucket, Stored } from './bucket'
import { tokenOf } from './names'
import { framed, unframed } from './wire'

/**
 * `doubt`: an earlier owner has begun, and what it did is not known. Nobody may say any more that
 * nothing was changed.
 *
 * The record of a writing command: its sender makes it, and whoever carries the command out has claimed
 * it before. A command without one, which an engine that came back empty has lost, is carried out by nobody.
 */
export type Claim =
  | { readonly state: 'open'; readonly doubt: boolean }
  /** Given up by the sender, so that nobody begins any more. */
  | { readonly state: 'closed'; readonly doubt: boolean }
  /** @property by the life of an instance */
  | { readonly state: 'begun'; readonly by: string; readonly doubt: boolean }
  /** With its outcome, unless that is too large for a record. */
  | { readonly state: 'done'; readonly outcome?: Uint8Array }

/** A claim, as it stands in the record with this revision. */
export type Found = Claim & { readonly revision: number }

export interface Claims {
  get(id: string): Promise<Found | undefined>
  /** Makes the record of a command, unless there is one. */
  open(id: string): Promise<void>
  /** @returns the new revision; undefined when the record has changed since */
  change(id: string, claim: Claim, revision: number): Promise<number | undefined>
}

export function createClaims(bucket: Bucket, room: () => number): Claims {
  const keyOf = (id: string): string => `command.${tokenOf(id)}`
  return {
    async get(id) {
      const stored = await bucket.get(keyOf(id))
      return stored && claimIn(stored)
    },
    async open(id) {
      await bucket.create(keyOf(id), bytesOf({ state: 'open', doubt: false }, room()))
    },
    change: (id, claim, revision) => bucket.update(keyOf(id), bytesOf(claim, room()), revision),
  }
}

function bytesOf(claim: Claim, room: number): Uint8Array {
  if (claim.state !== 'done') return framed(claim)
  const { state, outcome } = claim
  const isKept = outcome !== undefined && outcome.length <= room
  return framed({ state, isKept }, isKept ? outcome : undefined)
}

function claimIn({ value, revision }: Stored): Found | undefined {
  const { head, bytes } = unframed(value) ?? {}
  const doubt = head?.['doubt'] === true
  switch (head?.['state']) {
    case 'open':
    case 'closed':
      return { state: head['state'], doubt, revision }
    case 'begun':
      return { state: 'begun', by: String(head['by']), doubt, revision }
    case 'done':
      return { state: 'done', outcome: head['isKept'] ? bytes : undefined, revision }
    default:
      return undefined
  }
}
