// Where an inventory comes from, how it is read, and how its changes are noticed.
import { readFile, stat } from 'node:fs/promises'
import { resolve as pathTo } from 'node:path'
import { promisify } from 'node:util'
import type { Node, NodeAPI } from 'node-red'
import { GatewayError, say, type Sentence } from '../../client/errors'
import { plainCopy } from '../../client/model/foreign'
import {
  INVENTORY_LIMITS,
  checkRows,
  type RowRules,
  type UsableRow,
} from '../../client/model/inventory'
import { own } from '../../client/model/json'
import { nearest } from '../../client/model/near'
import { isHostPattern } from '../../client/model/settings'
import { shortened } from '../../client/model/legible'
import { inTime } from '../../client/stop'
import { linesProperty, refuseUnresolved } from '../runtime/properties'
import { variablesOf } from '../runtime/secrets'
import { secretPrefixOf, type ConnectionForm, type InventoryConfig } from './options'

/** How often a file and the global context are looked at, in ms. */
const EVERY_MS = 1000
/** How often the first look waits for a file to stand still. Then it reads the file as it is. */
const MOST_LOOKS = 3

export interface Inventory {
  /** In their order; no two with the same name, or with the same address. */
  rows: UsableRow[]
  /** One for each other row, `CONFIG`. Where the row has a name, `cause.appliance` is that. */
  faults: GatewayError[]
  /** Its columns and members that nobody reads. */
  ignored?: string[]
}

export interface InventorySource {
  /** The inventory, where it never changes. @throws GatewayError `CONFIG` when there is none */
  readonly value?: () => unknown
  /**
   * The inventory as it is now, with a stamp of this version; undefined where it still has the stamp.
   * @throws GatewayError `CONFIG` when it cannot be read
   */
  readonly look?: (stamp?: string) => Promise<{ stamp: string; value: string } | undefined>
}

/** True where the config node stands for more than one appliance. */
export const hasInventory = ({ inventoryType }: InventoryConfig): boolean => isSet(inventoryType)

/** Whether a list comes from somewhere. */
export const isSet = (type: unknown): boolean =>
  type !== undefined && type !== '' && type !== 'none'

/**
 * @param property what the messages call it
 * @throws GatewayError `CONFIG` when the properties cannot work
 */
export function inventorySource(
  RED: NodeAPI,
  node: Node,
  { inventoryType, inventory }: InventoryConfig,
  property = 'inventory',
): InventorySource {
  refuseUnresolved(property, inventory)
  refuseUnresolved(`${property}Type`, inventoryType)
  const text = typeof inventory === 'string' ? inventory : ''
  switch (inventoryType) {
    case 'json':
      return { value: () => text }
    case 'env':
      return { value: () => variable(RED, node, text.trim(), property) }
    case 'file':
      return fileSource(RED, text.trim())
    case 'global':
      return contextSource(RED, node, text.trim())
    default:
      throw config(say('inventorySource'), say('correct'))
  }
}

/**
 * Reads an inventory as its config node, or a form of it, says.
 * @throws GatewayError `CONFIG`
 */
export function inventoryIn(
  value: unknown,
  RED: NodeAPI,
  node: Node,
  { inventoryType, inventoryHosts, secretPrefix, ...defaults }: ConnectionForm,
): Inventory {
  const passwordHosts = linesProperty('inventoryHosts', inventoryHosts)
  const wrong = passwordHosts.find((pattern) => !isHostPattern(pattern))
  if (wrong !== undefined) throw config(say('inventoryHosts', { pattern: shortened(wrong, 60) }))
  return readInventory(value, {
    lookUp: variablesOf(RED, node),
    defaults,
    isTyped: inventoryType === 'json',
    secretPrefix: secretPrefixOf({ secretPrefix }),
    passwordHosts,
  })
}

/**
 * Reads an inventory. Of two rows with the same name or address, the first one counts.
 * @param value an array, or a text: JSON, or CSV with a header
 * @throws GatewayError `CONFIG` when it is no inventory at all
 */
export function readInventory(value: unknown, rules: Omit<RowRules, 'say'>): Inventory {
  const { faults, failure, ...read } = checkRows(value, { ...rules, say })
  if (failure) throw config(failure)
  const faultOf = ({ name, sentences }: (typeof faults)[number]): GatewayError =>
    new GatewayError('CONFIG', sentences, { ...(name !== '' && { appliance: name }) })
  return { ...read, faults: faults.map(faultOf) }
}

/** More names are compared without regard to case only: each comparison takes time. */
const MOST_COMPARED = 2000

/** The error for a name that is not in the inventory, with the one that was probably meant. */
export function unknownAppliance(appliance: string, names: readonly string[]): GatewayError {
  const lower = appliance.toLowerCase()
  const meant =
    names.find((name) => name.toLowerCase() === lower) ??
    (names.length <= MOST_COMPARED
      ? nearest(appliance, names, ({ length }) => Math.max(length / 4, 1))
      : undefined)
  const hint = meant === undefined ? [] : [say('didYouMean', { name: shortened(meant, 60) })]
  const sentences = [say('applianceNotFound', { appliance }), ...hint]
  return new GatewayError('NOT_FOUND', sentences, { appliance })
}

function variable(RED: NodeAPI, node: Node, name: string, property: string): unknown {
  const value: unknown = RED.util.getSetting(node, name)
  if (value !== undefined && value !== '') return value
  throw config(say('variable', { variable: name, property }))
}

