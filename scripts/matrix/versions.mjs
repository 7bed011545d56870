// The versions to run with, and where they are: fetched once, as packages, below node_modules.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from '../harness/npm.mjs'
import { root } from '../ready.mjs'

export const CACHE = join(root, 'node_modules/.cache/matrix')

const NODE_RED = ['4.0', '4.1', '5.0']
export const NODE = ['20', '22', '24']
/** The oldest and the newest, and each Node-RED at least once. */
const CORE = ['4.0 on 20', '4.1 on 20', '4.1 on 24', '5.0 on 22']
/** Those whose editor is looked at. */
const EDITOR = ['4.1 on 20', '5.0 on 22']
/** Where Node-RED refuses to start, and the sentence with which it does. */
const REFUSED = { '5.0 on 20': /requires Node\.js v22\.9 or later/ }

const windows = process.platform === 'win32'

/**
 * The pairs to run, the oldest first; where no version is named, all of them.
 * @param core only the most telling ones
 * @param editor those of the editor; where one version is named, the other is of 5.0 on Node.js 22
 * @returns [{ nodeRed: '4.1', node: '22', name: '4.1 on 22' }, …]
 */
export function pairsOf({ nodeRed, node, core = false, editor = false }) {
  const isNamed = Boolean(nodeRed ?? node)
  const defaults = editor && isNamed ? [['5.0'], ['22']] : [NODE_RED, NODE]
  const pairs = (nodeRed ?? defaults[0]).flatMap((one) =>
    (node ?? defaults[1]).map((other) => ({
      nodeRed: one,
      node: other,
      name: `${one} on ${other}`,
    })),
  )
  const only = core ? CORE : editor && !isNamed ? EDITOR : undefined
  return only ? pairs.filter(({ name }) => only.includes(name)) : pairs
}

/** Fetches what several pairs need once. */
export class Versions {
  #fetched = new Map()

  /**
   * @returns the Node.js binary and the folder of Node-RED
   * @throws Missing
   */
  async of({ node, nodeRed }) {
    return {
      binary: binaryIn(await this.#fetch(NODE_PACKAGE, node)),
      folder: await this.#fetch('node-red', nodeRed),
    }
  }

  #fetch(name, version) {
    const wanted = `${name}@${version}`
    if (!this.#fetched.has(wanted)) this.#fetched.set(wanted, fetch(name, version))
    return this.#fetched.get(wanted)
  }
}

/**
 * @returns the binary of a version of Node.js
 * @throws Missing
 */
export const nodeOf = async (version) => binaryIn(await fetch(NODE_PACKAGE, version))

const NODE_PACKAGE = `node-${windows ? 'win' : process.platform}-${process.arch}`
const binaryIn = (folder) => join(folder, 'bin', windows ? 'node.exe' : 'node')

/** A version that is not available here: nothing was tested with it. */
export class Missing extends Error {}

async function fetch(name, version) {
  const home = join(CACHE, `${name}-${version}`)
  const folder = join(home, 'node_modules', name)
  const complete = join(home, 'complete')
  if (existsSync(complete)) return folder
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  try {
    await npm({ cwd: home }, 'install', '--no-package-lock', `${name}@${version}`)
  } catch (error) {
    throw new Missing(`The package ${name}@${version} cannot be installed here. ${error.message}`)
  }
  writeFileSync(complete, '')
  return folder
}

/**
 * Returns false where Node-RED is expected to start on this Node.js.
 * @throws Error if it does not refuse although it should
 */
export async function isRefused({ name }, { binary, folder }) {
  const sentence = REFUSED[name]
  if (!sentence) return false
  const [code, output] = await new Promise((resolve) => {
    execFile(binary, [join(folder, 'red.js'), '--help'], (error, stdout) => {
      resolve([error?.code ?? 0, stdout])
    })
  })
  if (code !== 0 && sentence.test(output)) return true
  throw new Error(`Node-RED should refuse this Node.js. It ended with ${code}:\n${output}`)
}
