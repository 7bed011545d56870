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
    // At the exit, so that the counts are there too when a test ends the process.
    process.once('exit', () => {
      const { passes, failures, pending } = this.stats
      writeFileSync(
        options.reporterOptions.output,
        JSON.stringify({ trouble, passed: passes, failed: failures, skipped: pending }),
      )
    })
  }
}
