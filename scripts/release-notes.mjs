// Prints the section of CHANGELOG.md for a tag such as v0.2.0. Fails unless the tag matches the
// version in package.json and the section has a date: what is published is what was written up.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @throws Error that says what to correct */
export function releaseNotes(tag, version, changelog) {
  if (tag !== `v${version}`) {
    throw new Error(`The tag ${tag} does not match the version ${version} in package.json.`)
  }
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  if (!section) throw new Error(`CHANGELOG.md has no section [${version}].`)
  const [heading, ...lines] = section.split('\n')
  if (!/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}$/.test(heading.trim())) {
    throw new Error(
      `The section [${version}] of CHANGELOG.md has no date: "## [${version}] - YYYY-MM-DD".`,
    )
  }
  const notes = lines
    .filter((line) => !/^\[[^\]]+\]: /.test(line))
    .join('\n')
    .trim()
  if (!notes) throw new Error(`The section [${version}] of CHANGELOG.md is empty.`)
  return `${notes}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)))
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    process.stdout.write(releaseNotes(process.argv[2], version, changelog))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
