// npm run build: dist/ mirrors the source, with the html, icons and catalogs of the nodes.
//   --package   only what is packed: without the tests, and without the maps for their traces
//   --changed   only what has changed since the last build of this kind
import { refuseOthers } from './help.mjs'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { buildDocs } from './build/docs.mjs'
import { buildForms } from './build/forms.mjs'
import { root } from './ready.mjs'

refuseOthers('--package', '--changed')

const at = (...parts) => join(root, ...parts)

if (!process.argv.includes('--changed') || isOutdated())
  rmSync(at('dist'), { recursive: true, force: true })

const tsc = process.argv.includes('--package') ? ['-p', root] : ['-p', at('test'), '--incremental']
execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), ...tsc], {
  stdio: 'inherit',
})

const { outputFiles } = await bundle({
  entryPoints: {
    'media-gateway-sidebar': at('nodes/sidebar/editor/index.ts'),
    'media-gateway-editor': at('nodes/editor-bundle.ts'),
  },
  outdir: at('dist'),
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
})

for (const program of ['simulator', 'client/doctor']) {
  chmodSync(at('dist', program, 'command.js'), 0o755)
}

buildDocs()
const scripts = outputFiles.map(({ path, text }) => [basename(path, '.js'), text])
buildForms(Object.fromEntries(scripts))

/** A file of which the source is gone would still be loaded, as a node, a catalog or a test. */
function isOutdated() {
  return ['client', 'nodes', 'simulator', 'test'].some((part) => {
    if (!existsSync(at('dist', part))) return true
    return readdirSync(at('dist', part), { recursive: true })
      .filter((file) => /\.(?:js|json|html)$/.test(file))
      .some((file) => !existsSync(at(part, file.replace(/\.js$/, '.ts'))))
  })
}
