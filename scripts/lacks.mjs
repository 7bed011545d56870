// What a node of the package lacks: all of it in one list, before a build or a test fails for each part.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { fieldOf, textsIn } from './build/help.mjs'

/**
 * Where each node has its part, besides files of its own: by its name or its type in a flow.
 * @type {Array<[string, string, (node: { type: string, words: string }) => string]>}
 */
const PLACES = [
  ['examples/All nodes.json', 'a node of this type', ({ type }) => `"type": "${type}"`],
  ['README.md', 'a row', ({ words }) => `**${words}`],
  ['docs/nodes.md', 'a row', ({ type }) => `\`${type}\``],
  ['docs/roles.md', 'a row', ({ type }) => `\`${type}\``],
]

/** @returns one sentence for each thing that is missing */
export async function lacksIn(root) {
  const read = (file) => readFileSync(join(root, file), 'utf8')
  const isThere = (file) => existsSync(join(root, file))
  const names = Object.keys(JSON.parse(read('package.json'))['node-red'].nodes)
  const languages = readdirSync(join(root, 'nodes/parts/help')).map((file) => file.split('.')[0])
  const folders = readdirSync(join(root, 'nodes')).filter(
    (name) => !names.includes(name) && isThere(`nodes/${name}/locales/en-US/${name}.html`),
  )
  const contract = read('docs/contract.md')

  /** The texts that the form and the help of a node need, in each language that it has. */
  function textsOf(name, manifest) {
    return languages.flatMap((language) => {
      const path = `nodes/${name}/locales/${language}/${name}`
      if (!isThere(`${path}.json`) || !isThere(`${path}.html`)) return []
      const catalog = JSON.parse(read(`${path}.json`))
      const help = new Set([
        ...textsIn(read(`${path}.html`)).keys(),
        ...textsIn(read(`nodes/parts/help/${language}.html`)).keys(),
      ])
      const keys = keysOf(manifest).filter((key) => typeof textAt(catalog, key) !== 'string')
      const texts = helpOf(manifest).filter((text) => !help.has(text))
      return [
        ...keys.map((key) => `"${key}" in ${path}.json`),
        ...texts.map((text) => `<dd id="${text}"> in ${path}.html`),
      ]
    })
  }

  /** The rows of the contract: what a flow saves, and what the node reads of a message. */
  function rowsOf(type, words, manifest) {
    const [properties = '', saved = ''] = contract.split('\n## Saved form\n')
    const messages = contract.split('\n## Messages\n')[1]?.split('\n') ?? []
    const cellOf = (input) => messages.find((line) => line.startsWith(`| \`msg.${input}\` `)) ?? ''
    const missing = membersOf(manifest?.inputs).filter(
      (input) =>
        !cellOf(input)
          .split(/[|,]/)
          .some((cell) => cell.trim() === words),
    )
    return [
      ...(isConfig(type) || properties.includes(`\`${type}\``) ? [] : ['its properties']),
      ...(saved.includes(`| \`${type}\` `) ? [] : ['its row below "Saved form"']),
      ...missing.map((input) => `"${words}" in the row of msg.${input}`),
    ].map((what) => `${what} in docs/contract.md`)
  }

  async function lacksOf(name) {
    const type = name === 'gateway' ? 'media-gateway' : `media-gateway-${name}`
    const words = name.replace('-', ' ')
    const title = `${words[0].toUpperCase()}${words.slice(1)}`
    const catalog = `nodes/${name}/locales/en-US/${name}.json`
    const { node: label = words } = isThere(catalog) ? JSON.parse(read(catalog)) : {}
    const files = [
      `nodes/${name}/${name}.ts`,
      `nodes/${name}/manifest.ts`,
      `icons/${name}.svg`,
      ...(isConfig(type) ? [] : [`examples/${title}.json`]),
      ...languages.flatMap((language) =>
        ['json', 'html'].map((kind) => `nodes/${name}/locales/${language}/${name}.${kind}`),
      ),
    ].filter((file) => !isThere(file))
    const places = PLACES.filter(([file, , partOf]) => {
      if (isConfig(type) && file === 'docs/roles.md') return false
      const part = partOf({ type, words: label })
      return !read(file).toLowerCase().includes(part.toLowerCase())
    })
    const source = `nodes/${name}/manifest.ts`
    const manifest = isThere(source) ? await manifestIn(join(root, source)) : undefined
    return [
      ...files,
      ...(manifest ? textsOf(name, manifest) : []),
      ...places.map(([file, what]) => `${what} in ${file}`),
      ...rowsOf(type, words, manifest),
    ].map((what) => `${name} lacks ${what}`)
  }

  const lacks = await Promise.all(names.map(lacksOf))
  return [
    ...folders.map((name) => `${name} has no entry below "node-red" in package.json`),
    ...lacks.flat(),
  ]
}

/** The manifest as it is in the source: nothing need be built. */
async function manifestIn(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  return (await import(`data:text/javascript;base64,${code}`)).default
}

/** It has a section of its own in the contract, no role and no example. */
const isConfig = (type) => type === 'media-gateway'

const membersOf = (members = {}) => Object.keys(members).map((name) => name.replace('?', ''))

const textAt = (catalog, key) => key.split('.').reduce((value, name) => value?.[name], catalog)

const fieldsOf = ({ properties, credentials }) =>
  Object.entries({ ...properties, ...credentials }).filter(([, { as }]) => as)

/** The keys of the texts of a form that the node has itself. */
function keysOf(manifest) {
  const keys = fieldsOf(manifest).flatMap(([name, property]) => {
    const { label = `label.${name}`, choices = [], unit, placeholder, hints = [] } = property
    return [
      label,
      ...(Array.isArray(choices)
        ? choices.map((value) => `${name}.${value}`)
        : Object.values(choices)),
      unit,
      placeholder?.text,
      ...hints.map(({ text }) => text),
    ]
  })
  return ['node', ...(manifest.outputs ? ['result'] : []), ...keys].filter(
    (key) => key !== undefined && !key.startsWith('gateway:'),
  )
}

/** The names of the texts of its help. */
function helpOf(manifest) {
  const { inputs, outputs, errors } = manifest
  const fields = fieldsOf(manifest).map(([name, { label = `label.${name}`, help }]) =>
    help === undefined ? fieldOf(label) : help,
  )
  return [
    'about',
    ...membersOf(inputs).map((name) => `input ${name}`),
    ...membersOf(outputs).map((name) => `output ${name}`),
    ...fields.filter((name) => name !== null && name !== 'name').map((name) => `field ${name}`),
    ...errors.map((error) => `error ${error}`),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lacks = await lacksIn(fileURLToPath(new URL('..', import.meta.url)))
  for (const one of lacks) console.error(one)
  process.exitCode = lacks.length > 0 ? 1 : 0
}
