// Checks what each file of the client, the nodes and the simulator imports, types included, against the
// order of the folders below. See docs/project/architecture.md.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix as path } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * From the ground up: a file may import from its own folder and from the rows above this row in the list.
 * Those of one row do not know each other. The longest name that fits a file is its place; `*` stands for
 * one folder, which is a place of its own.
 */
export const ORDER = [
  ['client/model/json.ts', 'client/model/faults.ts', 'client/linked-set.ts', 'client/clock.ts'],
  ['client/model/legible.ts', 'client/sentences.ts', 'client/slices.ts'],
  ['client/errors.ts'],
  ['client/model', 'client/stop.ts', 'client/poller.ts'],
  ['client/memory.ts'],
  ['client/connection'],
  ['client/fleet/types.ts', 'client/fleet/slots.ts'],
  ['client/fleet/ownership', 'client/fleet/nats'],
  ['client/fleet'],
  ['client/unseen.ts'],
  ['client/api'],
  ['client/watch/text', 'client/watch/compact.ts'],
  ['client/watch/state.ts'],
  ['client/watch/measuring'],
  ['client/watch/health.ts', 'client/watch/saved.ts'],
  ['client/watch/report'],
  ['client/watch/life'],
  ['client/watch'],
  ['client/changes'],
  ['client/changes/ensure'],
  ['client/metrics', 'client/failover', 'client/doctor'],
  ['client/options.ts'],
  ['client/operations.ts'],
  ['client/gateway.ts'],
  ['client/index.ts', 'client/fleet/index.ts'],
  ['nodes/wire.ts', 'nodes/runtime/migrations.ts'],
  ['nodes/runtime', 'nodes/editor', 'nodes/parts'],
  ['nodes/editor/pickers'],
  ['nodes/editor/route-form'],
  ['nodes/editor/try.ts'],
  ['nodes/editor/form.ts'],
  ['nodes/gateway/options.ts', 'nodes/gateway/saved.ts', 'nodes/gateway/appliance.ts'],
  ['nodes/gateway/inventory.ts'],
  ['nodes/gateway/inventory-check.ts'],
  ['nodes/gateway/fleet'],
  ['nodes/gateway/admin'],
  ['nodes/*', 'nodes/*/editor'],
  ['nodes/editor-bundle.ts'],
  ['simulator'],
]

/**
 * What a part of the code does without, wherever in the order it stands.
 * @typedef {{ of: string[], but?: string[], sees?: string[], packages: RegExp, why: string }} Wall
 */
const MODEL = ['client/model', 'client/sentences.ts', 'client/errors.ts']
export const WALLS = [
  {
    of: [...MODEL, 'nodes/wire.ts'],
    sees: MODEL,
    packages: /^$/,
    why: 'The model is pure data: it runs in the editor too.',
  },
  {
    of: ['client/failover'],
    but: ['protect', 'reader', 'shared-read', 'switch', 'text'].map(
      (each) => `client/failover/${each}.ts`,
    ),
    sees: [...MODEL, 'client/failover', 'client/changes/merge.ts'],
    packages: /^$/,
    why: 'The rules of the failover are pure functions.',
  },
  {
    of: ['client'],
    packages: /^(node:|axios$|hpagent$|tough-cookie$|@nats-io\/)/,
    why: 'The client knows nothing of Node-RED.',
  },
  {
    of: ['nodes/editor', 'nodes/*/editor', 'nodes/editor-bundle.ts'],
    sees: [
      ...MODEL,
      'nodes/editor',
      'nodes/*/editor',
      'nodes/wire.ts',
      'nodes/runtime/migrations.ts',
    ],
    packages: /^$/,
    why: 'The editor runs in a browser.',
  },
  {
    of: ['nodes/parts', 'nodes/*/manifest.ts'],
    sees: ['nodes/parts'],
    packages: /^$/,
    why: 'A manifest is pure data, of which the build makes form and help.',
  },
  {
    of: ['simulator'],
    sees: ['simulator'],
    packages: /^node:/,
    why: 'The simulator shares nothing with what it tests.',
  },
]

const patternOf = (name) =>
  new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/.]+')}(?=/|$)`)
const places = ORDER.flatMap((names, row) =>
  names.map((name) => ({ row, pattern: patternOf(name) })),
)

/** The row and the name of the place that a file has; undefined for one that has none. */
export function placeOf(file) {
  let found
  for (const { row, pattern } of places) {
    const name = pattern.exec(file)?.[0]
    // `nodes/gateway` stands in the list as `nodes/*`.
    if (name && !(found?.name.length >= name.length)) found = { row, name }
  }
  return found
}

const stands = (file, names) => names.some((name) => patternOf(name).test(file))

/** Why the file may not import that; undefined if it may. @param imported a file, or a package */
export function refusal(file, imported, isPackage = false) {
  const wall = WALLS.find(
    ({ of, but = [], sees, packages }) =>
      stands(file, of) &&
      !stands(file, but) &&
      (isPackage ? !packages.test(imported) : sees && !stands(imported, sees)),
  )
  if (wall) return wall.why
  if (isPackage) return undefined
  const from = placeOf(file)
  const to = placeOf(imported)
  if (!from || !to) return `${from ? imported : file} has no place in the order.`
  if (from.name === to.name || to.row < from.row) return undefined
  return `${from.name} comes before ${to.name}, or beside it.`
}

/** Imports and exports, also of types, `import()` and `require()`. */
const IMPORT =
  /^(?:import|export|\})(?:[^'"\n]*\bfrom)?\s*['"]([^'"\n]+)['"]|\b(?:import|require)\(\s*['"]([^'"\n]+)['"]/gm

/** @param exists whether there is such a file in the repository */
export function faultsIn(file, text, exists) {
  const faults = []
  for (const [, at, within] of text.matchAll(IMPORT)) {
    const name = at ?? within
    const isPackage = !name.startsWith('.')
    let imported = name
    if (!isPackage) {
      const target = path.join(path.dirname(file), name)
      // Catalogs and package.json are data.
      if (target.endsWith('.json')) continue
      imported = [`${target}.ts`, `${target}/index.ts`].find(exists) ?? target
    }
    const why = refusal(file, imported, isPackage)
    if (why) faults.push(`${file} imports ${name}. ${why}`)
  }
  return faults
}

export function sources(root) {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'client', 'nodes', 'simulator'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed.split('\n').filter((file) => file.endsWith('.ts'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = sources(root)
  const known = new Set(files)
  const faults = files.flatMap((file) =>
    faultsIn(file, readFileSync(path.join(root, file), 'utf8'), (other) => known.has(other)),
  )
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length > 0 ? 1 : 0
}
