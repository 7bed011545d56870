// What a test of the connection found, in words.
import { titleOf, sentenceOf } from '../../editor/ask'
import { element } from '../../editor/element'
import { deviceState, signIcon } from '../../editor/states'
import { dateOf, text } from '../../editor/text'
import { plainText } from '../../../client/model/json'
import type { Certificate } from '../../../client/model/settings'
import type { Connection, ConnectionReport } from '../../wire'

type Fact = [sign: Parameters<typeof signIcon>[0], name: string, value: string]

type Tested = Partial<Pick<Connection, 'baseUrl' | 'fingerprint'>>

export function reportRows(report: ConnectionReport, tested: Tested): HTMLElement[] {
  const facts = [...placeFacts(report, tested), ...userFacts(report), ...deviceFacts(report)]
  if (report.ok) facts.push(['plain', 'session', word(report.reused ? 'reused' : 'ended')])
  return [headline(report), element('dl.media-gateway-facts', ...facts.flatMap(factRow))]
}

function headline(report: ConnectionReport): HTMLElement {
  const { ok, code, certificate, mistake, message = '' } = report
  const sign = signIcon(ok ? 'ok' : 'critical')
  if (mistake) {
    const what = element('b', text(`connection.mistake.${mistake.kind}`))
    return element('p', sign, ' ', what, `. ${text('connection.enterUrl', { url: mistake.url })}`)
  }
  if (ok) return element('p', sign, ' ', element('b', text('connection.ok')))
  const advice = code && ADVISED.includes(code) ? text(`connection.advice.${code}`) : ''
  const title = element('b', titleOf(certificate ? 'certificate' : code))
  // Where to correct the values need not be said in the form that has them.
  const sentences = report.sentences?.filter(
    (one) => !('key' in one && CORRECTIONS.includes(one.key)),
  )
  const words = sentenceOf({ ...report, message, sentences })
  return element('p', sign, ' ', title, `. ${words} ${advice}`.trimEnd())
}

const CORRECTIONS = ['correct', 'correctNode', 'correctLogin']

/** For the other codes, the sentences of the failure say what to do. */
const ADVISED = ['LOGIN_REFUSED']

/** Codes after which the appliance has at least responded. */
const ANSWERED = ['LOGIN_REFUSED', 'TOO_MANY_SESSIONS', 'FORBIDDEN', 'REJECTED', 'NOT_FOUND']

function placeFacts(
  { ok, code, answerMs, certificate, mistake }: ConnectionReport,
  tested: Tested,
): Fact[] {
  if (mistake) return [['critical', 'appliance', word('otherUrl')]]
  // Without a code it is Node-RED that did not respond, or must not.
  if (code === 'CONFIG' || (!ok && code === undefined)) {
    return [['critical', 'appliance', word('notAsked')]]
  }
  if (code === 'TLS')
    return [['critical', 'encryption', word(certificate ? 'notTrusted' : 'noTls')]]
  if (code === 'BAD_RESPONSE') return [['critical', 'appliance', word('strange')]]
  if (!ok && !ANSWERED.includes(code ?? '')) return [['critical', 'appliance', word('notReached')]]
  const facts: Fact[] = [['ok', 'appliance', word('reached')]]
  if (answerMs !== undefined) {
    facts.push(['plain', 'answer', text('connection.is.milliseconds', { number: answerMs })])
  }
  const url = plainText(tested.baseUrl)
  if (/^https:/i.test(url)) {
    facts.push(['ok', 'encryption', word(tested.fingerprint ? 'pinned' : 'trusted')])
  } else if (/^http:/i.test(url)) {
    facts.push(['warning', 'encryption', word('readable')])
  }
  return facts
}

function userFacts({ code, user, mistake }: ConnectionReport): Fact[] {
  if (!user) {
    if (mistake) return []
    if (code === 'LOGIN_REFUSED') return [['critical', 'user', word('refused')]]
    return code === 'TOO_MANY_SESSIONS' ? [['critical', 'user', word('noSession')]] : []
  }
  const { name, roles, isLicensed } = user
  const licence = isLicensed === null ? 'notTold' : isLicensed ? 'valid' : 'notValid'
  return [
    ['ok', 'user', roles.length > 0 ? `${name} (${roles.join(', ')})` : name],
    [isLicensed === null ? 'plain' : isLicensed ? 'ok' : 'critical', 'licence', word(licence)],
  ]
}

function deviceFacts({ device, devices, routes }: ConnectionReport): Fact[] {
  if (!device) return devices === 0 ? [['critical', 'device', word('noDevice')]] : []
  const { name, firmware } = device
  const { sign, word: status } = deviceState(device)
  const others = (devices ?? 1) - 1
  const more = others > 0 ? `; ${text('connection.is.moreDevices', { number: others })}` : ''
  const facts: Fact[] = [
    [sign, 'device', `${name}, ${status}${more}`],
    ['plain', 'firmware', firmware],
  ]
  if (routes !== undefined) facts.push(['plain', 'routes', String(routes)])
  return facts
}

export function certificateRows(certificate: Certificate): HTMLElement[] {
  const now = Date.now()
  const { subject, issuer, validFrom, validTo, fingerprint } = certificate
  const isEarly = Date.parse(validFrom) > now
  const isOver = Date.parse(validTo) < now
  const facts: Fact[] = [
    ['plain', 'subject', subject],
    ['plain', 'issuer', issuer],
    [isEarly ? 'critical' : 'plain', 'validFrom', day(validFrom, isEarly && 'early')],
    [isOver ? 'critical' : 'plain', 'validTo', day(validTo, isOver && 'expired')],
    ['plain', 'fingerprint', fingerprint],
  ]
  return [
    element('p', element('b', text('connection.certificate'))),
    element('dl.media-gateway-facts', ...facts.flatMap(factRow)),
    element('p', text('connection.compare')),
  ]
}

function day(iso: string, fault: string | false): string {
  const at = new Date(iso)
  const shown = Number.isNaN(at.getTime()) ? word('notTold') : dateOf(at)
  return fault ? `${shown} (${word(fault)})` : shown
}

const word = (key: string): string => text(`connection.is.${key}`)

function factRow([sign, name, value]: Fact): HTMLElement[] {
  const term = element('dt', signIcon(sign), ' ', text(`connection.fact.${name}`))
  // A fingerprint has no spaces to break the line at.
  return [term, element('dd', ...fingerprintParts(value))]
}

/** A fingerprint, with places where its line may break; any other text is one part. */
export const fingerprintParts = (value: string): (Node | string)[] =>
  value.split(/(?<=:)(?=[0-9A-F]{2}\b)/).flatMap((part) => [part, element('wbr')])
