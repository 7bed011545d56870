// Builds dist/ so that it mirrors the source, with the html, icons and locales
// that the TypeScript compiler does not copy, and resources/ for the editor.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  chmodSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (...parts) => join(root, ...parts)

rmSync(at('dist'), { recursive: true, force: true })
rmSync(at('resources'), { recursive: true, force: true })

execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', root], {
  stdio: 'inherit',
})

for (const node of readdirSync(at('nodes'))) {
  const form = at('nodes', node, `${node}.html`)
  if (!existsSync(form)) continue
  const target = at('dist/nodes', node)
  mkdirSync(join(target, 'icons'), { recursive: true })
  cpSync(form, join(target, `${node}.html`))
  if (existsSync(at('nodes', node, 'locales'))) {
    cpSync(at('nodes', node, 'locales'), join(target, 'locales'), { recursive: true })
  }
  for (const [, icon] of readFileSync(form, 'utf8').matchAll(/icon: '([^'/]+\.svg)'/g)) {
    cpSync(at('icons', icon), join(target, 'icons', icon))
  }
}

await bundle({
  entryPoints: {
    'media-gateway-sidebar': at('nodes/sidebar/editor/index.ts'),
    'media-gateway-editor': at('nodes/editor-bundle.ts'),
  },
  outdir: at('resources'),
  bundle: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'warning',
})

chmodSync(at('dist/simulator/command.js'), 0o755)
