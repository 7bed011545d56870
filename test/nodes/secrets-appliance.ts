// The secrets of secrets.test.ts, and an appliance and a proxy that tell what they were sent.
import type { IncomingMessage } from 'node:http'
import type { Simulator } from '../../simulator'
import { Markers, SPELLINGS } from '../support/markers'
import { passOn, ScriptedAppliance, type Call, type Reply } from '../support/scripted-appliance'

export const markers = new Markers()
export const PASSWORD = markers.make('password')
export const ENV_PASSWORD = markers.make('password from the environment')
export const WRONG_PASSWORD = markers.make('wrong password')
export const TYPED_PASSWORD = markers.make('typed password')
export const PROXY_PASSWORD = markers.make('proxy password')
export const KEY_PHRASE = markers.make('pass phrase of the key', { plain: true })
export const WRONG_PHRASE = markers.make('wrong pass phrase of the key', { plain: true })
/** What the appliance has of its own, and answers to who may read it. */
export const PRESENT = {
  srt: markers.make('present srtPassPhrase'),
  rtsp: markers.make('present RTSP password'),
  passcode: markers.make('present passcode'),
}
/** What messages bring. */
export const SENT = {
  srt: markers.make('sent srtPassPhrase'),
  rtsp: markers.make('sent RTSP password'),
  preset: markers.make('sent preset passphrase'),
  broken: markers.make('passphrase of a broken definition'),
  environment: markers.make('passphrase from the environment'),
  named: markers.make('passphrase by the name of a variable'),
}
export const CHANGED = markers.make('changed srtPassPhrase')
export const ENVIRONMENT = {
  SECRETS_TEST_MAIN: JSON.stringify({ port: 5001, srtPassPhrase: '${SRT_SECRETS_TEST}' }),
  SECRETS_TEST_BACKUP: JSON.stringify({ port: 5002, srtPassPhrase: SENT.srt }),
  SECRETS_TEST_USER: 'operator',
  SECRETS_TEST_PASSWORD: ENV_PASSWORD,
  SECRETS_TEST_PHRASE: SENT.environment,
  SRT_SECRETS_TEST: SENT.named,
}

/** How an appliance, or what stands before it, can misbehave with what it was sent. */
export const MANNERS: Record<string, (quote: Quote) => Reply> = {
  ...Object.fromEntries(
    Object.entries(SPELLINGS).map(([name, spell]) => [
      name,
      ({ secrets, all }: Quote): Reply => {
        const message = [...secrets, all].map((text) => spell(text).slice(0, 4000)).join(' ')
        // Whole values in base64 or hex; nobody could find them in a body that is one long number.
        const short = secrets.map(spell).join(' ')
        const says = /base64|hex/.test(name) ? short : message
        return refusal(400, says, says)
      },
    ]),
  ),
  failed: ({ all }) => refusal(500, 'Internal', all),
  forbidden: ({ all }) => refusal(403, all, all),
  text: ({ all }) => ({ status: 409, body: { error: all } }),
  page: ({ all }) => ({
    status: 500,
    headers: { 'content-type': 'text/html', 'x-said': encodeURIComponent(all) },
    text: `<!doctype html><title>Error</title><pre>${all}</pre>`,
  }),
  redirect: ({ all }) => {
    const said = encodeURIComponent(all)
    return { status: 302, headers: { location: `http://127.0.0.1:1/login?of=${said}#${said}` } }
  },
  broken: ({ all }) => ({
    headers: { 'content-type': 'application/json' },
    text: `{"said": ${JSON.stringify(all)}`,
  }),
  hang: () => 'silence',
  reset: () => 'cut',
}

interface Quote {
  /** Each secret of the call, and what is known of its session. */
  secrets: string[]
  /** The call as a whole. */
  all: string
}

/** Which calls are answered in that manner: `/<stage>/<manner>` is the beginning of the path. */
export const STAGES: Record<string, (what: string) => boolean> = {
  login: (what) => what === 'POST /api/session',
  calls: (what) => !what.endsWith(' /api/session'),
  writes: (what) => what.startsWith('POST ') && what !== 'POST /api/session',
}

/** Stands before the simulator, and returns all that it was sent in some of the responses. */
export class Quoting extends ScriptedAppliance {
  quoted = 0
  /** By the session that it opened. */
  readonly #passwords = new Map<string, string>()

  constructor(simulator: Simulator) {
    super(async (call) => {
      const [, stage = '', manner = '', ...rest] = call.url.split('/')
      const path = `/${rest.join('/')}`
      if (STAGES[stage]!(`${call.method} ${path}`)) {
        this.quoted++
        return MANNERS[manner]!(this.#quote(call, path))
      }
      const reply = await passOn(call, simulator.url + path)
      const cookie = reply !== 'cut' && reply.headers?.['set-cookie']
      const session = /sessionID=([^;]+)/.exec(String(cookie))?.[1]
      if (session) this.#passwords.set(session, passwordIn(call.text))
      return reply
    })
  }

  #quote({ headers: { cookie = '' }, text }: Call, path: string): Quote {
    const sent = Object.values(SENT).filter((one) => text.includes(escaped(one)))
    const session = cookie.replace('sessionID=', '')
    const password = path === '/api/session' ? passwordIn(text) : this.#passwords.get(session)!
    const secrets = [session, password, ...sent].filter(Boolean)
    return { secrets, all: `haiadmin:${password} ${cookie} ${text}` }
  }
}

const passwordIn = (login: string): string => (JSON.parse(login) as { password: string }).password

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

const refusal = (status: number, type: string, message: string): Reply => ({
  status,
  body: { error: { type, message } },
})

/** A proxy that knows one user, and tells everybody else what he sent. */
export function tellsWhatItGot({ headers }: IncomingMessage): string | undefined {
  const sent = String(headers['proxy-authorization'])
  const decoded = Buffer.from(sent.replace('Basic ', ''), 'base64').toString()
  if (decoded === `known:${PROXY_PASSWORD}`) return undefined
  const said = `${sent} ${encodeURIComponent(decoded)}`
  return `HTTP/1.1 407 ${said}\r\nX-Said: ${said}\r\n\r\n${decoded}`
}
