// The real Prometheus of the tests, and the one way to describe a suite that needs it.
//   PROMETHEUS   the folder of `prometheus` and `promtool`, or `none`; without it PATH is searched
import { delimiter, join } from 'node:path'
import { isProgram } from './nats'

export interface Programs {
  prometheus: string
  promtool: string
}

/** Returns the paths of both programs; undefined if one is missing. */
export function findPrometheus(env: NodeJS.ProcessEnv = process.env): Programs | undefined {
  const { PROMETHEUS, PATH = '' } = env
  const folders = PROMETHEUS ? [PROMETHEUS] : [...PATH.split(delimiter), '/usr/bin']
  const find = (name: string): string | undefined =>
    folders
      .filter(Boolean)
      .map((folder) => join(folder, name))
      .find(isProgram)
  const [prometheus, promtool] = [find('prometheus'), find('promtool')]
  return prometheus && promtool ? { prometheus, promtool } : undefined
}

/** Ends the title of every suite that needs Prometheus: used to count the skipped ones. */
export const WITH_PROMETHEUS = ', with Prometheus'

/** Describes a suite that needs Prometheus. Without it, it is skipped as a whole, hooks included. */
export function withPrometheus(subject: string, suite: (programs: Programs) => void): void {
  const programs = findPrometheus()
  const title = subject + WITH_PROMETHEUS
  if (programs) describe(title, () => suite(programs))
  else describe.skip(title, () => suite({ prometheus: '', promtool: '' }))
}
