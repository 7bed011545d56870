// The glossary has the labels of all forms, as each language has them.
import { anyMembersOf } from '../../client/model/members'
import { LANGUAGES, textsAt, type Language } from '../support/editor-module'
import { LABELS, TERMS, type Label, type Texts } from '../support/glossary'
import { nodes } from '../support/manifests'
import { contentOf } from '../support/root'

/** A label, and the property whose field it is for. */
interface Used {
  texts: Texts
  property: string
}

/** The labels in the page of a node. */
function labelsOfForm(node: string): Used[] {
  const form = contentOf('dist/nodes', node, `${node}.html`)
  return [...form.matchAll(/<label for="([^"]+)"([^>]*>[^]*?)<\/label>/g)].map(
    ([, id, content]) => {
      const [, key] = /data-i18n="([^"]+)"/.exec(content!)!
      const [shared] = key!.split(':').slice(1)
      const property = id!.replace(/^node-(config-)?input-|^media-gateway-((watch|failover)-)?/, '')
      return {
        texts: shared === undefined ? textsOf(node, key!) : textsOf('gateway', shared),
        // The list of events has two fields: which, and the events themselves.
        property: property === 'which' ? 'events' : property,
      }
    },
  )
}

/** The labels that code makes. */
function labelsOfCode(): Used[] {
  const limits = ['measure', 'of', 'low', 'high', 'hysteresis']
  const members = Object.keys(textsAt('gateway', 'en-US', 'routeForm.member') as object)
  const names = Object.keys(textsAt('gateway', 'en-US', 'routeForm.nameOf') as object)
  return [
    { texts: textsOf('watch', 'label.thresholds'), property: 'thresholds' },
    ...limits.map((property) => ({ texts: textsOf('watch', `limit.${property}`), property })),
    ...members.map((property) => ({
      texts: textsOf('gateway', `routeForm.member.${property}`),
      property,
    })),
    ...names.map((part) => ({
      texts: textsOf('gateway', `routeForm.nameOf.${part}`),
      property: 'name',
    })),
  ]
}

function textsOf(node: string, key: string): Texts {
  const texts = LANGUAGES.map((language) => [language, textsAt(node, language, key)])
  return Object.fromEntries(texts) as Texts
}

const same = (one: Texts, other: Texts): boolean =>
  LANGUAGES.every((language) => one[language] === other[language])

/** The labels of Node-RED itself, in one language. */
function platform(language: Language): string[] {
  const catalogs = [
    '@node-red/editor-client/locales/*/editor',
    '@node-red/nodes/locales/*/messages',
  ]
  return catalogs.flatMap((catalog) => {
    const file = contentOf('node_modules', `${catalog.replace('*', language)}.json`)
    const { common } = JSON.parse(file) as { common: { label: Record<string, string> } }
    return Object.values(common.label)
  })
}

const used = [...nodes.flatMap(labelsOfForm), ...labelsOfCode()]

describe('the labels of the forms', () => {
  it('are all found', () => {
    used.length.should.be.above(100)
    for (const { texts } of used) {
      for (const language of LANGUAGES) should(texts[language]).be.a.String().and.match(/\S/)
    }
  })

  it('are in the glossary, with their property, or are those of Node-RED', () => {
    const own = Object.fromEntries(LANGUAGES.map((language) => [language, platform(language)]))
    const isPlatforms = ({ texts }: Used) =>
      LANGUAGES.every((language) => own[language]!.includes(texts[language]))
    const isListed = ({ texts, property }: Used) =>
      LABELS.some((label) => same(label.texts, texts) && label.properties.includes(property))
    const missing = used.filter((each) => !isPlatforms(each) && !isListed(each))
    missing
      .map(({ texts, property }) => [...Object.values(texts), `\`${property}\``].join(' | '))
      .should.eql([])
  })

  it('are no longer in the glossary once no form has them', () => {
    const isUsed = ({ texts, properties }: Label) =>
      properties.every((property) =>
        used.some((each) => each.property === property && same(each.texts, texts)),
      )
    LABELS.filter((label) => !isUsed(label)).should.eql([])
  })
})

describe('the category of the palette', () => {
  it('has its label where Node-RED looks: in the catalog of the first node that is in it', () => {
    const first = nodes.find((node) => node !== 'gateway')!
    for (const language of LANGUAGES) {
      textsOf(first, 'palette.label.media_gateway')[language].should.match(/\S/, language)
    }
  })
})

describe('the choices of the form of a route', () => {
  it('have words in each language: all that a field offers, and no others', () => {
    const offered = (['source', 'destination'] as const)
      .flatMap((direction) => [...anyMembersOf(direction)])
      .filter(([name, { oneOf }]) => name !== 'protocol' && oneOf !== undefined)
      .flatMap(([name, { oneOf }]) => oneOf!.map((choice) => `${name}.${choice}`))
    for (const language of LANGUAGES) {
      const texts = textsAt('gateway', language, 'routeForm.choice') as Record<string, object>
      const worded = Object.entries(texts).flatMap(([name, choices]) =>
        Object.keys(choices).map((choice) => `${name}.${choice}`),
      )
      worded.sort().should.eql([...new Set(offered)].sort())
    }
  })
})

describe('the terms of the glossary', () => {
  it('have a meaning and a word in each language, and come once', () => {
    for (const { texts, meaning } of TERMS) {
      meaning.should.match(/\.$/, texts['en-US'])
      for (const language of LANGUAGES) texts[language].should.match(/\S/, texts['en-US'])
    }
    const terms = TERMS.map(({ texts }) => texts['en-US'])
    terms.should.eql([...new Set(terms)])
  })

  it('are not words that another term rules out', () => {
    for (const language of LANGUAGES) {
      const out = TERMS.flatMap(({ not }) => not[language])
      TERMS.map(({ texts }) => texts[language])
        .filter((term) => out.includes(term))
        .should.eql([])
    }
  })
})
