// node scripts/pack.mjs FOLDER: packs the package into a folder as it is published, and prints the path of
// the file. The checkout stays as it is. `npm pack` packs the same, with examples that are easier to read.
import './help.mjs'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { pack } from './harness/npm.mjs'
import { root } from './ready.mjs'

const target = resolve(process.argv[2] ?? '.')
const folder = mkdtempSync(join(tmpdir(), 'media-gateway-pack-'))
try {
  const build = [join(root, 'scripts/build.mjs'), '--package']
  execFileSync(process.execPath, build, { stdio: ['ignore', 'ignore', 'inherit'] })
  const file = await pack(folder)
  cpSync(file, join(target, basename(file)))
  console.log(join(target, basename(file)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
