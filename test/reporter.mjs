// The spec reporter, which also leaves the counts in a file for scripts/test.mjs.
import { writeFileSync } from 'node:fs'
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    let trouble = 'The tests broke off before their end.'
    runner.once('end', () => {
      trouble = undefined
    })
    // Passed or not: a test that needs another try is told by its name.
    let retried = 0
    runner.on('retry', (test, error) => {
      retried++
      console.log(`another try: ${test.fullTitle()}: ${error?.message}`)
    })
    // At the exit, so that the counts are there too when a test ends the process.
    process.once('exit', () => {
      const { passes, failures, pending } = this.stats
      writeFileSync(
        options.reporterOptions.output,
        JSON.stringify({ trouble, passed: passes, failed: failures, skipped: pending, retried }),
      )
    })
  }
}
