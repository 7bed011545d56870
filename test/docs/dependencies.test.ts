import { contentOf } from '../support/root'

interface Locked {
  dev?: boolean
  devOptional?: boolean
  dependencies?: Record<string, string>
}

describe('docs/project/dependencies.md', () => {
  const text = contentOf('docs/project/dependencies.md')
  const manifest = JSON.parse(contentOf('package.json'))
  const needed = Object.keys(manifest.dependencies)
  const locked: Record<string, Locked> = JSON.parse(contentOf('package-lock.json')).packages
  const atRunTime = Object.entries(locked).filter(
    ([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional,
  )

  it('gives a reason for each package that is needed at run time, and for no other', () => {
    const rows = [...text.matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm)]
    rows.map(([, name]) => name).should.eql([...needed].sort())
    needed.length.should.be.belowOrEqual(6)
    for (const [, , reason] of rows) should(reason).match(/\w+ \w+/)
  })

  it('counts the packages that come along', () => {
    const [, along, others] = /bring (\d+) more packages along, all but (\w+)/.exec(text) ?? []
    Number(along).should.equal(atRunTime.length - needed.length)
    const rest = atRunTime.length - needed.length - behind('axios').size
    should(others).equal({ 5: 'five', 6: 'six', 7: 'seven', 8: 'eight', 9: 'nine' }[rest])
  })

  it('are few: as many as an install of the package brings, with the package itself', () => {
    const most = Number(/at most (\d+) packages/.exec(text)?.[1])
    most.should.equal(45)
    // Nothing of it is optional, and no name has two versions.
    should(atRunTime.length + 1).be.within(needed.length, most)
    for (const [path] of atRunTime) path.split('node_modules/').length.should.equal(2, path)
  })

  /** The packages that come with one. */
  function behind(name: string, seen = new Set<string>()): Set<string> {
    for (const each of Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {})) {
      if (!seen.has(each)) behind(each, seen.add(each))
    }
    return seen
  }
})
