// Figures and how they are printed.

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Prints rows in columns; all but the first are right-aligned, unless they are text. */
export function table(head, rows, { isText = false, indent = '' } = {}) {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  for (const row of all) {
    const cells = row.map((cell, column) =>
      isText || column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    )
    console.log(indent + cells.join('   ').trimEnd())
  }
}

/** Prints names with their figures and remarks. */
export function list(title, rows) {
  console.log(`\n${title}`)
  const width = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value, more] of rows) {
    console.log(`  ${name.padEnd(width)}  ${value}${more ? ` (${more})` : ''}`)
  }
}

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
