import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBrowser } from '../support/browser'
import { root } from '../support/root'

describe('npm test', function () {
  this.timeout(60_000)

  describe('looks for a browser', () => {
    const found = (
      platform: NodeJS.Platform,
      env: NodeJS.ProcessEnv,
      ...programs: string[]
    ): string | undefined =>
      findBrowser({ platform, env, isProgram: (path) => programs.includes(path) })

    it('where CHROMIUM says, and then nowhere else', () => {
      const there = ['/mine', '/usr/bin/chromium']
      should(found('linux', { CHROMIUM: '/mine' }, ...there)).equal('/mine')
      should(found('linux', { CHROMIUM: 'none' }, ...there)).be.undefined()
    })

    it('on Linux: on the path, and where packages and snaps put one', () => {
      const PATH = '/opt/tools:/home/me/bin'
      for (const program of [
        '/home/me/bin/chromium',
        '/usr/bin/chromium-headless-shell',
        '/opt/tools/chromium-browser',
        '/opt/tools/google-chrome',
        '/opt/tools/google-chrome-stable',
        '/opt/tools/microsoft-edge',
        '/opt/tools/msedge',
        '/usr/bin/chromium',
        '/snap/bin/chromium',
        '/opt/google/chrome/chrome',
        '/opt/microsoft/msedge/msedge',
      ]) {
        should(found('linux', { PATH }, program)).equal(program)
      }
      should(found('linux', {})).be.undefined()
      const both = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell']
      should(found('linux', {}, ...both)).equal('/usr/bin/chromium-headless-shell')
    })

    it('on macOS: among the applications of the machine and of the user', () => {
      for (const program of [
        '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
        '/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium',
        '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      ]) {
        should(found('darwin', { HOME: '/Users/me' }, program)).equal(program)
      }
    })

    it('on Windows: among the programs, whatever the case of the variables', () => {
      const env = { PROGRAMFILES: 'C:\\P', 'ProgramFiles(x86)': 'C:\\P86', LOCALAPPDATA: 'C:\\L' }
      for (const program of [
        'C:\\P\\Google\\Chrome\\Application\\chrome.exe',
        'C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe',
        'C:\\L\\Chromium\\Application\\chrome.exe',
      ]) {
        should(found('win32', env, program)).equal(program)
      }
    })

    it('for every suite that starts one', () => {
      const tests = join(root, 'dist/test')
      const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.js') && !file.startsWith('support'),
      )
      const inOne = files.filter((file) =>
        /\bsharedEditor\)\(/.test(readFileSync(join(tests, file), 'utf8')),
      )
      inOne.length.should.be.above(4)
      for (const file of inOne) {
        const text = readFileSync(join(tests, file), 'utf8')
        text.should.match(/\binBrowser\)\(/, `${file} does not say that it needs a browser`)
      }
    })
  })

  it('and npm start load in a fresh checkout, which has no packages yet', () => {
    const folder = mkdtempSync(join(tmpdir(), 'media-gateway-fresh-'))
    try {
      cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
      for (const file of ['package.json', 'package-lock.json']) {
        cpSync(join(root, file), join(folder, file))
      }
      for (const script of ['start.mjs', 'test.mjs']) {
        // No npm is found: the script ends where it would install the packages.
        const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', script)], {
          env: { PATH: folder },
          encoding: 'utf8',
        })
        should(status).equal(1)
        stderr.should.match(/^npm ci could not be started/, script)
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  describe('runs the files that are named', () => {
    const run = (...args: string[]): { status: number | null; output: string } => {
      const script = join(root, 'scripts/test.mjs')
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
        encoding: 'utf8',
      })
      return { status, output: stdout + stderr }
    }

    it('by a path or a part of one, also before and after options of mocha', () => {
      for (const args of [
        ['test/client/linked-set.test.ts'],
        ['client/linked'],
        ['--grep', 'set', 'linked-set'],
        ['linked-set', '--grep=set'],
      ]) {
        const { status, output } = run(...args)
        should(status).equal(0, output)
        output.should.match(/\n[1-9] passed, 0 failed\n$/, args.join(' '))
      }
    })

    it('and fails if there is none of that name, or no test in them', () => {
      for (const [args, said] of [
        [['client/no-such-file'], 'No test has "client/no-such-file" in its path.'],
        [['linked-set', '--grep', 'no such test'], 'No test was run: nothing matches.'],
      ] as const) {
        const { status, output } = run(...args)
        should(status).equal(1, output)
        output.should.containEql(said)
      }
    })
  })

  describe('ends with the counts', () => {
    let folder: string
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'media-gateway-harness-'))
    })
    after(() => rmSync(folder, { recursive: true, force: true }))

    /** Runs a file of tests as `npm test` does. */
    function run(text: string, env: object = {}): Promise<{ code: number; lines: string[] }> {
      const file = join(folder, 'sample.test.cjs')
      writeFileSync(file, text)
      const script = `
        import { runMocha } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/mocha.mjs')))}
        process.exitCode = runMocha([${JSON.stringify(file)}], {
          results: ${JSON.stringify(join(folder, 'results.json'))},
          jobs: 1,
        })`
      return new Promise((resolve) => {
        execFile(
          process.execPath,
          ['--input-type=module', '-e', script],
          { env: { ...process.env, ...env } },
          (error, stdout, stderr) => {
            const code = error ? Number(error.code) : 0
            resolve({ code, lines: `${stderr}${stdout}`.trim().split('\n') })
          },
        )
      })
    }

    const browser = JSON.stringify(join(root, 'dist/test/support/browser.js'))
    const failingOnce = (title: string): string => `
      let ${title} = 0
      it('${title}', () => { if (${title}++ === 0) throw new Error('slow') })`

    it('alone on the last line', async () => {
      const { code, lines } = await run(`it('a', () => {}); it('b', () => { throw new Error() })`)
      code.should.equal(1)
      lines.at(-1)!.should.equal('1 passed, 1 failed')
    })

    it('and before them how many are skipped without a browser, and how to run them', async () => {
      const { code, lines } = await run(
        `it('a', () => {})
         require(${browser}).inBrowser('the form', () => {
           before(() => { throw new Error('there is none') })
           after(() => { throw new Error('there was none') })
           it('opens', () => {})
           it('closes', () => {})
         })`,
        { CHROMIUM: 'none' },
      )
      code.should.equal(0)
      lines
        .slice(-3)
        .should.eql([
          '2 tests in a browser skipped: CHROMIUM is "none", which is not a program.',
          'To run them, install one (Debian: apt install chromium), or set CHROMIUM to its path.',
          '1 passed, 0 failed, 2 skipped',
        ])
    })

    it('and how many without NATS', async () => {
      const nats = JSON.stringify(join(root, 'dist/test/support/nats.js'))
      const { code, lines } = await run(
        `it('a', () => {})
         require(${nats}).withNats('the engine', () => {
           before(() => { throw new Error('there is none') })
           it('starts', () => {})
         })`,
        { NATS_SERVER: 'none' },
      )
      code.should.equal(0)
      lines
        .slice(-3)
        .should.eql([
          '1 test with NATS skipped: NATS_SERVER is "none", which is not a program.',
          'To run them, install it (Debian: apt install nats-server), or set NATS_SERVER to its path.',
          '1 passed, 0 failed, 1 skipped',
        ])
    })

    it('retries no test outside a browser', async () => {
      const { code, lines } = await run(failingOnce('first'))
      code.should.equal(1)
      lines.at(-1)!.should.equal('0 passed, 1 failed')
    })

    const IN_ONE = { CHROMIUM: process.execPath }
    const inOne = (...titles: string[]): string =>
      `require(${browser}).inBrowser('the form', () => { ${titles.map(failingOnce).join('\n')} })`

    it('names those in a browser that needed a second try', async () => {
      const { code, lines } = await run(inOne('first', 'second'), IN_ONE)
      code.should.equal(0)
      lines
        .slice(-4)
        .should.eql([
          '2 tests in a browser needed a second try:',
          '  the form, in a browser first: slow',
          '  the form, in a browser second: slow',
          '2 passed, 0 failed',
        ])
    })

    it('fails when there are more than two of them', async () => {
      const { code, lines } = await run(inOne('first', 'second', 'third'), IN_ONE)
      code.should.equal(1)
      lines.at(-1)!.should.equal('3 passed, 0 failed')
      lines.join('\n').should.containEql('No more than 2 may: this run has failed.')
    })

    it('fails a file that leaves a timer, a socket or a listener, and says which', async () => {
      const { code, lines } = await run(
        `it('leaks', () => {
           const timer = setTimeout(() => {}, 60_000)
           const socket = require('node:dgram').createSocket('udp4').bind(0)
           process.on('warning', () => {})
           // They end with the test of the tests.
           setTimeout(() => process.exit(), 15_000).unref()
         })`,
      )
      code.should.equal(1)
      lines
        .join('\n')
        .should.match(/left something open: .*1 Timeout/)
        .and.match(/1 UDPWrap|1 UDP/)
        .and.match(/1 listener of the process for warning/)
    })

    it('fails a file that takes more memory than it may', async () => {
      const grows = `it('grows', () => Buffer.alloc(150_000_000, 1).length)`
      const { code, lines } = await run(grows, { TEST_MEGABYTES: '150' })
      code.should.equal(1)
      lines.join('\n').should.match(/the process grew to \d+ MB/)
    })
  })
})
