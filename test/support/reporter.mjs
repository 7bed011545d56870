// The spec reporter, which also leaves the results in a file for scripts/mocha.mjs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    let trouble = 'The tests stopped before the end.'
    runner.once('end', () => {
      trouble = undefined
    })
    runner.on('fail', (test, error) => {
      if (error.stack) error.stack = withSources(error.stack)
    })
    const retried = []
    runner.on('retry', (test, error) => {
      retried.push(`${test.fullTitle()}: ${error?.message}`)
    })
    const skipped = []
    runner.on('pending', (test) => skipped.push(test.fullTitle()))
    // On exit, so that the results are there even if a test ends the process.
    process.once('exit', () => {
      const { passes: passed, failures: failed } = this.stats
      writeFileSync(
        options.reporterOptions.output,
        JSON.stringify({ trouble, passed, failed, skipped, retried }),
      )
    })
  }
}

/**
 * A stack that names the sources instead of what is built of them. Node.js can do so itself, but reads all
 * source maps for it: a twentieth of the time of all tests.
 */
function withSources(stack) {
  return stack.replaceAll(/(dist\/[^\s:()]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
    if (!existsSync(`${file}.map`)) return place
    const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
    const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1)
    if (originalSource === undefined) return place
    return `${join(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`
  })
}
