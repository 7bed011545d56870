// The browser of the tests, and the one way to describe a suite that needs it.
//   CHROMIUM   its path, or `none`; without it the usual places are searched
import { accessSync, constants } from 'node:fs'
import { posix, win32 } from 'node:path'

export interface Machine {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  isProgram: (path: string) => boolean
}

const THIS_MACHINE: Machine = {
  platform: process.platform,
  env: process.env,
  isProgram(path) {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  },
}

/** Returns the path of a Chromium, Chrome or Edge; undefined if there is none. */
export function findBrowser(machine: Machine = THIS_MACHINE): string | undefined {
  const named = machine.env['CHROMIUM']
  // A browser that was asked for is not replaced by another.
  const placesOf = PLACES[machine.platform] ?? onLinux
  return (named ? [named] : placesOf(machine.env)).find(machine.isProgram)
}

/** Ends the title of every suite that needs a browser: used to count the skipped ones. */
export const IN_A_BROWSER = ', in a browser'

/**
 * Describes a suite that needs a browser. Without one it is skipped as a whole, hooks included.
 * No other suite may retry a test within its run, and this one only once: now and then a browser, a Node-RED or
 * the machine is slow to draw a page, and nothing can wait for that.
 * `npm test` names the tests that were retried, and fails if there are more than two.
 */
export function inBrowser(subject: string, suite: (this: Mocha.Suite) => void): void {
  const title = subject + IN_A_BROWSER
  if (findBrowser() === undefined) {
    describe.skip(title, suite)
    return
  }
  describe(title, function () {
    this.retries(1)
    suite.call(this)
  })
}

const PROGRAMS = [
  // Made for tests: it has no window at all.
  'chromium-headless-shell',
  'chromium',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'msedge',
  // Last, since on Ubuntu it may only say how to install one.
  'chromium-browser',
]

const onLinux = (env: NodeJS.ProcessEnv): string[] => [
  ...onPath(env),
  ...['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap(programsIn),
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
]

const PLACES: Partial<Record<NodeJS.Platform, (env: NodeJS.ProcessEnv) => string[]>> = {
  darwin: (env) => [
    ...onPath(env),
    ...['', env['HOME'] ?? ''].flatMap((home) =>
      ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
        (name) => `${home}/Applications/${name}.app/Contents/MacOS/${name}`,
      ),
    ),
  ],
  win32: (env) =>
    ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((variable) => {
      const folder = valueOf(env, variable)
      if (!folder) return []
      return ['Chromium/Application/chrome.exe', 'Google/Chrome/Application/chrome.exe']
        .concat('Microsoft/Edge/Application/msedge.exe')
        .map((program) => win32.join(folder, program))
    }),
}

const onPath = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? '').split(posix.delimiter).filter(Boolean).flatMap(programsIn)

const programsIn = (folder: string): string[] =>
  PROGRAMS.map((program) => posix.join(folder, program))

/** On Windows the names of variables are case-insensitive. */
function valueOf(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const name = Object.keys(env).find((each) => each.toLowerCase() === variable.toLowerCase())
  return name && env[name]
}
