// Makes the html of the nodes of their manifests: what the editor registers, the form, and the help.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiled, packageName, root } from '../ready.mjs'
import { helpOf, textsIn } from './help.mjs'
import { registrationOf } from './registration.mjs'
import { rowsOf } from './rows.mjs'

const at = (...path) => join(root, ...path)
const read = (path) => readFileSync(at(path), 'utf8')

/**
 * Writes the html, catalogs and icons of all nodes below `dist`, where their manifests are compiled.
 * @param scripts what the editor runs, by the name under which a form includes it
 * @throws Error if a text or a row is missing, or there is one that nothing includes
 */
export function buildForms(scripts) {
  const languages = readdirSync(at('nodes/parts/help')).map((file) => file.replace('.html', ''))
  const shared = new Map(
    languages.map((language) => [language, textsIn(read(`nodes/parts/help/${language}.html`))]),
  )
  const used = new Set()
  for (const name of readdirSync(at('nodes'))) {
    const manifest = manifestOf(name)
    const own = existsSync(at(`nodes/${name}/${name}.html`))
    if (!manifest && !own) continue
    const parts = { ...inlined(scripts), ...(manifest && rowsOf(name, manifest)) }
    const html = own ? read(`nodes/${name}/${name}.html`) : templateOf(name, manifest)
    const form = filled(name, html, parts)
    write(`nodes/${name}/${name}.html`, form + (manifest ? registrationOf(name, manifest) : ''))
    copyRest(name)
    for (const language of languages) {
      const path = `nodes/${name}/locales/${language}/${name}.html`
      if (!existsSync(at(path))) continue
      const texts = { own: textsIn(read(path)), shared: shared.get(language), used }
      write(path, helpOf(name, manifest, form, { path, texts, labelOf: labelsOf(name, language) }))
    }
  }
  for (const texts of shared.values()) {
    const unused = [...texts.keys()].find((name) => !used.has(name))
    if (unused) throw new Error(`nodes/parts/help has a text "${unused}" that no help includes.`)
  }
}

function manifestOf(name) {
  const file = `nodes/${name}/manifest.js`
  return existsSync(at('dist', file)) ? compiled(file).default : undefined
}

/** The html of a form that has nothing but rows. */
function templateOf(name, { properties, form, tries }) {
  const rows = [...(form ?? Object.keys(properties)), ...(tries ? ['try'] : [])]
  return `<script type="text/html" data-template-name="media-gateway-${name}">
  <div class="media-gateway-form">
${rows.map((row) => `    <!-- include: row ${row} -->`).join('\n')}
  </div>
</script>
`
}

/** Inserts the rows and scripts that are included, indented like the comments that include them. */
function filled(name, html, parts) {
  const used = new Set()
  const text = html.replace(/^( *)<!-- include: (.+) -->$/gm, (_, indent, part) => {
    if (!(part in parts)) throw new Error(`${name} includes "${part}", and there is no such part.`)
    used.add(part)
    return parts[part].replace(/^(?=.)/gm, indent)
  })
  const unused = Object.keys(parts).find((part) => /^row (?!try$)/.test(part) && !used.has(part))
  if (unused) throw new Error(`The form of ${name} does not include its ${unused}.`)
  return text
}

/** Scripts as part of a form: a file that fails to load would hang the editor. */
function inlined(scripts) {
  for (const [name, code] of Object.entries(scripts)) {
    if (/<\/script|<script|<!--/i.test(code))
      throw new Error(`${name} has a text that ends a script in html, or begins another one.`)
  }
  return Object.fromEntries(
    Object.entries(scripts).map(([name, code]) => [name, `<script>\n${code.trimEnd()}\n</script>`]),
  )
}

/** Returns a function that returns a label as help names it: without what explains it. */
function labelsOf(node, language) {
  return (label) => {
    const [, of = node, key] = /^(?:(\w+):)?(.*)$/.exec(label)
    const path = `nodes/${of}/locales/${language}/${of}.json`
    const catalog = JSON.parse(read(path))
    const found = key.split('.').reduce((value, name) => value?.[name], catalog)
    if (typeof found !== 'string') throw new Error(`${path} lacks "${key}".`)
    return found.split(/[:：(（]/)[0].trim()
  }
}

/** Copies the catalogs of a node, and its icon. */
function copyRest(name) {
  cpSync(at('nodes', name, 'locales'), at('dist/nodes', name, 'locales'), { recursive: true })
  if (name === 'gateway') addSentences(`nodes/${name}/locales/en-US/${name}.json`)
  const icon = `${name}.svg`
  if (!existsSync(at('icons', icon))) return
  mkdirSync(at('dist/nodes', name, 'icons'), { recursive: true })
  cpSync(at('icons', icon), at('dist/nodes', name, 'icons', icon))
}

/** The sentences of errors are those of the run time, which says them in English. */
function addSentences(path) {
  const { SENTENCES } = compiled('client/sentences.js')
  const { failure, ...catalog } = JSON.parse(read(path))
  write(path, JSON.stringify({ ...catalog, failure: { ...SENTENCES, ...failure } }, null, 2))
}

function write(path, text) {
  mkdirSync(at('dist', path, '..'), { recursive: true })
  writeFileSync(at('dist', path), text.replaceAll('{{package}}', packageName))
}
