// What the documentation says that the account of a fleet needs on its engine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root'

export interface Rights {
  publish: string[]
  subscribe: string[]
}

/** What stands as code in the line of docs/fleets.md that begins like this. */
export function subjectsIn(beginning: string): string[] {
  const lines = readFileSync(join(root, 'docs/fleets.md'), 'utf8').split('\n')
  const line = lines.find((each) => each.trim().startsWith(beginning)) ?? ''
  const [, after = ''] = line.split(beginning)
  return [...after.matchAll(/`([^`]+)`/g)].map(([, subject]) => subject!)
}

/** For each bucket of the line, what is needed of it. */
function ofBuckets(): string[] {
  const subjects = subjectsIn('- to publish, for each')
  const buckets = subjects.filter((subject) => subject.startsWith('media-gateway-'))
  const needed = subjects.filter((subject) => subject.includes('.'))
  return buckets.flatMap((bucket) => needed.map((each) => each.replace('<bucket>', bucket)))
}

export const namedRights: Rights = {
  publish: [...subjectsIn('- to publish to'), ...ofBuckets(), ...subjectsIn('- to publish, with')],
  subscribe: subjectsIn('- to subscribe to'),
}

export const ofFleet = ({ publish, subscribe }: Rights, fleet: string): Rights => ({
  publish: publish.map((each) => each.replace('<fleet>', fleet)),
  subscribe: subscribe.map((each) => each.replace('<fleet>', fleet)),
})
