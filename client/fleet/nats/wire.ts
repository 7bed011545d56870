import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** The largest text that is sent, in bytes before it is compressed. */
export const LARGEST_BYTES = 64 * 1024 * 1024
/** What is smaller is not compressed. */
const SMALL_BYTES = 1024

const gzip = promisify<Buffer, Buffer>(zlib.gzip)
const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)

/**
 * JSON in which Buffers are kept, as bytes.
 * @throws TypeError or RangeError for what JSON cannot say, and for more than {@link LARGEST_BYTES}
 */
export async function packed(value: unknown): Promise<Buffer> {
  const text = Buffer.from(textOf(value))
  if (text.length > LARGEST_BYTES) throw new RangeError('it is too large')
  return text.length < SMALL_BYTES ? text : gzip(text)
}

/** @throws for bytes that are not what {@link packed} makes */
export async function unpacked(bytes: Uint8Array): Promise<unknown> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = isCompressed ? await gunzip(bytes, { maxOutputLength: LARGEST_BYTES }) : bytes
  return valueOf(Buffer.from(text).toString())
}

const BYTES = '$bytes'
/** An object of somebody else that looks like one of these two. */
const ENTRIES = '$entries'

export function textOf(value: unknown): string {
  return JSON.stringify({ value }, function (this: Record<string, unknown>, key, plain: unknown) {
    const one = this[key]
    if (Buffer.isBuffer(one)) return { [BYTES]: one.toString('base64') }
    return isMarked(plain) ? { [ENTRIES]: Object.entries(plain) } : plain
  })
}

export function valueOf(text: string): unknown {
  const { value } = JSON.parse(text, (_key, plain: unknown) => {
    if (!isMarked(plain)) return plain
    const { [BYTES]: bytes, [ENTRIES]: entries } = plain
    if (typeof bytes === 'string') return Buffer.from(bytes, 'base64')
    return Object.fromEntries(entries as Array<[string, unknown]>)
  }) as { value: unknown }
  return value
}

const isMarked = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && (BYTES in value || ENTRIES in value)

/** A line of JSON, and bytes. */
export interface Frame {
  readonly head: Record<string, unknown>
  readonly bytes: Uint8Array
}

export const framed = (head: object, bytes: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes])

/** @returns undefined for bytes that are no frame */
export function unframed(bytes: Uint8Array): Frame | undefined {
  const end = bytes.indexOf(0x0a)
  if (end < 0) return undefined
  try {
    const head = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as unknown
    if (typeof head !== 'object' || head === null) return undefined
    return { head: head as Frame['head'], bytes: bytes.subarray(end + 1) }
  } catch {
    return undefined
  }
}

/** Room for the head of a frame and of a message of NATS. */
const HEAD_BYTES = 8 * 1024

/** What fits into one message of a server that takes so many bytes. */
export const roomIn = (maxPayload: number): number => Math.max(1024, maxPayload - HEAD_BYTES)

/** The messages that bring these bytes. @param transfer names this one sending of them */
export function messagesOf(
  head: object,
  bytes: Uint8Array,
  transfer: string,
  room: number,
): Buffer[] {
  const parts = Math.max(1, Math.ceil(bytes.length / room))
  return Array.from({ length: parts }, (_, part) =>
    framed({ ...head, transfer, part, parts }, bytes.subarray(part * room, (part + 1) * room)),
  )
}

const FORGOTTEN_AFTER_MS = 30_000

/** Puts the messages of transfers together again. */
export class Assembly {
  readonly #transfers = new Map<string, { parts: Uint8Array[]; missing: number; began: number }>()

  /** @returns all bytes, with the last of the messages */
  add({ head, bytes }: Frame): Uint8Array | undefined {
    const { transfer, part, parts } = head as { transfer: string; part: number; parts: number }
    if (parts === 1) return bytes
    const now = performance.now()
    for (const [each, { began }] of this.#transfers) {
      if (now - began > FORGOTTEN_AFTER_MS) this.#transfers.delete(each)
    }
    const known = this.#transfers.get(transfer) ?? { parts: [], missing: parts, began: now }
    this.#transfers.set(transfer, known)
    if (known.parts[part] === undefined) known.missing--
    known.parts[part] = bytes
    if (known.missing > 0) return undefined
    this.#transfers.delete(transfer)
    return Buffer.concat(known.parts)
  }
}
