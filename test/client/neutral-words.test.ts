// A program in plain Node.js sees the sentences of the client: none of them speaks of Node-RED.
import fs from 'node:fs'
import path from 'node:path'
import { SENTENCES, forPrograms, say, textOf, type SentenceKey } from '../../client/sentences'
import { root } from '../support/root'

const OF_NODE_RED =
  /\bnodes?\b(?!\.js|-)|\bmsg\.|deploy|dry run|node-red(?!\/issues)|configuration of the gateway/i

/** Kinds of faults that have the names of sentences. */
const NOT_SAID = new Set(['number', 'variable'])

const CLIENT = path.join(root, 'client')
const files = fs
  .readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && name !== 'sentences.ts')

/** Comments, and texts in quotes. */
const TOKEN = /\/\/.*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`/g

/** Every text in the source of the client, but names of modules. */
const textsIn = (name: string): string[] =>
  Array.from(fs.readFileSync(path.join(CLIENT, name), 'utf8').matchAll(TOKEN), ([text]) => text)
    .filter((text) => !text.startsWith('/'))
    .map((text) => text.slice(1, -1))
const texts = files.flatMap(textsIn)

/** Sentences of the nodes alone, which a program cannot get. */
const OF_THE_NODES = ['variable', 'fleetTwice']

describe('the sentences of the client', () => {
  it('speak of no node, message, deploy, dry run or form where they are written', () => {
    texts.length.should.be.above(1000)
    texts.filter((text) => text.includes(' ') && OF_NODE_RED.test(text)).should.eql([])
  })

  it('speak of another instance, not of Node-RED, wherever a program may be one', () => {
    const naming = Object.entries(SENTENCES).filter(([, said]) => said.includes('Node-RED'))
    naming.map(([key]) => key).should.eql(OF_THE_NODES)
  })

  it('speak of none of these in the table either, as a program gets them', () => {
    const keys = new Set(
      texts.filter((text) => Object.hasOwn(SENTENCES, text) && !NOT_SAID.has(text)),
    )
    keys.size.should.be.above(90)
    const said = [...keys].map((key) =>
      textOf(
        forPrograms([(say as (key: SentenceKey) => ReturnType<typeof say>)(key as SentenceKey)]),
      ),
    )
    should(said.filter((text) => OF_NODE_RED.test(text))).eql([])
  })
})
