// What the instances of a fleet send each other: a line of JSON and bytes, sealed with the key of the fleet.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { MOST, parsedWithin } from '../../model/foreign'
import { isObject, own, type JsonObject } from '../../model/json'
import type { Link } from './link'
import type { EngineOptions } from './options'

/** How often something is done, in milliseconds. */
export interface Pace {
  /** How often somebody is asked who does not answer, or cannot. */
  readonly repeat: number
  /** How often an owner says that it is still busy. */
  readonly sign: number
  /** After so much silence an owner counts as gone. */
  readonly silence: number
}

/** What commands are sent with. */
export interface Bus extends Pick<EngineOptions, 'fleet' | 'key' | 'log'> {
  readonly link: Link
  readonly pace: Pace
  /** Of this instance, until its process or its engine ends. */
  readonly life: string
}

/** What is smaller is not compressed. */
const SMALL_BYTES = 1024

const gzip = promisify<Buffer, Buffer>(zlib.gzip)
const gunzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gunzip)

/** @throws TypeError or RangeError for what JSON cannot say */
export async function packed(value: unknown): Promise<Buffer> {
  const text = Buffer.from(JSON.stringify({ value }))
  return text.length < SMALL_BYTES ? text : gzip(text)
}

/** @throws for bytes that are not what {@link packed} makes, or become too much in memory */
export async function unpacked(bytes: Uint8Array): Promise<unknown> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = isCompressed ? await gunzip(bytes, { maxOutputLength: MOST.characters }) : bytes
  const parsed = parsedWithin(Buffer.from(text).toString(), MOST)
  if (parsed.fault !== undefined) throw new RangeError(`it ${parsed.fault}`)
  return own(parsed.value, 'value')
}

/** Where a message goes, and where its answer goes. What is sealed for one place is worth nothing elsewhere. */
export interface Place {
  readonly subject: string
  readonly reply?: string
}

export interface Sealed {
  readonly head: JsonObject
  readonly bytes: Uint8Array
}

const SEAL_BYTES = 32
const HEAD_LIMITS = { levels: 2, values: 100, characters: 4096 }

function sealOf(key: string, { subject, reply = '' }: Place, content: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${subject}\n${reply}\n`).update(content).digest()
}

export function sealed(key: string, place: Place, head: object, bytes?: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes ?? Buffer.of()])
  return Buffer.concat([sealOf(key, place, content), content])
}

/** @returns undefined for what was not sealed with this key and for this place */
export function unsealed(key: string, place: Place, message: Uint8Array): Sealed | undefined {
  const content = message.subarray(SEAL_BYTES)
  const end = content.indexOf(0x0a)
  if (end < 0) return undefined
  if (!timingSafeEqual(sealOf(key, place, content), message.subarray(0, SEAL_BYTES))) {
    return undefined
  }
  const head = parsedWithin(Buffer.from(content.subarray(0, end)).toString(), HEAD_LIMITS)
  return 'value' in head && isObject(head.value)
    ? { head: head.value, bytes: content.subarray(end + 1) }
    : undefined
}
