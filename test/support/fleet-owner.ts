// An instance that owns every appliance and notes what it begins: a process of its own, to be killed.
import { appendFileSync } from 'node:fs'
import { openEngine } from '../../client/fleet/nats/engine'
import { pause } from './until'

const [servers = '', journal = '', longest = '0'] = process.argv.slice(2)

const engine = openEngine({
  servers,
  fleet: 'tests',
  replicas: 1,
  ttlMs: 3000,
  log: () => undefined,
})
engine.link.onChange(() => process.send?.('up'))
void engine.commands.serve(
  () => true,
  async ({ id }) => {
    appendFileSync(journal, `${id}\n`)
    await pause(Number(longest) * Math.random())
    return { by: 'first' }
  },
)
