// npm run build: dist/ mirrors the source, with the html, icons and catalogs of the nodes.
//   --package   only what is packed: without the tests, and without the maps for their traces
import { refuseOthers } from './help.mjs'
import { execFileSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build as bundle } from 'esbuild'
import { buildForms } from './build/forms.mjs'
import { root } from './ready.mjs'

refuseOthers('--package')

const at = (...parts) => join(root, ...parts)

rmSync(at('dist'), { recursive: true, force: true })

const project = process.argv.includes('--package') ? root : at('test')
execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', project], {
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

chmodSync(at('dist/simulator/command.js'), 0o755)

const scripts = outputFiles.map(({ path, text }) => [basename(path, '.js'), text])
buildForms(Object.fromEntries(scripts))
