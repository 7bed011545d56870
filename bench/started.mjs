// Starts an appliance in a process of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { callsTo } from './calls.cjs'

export async function startAppliance(options) {
  const child = fork(new URL('appliance.mjs', import.meta.url), { execArgv: [] })
  const ask = callsTo(child)
  const { url, deviceId } = await ask('start', options)
  return {
    url,
    deviceId,
    ask,
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
