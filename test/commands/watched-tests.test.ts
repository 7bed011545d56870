// npm test -- --watch, in a copy of the project: a change of a file runs its tests again.
import { spawn, type ChildProcess } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/root'
import { until } from '../support/until'

const PARTS = [
  'client',
  'nodes',
  'simulator',
  'docs',
  'icons',
  'test',
  'dist',
  'resources',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]
const WAITING = 'Waiting for a change ...'

describe('npm test -- --watch', function () {
  this.timeout(180_000)
  let project: string
  let tests: ChildProcess
  let output = ''

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'media-gateway-watched-'))
    const kept = { recursive: true, preserveTimestamps: true }
    for (const part of PARTS) cpSync(join(root, part), join(project, part), kept)
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
    const args = ['scripts/test.mjs', '--watch', 'client/linked-set']
    tests = spawn(process.execPath, args, { cwd: project })
    for (const part of [tests.stdout, tests.stderr]) {
      part!.on('data', (text: Buffer) => (output += text.toString()))
    }
  })

  after(() => {
    tests?.kill()
    if (project) rmSync(project, { recursive: true, force: true })
  })

  /** What is printed until it waits again. */
  async function nextRun(): Promise<string> {
    await until(() => output.includes(WAITING), 'the end of a run', 120_000)
    const [run = ''] = output.split(WAITING)
    output = ''
    return run
  }

  it('runs them once, again after each change, and goes on after one that cannot be built', async () => {
    should(await nextRun()).match(/[1-9]\d* passed, 0 failed/)
    const file = join(project, 'test/client/linked-set.test.ts')
    appendFileSync(file, "it('fails', () => void new LinkedSet().isEmpty.should.be.false())\n")
    should(await nextRun()).match(
      /\(test\/client\/linked-set\.test\.ts:\d+:\d+\)[^]*passed, 1 failed/,
    )
    appendFileSync(file, 'this is no TypeScript\n')
    should(await nextRun()).match(/linked-set\.test\.ts.*error TS[\s\S]*The build failed/)
  })
})
