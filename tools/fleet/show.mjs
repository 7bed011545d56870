// What `npm --prefix tools run fleet` shows: lines that stay, and on a terminal a table below them that is drawn anew.

export function createShow({ output, isTerminal }) {
  let drawn = []
  const clear = () => {
    if (drawn.length > 0) output.write(`\x1b[${drawn.length}A\x1b[J`)
  }
  const draw = () => drawn.length > 0 && output.write(`${drawn.join('\n')}\n`)
  return {
    isTerminal,
    say(line) {
      clear()
      output.write(`${line}\n`)
      draw()
    },
    /** The table; on anything but a terminal it is printed only if `stays`. */
    table(lines, { stays = false } = {}) {
      if (!isTerminal && !stays) return
      clear()
      drawn = stays ? [] : lines
      if (stays) output.write(`${lines.join('\n')}\n`)
      else draw()
    },
  }
}

/** Rows in columns: the first two are text, the others are figures. */
export function columns(head, rows) {
  const all = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)))
  return all.map((row) =>
    row
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('   ')
      .trimEnd(),
  )
}

export const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
