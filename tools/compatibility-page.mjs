// npm --prefix tools run compatibility-page: writes the table of docs/compatibility.md, from the files in
// test/recordings, between the marks in the page.
import '../scripts/help.mjs'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { refuseOthers } from '../scripts/help.mjs'
import { root } from '../scripts/ready.mjs'

const PAGE = join(root, 'docs/compatibility.md')
const RECORDINGS = join(root, 'test/recordings')
const MARKED = /(<!-- recordings -->\n)[^]*?(<!-- end -->)/

/** Where a recording comes from, by the beginning of its name. */
const ORIGINS = {
  gateway: 'a gateway',
  simulator: 'the simulator',
  composed: 'public descriptions, with invented values',
}

/** The page with its table as it has to be. */
export async function written(page) {
  const files = readdirSync(RECORDINGS).filter((file) => file.endsWith('.json'))
  const real = files.filter((file) => file.startsWith('gateway-')).length
  const count =
    real === 0
      ? '**There is no recording of a real gateway yet.**'
      : `Recordings of real gateways: ${real}.`
  const head = ['Recording', 'Made from', 'Software', 'Firmware', 'Routes', 'Protocols', 'Facts']
  const lines = [head, head.map(() => '---'), ...files.map(row)].map(
    (each) => `| ${each.join(' | ')} |`,
  )
  const text = page.replace(MARKED, (_, before, after) =>
    [before, count, lines.join('\n'), after].join('\n\n'),
  )
  const options = JSON.parse(readFileSync(join(root, '.prettierrc.json'), 'utf8'))
  return format(text, { ...options, parser: 'markdown' })
}

/** The interface does not say the version of the software, so the name of the file does. */
function row(file) {
  const name = file.replace(/\.json$/, '')
  const [origin, version] = name.split('-')
  const { answers, facts } = JSON.parse(readFileSync(join(RECORDINGS, file), 'utf8'))
  const bodies = (path) =>
    answers.filter((each) => each.status === 200 && path.test(each.path)).map(({ body }) => body)
  const devices = bodies(/^\/api\/devices$/).flat()
  const listed = bodies(/^\/api\/gateway\/[^/]+\/routes(\?|$)/).flatMap(({ data }) => data)
  const routes = [...new Map(listed.map((route) => [route.id, route])).values()]
  const protocols = routes
    .flatMap(({ source, destinations }) => [source, ...destinations])
    .flatMap(({ protocol }) => (protocol === 'http' ? 'HLS' : (protocol?.toUpperCase() ?? [])))
  const verdicts = ['confirmed', 'contradicted'].map((verdict) => {
    const { length } = facts.filter((fact) => fact.verdict === verdict)
    return length > 0 ? [`${length} ${verdict}`] : []
  })
  return [
    `[${name}](../test/recordings/${file})`,
    ORIGINS[origin],
    origin === 'simulator' ? '' : version,
    unique(devices.map(({ firmware }) => firmware)),
    routes.length,
    unique(protocols),
    verdicts.flat().join(', '),
  ]
}

const unique = (values) => [...new Set(values)].join(', ')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  refuseOthers()
  writeFileSync(PAGE, await written(readFileSync(PAGE, 'utf8')))
}
