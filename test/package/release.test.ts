import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { contentOf, root } from '../support/root'
import { afterThisTest } from '../support/hooks'

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

  const workflows = (): string[] =>
    readdirSync(join(root, '.github/workflows')).map((file) => contentOf('.github/workflows', file))
  const jobs = (): string[] => workflows().flatMap((text) => text.split(/^ {2}(?=\w+:$)/m))

  it('every action of the workflows is pinned to a commit', () => {
    const actions = [
      ...workflows()
        .join('')
        .matchAll(/uses: (\S+)/g),
    ].map(([, action]) => action!)
    actions.length.should.be.above(8)
    for (const action of actions) action.should.match(/@[0-9a-f]{40}$/)
  })

  it('no checkout leaves its token to what runs after it', () => {
    const steps = workflows().flatMap((text) => text.split(/^ {6}- /m))
    const checkouts = steps.filter((step) => step.startsWith('uses: actions/checkout@'))
    checkouts.length.should.be.above(4)
    for (const step of checkouts) step.should.match(/^ {10}persist-credentials: false$/m)
  })

  it('the job that may publish runs no script: it publishes the file that the gate has packed and tested', () => {
    const publishing = jobs().filter((job) => job.includes('id-token: write'))
    should(publishing).have.length(1)
    const [job] = publishing
    const commands = [...job!.matchAll(/- run: (.*)/g)].map(([, command]) => command!)
    commands
      .map((command) => command.split(' ').slice(0, 2).join(' '))
      .should.eql(['npm publish', 'gh release'])
    commands[0]!.should.equal(
      'npm publish ./packed/*.tgz --ignore-scripts --provenance --access public',
    )
    job!.should.match(/needs: gate$/m).and.not.match(/actions\/checkout|npm (ci|install)|npx/)
    const gate = jobs().find((each) => each.startsWith('gate:') && each.includes('upload-artifact'))
    gate!.should.match(/run: \.ci\/run\n[^]*upload-artifact@[^]*packed\/\*\.tgz/)
    const [packed, tested] = [
      'PACKED=$(node scripts/pack.mjs packed)',
      'PACKED=$PACKED npm run test:matrix',
    ]
    const run = contentOf('.ci/run')
    run.indexOf(packed).should.be.above(0)
    run.indexOf(tested).should.be.above(run.indexOf(packed))
  })

  it('what is packed already is what is tested', async () => {
    const { pack } = (await import(pathToFileURL(join(root, 'scripts/harness/npm.mjs')).href)) as {
      pack: (folder: string) => Promise<string>
    }
    process.env['PACKED'] = '/somewhere/packed.tgz'
    afterThisTest(() => void delete process.env['PACKED'])
    ;(await pack(root)).should.equal('/somewhere/packed.tgz')
  })

  it('a workflow that runs the gate does so on a Debian, where it finds its packages', () => {
    const gates = jobs().filter((job) => job.includes('run: .ci/run'))
    should(gates).have.length(2)
    for (const job of gates) job.should.match(/^ {4}container: node:\d+-trixie$/m)
  })
})
