// An instance that owns every appliance and notes what it begins: a process of its own, to be killed.
// Changes of one appliance are made one after the other, as those of a route are.
import { appendFileSync } from 'node:fs'
import { openEngine } from '../../client/fleet/nats/engine'
import { SLOTS } from '../../client/fleet/slots'
import { pause } from './until'

const [servers = '', key = '', journal = '', shortest = '0', longest = '0'] = process.argv.slice(2)

const engine = openEngine({
  servers,
  fleet: 'tests',
  key,
  replicas: 1,
  ttlMs: 3000,
  log: () => undefined,
})
engine.link.onChange(() => process.send?.('up'))
const latest = new Map<string, Promise<unknown>>()
const serving = engine.commands.serve(async ({ appliance, body }) => {
  const before = latest.get(appliance)
  const work = (async () => {
    await before
    appendFileSync(journal, `${String(body)} ${appliance}\n`)
    await pause(Number(shortest) + Number(longest) * Math.random())
    return { by: 'first' }
  })()
  latest.set(appliance, work)
  return work
})
serving.take(Array.from({ length: SLOTS }, (_, slot) => slot))
