// Reads a table of comma-separated values, as spreadsheets write it.

export interface Table {
  header: string[]
  /** Each with the line at which it begins, counted from 1. Lines without a cell that is filled are left out. */
  rows: { line: number; cells: string[] }[]
}

const SEPARATORS = [',', ';', '\t']

/**
 * The first line is the header, and decides on the separator: comma, semicolon or tab. Cells may stand in
 * quotation marks, with `""` for one in the text. A mark that is never closed, or closed before the end of
 * its cell, is a fault.
 * @param text without a byte order mark; its length has been checked
 * @param most cells in all
 */
export function readTable(
  text: string,
  most: number,
): Table | { fault: 'tooLarge' } | { fault: 'quote'; line: number } {
  // Excel may say on a line of its own which separator it has used.
  const [declared, said] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const separator = said ?? separatorIn(text)
  const table: Table = { header: [], rows: [] }
  let isHeader = true
  let cells: string[] = []
  let counted = 0
  let line = declared === undefined ? 1 : 2
  let begun = line
  let at = declared?.length ?? 0

  function endRow(): void {
    if (cells.some((cell) => cell.trim() !== '')) {
      if (isHeader) table.header = cells.map((cell) => cell.trim())
      else table.rows.push({ line: begun, cells })
      isHeader = false
    }
    cells = []
  }

  while (at < text.length) {
    if (cells.length === 0) begun = line
    if (++counted > most) return { fault: 'tooLarge' }
    let end: number
    if (text[at] === '"') {
      const closing = closingQuote(text, at)
      if (closing === undefined) return { fault: 'quote', line }
      const quoted = text.slice(at + 1, closing)
      line += quoted.split(/\r\n?|\n/).length - 1
      end = endOfCell(text, closing + 1, separator)
      if (text.slice(closing + 1, end).trim() !== '') return { fault: 'quote', line }
      cells.push(quoted.replaceAll('""', '"'))
    } else {
      end = endOfCell(text, at, separator)
      cells.push(text.slice(at, end))
    }
    if (text[end] === separator) {
      at = end + 1
      // A separator at the very end is followed by an empty cell.
      if (at === text.length) cells.push('')
      continue
    }
    endRow()
    line++
    at = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
  }
  endRow()
  return table
}

/** The one that stands most often in the first line that is not blank, outside of quotation marks. */
function separatorIn(text: string): string {
  const start = text.search(/\S/)
  const counts = SEPARATORS.map(() => 0)
  let isQuoted = false
  for (let at = Math.max(start, 0); at < text.length; at++) {
    const character = text[at]!
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (character === '\n' || character === '\r') break
    const place = SEPARATORS.indexOf(character)
    if (place >= 0) counts[place]!++
  }
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!
}

function closingQuote(text: string, opening: number): number | undefined {
  for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return undefined
}

function endOfCell(text: string, start: number, separator: string): number {
  let at = start
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

/** A cell as it has to be written, whatever it contains. */
export function writtenCell(text: string): string {
  // A spreadsheet takes what begins so for a formula.
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
