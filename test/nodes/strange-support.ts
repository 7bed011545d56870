import { newOperation } from '../../client/connection/operation'
import {
  openConnection,
  type Connection,
  type GatewayOptions,
} from '../../client/connection/connection'
import { ScriptedAppliance, type Call } from '../support/scripted-appliance'

/** Firmware that differs where nothing is documented: nothing may be lost, repeated or leaked. */
export class OddAppliance extends ScriptedAppliance {
  /** A connection to it. */
  gateway!: Connection
  /** What the connection has logged. */
  readonly logged: string[] = []

  override async start(): Promise<void> {
    await super.start()
    this.gateway = this.connect({ log: (_, text) => this.logged.push(text) })
  }

  /** Another connection to it; the test closes it. */
  connect(options: Partial<GatewayOptions> = {}): Connection {
    const account = { username: 'user', password: 'secret-password' }
    return openConnection({ baseUrl: this.url, ...account, ...options })
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

export const op = (): ReturnType<typeof newOperation> => newOperation('test')
export const logins = (calls: Call[]): number =>
  calls.filter(({ what }) => what === 'POST /api/session').length
export const updates = (calls: Call[]): Call[] =>
  calls.filter(({ path }) => path.endsWith('/updates'))
