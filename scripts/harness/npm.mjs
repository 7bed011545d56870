// npm, as the scripts use it.
import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../ready.mjs'

/**
 * Packs this package as it is built, into a folder; returns the path of the file.
 *   PACKED   a file that is packed already: what is tested is what is published
 */
export async function pack(folder) {
  if (process.env.PACKED) return process.env.PACKED
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(await npm({ cwd: await stage(folder) }, ...args))
  return join(folder, filename)
}

/** Copies what is packed into a folder of this one, and bundles it there: the build stays as it is. */
export async function stage(folder) {
  const target = join(folder, 'package')
  const listed = await npm({ cwd: root }, 'pack', '--dry-run', '--ignore-scripts', '--json')
  for (const { path } of JSON.parse(listed)[0].files) cpSync(join(root, path), join(target, path))
  // Not before: a fresh checkout has no packages yet, and bundling needs one.
  const { bundlePackage } = await import('../build/bundle.mjs')
  await bundlePackage(target)
  return target
}

/**
 * Runs npm in a folder, with the Node.js of `binary` if given; returns its output. After `within` ms
 * it is stopped.
 */
export function npm({ cwd, binary, within }, ...args) {
  const { NODE_V8_COVERAGE: _, ...env } = process.env
  // npm is a script, run by the first Node.js on the PATH.
  if (binary) env.PATH = [dirname(binary), env.PATH].join(delimiter)
  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      env,
      // On Windows npm is a command file, which needs a shell.
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: within,
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (errors += chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output)
      else if (signal) reject(new Error(`npm ${args[0]} was stopped: it took too long.`))
      else reject(new Error(`npm ${args[0]} ended with ${code}: ${errors.trim()}`))
    })
  })
}
