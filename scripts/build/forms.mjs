// Makes the html of the nodes: forms and help with their parts, the scripts of the editor, and the
// name of the package.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageName, root } from '../ready.mjs'
import { Parts } from './parts.mjs'

const at = (...path) => join(root, ...path)
const read = (path) => readFileSync(at(path), 'utf8')

/**
 * Writes the html, catalogs and icons of all nodes below `dist`.
 * @param scripts what the editor runs, by the name under which a form includes it
 * @throws Error if a part is missing or included nowhere
 */
export function buildForms(scripts) {
  const html = new Map()

  const forms = partsIn('rows.html', 'definition.js', 'definition-of-many.js')
  for (const [name, code] of Object.entries(scripts)) forms.add(name, name, inlined(name, code))
  for (const node of nodes()) {
    const path = `nodes/${node}/${node}.html`
    html.set(path, forms.fillIn(path, read(path)))
  }
  forms.expectAllUsed()

  const languages = readdirSync(at('nodes/parts/help')).map((file) => file.replace('.html', ''))
  for (const language of languages) {
    const help = partsIn('samples.html', `help/${language}.html`)
    for (const node of nodes()) {
      const path = `nodes/${node}/locales/${language}/${node}.html`
      if (existsSync(at(path)))
        html.set(path, helpOf(node, language, help.fillIn(path, read(path))))
    }
    help.expectAllUsed()
  }

  for (const node of nodes()) copyRest(node)
  for (const [path, text] of html) {
    writeFileSync(at('dist', path), text.replaceAll('{{package}}', packageName))
  }

  /** Copies its catalogs, and the icon that its form names. */
  function copyRest(node) {
    const target = at('dist/nodes', node)
    mkdirSync(join(target, 'icons'), { recursive: true })
    cpSync(at('nodes', node, 'locales'), join(target, 'locales'), { recursive: true })
    const form = html.get(`nodes/${node}/${node}.html`)
    for (const [, icon] of form.matchAll(/icon: '([^'/]+\.svg)'/g)) {
      cpSync(at('icons', icon), join(target, 'icons', icon))
    }
  }
}

function partsIn(...files) {
  const parts = new Parts()
  for (const file of files) parts.addFile(`nodes/parts/${file}`, read(`nodes/parts/${file}`))
  return parts
}

function nodes() {
  return readdirSync(at('nodes')).filter((node) => existsSync(at('nodes', node, `${node}.html`)))
}

/**
 * Returns the help as Node-RED reads it, with a list around each run of terms. Fields of the form
 * are terms too: `{{label.action}}` is such a label, `{{gateway:form.route}}` one that forms share.
 */
function helpOf(node, language, text) {
  const type = node === 'gateway' ? 'media-gateway' : `media-gateway-${node}`
  const terms = /(?:<dt\b[^]*?<\/dd>\n)+/g
  const body = text
    .replace(terms, (list) => {
      const isForm = list.startsWith('<dt>{{')
      return `<dl${isForm ? '' : ' class="message-properties"'}>\n${list}</dl>\n`
    })
    .replace(/\{\{(?:(\w+):)?(\w+(?:\.[\w-]+)+)\}\}/g, (_, of, key) =>
      labelOf(of ?? node, language, key),
    )
  return `<script type="text/html" data-help-name="${type}">\n${body}</script>\n`
}

/** Returns a label as help names it: without what explains it. */
function labelOf(node, language, key) {
  const catalog = JSON.parse(read(`nodes/${node}/locales/${language}/${node}.json`))
  const label = key.split('.').reduce((value, name) => value?.[name], catalog)
  if (typeof label !== 'string') throw new Error(`${language} has no label ${key} of ${node}.`)
  return label.split(/[:：(（]/)[0].trim()
}

/** Returns a script as part of the form: a file that fails to load would hang the editor. */
function inlined(name, code) {
  if (/<\/script|<script|<!--/i.test(code)) {
    throw new Error(`${name} has a text that ends a script in html, or begins another one.`)
  }
  return ['<script>', code.trimEnd(), '</script>']
}