/** A relative path begins where those of the file nodes of Node-RED do. */
function fileSource(RED: NodeAPI, path: string): InventorySource {
  const folder = own(RED.settings, 'fileWorkingDirectory')
  const whole = typeof folder === 'string' ? pathTo(folder, path) : pathTo(path)
  const unreadable = (reason: string): GatewayError =>
    config(say('inventoryFile', { path: whole, reason }))
  const guarded = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: NodeJS.ErrnoException) => {
      throw unreadable(error.code ?? 'unknown')
    })
  /** Of the look before. */
  let previous: string | undefined

  async function seen(): Promise<{ stamp: string; isFresh: boolean }> {
    const found = await guarded(stat(whole))
    // To open a pipe would hold a thread of Node.js until somebody writes to it.
    if (!found.isFile()) throw unreadable('not a file')
    const { mtimeMs, ctimeMs, size, ino } = found
    if (size > INVENTORY_LIMITS.characters) throw config(say('inventoryTooLarge'))
    const stamp = [mtimeMs, ctimeMs, size, ino].join()
    return { stamp, isFresh: Date.now() - mtimeMs < EVERY_MS }
  }

  return {
    // The stamp is older than the text: what is written meanwhile is read again.
    async look(known) {
      const isFirst = previous === undefined
      const first = await seen()
      let { stamp } = first
      // Half a row can be a row, of another gateway: a file that changes is read once it stands still.
      if (isFirst && first.isFresh) {
        for (let looks = 0; looks < MOST_LOOKS && previous !== stamp; looks++) {
          previous = stamp
          await new Promise((resolve) => setTimeout(resolve, EVERY_MS).unref())
          ;({ stamp } = await seen())
        }
      }
      const isWritten = isFirst || previous === stamp
      previous = stamp
      if (stamp === known || !isWritten) return undefined
      return { stamp, value: await guarded(readFile(whole, 'utf8')) }
    },
  }
}

function contextSource(RED: NodeAPI, node: Node, place: string): InventorySource {
  const { store, key } = RED.util.parseContextStore(place)
  const { global } = node.context()
  const unusable = (reason: string): GatewayError => config(say('inventoryStore', { key, reason }))
  const read = promisify<unknown>((done) => global.get(key, store, done))
  const asJson = (value: unknown): string => {
    const plain = plainCopy(value, INVENTORY_LIMITS)
    if (plain.fault === undefined) return JSON.stringify(plain.value) ?? ''
    throw unusable(`${plain.path || 'it'} ${plain.fault}`)
  }
  return {
    // What is in memory can be changed in place: only its text says whether it was.
    async look(known) {
      const value = await read().catch((error: unknown) => {
        throw unusable(error instanceof Error ? error.name : 'unknown')
      })
      if (value === undefined || value === null || value === '') {
        throw config(say('inventoryContext', { key }))
      }
      const text = typeof value === 'string' ? value : asJson(value)
      return text === known ? undefined : { stamp: text, value: text }
    },
  }
}

const config = (...said: Sentence[]): GatewayError => new GatewayError('CONFIG', said)

export interface SourceFollower {
  /** The inventory, at first and after each change. @throws GatewayError when it is none */
  onValue: (value: unknown) => void
  /** It cannot be read, or is none. Told once, until something else is wrong. */
  onFailure: (error: GatewayError) => void
}

/** A disk or a store on another machine may not answer at all. */
const LONGEST_MS = 10_000

/** @throws GatewayError `CONFIG` when it takes too long */
export const readInTime = <T>(read: Promise<T>): Promise<T> =>
  inTime(LONGEST_MS, read, () => config(say('inventorySlow')))

/**
 * Follows an inventory until it is closed.
 * @param open throws GatewayError when the properties cannot work, which is a failure as any other
 * @returns `ready` settles when it has been read once, or could not be
 */
export function followSource(
  open: () => InventorySource,
  { onValue, onFailure }: SourceFollower,
  everyMs = EVERY_MS,
): { ready: Promise<void>; close: () => void } {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  /** Of the version that was taken last. */
  let stamp: string | undefined
  let failed = ''
  /** The look that is under way. Each one at a disk that hangs holds a thread of Node.js. */
  let looking: ReturnType<NonNullable<InventorySource['look']>> | undefined

  function fail(error: unknown): void {
    if (!(error instanceof GatewayError)) throw error
    if (error.message !== failed) onFailure(error)
    failed = error.message
  }

  async function look(): Promise<void> {
    try {
      looking ??= source!.look!(stamp).finally(() => (looking = undefined))
      const found = await readInTime(looking)
      if (closed || !found) return
      onValue(found.value)
      stamp = found.stamp
      failed = ''
    } catch (error) {
      // The same version counts as new when it comes back.
      stamp = undefined
      if (!closed) fail(error)
    }
  }

  function lookAgain(): void {
    if (closed) return
    timer = setTimeout(() => void look().then(lookAgain), everyMs)
    timer.unref()
  }

  function close(): void {
    closed = true
    clearTimeout(timer)
  }

  let source: InventorySource | undefined
  try {
    source = open()
    if (source.value) onValue(source.value())
  } catch (error) {
    fail(error)
  }
  return { ready: source?.look ? look().then(lookAgain) : Promise.resolve(), close }
}
