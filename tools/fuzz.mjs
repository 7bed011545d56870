// npm --prefix tools run fuzz: generated responses, messages and flows, for a set time, from a random seed.
//   --minutes 5  in total, shared among the kinds of cases
//   --seed N     the same cases again; a failed round prints its own seed
//   --grep TEXT  only these kinds of cases
import '../scripts/help.mjs'
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ready, root } from '../scripts/ready.mjs'

const KINDS = 5

try {
  const { minutes, seed, grep } = optionsOf(process.argv.slice(2))
  ready()
  console.log(
    `Seed ${seed}, ${minutes} minutes. The same again: npm --prefix tools run fuzz -- --seed ${seed}`,
  )
  const { status } = spawnSync(
    process.execPath,
    [
      '--enable-source-maps',
      join(root, 'node_modules/mocha/bin/mocha.js'),
      join(root, 'dist/test/fuzz/fuzz.test.js'),
      `--require=${join(root, 'dist/test/support/hooks.js')}`,
      ...(grep === undefined ? [] : [`--grep=${grep}`]),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        FUZZ_MINUTES: String(grep === undefined ? minutes / KINDS : minutes),
        FUZZ_SEED: String(seed),
      },
    },
  )
  process.exitCode = status ?? 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      grep: { type: 'string' },
    },
  })
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
  if (!(minutes > 0)) throw new Error(`--minutes takes a number, not "${values.minutes}".`)
  if (!Number.isInteger(seed)) throw new Error(`--seed takes a whole number, not "${values.seed}".`)
  return { minutes, seed, grep: values.grep }
}
