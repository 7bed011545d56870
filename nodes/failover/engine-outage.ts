import { createOutageLog } from '../../client/connection/outage-log'
import { GatewayError, words } from '../../client/internal'
import type { Appliance } from '../runtime/gateway-node'
import type { Work } from './carried'

/** What the failovers of one node say when the engine does not keep their memory. */
export interface EngineOutage {
  failed(of: Appliance, error: GatewayError, work: Work): void
  recovered(appliance: string): void
  /** Its failover ends. */
  remove(appliance: string): void
}

const FAILED: Record<Work, string> = {
  read: 'The failover of "__appliance__", and perhaps of more gateways, waits for what it has kept on the engine, and protects nothing until then:',
  write:
    'What the failover of "__appliance__", and perhaps of more gateways, has to remember cannot be kept on the engine: an instance of Node-RED that takes over will not know of a hold.',
}

/**
 * Reports an outage once, not once for each appliance.
 * @param tell gets each kind of failure once
 * @param log gets the end
 */
export function createEngineOutage(
  tell: (error: GatewayError, of: Appliance) => void,
  log: (text: string) => void,
): EngineOutage {
  let news = (): void => undefined
  const outage = createOutageLog(
    (level, text) => (level === 'warn' ? news() : log(text)),
    'What this failover keeps on the engine can be read and written again.',
  )
  return {
    failed(of, { code, sentences, cause, message }, work) {
      const { appliance = '' } = of
      const said = [words(FAILED[work], { appliance }), ...sentences]
      news = () => tell(new GatewayError(code, said, cause), of)
      outage.failed(appliance, `${work} ${code}`, message)
    },
    recovered: (appliance) => outage.recovered(appliance),
    remove: (appliance) => outage.remove(appliance),
  }
}
