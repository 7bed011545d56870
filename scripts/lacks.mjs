// What a node of the package lacks: all of it in one list, before tests fail for each of its parts.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where each node has its part, besides files of its own: by its name or its type in a flow.
 * @type {Array<[string, string, (node: { name: string, type: string, words: string }) => string]>}
 */
const PLACES = [
  ['examples/All nodes.json', 'a node of this type', ({ type }) => `"type": "${type}"`],
  ['README.md', 'a row', ({ words }) => `**${words}`],
  ['docs/nodes.md', 'a row', ({ type }) => `\`${type}\``],
  ['docs/contract.md', 'its properties', ({ type }) => type],
]

/** @returns one sentence for each thing that is missing */
export function lacksIn(root) {
  const read = (file) => readFileSync(join(root, file), 'utf8')
  const names = Object.keys(JSON.parse(read('package.json'))['node-red'].nodes)
  const languages = readdirSync(join(root, 'nodes/parts/help')).map((file) => file.split('.')[0])
  const folders = readdirSync(join(root, 'nodes')).filter(
    (name) =>
      !names.includes(name) && existsSync(join(root, `nodes/${name}/locales/en-US/${name}.html`)),
  )
  return [
    ...folders.map((name) => `${name} has no entry below "node-red" in package.json`),
    ...names.flatMap((name) => {
      const type = name === 'gateway' ? 'media-gateway' : `media-gateway-${name}`
      const title = `${name[0].toUpperCase()}${name.slice(1)}`.replace('-', ' ')
      const texts = `nodes/${name}/locales/en-US/${name}.json`
      const { node: words } = existsSync(join(root, texts))
        ? JSON.parse(read(texts))
        : { node: title }
      const files = [
        `nodes/${name}/${name}.ts`,
        `nodes/${name}/manifest.ts`,
        `icons/${name}.svg`,
        ...(name === 'gateway' ? [] : [`examples/${title}.json`]),
        ...languages.flatMap((language) =>
          ['json', 'html'].map((kind) => `nodes/${name}/locales/${language}/${name}.${kind}`),
        ),
      ].filter((file) => !existsSync(join(root, file)))
      const places = PLACES.filter(([file, , partOf]) => {
        const part = partOf({ name, type, words })
        return !read(file).toLowerCase().includes(part.toLowerCase())
      })
      return [
        ...files.map((file) => `${name} lacks ${file}`),
        ...places.map(([file, what]) => `${name} lacks ${what} in ${file}`),
      ]
    }),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lacks = lacksIn(fileURLToPath(new URL('..', import.meta.url)))
  for (const one of lacks) console.error(one)
  process.exitCode = lacks.length > 0 ? 1 : 0
}
