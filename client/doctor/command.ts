#!/usr/bin/env node
import { accessSync, constants, existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { readCertificate } from '../connection/certificate'
import { openConnection, type GatewayOptions } from '../connection/connection'
import { isUntrusted } from '../connection/faults'
import { mayAct, rolesOf } from '../connection/roles'
import { normalFingerprint, parseBase } from '../connection/settings'
import { GatewayError } from '../errors'
import { legible } from '../model/legible'
import type { Certificate } from '../model/settings'
import { textOf, type SentenceKey } from '../sentences'
import { Stop } from '../stop'
import { accountOf, experimentLines, fileName, fileOf, linesOf, reportOf } from './account'
import { experiment, type Experimented } from './experiments'
import { factsIn, sightOf } from './facts'
import { createRecorder, type Reading } from './read'

const HELP = `media-gateway-doctor URL --user NAME: examines a gateway; without --write it changes nothing

  --user NAME          username; an account with the role Observer is enough
  --out FILE           where to write the report
                       (media-gateway-report-DATE.json in this directory)
  --fingerprint SHA256 trust exactly the certificate with this fingerprint
  --proxy URL          HTTP proxy on the way to the gateway
  --write              then create, start, change and delete routes of its own, which shows what
                       reading cannot; needs an Operator or Administrator, and a terminal at which
                       the name of the gateway is typed
  --help               print this text

It asks for the password, or takes it from MEDIA_GATEWAY_PASSWORD.

It logs in once, sends at most 60 requests that read, one after the other, and ends its session. It
prints an account, and writes a report in which names, addresses and IDs are pseudonyms and secrets
are removed. Nothing is sent anywhere but to the gateway.

Exit status: 0 when the gateway was read, 1 when it could not be read or --write was not carried out
or left a route, 2 for wrong options.
`

/** A mistake in the options: printed as a sentence, exit status 2. */
class UsageError extends Error {}

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const tell = (text: string): void => void process.stderr.write(`${text}\n`)

interface Command extends Pick<GatewayOptions, 'baseUrl' | 'username' | 'fingerprint' | 'proxy'> {
  out: string
  write: boolean
}

async function main(): Promise<void> {
  const command = commandFrom(process.argv.slice(2))
  if (command === undefined) {
    process.stdout.write(HELP)
    return
  }
  const stop = new Stop()
  const end = (): void => stop.now()
  process.on('SIGINT', end).on('SIGTERM', end).on('SIGHUP', end)
  try {
    await examine(command, await passwordFor(command.username, stop), stop)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end).off('SIGHUP', end)
  }
}

function commandFrom(args: string[]): Command | undefined {
  const { values, positionals } = parsed(args)
  if (values.help) return undefined
  const [baseUrl, ...others] = positionals
  if (baseUrl === undefined || others.length > 0) {
    throw new UsageError('Give the URL of one gateway, such as https://gateway.example.')
  }
  const { user: username = '', out, fingerprint, proxy, write = false } = values
  if (username === '') throw new UsageError('Give the username with --user NAME.')
  if (proxy !== undefined && !/^https?:\/\/[^/]/i.test(proxy)) {
    throw new UsageError('--proxy takes a URL such as http://proxy.example:3128.')
  }
  if (write && !isTerminal()) {
    throw new UsageError('--write needs a terminal: the name of the gateway has to be typed.')
  }
  try {
    normalFingerprint(fingerprint, parseBase(baseUrl))
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
  return {
    baseUrl,
    username,
    fingerprint,
    proxy: proxy === undefined ? undefined : { url: proxy },
    out: writable(out === undefined ? newFile() : resolve(out)),
    write,
  }
}

function parsed(args: string[]) {
  const text = { type: 'string' } as const
  const options = { user: text, out: text, fingerprint: text, proxy: text }
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { ...options, write: { type: 'boolean' }, help: { type: 'boolean' } },
    })
  } catch (error) {
    // Node.js goes on about arguments that begin with a dash: there are none.
    throw new UsageError(messageOf(error).replace(/\. To specify [^]*/, '.'))
  }
}

/** A name that no file has. */
function newFile(): string {
  const name = fileName(Date.now())
  for (let number = 1; ; number++) {
    const file = resolve(number === 1 ? name : name.replace('.json', `-${number}.json`))
    if (!existsSync(file)) return file
  }
}

function writable(file: string): string {
  try {
    if (!existsSync(file)) accessSync(dirname(file), constants.W_OK)
    else if (statSync(file).isDirectory()) throw new Error('it is a directory')
    else accessSync(file, constants.W_OK)
    return file
  } catch (error) {
    throw new UsageError(`--out: ${file} cannot be written: ${messageOf(error)}.`)
  }
}

async function passwordFor(user: string, stop: Stop): Promise<string> {
  const given = process.env.MEDIA_GATEWAY_PASSWORD
  if (given) return given
  if (!isTerminal()) {
    throw new UsageError(
      'There is no terminal to ask for the password. Give it in MEDIA_GATEWAY_PASSWORD.',
    )
  }
  const password = await answerTo(`Password of ${user}: `, stop, true)
  if (password === '') throw new UsageError('A password is needed.')
  return password
}

const isTerminal = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Asks at the terminal; `isHidden`: without showing what is typed. @throws at the stop */
async function answerTo(question: string, stop: Stop, isHidden = false): Promise<string> {
  const output = isHidden
    ? new Writable({ write: (_chunk, _encoding, done) => done() })
    : process.stderr
  const typed = createInterface({ input: process.stdin, output, terminal: true })
  // The terminal shows nothing that is typed from now on.
  process.stderr.write(question)
  const unhook = stop.onStop(() => typed.close())
  try {
    return await new Promise((answered, ended) => {
      typed.on('line', answered)
      typed.on('close', () => ended(new Error('Ended.')))
    })
  } finally {
    unhook()
    typed.close()
    if (isHidden) tell('')
  }
}

