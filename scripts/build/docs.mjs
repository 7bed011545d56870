// Makes html of the pages of docs/, which Node-RED serves from `resources` of the package: the help of a
// node opens the page of the installed version, also without internet.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { parsers } from 'prettier/plugins/markdown'
import { root } from '../ready.mjs'

const TARGET = join(root, 'resources/docs')
const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const REPOSITORY = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}`

/** Pages for users, and the files that they offer. Others, and pictures, are in the repository only. */
const SHIPPED = /^(?:recipes\/)?[\w-]+\.(?:md|json|yml|conf)$/

/** Writes the pages and files below `resources/docs`. */
export function buildDocs() {
  rmSync(join(root, 'resources'), { recursive: true, force: true })
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  for (const file of files.map((name) => name.replaceAll('\\', '/'))) {
    if (!SHIPPED.test(file)) continue
    const target = join(TARGET, file.replace(/\.md$/, '.html'))
    mkdirSync(dirname(target), { recursive: true })
    if (file.endsWith('.md')) writeFileSync(target, pageOf(file))
    else cpSync(join(root, 'docs', file), target)
  }
  writeFileSync(join(TARGET, 'style.css'), STYLE)
}

function pageOf(file) {
  const { children } = parsers.markdown.parse(readFileSync(join(root, 'docs', file), 'utf8'), {})
  const top = posix.relative(posix.dirname(file), '.')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(textOf(children[0]))}</title>
<link rel="stylesheet" href="${posix.join(top, 'style.css')}">
<nav><a href="${posix.join(top, 'README.html')}">Documentation</a> of version ${version}</nav>
<main>${htmlOf(children, file)}</main>
`
}

const STYLE = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem }
code { font-size: .9em }
pre, nav { background: #8882; padding: .5rem .75rem; overflow-x: auto }
main { overflow-wrap: break-word }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { border: 1px solid #8886; padding: .25rem .5rem; text-align: left; vertical-align: top }
`

const htmlOf = (nodes, file) => nodes.map((node) => HTML[node.type](node, file)).join('')
/** Of these, html needs no end. */
const ENDLESS = ['p', 'li', 'tr', 'th', 'td']
const element = (tag, inner) => `<${tag}>${inner}${ENDLESS.includes(tag) ? '' : `</${tag}>`}`
const inside = (tag) => (node, file) => element(tag, htmlOf(node.children, file))

/** What each kind of node of a page becomes. An unknown kind ends the build. */
const HTML = {
  text: ({ value }) => escaped(value),
  inlineCode: ({ value }) => `<code>${escaped(value)}</code>`,
  code: ({ value }) => `<pre><code>${escaped(value)}</code></pre>\n`,
  // Comments, which mark what a test compares.
  html: () => '',
  paragraph: inside('p'),
  strong: inside('strong'),
  emphasis: inside('em'),
  blockquote: inside('blockquote'),
  listItem: inside('li'),
  list: (node, file) => inside(node.ordered ? 'ol' : 'ul')(node, file),
  heading: (node, file) =>
    `<h${node.depth} id="${anchorOf(node)}">${htmlOf(node.children, file)}</h${node.depth}>\n`,
  link: (node, file) => linkTo(addressOf(node.url, file), htmlOf(node.children, file)),
  // Pictures are not packed: their text says what they show.
  image: (node, file) => `<em>${linkTo(addressOf(node.url, file), escaped(node.alt))}</em>`,
  table: ({ children: [head, ...rows] }, file) => {
    const row = (tag, { children }) =>
      element('tr', children.map((cell) => inside(tag)(cell, file)).join(''))
    return `<table>${[row('th', head), ...rows.map((each) => row('td', each))].join('\n')}</table>\n`
  },
}

const linkTo = (address, html) =>
  `<a href="${escaped(address).replaceAll('"', '&quot;')}">${html}</a>`

/** Pages link each other; everything else is in the repository, at this version. */
function addressOf(url, file) {
  if (/^(?:[a-z]+:|#)/.test(url)) return url
  const [path, ...anchor] = url.split(/(?=#)/)
  const target = posix.join(posix.dirname(file), path)
  if (SHIPPED.test(target)) return [path.replace(/\.md$/, '.html'), ...anchor].join('')
  return [`${REPOSITORY}/${posix.join('docs', target)}`, ...anchor].join('')
}

/** As GitHub makes it. */
const anchorOf = (heading) =>
  textOf(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

const textOf = ({ value = '', children = [] }) => value + children.map(textOf).join('')

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
