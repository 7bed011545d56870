import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'

export type Chat = 'SLACK' | 'TEAMS'

/** Stand-ins for the webhooks of Slack and Teams, on one port. */
export interface Chats {
  readonly url: Record<Chat, string>
  /** The texts that people see, and how often a body was refused. */
  readonly shown: Record<Chat, string[]>
  readonly tries: Record<Chat, number>
  /** Responds with this status from now on, as when it is down; `undefined`: works again. */
  fail(chat: Chat, status?: number): void
  stop(): Promise<void>
}

export async function startChats(): Promise<Chats> {
  const shown: Chats['shown'] = { SLACK: [], TEAMS: [] }
  const tries: Chats['tries'] = { SLACK: 0, TEAMS: 0 }
  const failing: Partial<Record<Chat, number>> = {}
  const server = createServer((request, response) => {
    const chat: Chat = request.url === '/slack' ? 'SLACK' : 'TEAMS'
    request.setEncoding('utf8')
    let body = ''
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      tries[chat]++
      const status = failing[chat]
      if (status !== undefined) return response.writeHead(status).end('no_service')
      const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '')
      const text = isJson ? TEXT_OF[chat](body) : undefined
      if (text === undefined) return response.writeHead(400).end('invalid_payload')
      shown[chat].push(text)
      return chat === 'SLACK' ? response.end('ok') : response.writeHead(202).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: { SLACK: `http://127.0.0.1:${port}/slack`, TEAMS: `http://127.0.0.1:${port}/teams` },
    shown,
    tries,
    fail(chat, status) {
      if (status === undefined) delete failing[chat]
      else failing[chat] = status
    },
    async stop() {
      if (!server.listening) return
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** What each chat makes of a body; nothing if it refuses it. */
const TEXT_OF: Record<Chat, (body: string) => string | undefined> = {
  // A text between < and > would be a link or call everybody; entities are shown as characters.
  SLACK(body) {
    const { text } = parsed(body)
    if (typeof text !== 'string' || text.trim() === '') return undefined
    if (/[<>]|&(?!amp;|lt;|gt;)/.test(text)) return undefined
    return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')
  },
  // The real one accepts whatever is JSON, and fails later when it posts the card.
  TEAMS(body) {
    const { type, attachments } = parsed(body)
    if (type !== 'message' || !Array.isArray(attachments) || attachments.length !== 1) {
      return undefined
    }
    const { contentType, content } = attachments[0] as Json
    if (contentType !== 'application/vnd.microsoft.card.adaptive') return undefined
    const card = content as Json
    const isCard = card['type'] === 'AdaptiveCard' && /^1\.[2-5]$/.test(String(card['version']))
    const [block, ...others] = isCard ? (card['body'] as Json[]) : []
    if (block?.['type'] !== 'RichTextBlock' || others.length > 0) return undefined
    const [run, ...more] = block['inlines'] as Json[]
    const { text, ...style } = run ?? {}
    const [color] = Object.entries(COLORS).find(([, of]) => of.test(String(text))) ?? []
    const expected = { type: 'TextRun', weight: 'Bolder', ...(color && { color }) }
    return isDeepStrictEqual(style, expected) && more.length === 0 ? String(text) : undefined
  },
}

/** A message that is neither an alert nor its end has the color of text. */
const COLORS = { attention: /^ALERT /, good: /^RESOLVED / }

type Json = Record<string, unknown>

function parsed(body: string): Json {
  try {
    return Object(JSON.parse(body)) as Json
  } catch {
    return {}
  }
}
