// Reads the text format of Prometheus 0.0.4, more strictly than Prometheus does.

/** One sample. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const LABEL = String.raw`[a-z_]+="(?:[^"\\\n]|\\["\\n])*"`
const SAMPLE = new RegExp(String.raw`^([a-z_]+)\{((?:${LABEL})(?:,${LABEL})*)\} (\d[\d.e+-]*)$`)
const HEADING = /^# (HELP|TYPE) ([a-z_]+) (\S.*)$/

/**
 * The samples of a text.
 * @throws Error when a line is none, is not below the two lines of its metric, or repeats another
 */
export function samplesIn(text: string): Sample[] {
  if (text === '') return []
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const [described, seen] = [new Set<string>(), new Set<string>()]
  let present = { help: '', type: '', of: '' }
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line): Sample[] => {
      const [, kind, of = '', words = ''] = HEADING.exec(line) ?? []
      if (kind === 'HELP') {
        if (described.has(of)) throw new Error(`twice: ${line}`)
        described.add(of)
        present = { help: of, type: '', of: '' }
        return []
      }
      if (kind === 'TYPE') {
        if (present.help !== of) throw new Error(`without its help: ${line}`)
        present = { help: of, type: words, of }
        return []
      }
      const [, name = '', inner = '', number] = SAMPLE.exec(line) ?? []
      if (!name) throw new Error(`not a sample: ${line}`)
      const base = present.type === 'summary' ? name.replace(/_(sum|count)$/, '') : name
      if (base !== present.of) throw new Error(`not below its heading: ${line}`)
      if (seen.has(`${name} ${inner}`)) throw new Error(`twice: ${line}`)
      seen.add(`${name} ${inner}`)
      return [{ name, labels: labelsIn(inner), value: Number(number) }]
    })
}

const labelsIn = (inner: string): Record<string, string> =>
  Object.fromEntries(
    [...inner.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
      label!,
      value!.replace(/\\(.)/g, (_, after: string) => (after === 'n' ? '\n' : after)),
    ]),
  )

/** The values of the samples with this name, `media_gateway_` left out, and at least these labels. */
export const valuesOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number[] =>
  samples
    .filter(
      (one) =>
        one.name === `media_gateway_${name}` &&
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    )
    .map(({ value }) => value)
