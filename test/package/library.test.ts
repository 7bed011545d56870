// What the flow library shows of the nodes: it never runs a form, it reads the text. So what the
// text says must be all there is, and the same that the editor gets when it runs the form.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { parse, type Expression, type Property } from 'acorn'
import { simple } from 'acorn-walk'
import { defaultsOf, typeOf } from '../support/manifests'
import { contentOf, root } from '../support/root'

const {
  name: packageName,
  'node-red': { nodes },
} = JSON.parse(contentOf('package.json')) as {
  name: string
  'node-red': { nodes: Record<string, string> }
}

interface Shown {
  category?: unknown
  color?: unknown
  icon?: unknown
  inputs?: unknown
  outputs?: unknown
  defaults?: string[]
  credentials?: string[]
}

describe('the flow library', () => {
  for (const [set, file] of Object.entries(nodes)) {
    const isConfig = set === 'gateway'
    const type = typeOf(set)

    describe(`of ${type}`, () => {
      let form: string
      let shown: Shown

      before(async () => {
        // It looks for the form under this name only.
        file.should.match(/\.js$/)
        const bundle = pathToFileURL(join(root, 'scripts/build/bundle.mjs')).href
        const { smallerHtml } = (await import(bundle)) as {
          smallerHtml: (html: string) => Promise<string>
        }
        form = await smallerHtml(contentOf(file.replace(/\.js$/, '.html')))
        const read = readForm(form)
        Object.keys(read).should.deepEqual([type])
        shown = read[type]!
      })

      it('shows where it is in the palette, its colour and its icon', () => {
        should(shown.category).equal(isConfig ? 'config' : 'media gateway')
        should(shown.color).match(/^#[0-9a-f]{6}$/i)
        should(shown.icon).be.a.String()
        const icon = join(root, dirname(file), 'icons', shown.icon as string)
        should(existsSync(icon)).be.true(icon)
      })

      it('shows its ends', () => {
        // A config node has none, a watch starts flows.
        const inputs = isConfig ? undefined : set === 'watch' ? 0 : 1
        should(shown.inputs).equal(inputs)
        should(shown.outputs).equal(isConfig ? undefined : 1)
      })

      it('labels its ends, in words of the catalogs', () => {
        const { [type]: got } = runForm(form)
        const say = { _: (key: string) => key }
        const labels = [got!.inputLabels, got!.outputLabels].map((label) => label?.call(say))
        labels.should.eql(
          isConfig ? [undefined, undefined] : [`${packageName}/gateway:input`, 'result'],
        )
      })

      it('shows the properties and credentials that the editor gets', () => {
        const { [type]: got } = runForm(form)
        should(shown.defaults).deepEqual(Object.keys(got!.defaults))
        // Of another realm: made anew, without those of an earlier version.
        const values = Object.entries(got!.defaults).map(([name, { value }]) => [name, value])
        const saved = JSON.parse(JSON.stringify(Object.fromEntries(values))) as object
        should(JSON.stringify(saved)).equal(JSON.stringify(defaultsOf(set)))
        should(shown.credentials).deepEqual(got!.credentials && Object.keys(got!.credentials))
        should(shown.credentials).deepEqual(
          isConfig
            ? [
                'username',
                'password',
                'engineUser',
                'enginePassword',
                'engineCredentials',
                'fleetKey',
              ]
            : undefined,
        )
      })
    })
  }
})

/** The scripts that the library looks into: the attribute has to be on the line of the tag. */
function scripts(html: string): string[] {
  const tags = /<script[^\n]+?type=["']text\/javascript["'][^\n]*?>([^]*?)<\/script>/gi
  return [...html.matchAll(tags)].map(([, script]) => script!)
}

/** What the text of a form says of its types, without running it. */
function readForm(html: string): Record<string, Shown> {
  const types: Record<string, Shown> = {}
  for (const script of scripts(html)) {
    simple(parse(script, { ecmaVersion: 'latest' }), {
      CallExpression({ callee, arguments: [type, definition] }) {
        if (callee.type !== 'MemberExpression' || !isNamed(callee.property, 'registerType')) return
        if (type?.type !== 'Literal') throw new Error('a type that is not a literal')
        if (definition?.type !== 'ObjectExpression') throw new Error('a definition not in place')
        types[String(type.value)] = shownOf(properties(definition))
      },
    })
  }
  return types
}

function shownOf(definition: Map<string, Expression>): Shown {
  const shown: Shown = {}
  for (const name of ['category', 'color', 'icon', 'inputs', 'outputs'] as const) {
    const value = definition.get(name)
    if (value && value.type !== 'Literal') throw new Error(`${name} is not a literal`)
    if (value) shown[name] = value.value
  }
  for (const name of ['defaults', 'credentials'] as const) {
    const value = definition.get(name)
    if (value) shown[name] = [...properties(value).keys()]
  }
  return shown
}

/** @throws where the library could not follow: anything but an object with plain names */
function properties(object: Expression): Map<string, Expression> {
  if (object.type !== 'ObjectExpression') throw new Error('an object that is not in place')
  return new Map(
    object.properties.map((each) => {
      const { computed, key, value } = each as Property
      if (each.type !== 'Property' || computed || key.type !== 'Identifier') {
        throw new Error('a property without a plain name')
      }
      return [key.name, value]
    }),
  )
}

const isNamed = (property: { type: string; name?: string }, name: string): boolean =>
  property.type === 'Identifier' && property.name === name

type Label = (this: { _(key: string): string }) => string

interface Registered {
  inputLabels?: Label
  outputLabels?: Label
  defaults: Record<string, { value?: unknown }>
  credentials?: object
}

/** What a form registers when it runs, as in the editor. */
function runForm(html: string): Record<string, Registered> {
  const types: Record<string, Registered> = {}
  const registerType = (type: string, definition: Registered): void => {
    types[type] = definition
  }
  const RED = { nodes: { registerType }, _: (key: string) => key }
  for (const script of scripts(html)) runInNewContext(script, { RED })
  return types
}
