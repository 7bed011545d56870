// The help of a node: its sections, terms and samples come from its manifest and its form, the sentences
// from the texts of its language, its own and those that all nodes share.

/**
 * The texts of a file of help by their names: `<dd id="input payload">`. What comes before them is
 * named `about`. A paragraph stays one, everything else is what is in the element.
 */
export function textsIn(html) {
  const texts = [...html.matchAll(/^<(\w+) id="([^"]+)">([^]*?)<\/\1>$/gm)]
  const about = html.slice(0, texts[0]?.index).trim()
  return new Map([
    ...(about.startsWith('<p>') ? [['about', about]] : []),
    ...texts.map(([, tag, name, text]) => [name, tag === 'p' ? `<p>${text}</p>` : text.trim()]),
  ])
}

/** Returns the help as Node-RED reads it. @param form its html, which has the fields in their order */
export function helpOf(node, manifest, form, { path, texts: { own, shared, used }, labelOf }) {
  const ownUsed = new Set()
  const find = (name) => {
    if (own.has(name)) ownUsed.add(name)
    else if (shared.has(name)) used.add(name)
    return own.get(name) ?? shared.get(name)
  }
  const text = (name) => {
    const found = find(name)
    if (found === undefined) throw new Error(`${path} lacks <dd id="${name}">.`)
    return found
  }
  const heading = (level, name) => `\n<h${level}>${text(name)}</h${level}>`
  const optional = (name) => (own.has(name) ? [text(name)] : [])

  const message = (kind, members) => {
    const terms = Object.entries(members).map(([key, type]) => {
      const [name, isOptional] = key.split(/(?=\?)/)
      const types = type.replace(/\w+/g, (each) => find(`type ${each}`) ?? each)
      const dt = `<dt${isOptional ? ' class="optional"' : ''}>${name} <span class="property-type">${types}</span></dt>`
      return termOf(dt, text(`${kind} ${name}`))
    })
    return listOf(terms, ' class="message-properties"')
  }
  const fields = fieldsIn(form).flatMap(({ key, name }) => {
    const { help = name } = { ...manifest.properties, ...manifest.credentials }[name] ?? {}
    return termOf(`<dt>${labelOf(key)}</dt>`, help === null ? undefined : text(`field ${help}`))
  })
  const errors = manifest.errors.map((error) => {
    const codes = error.match(/[A-Z]+(?:_[A-Z]+)*/g).map((code) => `<code>${code}</code>`)
    return termOf(`<dt>${codes.join(', ')}</dt>`, text(`error ${error}`))
  })
  const { inputs, outputs, sends, example } = manifest
  const passesOn = outputs && !sends

  const lines = [
    text('about'),
    ...(inputs ? [heading(3, 'Inputs'), ...optional('no input'), ...message('input', inputs)] : []),
    ...(outputs ? [heading(3, 'Outputs'), ...message('output', outputs)] : []),
    ...(passesOn ? [text('passed on')] : []),
    heading(3, 'Details'),
    ...optional('details'),
    ...listOf(fields),
    ...optional('notes'),
    ...(outputs ? [text('status')] : []),
    ...optional('more status'),
    heading(4, 'Example'),
    ...optional('example'),
    ...(example.in ? [text('message in'), sampleOf(example.in)] : []),
    text('message out'),
    sampleOf(example.out),
    heading(4, 'Errors'),
    text('errors'),
    ...listOf(errors, ' class="message-properties"'),
    heading(3, 'References'),
    ['<ul>', ...optional('references'), text('all references'), '</ul>'].join('\n'),
  ]
  const unused = [...own.keys()].find((name) => !ownUsed.has(name))
  if (unused) throw new Error(`${path} has a text "${unused}" that is no part of the help.`)
  const body = lines
    .join('\n')
    .replace(/\{\{((?:\w+:)?\w+(?:\.[\w-]+)+)\}\}/g, (_, key) => labelOf(key))
  const type = outputs ? `media-gateway-${node}` : 'media-gateway'
  return `<script type="text/html" data-help-name="${type}">\n${body}\n</script>\n`
}

const termOf = (dt, text) => (text === undefined ? dt : `${dt}\n<dd>${text}</dd>`)

const listOf = (terms, attributes = '') =>
  terms.length > 0 ? [`<dl${attributes}>\n${terms.join('\n')}\n</dl>`] : []

const sampleOf = (message) => {
  const json = JSON.stringify(message, null, 2)
  return `<pre>${json.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</pre>`
}

/** The name of a field in the help, by the key of its label. */
export const fieldOf = (key) => key.replace(/^(?:gateway:)?(?:label\.|form\.)?/, '')

/** The labels and buttons of a form, but the name of the node, which Node-RED explains. */
function fieldsIn(form) {
  const labels =
    /<(?:label|button|div class="[\w-]+-heading")[^]*?data-i18n="(?:\{\{package\}\}\/)?([^"]+)"/g
  return [...form.matchAll(labels)]
    .map(([, key]) => ({ key, name: fieldOf(key) }))
    .filter(({ name }) => name !== 'name')
}
