import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import type { Judged } from './matrix'
import { NODE_NAMES } from './nodes'
import { FAULTS, EXTENTS, REASONS, RULED, ruleFor, type Place } from './rules'
import { root } from '../support/root'

const PAGE = join(root, 'docs/project/reliability.md')
const BEGIN = '<!-- faults: begin -->'
const END = '<!-- faults: end -->'

export async function writeTable(judged: Judged[]): Promise<void> {
  writeFileSync(PAGE, await pageWith(judged))
}

/** The first line that the page has, and the one that it is to have; undefined where it is right. */
export async function differenceIn(judged: Judged[]): Promise<string | undefined> {
  const wanted = (await pageWith(judged)).split('\n')
  const present = readFileSync(PAGE, 'utf8').split('\n')
  const place = wanted.findIndex((line, index) => line !== present[index])
  return place < 0 ? undefined : `it has\n${present[place]}\nfor\n${wanted[place]}`
}

/** Whether the page has what does not depend on a run: rules, exceptions, and a column for each node. */
export function hasFrame(): boolean {
  const inShort = (text: string): string => text.replaceAll(/[ -]+/g, ' ')
  const page = inShort(readFileSync(PAGE, 'utf8'))
  return [rules(), exceptions(), asTable(['Fault', ...NODE_NAMES], [])].every((part) =>
    page.includes(inShort(part)),
  )
}

async function pageWith(judged: Judged[]): Promise<string> {
  const page = readFileSync(PAGE, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) {
    throw new Error('docs/project/reliability.md has no place for the table.')
  }
  const text = `${before}${BEGIN}\n\n${tables(judged)}\n\n${END}${after}`
  const options = await resolveConfig(PAGE)
  return format(text, { ...options, filepath: PAGE })
}

/** What an outcome is called in the tables, in the order in which they are named. */
const MARKS: Record<string, [mark: string, meaning: string]> = {
  ok: ['✓', 'the same result as without the fault'],
  away: ['A', '`appliance.unreachable`, and `appliance.reachable` when it is over, once each'],
  TIMEOUT: ['T', '`TIMEOUT`'],
  UNAVAILABLE: ['U', '`UNAVAILABLE`'],
  BAD_RESPONSE: ['B', '`BAD_RESPONSE`'],
  OUTCOME_UNKNOWN: ['O', '`OUTCOME_UNKNOWN`'],
  NOT_CONFIRMED: ['N', '`NOT_CONFIRMED`'],
  REJECTED: ['R', '`REJECTED`'],
  FORBIDDEN: ['F', '`FORBIDDEN`'],
  NOT_FOUND: ['X', '`NOT_FOUND`'],
  CONFLICT: ['C', '`CONFLICT`'],
  LOGIN_REFUSED: ['L', '`LOGIN_REFUSED`'],
  TOO_MANY_SESSIONS: ['M', '`TOO_MANY_SESSIONS`'],
}

const markOf = (outcome: string): string => MARKS[outcome]?.[0] ?? outcome

function tables(judged: Judged[]): string {
  const legend = Object.values(MARKS).map(([mark, meaning]) => `**${mark}** ${meaning}`)
  return [
    `${judged.length} cells. ${legend.join(', ')}.`,
    'The required outcome of a fault at one request. Before the slash: only this request is affected. After the slash: all following requests are affected too.',
    rules(),
    'Exceptions:',
    exceptions(),
    'The measured outcomes, for all requests of a node together:',
    outcomes(judged),
  ].join('\n\n')
}

const exceptions = (): string =>
  REASONS.map((reason) => `- ${reason[0]!.toUpperCase()}${reason.slice(1)}.`).join('\n')

function rules(): string {
  const places = Object.entries(RULED) as Array<[Place, string]>
  return asTable(
    ['Fault', ...places.map(([, name]) => name)],
    FAULTS.map(({ name, fault }) => [
      `\`${name}\``,
      ...places.map(([place]) => {
        const marks = EXTENTS.map((extent) => markOf(ruleFor(place, fault, extent)))
        return marks[0] === marks[1] ? marks[0]! : marks.join(' / ')
      }),
    ]),
  )
}

function outcomes(judged: Judged[]): string {
  const seen = new Map<string, Set<string>>()
  for (const { node, faultName, outcomes: each } of judged) {
    const key = `${faultName} ${node}`
    const known = seen.get(key) ?? new Set()
    for (const outcome of each) known.add(outcome)
    seen.set(key, known)
  }
  const order = Object.keys(MARKS)
  const cell = (faultName: string, node: string): string =>
    [...(seen.get(`${faultName} ${node}`) ?? [])]
      .sort((one, other) => order.indexOf(one) - order.indexOf(other))
      .map(markOf)
      .join(' ')
  return asTable(
    ['Fault', ...NODE_NAMES],
    FAULTS.map(({ name }) => [`\`${name}\``, ...NODE_NAMES.map((node) => cell(name, node))]),
  )
}

const asTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
