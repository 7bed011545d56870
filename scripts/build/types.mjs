// The types of the client as a program needs them: tsc writes those of every file of the client, and most
// of them are of parts that no program sees.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parsers } from 'prettier/plugins/typescript'

/**
 * @param entry the file of types that a program imports
 * @returns by their paths, the files that it needs, each with only the declarations that are needed
 */
export function typesFrom(entry) {
  const files = new Map()
  const itemsOf = (file) => {
    if (!files.has(file)) files.set(file, read(file))
    return files.get(file)
  }
  const need = (file, name) => {
    for (const item of itemsOf(file)) {
      const isAll = item.name === undefined
      if (isAll) {
        item.isNeeded = true
        need(item.uses[0][0], name)
      } else if (!item.isNeeded && (name === undefined || name === item.name)) {
        item.isNeeded = true
        for (const [from, used] of item.uses) need(from, used)
      }
    }
  }
  need(entry)
  return new Map(
    [...files]
      .map(([file, items]) => [file, items.filter(({ isNeeded }) => isNeeded)])
      .filter(([, items]) => items.length > 0)
      .map(([file, items]) => [file, items.map(({ text }) => text).join('')]),
  )
}

/** What a file declares, imports and exports: each name with its text and the names that it uses. */
function read(file) {
  const text = readFileSync(file, 'utf8')
  const { body } = parsers.typescript.parse(text, {})
  let end = 0
  return body.flatMap((statement) => {
    const whole = text.slice(end, statement.range[1])
    end = statement.range[1]
    const { source, specifiers } = statement
    const from = source ? fileOf(file, source.value) : file
    if (statement.type === 'ExportAllDeclaration') return { text: whole, uses: [[from]] }
    // Of another package: whole, by the one name that it has here.
    if (from === undefined) return { name: specifiers[0].local.name, text: whole, uses: [] }
    if (specifiers && !statement.declaration) {
      return specifiers.map((specifier) => specified(statement, specifier, from))
    }
    const { declaration = statement } = statement
    const { id } = declaration.declarations?.[0] ?? declaration
    return { name: id.name, text: whole, uses: usesOf(declaration, file) }
  })
}

/** One name of an import or export, as a statement of its own. */
function specified(statement, specifier, from) {
  const isImport = statement.type === 'ImportDeclaration'
  const { imported, local, exported } = specifier
  const [there, here] = isImport ? [imported, local] : [local, exported]
  const as = there.name === here.name ? here.name : `${there.name} as ${here.name}`
  const isType = isImport || statement.exportKind === 'type' || specifier.exportKind === 'type'
  const verb = `${isImport ? 'import' : 'export'}${isType ? ' type' : ''}`
  const source = statement.source ? ` from '${statement.source.value}'` : ''
  const text = `\n${verb} { ${as} }${source};`
  return { name: here.name, text, uses: [[from, there.name]] }
}

/** The names in a declaration, and what it imports in place. */
function usesOf(node, file) {
  if (typeof node !== 'object' || node === null) return []
  if (Array.isArray(node)) return node.flatMap((each) => usesOf(each, file))
  if (node.type === 'Identifier') return [[file, node.name], ...usesOf(node.typeAnnotation, file)]
  const own =
    node.type === 'TSImportType' ? [[fileOf(file, node.source.value), node.qualifier?.name]] : []
  const { parent: _, ...parts } = node
  return [...own, ...usesOf(Object.values(parts), file)]
}

/** The file of types that a file means; none for one of a package. */
function fileOf(file, name) {
  const target = join(dirname(file), name)
  return [`${target}.d.ts`, join(target, 'index.d.ts')].find((each) => existsSync(each))
}
