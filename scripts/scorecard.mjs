// npm --prefix tools run scorecard: what the scorecard of the Node-RED flow library will say about the packed
// package, and what its tool, node-red-dev, cannot check.
import { refuseOthers } from './help.mjs'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, pack } from './harness/npm.mjs'
import { ready, root } from './ready.mjs'

refuseOthers()

const TOOLS = { 'node-red-dev': '0.1.6', semver: '7.8.5', 'spdx-expression-parse': '4.0.0' }
/** Not among the devDependencies: the tool brings 440 packages, and only this script needs it. */
const CACHE = join(root, 'node_modules/.cache/scorecard')
const CATALOGUE = 'https://catalogue.nodered.org/catalogue.json'
const CATALOGUE_WITHIN_MS = 15_000
const MOST_DEPENDENCIES = 6
/** The oldest Node.js that the current Node-RED supports. */
const NODE_TO_RUN_ON = '22.9.0'

/** What the tool checks, by its own names. */
const CHECKS = {
  P01: 'a licence',
  P03: 'a repository, or where to tell of faults',
  P04: 'a scoped name',
  P05: 'the keyword node-red',
  P06: 'made for a present Node-RED',
  P07: 'made for the Node.js of the present Node-RED',
  P08: 'no package with a similar name',
  N01: 'no type that another package has too',
  N02: 'an example for each node',
  D01: 'few dependencies',
  D02: 'no dependency that does not go with Node-RED',
  D03: 'dependencies at their latest versions',
}
const NEED_THE_CATALOGUE = ['P08', 'N01']
/** A new version of a third-party package is reported, but no change here is at fault. */
const NOT_OURS = { D03: 'behind' }

const fromTools = createRequire(join(CACHE, 'package.json'))
const work = mkdtempSync(join(tmpdir(), 'media-gateway-scorecard-'))

try {
  ready()
  await installTools()
  const folder = await unpacked()
  const catalogue = await readCatalogue()
  const { card, output } = scorecard(folder, { catalogue })
  const results = [
    ...toolResults(card, { catalogue }),
    ['not run', 'P02', 'the same name in the repository: the tool has it switched off'],
    ...ownResults(folder, card, { catalogue }),
  ]
  for (const [result, by, text] of results) console.log(`${result.padEnd(8)} ${by} ${text}`)
  const count = (wanted) => results.filter(([result]) => result === wanted).length
  console.log(`${count('ok')} ok, ${count('FAILED')} failed, ${count('not run')} not run`)
  if (count('FAILED') > 0) {
    console.log(`\nThe tool itself said:\n${output}`)
    process.exitCode = 1
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

// ---- the tool

async function installTools() {
  const wanted = JSON.stringify({ private: true, dependencies: TOOLS })
  const manifest = join(CACHE, 'package.json')
  // Written at the end of an installation, so it marks one that succeeded.
  const done = join(CACHE, 'installed.json')
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return
  console.log('Installing the scorecard tool ...')
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(manifest, wanted)
  await npm({ cwd: CACHE }, 'install', '--ignore-scripts', '--no-package-lock')
  writeFileSync(done, wanted)
}

/** The folder with what `npm pack` puts into the package: the tool does not accept a tarball. */
async function unpacked() {
  execFileSync('tar', ['-xzf', await pack(work)], { cwd: work })
  return join(work, 'package')
}

/** The packages of the flow library; undefined when it cannot be reached. */
async function readCatalogue() {
  try {
    const answer = await fetch(CATALOGUE, { signal: AbortSignal.timeout(CATALOGUE_WITHIN_MS) })
    const { modules } = await answer.json()
    return Array.isArray(modules) ? modules : undefined
  } catch {
    return undefined
  }
}

/** Only the card counts: the exit code says nothing. */
function scorecard(folder, { catalogue }) {
  const file = join(work, 'card.json')
  const tool = join(CACHE, 'node_modules/node-red-dev/bin/run')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    // Without a catalogue the tool stops at the first check that needs it.
    [
      ...(catalogue ? [] : ['--require', emptyCatalogue()]),
      tool,
      'validate',
      '-p',
      folder,
      '-o',
      file,
    ],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 },
  )
  const output = stdout + stderr
  if (!existsSync(file)) throw new Error(`The scorecard tool wrote no card:\n${output}`)
  return { card: JSON.parse(readFileSync(file, 'utf8')), output }
}

