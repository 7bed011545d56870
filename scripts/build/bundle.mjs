// Makes of a build what is packed: one file with all that runs, since each file that Node-RED loads takes
// its part of the start, and small ones in the places that package.json names.
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { root } from '../ready.mjs'

const RUNTIME = 'dist/runtime.js'
const CLIENT = 'dist/client/index.js'
const DOCTOR = 'dist/client/doctor/command.js'
const SIMULATOR = 'dist/simulator/command.js'

const READABLE = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // A trace still names each function, and a line has only a few statements.
  minifyWhitespace: true,
  lineLimit: 100,
  charset: 'utf8',
  packages: 'external',
  plugins: [{ name: 'manifest', setup: resolveManifest }],
  logLevel: 'warning',
}

/** @param folder with the package.json and the `dist` of a build */
export async function bundlePackage(folder) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { nodes, plugins } = manifest['node-red']
  const files = [...Object.values({ ...nodes, ...plugins }), CLIENT, DOCTOR]
  const sourceOf = (file) => file.replace('dist/', './').replace('.js', '.ts')
  await build({
    stdin: {
      contents: files
        .map((file) => `exports['${file}'] = () => require('${sourceOf(file)}')`)
        .join('\n'),
      resolveDir: root,
    },
    outfile: join(folder, RUNTIME),
    ...READABLE,
  })
  await build({
    entryPoints: [join(root, 'simulator/command.ts')],
    outfile: join(folder, SIMULATOR),
    allowOverwrite: true,
    ...READABLE,
  })
  const names = Object.keys(createRequire(import.meta.url)(join(folder, CLIENT)))
  const typed = new Set(typesFrom(join(folder, CLIENT.replace('.js', '.d.ts'))))
  const isIn = (file, ...parts) => parts.some((part) => file.startsWith(join(folder, part)))
  for (const name of readdirSync(join(folder, 'dist'), { recursive: true })) {
    const file = join(folder, 'dist', name)
    const isBundled =
      (file.endsWith('.js') && isIn(file, 'dist/client/', 'dist/nodes/', 'dist/simulator/')) ||
      (file.endsWith('.json') && isIn(file, 'dist/client/'))
    const isUnused = file.endsWith('.d.ts') && !typed.has(file)
    if (file.endsWith('.json') && isIn(file, 'dist/nodes/')) {
      writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))))
    }
    if ((isBundled && file !== join(folder, SIMULATOR)) || isUnused) rmSync(file)
  }
  for (const file of files) {
    const runtime = relative(dirname(file), RUNTIME).replaceAll('\\', '/')
    const entry = `require('${runtime}')['${file}']()`
    writeFileSync(
      join(folder, file),
      ENTRIES[file]?.(entry, names) ?? `module.exports = ${entry}\n`,
    )
  }
  for (const program of [DOCTOR, SIMULATOR]) chmodSync(join(folder, program), 0o755)
}

const ENTRIES = {
  [DOCTOR]: (entry) => `#!/usr/bin/env node\n${entry}\n`,
  // The names for an `import`, which reads them without running anything.
  [CLIENT]: (entry, names) =>
    `module.exports = ${entry}\n0 && (module.exports = { ${names.join(', ')} })\n`,
}

/** The one above `dist`, as the compiled files see it. */
function resolveManifest({ onResolve }) {
  onResolve({ filter: /\/package\.json$/ }, () => ({ path: join(root, 'package.json') }))
}

/** The files of types that one needs, itself included. */
function typesFrom(file, found = new Set()) {
  if (found.has(file)) return found
  found.add(file)
  for (const [, name] of readFileSync(file, 'utf8').matchAll(
    /(?:from|import\() ?['"](\.[^'"]+)['"]/g,
  )) {
    const target = join(dirname(file), name)
    const path = [`${target}.d.ts`, join(target, 'index.d.ts')].find((each) => existsSync(each))
    if (path) typesFrom(path, found)
  }
  return found
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePackage(root)
