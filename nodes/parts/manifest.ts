// What a node is: its manifest says once what its form, its help and its saved properties have.

/** A node of the package. Its texts are in its catalogs and its help, under the same names. */
export interface Manifest {
  color: string
  /** Of a config node. */
  credentials?: Properties
  /** In the order in which a flow has them; `configVersion` comes first. */
  properties: Properties
  /** The rows of a form without html of its own, if not in the order of `properties`. */
  form?: readonly string[]
  /** Such a form ends with the button that shows what the node would do. */
  tries?: true
  /** What it reads of a message, with its type; a name with `?` may be missing. None: it has no input. */
  inputs?: Readonly<Record<string, string>>
  /** What it writes to a message. None: it is a config node. */
  outputs?: Readonly<Record<string, string>>
  /** It sends messages of its own, rather than those that it gets. */
  sends?: true
  /** The errors that its help explains. A word after the code tells texts of one code apart. */
  errors: readonly string[]
  /** Messages for the help, shortened. A test sends the first and expects the second. */
  example: { in?: object; out: object }
}

export type Properties = Readonly<Record<string, Property>>

/** A saved property, and its row in the form. */
export interface Property {
  /** What a new node has. */
  value?: unknown
  /** What a saved node without the property does, if not `value`. */
  lacking?: unknown
  /** The row; without it the form has one of its own, or none. */
  as?: 'text' | 'number' | 'password' | 'lines' | 'flag' | 'choice' | 'typed' | 'node'
  /** Of `typed`: the type of a new node, saved beside the value. */
  type?: string
  /** Of `node`: the type of the config node. */
  of?: string
  required?: boolean
  /** Of `choice`: the values; their texts are `NAME.VALUE`, or those that are given with them. */
  choices?: readonly string[] | Readonly<Record<string, string>>
  /** Of `lines`: how many show; by default 3. */
  rows?: number
  /** The name of an icon of Font Awesome. */
  icon?: string
  /** The key of its label, if not `label.NAME`. */
  label?: string
  /** A value that shows in the empty field, or the key of a text. */
  placeholder?: string | { text: string }
  /** The key of a text behind the field. */
  unit?: string
  /** When it is shown, and counts: `mode=merge`, `mode=merge|keep`, or one of several: `a=b, c=d`. */
  when?: string
  /** Texts below it. */
  hints?: readonly Hint[]
  /** How the editor checks it, besides by its type; `own` by what only its form has. */
  check?: 'value' | 'appliance' | 'own'
  /** The name of its text in the help, if not its own; null where that of the next field is for both. */
  help?: string | null
}

export interface Hint {
  /** The key of the text. */
  text: string
  when?: string
  warns?: true
}

/** The properties as a flow has them: any may be missing in one that was written by hand. */
export type SavedOf<M extends { properties: Properties }> = {
  -readonly [Name in keyof M['properties']]?: ValueOf<M['properties'][Name]>
} & {
  -readonly [
    Name in keyof M['properties'] as M['properties'][Name] extends { as: 'typed' }
      ? `${Name & string}Type`
      : never
  ]?: string
}

/** A number and a flag may be text from the environment. */
type ValueOf<P extends Property> = P extends { as: 'text' | 'choice' | 'typed' | 'node' }
  ? string
  : unknown
