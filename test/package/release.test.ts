import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import should from 'should'
import { root } from '../support/root'

const script = join(root, 'scripts/release-notes.mjs')

const changelog = `# Changelog

## [0.3.0]

## [0.2.0] - 2026-12-01

### Added

- Something new.

[0.2.0]: https://example.com/v0.2.0
`

interface ReleaseNotes {
  releaseNotes(tag: string, version: string, changelog: string): string
}

describe('release', () => {
  let notes: ReleaseNotes
  before(async () => {
    notes = (await import(pathToFileURL(script).href)) as ReleaseNotes
  })

  it('release notes are the section of the version, without links', () => {
    notes.releaseNotes('v0.2.0', '0.2.0', changelog).should.equal('### Added\n\n- Something new.\n')
  })

  it('a tag that is not the version, a version without a section and a section without a date are refused', () => {
    should.throws(() => notes.releaseNotes('v0.2.1', '0.2.0', changelog), /does not match/)
    should.throws(() => notes.releaseNotes('v0.4.0', '0.4.0', changelog), /no section/)
    should.throws(() => notes.releaseNotes('v0.3.0', '0.3.0', changelog), /no date/)
  })

  it('the command fails with a sentence for a tag that is not the version', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, 'v9.9.9'], { encoding: 'utf8' })
    should(status).equal(1)
    stderr.should.match(/^The tag v9\.9\.9 does not match the version/)
  })

  it('every action of the workflows is pinned to a commit', () => {
    const folder = join(root, '.github/workflows')
    for (const file of readdirSync(folder)) {
      const text = readFileSync(join(folder, file), 'utf8')
      for (const [, action] of text.matchAll(/uses: (\S+)/g)) {
        action!.should.match(/@[0-9a-f]{40}$/, `${file}: ${action}`)
      }
    }
  })
  it('a workflow that runs the gate does so on a Debian, where it finds its packages', () => {
    const folder = join(root, '.github/workflows')
    const jobs = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8').split(/^ {2}(?=\w+:$)/m),
    )
    const gates = jobs.filter((job) => job.includes('run: .ci/run'))
    should(gates).have.length(2)
    for (const job of gates) job.should.match(/^ {4}container: node:\d+-trixie$/m)
  })
})
