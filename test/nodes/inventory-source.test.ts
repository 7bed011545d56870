// Where an inventory comes from, and how its changes are noticed.
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { GatewayError } from '../../client/errors'
import { followSource, inventorySource, type InventorySource } from '../../nodes/gateway/inventory'
import { pause, until } from '../support/until'
import { afterThisTest } from '../support/hooks'

const SLOW = 'CONFIG The list could not be read within 10 s: its file or store does not respond.'

describe('the source of an inventory', () => {
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-inventory-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is not read from a file while that is being written', async () => {
    const path = join(folder, 'inventory.csv')
    const whole = 'name,baseUrl\none,https://10.0.0.11\n'
    writeFileSync(path, whole)
    const config = { inventoryType: 'file', inventory: path }
    const { look } = inventorySource({ settings: {} } as never, {} as never, config)
    const first = await look!(undefined)
    first!.value.should.equal(whole)
    writeFileSync(path, whole.slice(0, -2))
    should(await look!(first!.stamp)).be.undefined()
    writeFileSync(path, `${whole}two,https://10.0.0.12\n`)
    should(await look!(first!.stamp)).be.undefined()
    ;(await look!(first!.stamp))!.value.should.equal(`${whole}two,https://10.0.0.12\n`)
  })

  it('is not read from a file that was written a moment ago before it stands still', async () => {
    const path = join(folder, 'new.csv')
    const whole = 'name,baseUrl\none,https://10.0.0.11\n'
    const source = () =>
      inventorySource({ settings: {} } as never, {} as never, {
        inventoryType: 'file',
        inventory: path,
      }).look!
    // Also where its clock is ahead of ours.
    const later = Date.now() / 1000 + 60
    writeFileSync(path, whole.slice(0, -2))
    utimesSync(path, later, later)
    const found = source()(undefined)
    await pause(100)
    writeFileSync(path, whole)
    ;(await found)!.value.should.equal(whole)

    // One that does not stand still is read in the end, and an old one at once.
    utimesSync(path, later, later)
    const timeouts = mock.method(globalThis, 'setTimeout', (call: () => void) => {
      appendFileSync(path, 'two')
      setImmediate(call)
      return { unref: () => undefined }
    })
    try {
      should(await source()(undefined)).be.ok()
      timeouts.mock.callCount().should.equal(3)
      utimesSync(path, 1, 1)
      should(await source()(undefined)).be.ok()
      timeouts.mock.callCount().should.equal(3)
    } finally {
      timeouts.mock.restore()
    }
  })

  it('is read again when it changes: a file by its date, the global context by its text', async () => {
    const path = join(folder, 'inventory.json')
    writeFileSync(path, '[1]')
    const values: unknown[] = []
    const failures: string[] = []
    const context = new Map<string, unknown>([['sites', [1]]])
    const RED = {
      settings: { fileWorkingDirectory: folder },
      util: { parseContextStore: (key: string) => ({ key, store: 'kept' }) },
    }
    const holder = {
      context: () => ({
        global: {
          get: (key: string, store: string, done: (error: unknown, value?: unknown) => void) =>
            done(null, store === 'kept' ? context.get(key) : undefined),
        },
      }),
    }
    const follow = (
      inventoryType: string,
      inventory: string,
      isRefused: (value: unknown) => boolean = () => false,
    ) => {
      const source = inventorySource(RED as never, holder as never, { inventoryType, inventory })
      return followSource(
        () => source,
        {
          onValue(value) {
            if (isRefused(value)) throw new GatewayError('CONFIG', 'refused')
            values.push(value)
          },
          onFailure: ({ message: text }) => failures.push(text),
        },
        5,
      )
    }
    // A relative path begins where those of the file nodes do.
    const file = follow('file', 'inventory.json', (text) => text === 'half')
    await file.ready
    values.should.eql(['[1]'])
    writeFileSync(path, 'half')
    await until(() => failures.length === 1)
    rmSync(path)
    await until(() => failures.length === 2)
    writeFileSync(path, '[1]')
    await until(() => values.length === 2)
    // As long, and as old: what has changed is when it was changed.
    writeFileSync(path, '[2]')
    utimesSync(path, new Date(0), new Date(0))
    await until(() => values.length === 3)
    file.close()
    values.should.eql(['[1]', '[1]', '[2]'])
    failures[1]!.should.match(/cannot be read: .*inventory\.json \(ENOENT\)/)

    const global = follow('global', 'sites')
    await global.ready
    ;(context.get('sites') as unknown[]).push(2)
    await until(() => values.length === 5)
    context.set('sites', {
      toJSON: () => {
        throw new Error('secret')
      },
    })
    await until(() => failures.length === 3)
    // The same as before the failure is taken again.
    context.set('sites', '[1,2]')
    await until(() => values.length === 6)
    global.close()
    values.slice(3).should.eql(['[1]', '[1,2]', '[1,2]'])
    failures[2]!.should.equal(
      'A value in the global context cannot be read: "sites" (it is not plain data: it cannot be read).',
    )
  })

  it('is given up after 10 s where nothing answers, with one look under way, and taken when it comes', async () => {
    let looks = 0
    let answer: (text: string) => void = () => undefined
    const source: InventorySource = {
      look() {
        looks++
        return new Promise((resolve) => {
          answer = (value) => resolve({ stamp: value, value })
        })
      },
    }
    const values: unknown[] = []
    const failures: GatewayError[] = []
    const settled = async (): Promise<void> => {
      for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    }
    mock.timers.enable({ apis: ['setTimeout'] })
    afterThisTest(() => mock.timers.reset())
    const { ready, close } = followSource(() => source, {
      onValue: (value) => void values.push(value),
      onFailure: (error) => void failures.push(error),
    })
    answer('[1]')
    await ready
    mock.timers.tick(1000)
    await settled()
    looks.should.equal(2)
    mock.timers.tick(9999)
    await settled()
    failures.should.eql([])
    // The same look hangs for an hour, and nothing else is said.
    for (let second = 0; second < 3600; second++) {
      mock.timers.tick(1000)
      await settled()
    }
    failures.map(({ code, message: text }) => `${code} ${text}`).should.eql([SLOW])
    values.should.eql(['[1]'])
    looks.should.equal(2)
    answer('[2]')
    await settled()
    for (let second = 0; second < 3; second++) {
      mock.timers.tick(1000)
      await settled()
    }
    values.at(-1)!.should.equal('[2]')
    looks.should.be.above(2)
    close()
  })
})