function emptyCatalogue() {
  const file = join(work, 'empty-catalogue.cjs')
  writeFileSync(
    file,
    `const { createRequire } = require('node:module')
const axios = createRequire(${JSON.stringify(fromTools.resolve('node-red-dev/package.json'))})('axios')
const { get } = axios
axios.get = (url, ...rest) =>
  url === '${CATALOGUE}' ? Promise.resolve({ data: { modules: [] } }) : get(url, ...rest)
`,
  )
  return file
}

// ---- the results

function toolResults(card, { catalogue }) {
  const told = Object.keys(card).filter((id) => id !== 'package')
  return [...new Set([...Object.keys(CHECKS), ...told])].map((id) => {
    const name = CHECKS[id] ?? 'a check that is new'
    if (!catalogue && NEED_THE_CATALOGUE.includes(id)) {
      return ['not run', id, `${name}: the catalogue of the flow library cannot be reached`]
    }
    if (!card[id]) return ['FAILED', id, `${name}: the tool did not check it`]
    const { test, ...details } = card[id]
    const found = Object.values(details).flat().join(', ')
    return [test ? 'ok' : (NOT_OURS[id] ?? 'FAILED'), id, found ? `${name}: ${found}` : name]
  })
}

/** What the tool does not check, or always passes. */
function ownResults(folder, card, { catalogue }) {
  const semver = fromTools('semver')
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { name, keywords = [], dependencies = {}, license, engines } = manifest
  const forNodeRed = manifest['node-red']
  const result = (good, text) => [good ? 'ok' : 'FAILED', 'own', text]

  const types = Object.keys(forNodeRed.nodes).length
  // Its parser skips forms that it cannot read, and then finds no fault with them.
  const seen = card.N02?.nodes?.length ?? 0
  const needed = Object.keys(dependencies)
  const shipped = shippedPackages()
  const bad = shipped.filter(({ name: each, version }) => unfit(semver, each, version))
  const nodeRed = JSON.parse(
    readFileSync(join(root, 'node_modules/node-red/package.json'), 'utf8'),
  ).version

  return [
    result(seen === types - 1, `the tool saw ${seen} of ${types - 1} nodes, the config node aside`),
    result(keywords.includes('node-red'), `keywords: ${keywords.join(', ')}`),
    result(isSpdx(license), `licence by its SPDX name: ${license}`),
    result(
      semver.satisfies(NODE_TO_RUN_ON, engines?.node ?? 'none'),
      `engines: Node.js ${engines?.node}, which takes in ${NODE_TO_RUN_ON}`,
    ),
    result(
      semver.satisfies(nodeRed, forNodeRed.version ?? 'none'),
      `Node-RED ${forNodeRed.version}, which takes in ${nodeRed} that the tests run on`,
    ),
    result(
      needed.length <= MOST_DEPENDENCIES,
      `${needed.length} dependencies, at most ${MOST_DEPENDENCIES}: ${needed.join(', ')}`,
    ),
    result(
      bad.length === 0,
      `${shipped.length} packages are installed with it, of which do not go with Node-RED: ` +
        (bad.map((each) => `${each.name}@${each.version}`).join(', ') || 'none'),
    ),
    catalogue
      ? ['note', 'own', `the same name in another scope: ${namesakes(name, catalogue)}`]
      : ['not run', 'own', 'the same name in another scope: needs the catalogue too'],
  ]
}

/** The tool checks the tree of the first dependency only. */
function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path && !dev && !devOptional)
    .map(([path, { version }]) => ({ name: path.split('node_modules/').at(-1), version }))
}

function unfit(semver, name, version) {
  if (name === 'node-red' || name.startsWith('@node-red/')) return true
  const badVersions = fromTools('node-red-dev/src/badpackages.json')[name]
  return badVersions !== undefined && semver.satisfies(version, badVersions)
}

function isSpdx(license) {
  try {
    return Boolean(fromTools('spdx-expression-parse')(license))
  } catch {
    return false
  }
}

/** For a person to judge: P08 compares in a way that never finds any. */
function namesakes(name, catalogue) {
  const last = (id) => id.split('/').at(-1)
  const same = catalogue.filter(({ id }) => id !== name && last(id) === last(name))
  return same.map(({ id }) => id).join(', ') || 'none'
}
