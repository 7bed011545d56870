// Text of several forms or help texts is written once, as a part: `<!-- part: row device -->`
// begins one in a file of parts, and `<!-- include: row device -->` inserts it, indented like that
// comment. In a script both are `//` comments.

const BEGIN = /^( *)(?:<!--|\/\/) part: (.+?)(?: -->)?$/
const INCLUDE = /^( *)(?:<!--|\/\/) include: (.+?)(?:, with (.+?))?(?:, when (.+?))?(?: -->)?$/gm

/** The parts of the forms or of the help in one language, by their names. */
export class Parts {
  #parts = new Map()
  #used = new Set()

  /** Adds the parts of a file. Text before the first, or indented less than it, belongs to none. */
  addFile(path, text) {
    let part
    for (const line of text.trimEnd().split('\n')) {
      const [begins, indent, name] = BEGIN.exec(line) ?? []
      if (begins) {
        part = { indent, lines: [] }
        this.add(name, path, part.lines)
      } else if (part && line !== '' && !line.startsWith(part.indent)) part = undefined
      else part?.lines.push(line.slice(part.indent.length))
    }
  }

  add(name, path, lines) {
    if (this.#parts.has(name)) throw new Error(`${path} has a second part "${name}".`)
    this.#parts.set(name, { path, lines })
  }

  /**
   * Returns a text with its parts inserted. `, with x=y` puts `y` in the place of `{{x}}`; `, when x=y`
   * shows a row only under that condition.
   */
  fillIn(path, text) {
    return text.replace(INCLUDE, (_, indent, name, values = '', condition) => {
      const part = this.#parts.get(name)
      if (!part) throw new Error(`${path} includes "${name}", and there is no such part.`)
      this.#used.add(name)
      const given = new Map(values.split(' ').map((each) => each.split('=')))
      const filled = part.lines
        .join('\n')
        .trimEnd()
        .replace(/\{\{(\w+)\}\}/g, (mark, key) => given.get(key) ?? mark)
        .replace(/^(?=.)/gm, indent)
      if (!condition) return filled
      return filled.replace('>', () => ` data-media-gateway-when="${condition}">`)
    })
  }

  /** @throws Error if a part is included nowhere */
  expectAllUsed() {
    for (const [name, { path }] of this.#parts) {
      if (!this.#used.has(name))
        throw new Error(`${path} has a part "${name}" that nothing includes.`)
    }
  }
}
