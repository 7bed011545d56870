// node scripts/compatibility.mjs: writes the table of docs/compatibility.md from test/recordings
//   --check   only says whether it has to be written
import { refuseOthers } from './help.mjs'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { root } from './ready.mjs'

refuseOthers('--check')

const PAGE = join(root, 'docs/compatibility.md')
const RECORDINGS = join(root, 'test/recordings')
const [BEGIN, END] = ['<!-- recordings: begin -->', '<!-- recordings: end -->']

/** Where a recording comes from, by the beginning of its name. */
const ORIGINS = {
  gateway: 'a gateway',
  simulator: 'the simulator',
  composed: 'public descriptions, with invented values',
}

const page = readFileSync(PAGE, 'utf8')
const written = await pageWith(table())
if (page !== written) {
  if (process.argv.includes('--check')) {
    console.error('docs/compatibility.md is old: run node scripts/compatibility.mjs')
    process.exitCode = 1
  } else writeFileSync(PAGE, written)
}

function pageWith(content) {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (after === undefined) throw new Error('docs/compatibility.md has no place for the table.')
  const text = `${before}${BEGIN}\n\n${content}\n\n${END}${after}`
  return resolveConfig(PAGE).then((options) => format(text, { ...options, filepath: PAGE }))
}

function table() {
  const files = readdirSync(RECORDINGS).filter((file) => file.endsWith('.json'))
  const real = files.filter((file) => file.startsWith('gateway-'))
  const count =
    real.length === 0
      ? '**There is no recording of a real gateway yet.**'
      : `Recordings of real gateways: ${real.length}.`
  const head = [
    'Recording',
    'Made from',
    'Software',
    'Firmware',
    'Routes',
    'Sources',
    'Destinations',
    'Facts',
  ]
  const rows = files.map((file) => `| ${rowOf(file).join(' | ')} |`)
  return [
    count,
    [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...rows].join('\n'),
  ].join('\n\n')
}

/** The interface does not say the version of the software, so the name of the file does. */
function rowOf(file) {
  const name = file.replace(/\.json$/, '')
  const [origin, version = ''] = name.split('-')
  const { answers, facts } = JSON.parse(readFileSync(join(RECORDINGS, file), 'utf8'))
  const bodies = (path) =>
    answers.filter((each) => each.status === 200 && path.test(each.path)).map(({ body }) => body)
  const devices = bodies(/^\/api\/devices$/).flat()
  const listed = bodies(/^\/api\/gateway\/[^/]+\/routes(\?|$)/).flatMap(({ data }) => data)
  const routes = [...new Map(listed.map((route) => [route.id, route])).values()]
  const protocols = (parts) =>
    [...new Set(parts.map(({ protocol }) => protocol).filter(Boolean))]
      .map((protocol) => (protocol === 'http' ? 'HLS' : protocol.toUpperCase()))
      .join(', ')
  return [
    `[${name}](../test/recordings/${file})`,
    ORIGINS[origin],
    origin === 'simulator' ? '' : version,
    [...new Set(devices.map(({ firmware }) => firmware))].join(', '),
    routes.length,
    protocols(routes.map(({ source }) => source)),
    protocols(routes.flatMap(({ destinations }) => destinations)),
    ['confirmed', 'contradicted']
      .map((verdict) => [facts.filter((fact) => fact.verdict === verdict).length, verdict])
      .filter(([count]) => count > 0)
      .map((words) => words.join(' '))
      .join(', '),
  ]
}
