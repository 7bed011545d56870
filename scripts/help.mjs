// Imported first by every command: with --help it prints the comment at the top of the command, and ends.
import { readFileSync } from 'node:fs'

const [, command, ...args] = process.argv

if (args.includes('--help') || args.includes('-h')) {
  const [comment] = /^(?:\/\/.*\n)+/.exec(readFileSync(command, 'utf8')) ?? ['']
  console.log(comment.replaceAll(/^\/\/ ?/gm, '').trimEnd())
  process.exit(0)
}

/** Ends a command with an error that got an argument which it does not know. */
export function refuseOthers(...known) {
  const [other] = args.filter((each) => !known.includes(each))
  if (other === undefined) return
  console.error(`Unknown option "${other}". Add --help to see the options.`)
  process.exit(1)
}
