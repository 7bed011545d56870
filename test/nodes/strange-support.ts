import { openGateway, type Gateway } from '../../client'
import type { GatewayOptions } from '../../client/connection/connection'
import { ScriptedAppliance, type Call, type Reply } from '../support/scripted-appliance'

/** Firmware that differs where nothing is documented: nothing may be lost, repeated or leaked. */
class OddAppliance extends ScriptedAppliance {
  /** A connection to it. */
  gateway!: Gateway
  /** What the connection has logged. */
  readonly logged: string[] = []

  override async start(): Promise<void> {
    await super.start()
    this.gateway = this.connect({ log: (_, text) => this.logged.push(text) })
  }

  /** Another connection to it; the test closes it. */
  connect(options: Partial<GatewayOptions> = {}): Gateway {
    const account = { username: 'user', password: 'secret-password' }
    return openGateway({ baseUrl: this.url, ...account, ...options })
  }

  /**
   * Has one route, as that is when it is asked for.
   * @param others responds to other calls than reads of the route and of the list
   */
  has(route: () => unknown, others: (call: Call) => Reply | undefined = () => undefined): void {
    this.reply = (call) => {
      const { method, path } = call
      if (method !== 'GET' || !path.includes('/routes')) return others(call)
      const is = route()
      if (path.endsWith('/routes')) return { body: { data: is ? [is] : [] } }
      return path.endsWith('/routes/R') && is ? { body: is } : undefined
    }
  }
}

/** One that is good again before each test. */
export function oddAppliance(): OddAppliance {
  const appliance = new OddAppliance()
  beforeEach(() => {
    appliance.reply = () => undefined
    appliance.calls.length = appliance.logged.length = 0
    return appliance.start()
  })
  afterEach(async () => {
    await appliance.gateway.close()
    await appliance.stop()
  })
  return appliance
}

export const R = { id: 'R' }
export const SOURCE = { id: 'S', name: 'in', protocol: 'udp', address: '239.1.1.1', port: 5000 }
export const OUT = { id: 'E', name: 'out', protocol: 'udp', address: '192.0.2.1', port: 1 }

/** A route as it is read. */
export const routeOf = (more: object = {}): Record<string, unknown> => ({
  id: 'R',
  name: 'Route',
  state: 'idle',
  source: SOURCE,
  destinations: [],
  ...more,
})

export const logins = (calls: Call[]): number =>
  calls.filter(({ what }) => what === 'POST /api/session').length
export const updates = (calls: Call[]): Call[] =>
  calls.filter(({ path }) => path.endsWith('/updates'))
