// The spec reporter, which also leaves the results in a file for scripts/mocha.mjs.
import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    let trouble = 'The tests stopped before the end.'
    runner.once('end', () => {
      trouble = undefined
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
