// Makes of a build what is packed: one file with all that runs, since each file that Node-RED loads takes
// its part of the start, and small ones in the places that package.json names. What only machines read
// is without the space between its words.
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'
import '../help.mjs'
import { root } from '../ready.mjs'
import { typesFrom } from './types.mjs'

const RUNTIME = 'dist/runtime.js'
const CLIENT = 'dist/client/index.js'
const DOCTOR = 'dist/client/doctor/command.js'
const SIMULATOR = 'dist/simulator/command.js'

const READABLE = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // A trace still names each function of a file, and a line has only a few statements.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  charset: 'utf8',
  packages: 'external',
  plugins: [
    { name: 'manifest', setup: resolveManifest },
    { name: 'short', setup: shortenLocals },
  ],
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
  const types = typesFrom(join(folder, CLIENT.replace('.js', '.d.ts')))
  const isIn = (file, ...parts) => parts.some((part) => file.startsWith(join(folder, part)))
  for (const name of readdirSync(join(folder, 'dist'), { recursive: true })) {
    const file = join(folder, 'dist', name)
    const isBundled =
      (file.endsWith('.js') && isIn(file, 'dist/client/', 'dist/nodes/', 'dist/simulator/')) ||
      (file.endsWith('.json') && isIn(file, 'dist/client/'))
    const isUnused = file.endsWith('.d.ts') && !types.has(file)
    if ((isBundled && file !== join(folder, SIMULATOR)) || isUnused) rmSync(file)
  }
  for (const [file, text] of types) writeFileSync(file, text)
  // Of a checkout, the examples stay as they are.
  for (const part of ['dist/nodes', 'resources', ...(folder === root ? [] : ['examples'])]) {
    for (const name of readdirSync(join(folder, part), { recursive: true })) {
      const file = join(folder, part, name)
      const small = SMALLER[extname(name)]
      if (small) writeFileSync(file, await small(readFileSync(file, 'utf8')))
    }
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

/** The same text in less space, by the kind of file. */
const SMALLER = { '.json': (text) => JSON.stringify(JSON.parse(text)), '.html': smallerHtml }

export async function smallerHtml(text) {
  // Of code, the words matter too; of an item of a list, html needs no end.
  const other =
    /(<(pre|style|script)(?: type="text\/javascript")?>[^]*?<\/\2>)|\n\s+|<\/(?:dt|dd|li)>/g
  let smaller = text.replace(other, (found, kept) => kept ?? (found.startsWith('<') ? '' : '\n'))
  const code = /(<(script type="text\/javascript"|style)>)([^]*?)(?=<\/)/g
  for (const [whole, start, kind, inside] of smaller.matchAll(code)) {
    const loader = kind === 'style' ? 'css' : 'js'
    const minified = await transform(inside, { loader, minify: true, charset: 'utf8' })
    smaller = smaller.replace(whole, () => start + minified.code)
  }
  return smaller
}

/** Gives short names to what is inside of a function: esbuild keeps those of a file that it is given alone. */
function shortenLocals({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const options = { loader: 'ts', minifyIdentifiers: true, charset: 'utf8', target: 'node20' }
    const { code } = await transform(await readFile(path, 'utf8'), options)
    return { contents: code, loader: 'js' }
  })
}

/** The one above `dist`, as the compiled files see it. */
function resolveManifest({ onResolve }) {
  onResolve({ filter: /\/package\.json$/ }, () => ({ path: join(root, 'package.json') }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundlePackage(root)
