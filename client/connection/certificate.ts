import https from 'node:https'
import { DEFAULTS } from '../model/ranges'
import type { Certificate } from '../model/settings'
import { parseBase } from './settings'
import { UntrustedCertificate, createAgents, type ProxyOptions, type TlsOptions } from './agents'

/** No certificate has this fingerprint. */
const NONE = '0'.repeat(64)

/**
 * Reads the certificate that the appliance shows, for a person to judge. Nothing is sent: the
 * connection is closed after the handshake.
 * @returns undefined when the address is not https, or no certificate arrived in time
 */
export async function readCertificate(options: {
  baseUrl: string
  tls?: TlsOptions
  proxy?: ProxyOptions
  /** Milliseconds; default 10000. */
  timeout?: number
}): Promise<Certificate | undefined> {
  const base = parseBase(options.baseUrl)
  if (base.protocol !== 'https:') return undefined
  const { tls, proxy, timeout = DEFAULTS.timeout } = options
  const agents = createAgents({ secure: true, fingerprint: NONE, tls, proxy, timeout })
  try {
    return await new Promise((resolve) => {
      https
        .request(base, { agent: agents.single, timeout })
        .on('timeout', () => resolve(undefined))
        .on('error', (error) => {
          resolve(error instanceof UntrustedCertificate ? error.shown : undefined)
        })
        .end()
    })
  } finally {
    agents.destroy()
  }
}
