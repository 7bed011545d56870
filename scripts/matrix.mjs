// npm run test:matrix: the packed package in every Node-RED that it supports, on every Node.js.
//   --node-red 5.0 --node 22   only these; each may be given several times
//   --core                     only the most telling pairs
//   --allow-missing            a version that cannot be installed here is not a failure
// npm run test:editor: the tests of the editor in a browser, on Node-RED 4.1 and 5.0 or on the
// versions named; on 5.0 also the other tests that start a Node-RED.
import './help.mjs'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dashboardForTests } from './harness/dashboard.mjs'
import { runScript } from './harness/end.mjs'
import { pack } from './harness/npm.mjs'
import { table } from './harness/report.mjs'
import { runJob } from './matrix/job.mjs'
import { CACHE, isRefused, Missing, pairsOf, Versions } from './matrix/versions.mjs'
import { editorTestFiles, runMocha, testFiles } from './mocha.mjs'
import { ready, root } from './ready.mjs'

const AT_ONCE = 2

async function main() {
  const { allowMissing, ...wanted } = optionsOf(process.argv.slice(2))
  const { editor } = wanted
  const pairs = pairsOf(wanted)
  ready()
  const versions = new Versions()
  const job = editor ? editorJob : packageJob(await packed())
  const results = await severalAtOnce(editor ? 1 : AT_ONCE, pairs, async (pair) => {
    const result = await resultOf(pair, versions, job)
    console.log(`Node-RED ${pair.nodeRed} on Node.js ${pair.node}: ${result.verdict}`)
    if (result.reason) console.error(result.reason.replaceAll(/^/gm, '  '))
    return result
  })
  tell(pairs, results)
  const good = ['passed', 'not supported', ...(allowMissing ? ['missing'] : [])]
  const verdicts = results.map(({ verdict }) => verdict)
  const isGood = verdicts.includes('passed') && verdicts.every((verdict) => good.includes(verdict))
  return isGood ? 0 : 1
}

function optionsOf(args) {
  const several = { type: 'string', multiple: true }
  const flag = { type: 'boolean' }
  const { values } = parseArgs({
    args,
    options: {
      'node-red': several,
      node: several,
      core: flag,
      editor: flag,
      'allow-missing': flag,
    },
  })
  const { core, editor } = values
  return {
    nodeRed: values['node-red'],
    node: values.node,
    core,
    editor,
    allowMissing: values['allow-missing'],
  }
}

/** @returns {verdict, seconds, reason?, found}; `found` has the versions that actually ran */
async function resultOf(pair, versions, job) {
  const found = {}
  let began
  const result = (verdict, reason) => {
    const seconds = began ? Math.round((performance.now() - began) / 1000) : undefined
    return { verdict, reason, seconds, found }
  }
  try {
    const installed = await versions.of(pair)
    if (await isRefused(pair, installed)) return result('not supported')
    began = performance.now()
    await job({ ...installed, pair, found })
    return result('passed')
  } catch (error) {
    return result(error instanceof Missing ? 'missing' : 'failed', error.message)
  }
}

// ---- the two kinds of jobs

function packed() {
  mkdirSync(CACHE, { recursive: true })
  return pack(CACHE)
}

const packageJob = (tarball) => (job) => runJob({ ...job, tarball })

/** Runs the tests of the editor with this Node-RED, and what `npm test` has not tried with it. */
async function editorJob({ binary, folder, found }) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const node = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  Object.assign(found, { nodeRed: version, node })
  const isOwn = version === ownNodeRed()
  const others = isOwn ? [] : testFiles().filter(canUseAnother)
  const results = join(CACHE, 'results.json')
  const { env, missing } = await dashboardForTests()
  const code = runMocha([...editorTestFiles(), ...others], {
    results,
    // Those that run at once have a browser and a Node-RED each, so they do more than wait.
    jobs: 3,
    env: { NODE_RED: folder, NODE_RED_NODE: binary, ...env },
  })
  if (code !== 0) throw new Error('Tests failed: see above.')
  if (missing) throw new Missing(missing)
}

const ownNodeRed = () =>
  JSON.parse(readFileSync(join(root, 'node_modules/node-red/package.json'), 'utf8')).version

const canUseAnother = (file) =>
  /NODE_RED|require\("\.\.\/support\/(editor|node-red)"\)/.test(
    readFileSync(join(root, file), 'utf8'),
  )

// ---- how they are run and reported

/** Processes a list, `limit` at a time; the results are in the order of the list. */
async function severalAtOnce(limit, list, work) {
  const results = []
  const rest = list.entries()
  const worker = async () => {
    for (const [place, each] of rest) results[place] = await work(each)
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return results
}

function tell(pairs, results) {
  const rows = results.map(({ verdict, seconds, found }, place) => [
    found.nodeRed ?? pairs[place].nodeRed,
    found.node ?? pairs[place].node,
    verdict,
    seconds === undefined ? '' : `${seconds} s`,
  ])
  console.log()
  table(['Node-RED', 'Node.js', 'Result', 'Time'], rows, { isText: true })
}

runScript(main)