async function examine(command: Command, password: string, stop: Stop): Promise<void> {
  const { out, write, ...options } = command
  const certificate = await readCertificate({ ...options, timeout: CERTIFICATE_MS })
  const recorder = createRecorder()
  const gateway = openConnection({ ...options, password, ...recorder.options })
  try {
    const { reading, failure } = await recorder.read(gateway, stop, certificate)
    const now = Date.now()
    const lines = linesOf(accountOf(reading, now), factsIn(reading))
    for (const line of gateway.hide(lines)) print(line)
    // There may be room for one session only.
    if (write) await gateway.close()
    const done = write ? await writeAlso({ ...options, password }, reading, out, stop) : undefined
    for (const line of experimentLines(done?.experiments ?? [])) print(line)
    writeFileSync(out, gateway.hide(fileOf(reportOf(reading, now, done?.experiments))))
    print('')
    print(`The report is in ${out}: this account and ${reading.answers.length} responses.`)
    print('Names, addresses and IDs in it are pseudonyms; secrets and unknown values are removed.')
    print('It was not sent anywhere. Read it before you pass it on.')
    if (failure ?? done?.failure) throw failure ?? done?.failure
  } catch (error) {
    if (!isUntrusted(error) || !certificate || command.fingerprint) throw error
    await gateway.close()
    await trust(certificate, messageOf(error), stop)
    return examine({ ...command, fingerprint: certificate.fingerprint }, password, stop)
  } finally {
    await gateway.close()
  }
}

/** Makes the experiments once the name of the gateway was typed. `failure`: why not all was done. */
async function writeAlso(
  options: GatewayOptions,
  reading: Reading,
  out: string,
  stop: Stop,
): Promise<Pick<Experimented, 'experiments' | 'failure'>> {
  const { devices, session } = sightOf(reading)
  const roles = rolesOf(session[0])
  if (!mayAct(roles, 'Operator')) {
    const advice = 'Give --user an account with the role Operator or Administrator.'
    return refused(`The role ${roles.join(', ')} may change nothing. ${advice}`)
  }
  print('')
  print('The experiments create three routes of their own, start, change and delete them.')
  const typed = (await answerTo('To begin, type the name of the gateway: ', stop)).trim()
  const [device, ...others] = devices.filter(({ name }) => String(name).trim() === typed)
  if (typed === '' || !device || others.length > 0) {
    return refused(`The gateway is not named ${JSON.stringify(typed)}. Nothing was changed.`)
  }
  const note = join(dirname(out), noteName(options.baseUrl))
  try {
    const { experiments, left, isDoubtful, failure } = await experiment({
      options,
      device: String(device._id),
      note,
      stop,
    })
    const more = `The note in ${note} stays: the next run with --write in this directory`
    if (left.length > 0) {
      const names = left.map((name) => `  ${legible(name)}`).join('\n')
      return refused(
        `These routes could not be deleted:\n${names}\n${more} deletes them.`,
        experiments,
      )
    }
    if (!isDoubtful) return { experiments, failure }
    const why = 'A create had no response, and the route was not listed afterwards.'
    return refused(`${why} ${more} deletes it if it came.`, experiments)
  } catch (failure) {
    return { experiments: [], failure }
  }
}

const refused = (why: string, experiments: Experimented['experiments'] = []) => ({
  experiments,
  failure: new Error(why),
})

/** One for each gateway, in the directory of the report. */
const noteName = (baseUrl: string): string =>
  `media-gateway-doctor-${parseBase(baseUrl).host.replace(/[^\w.-]/g, '_')}.json`

/** Milliseconds for the certificate alone. */
const CERTIFICATE_MS = 5000

/** Asks whether a certificate is the right one. @throws when it is not, or there is no terminal */
async function trust(certificate: Certificate, why: string, stop: Stop): Promise<void> {
  const { subject, issuer, validFrom, validTo, fingerprint } = certificate
  tell(why)
  tell(`  Subject:     ${legible(subject)}`)
  tell(`  Issuer:      ${legible(issuer)}`)
  tell(`  Valid:       ${validFrom.slice(0, 10)} to ${validTo.slice(0, 10)}`)
  tell(`  Fingerprint: ${fingerprint}`)
  if (!isTerminal()) {
    throw new Error(`If this is the certificate of the gateway, pass --fingerprint ${fingerprint}`)
  }
  const answer = await answerTo('Is this the certificate of the gateway? Type yes: ', stop)
  if (answer.trim().toLowerCase() !== 'yes') throw new Error('The certificate is not trusted.')
}

/** What this program says instead of the sentences for nodes; empty: nothing. */
const INSTEAD: Partial<Record<SentenceKey, string>> = {
  correct: '',
  correctLogin: 'Correct --user or the password.',
  pin: 'To trust exactly this certificate, give its SHA-256 fingerprint with --fingerprint.',
  noLogin: '',
  nextLogin: '',
  tryAgainOrWait: 'Try again later.',
  stopped: 'Stopped.',
}

function messageOf(error: unknown): string {
  if (!(error instanceof GatewayError))
    return error instanceof Error ? error.message : String(error)
  const sentences = error.sentences.map((one) => ({
    ...one,
    words: (one.key && INSTEAD[one.key]) ?? one.words,
  }))
  return textOf(sentences)
}

// Whoever reads what is printed may end, as `head` does; the session is ended all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError || (error as GatewayError).code === 'CONFIG'
  tell(messageOf(error) + (isUsage ? '\n--help lists the options.' : ''))
  process.exitCode = isUsage ? 2 : 1
})
