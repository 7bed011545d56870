// How many bytes reach the old generation of the heap, where only a full collection frees them.
import { spawnSync } from 'node:child_process'
import v8 from 'node:v8'

/** So much room that nothing is collected there while it is measured. */
const FLAGS = ['--expose-gc', '--initial-old-space-size=3000', '--max-old-space-size=4000']

/** Runs the script at this path again with the room that it needs; undefined when it has it. */
export function withRoom(script, ...flags) {
  if (process.execArgv.includes(FLAGS[1])) return undefined
  const args = [...FLAGS, ...flags, script, ...process.argv.slice(2)]
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}

const YOUNG = /^(new_|read_only_|code_)/

/** In bytes, without compiled code. */
export const oldGeneration = () =>
  v8
    .getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !YOUNG.test(name))
    .reduce((sum, { space_used_size: size }) => sum + size, 0)
