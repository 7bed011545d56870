// npm --prefix tools run routes-page: writes the tables of docs/routes.md, from the table that the checks
// and the forms follow, between the marks in the page.
import '../scripts/help.mjs'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { refuseOthers } from '../scripts/help.mjs'
import { ready, root } from '../scripts/ready.mjs'

const require = createRequire(import.meta.url)
const PAGE = join(root, 'docs/routes.md')
const MARKED = /(<!-- fields of a (source|destination): (\w+) -->\n)[^]*?(<!-- end -->)/g

/** What gateways had that were seen, and what the presets of the vendor repeat; no default is documented. */
const USUAL = {
  srtRcvBuf: '10240000',
  srtGroupMode: '`none`',
  srtOverhead: '`"25"`',
  srtConnectionLimit: '`0`',
  ttl: '64',
  mtu: '1496',
  shaping: '`false`',
  maxBitrate: '10000',
  fec: '`none`',
  networkInterface: '`""`, automatic',
}

/** Fields that each source and each destination has, which the page describes once. */
const COMMON = new Set(['id', 'name', 'labels', 'tags', 'protocol', 'action'])

/** The page with its tables as they have to be. */
export async function written(page) {
  const { membersOf } = require('../dist/client/model/members')
  const { member: labels } = JSON.parse(
    readFileSync(join(root, 'nodes/gateway/locales/en-US/gateway.json'), 'utf8'),
  ).routeForm
  const text = page.replace(MARKED, (_, before, direction, protocol, after) => {
    const rows = [...membersOf(direction, protocol)]
      .filter(([name, member]) => !COMMON.has(name) && isSent(member))
      .map(([name, member]) => row(name, member, labels[name] ?? ''))
    const head = ['Field', 'In the forms', 'Type, and what is accepted', 'Usual']
    const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
    return `${before}\n${lines.join('\n')}\n\n${after}`
  })
  const options = JSON.parse(readFileSync(join(root, '.prettierrc.json'), 'utf8'))
  return format(text, { ...options, parser: 'markdown' })
}

const isSent = ({ readOnly, sentAs }) => !sentAs && readOnly?.({}) !== true

function row(name, member, label) {
  const need = member.required?.({}) ? ', **required**' : ''
  return [`\`${name}\`${need}`, label, accepted(member), USUAL[name] ?? '']
}

function accepted({ kind, min, max, whole, mayBeEmpty, oneOf, of, unit, isAddress, secret }) {
  const parts = {
    text: () => {
      const length = max === undefined ? '' : ` of ${min} to ${max} characters`
      const what = isAddress ? 'IP address or host name' : `text${length}`
      return `${what}${mayBeEmpty ? ', or empty' : ''}`
    },
    number: () => {
      const range = max === undefined ? `from ${min}` : `${min} to ${max}`
      return `${whole ? 'whole number' : 'number'} ${range}${unit ? `, ${unit}` : ''}`
    },
    boolean: () => '`true`, `false`',
    choice: () => oneOf.map((each) => `\`${each}\``).join(', '),
    list: () =>
      of
        ? `list of paths: ${Object.keys(of)
            .map((each) => `\`${each}\``)
            .join(', ')}`
        : 'list of texts',
  }
  return parts[kind]() + (secret ? '; a secret' : '')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  refuseOthers()
  ready()
  writeFileSync(PAGE, await written(readFileSync(PAGE, 'utf8')))
}
