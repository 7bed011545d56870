// The little of Node-RED's editor that the forms use. The full types bring
// jQuery, its UI and more, and still miss what is used here.

/** A node as the editor holds it: its properties, and what the editor knows besides. */
interface EditorNode {
  [property: string]: unknown
  credentials?: Record<string, unknown>
  _def: {
    category: string
    defaults: Record<string, { value: unknown }>
    credentials?: Record<string, { type: 'text' | 'password' }>
  }
}

interface TypedInputType {
  value: string
  label: string
  icon?: string
  /** False when the type says it all and there is nothing to fill in. */
  hasValue?: boolean
}

/** A list of rows that the user may add to, with a button to remove each. */
interface EditableListOptions<Row> {
  addButton: string
  removable: boolean
  height: 'auto'
  /** Fills a row; it is `{}` where the user added it. */
  addItem(content: EditorQuery, index: number, row: Row | Record<string, never>): void
}

interface EditorQuery {
  readonly length: number
  get(index: 0): HTMLElement
  val(): string | null
  val(value: unknown): EditorQuery
  prop(name: string): unknown
  prop(name: string, value: unknown): EditorQuery
  attr(name: string): string | undefined
  removeAttr(name: string): EditorQuery
  closest(selector: string): EditorQuery
  find(selector: string): EditorQuery
  toggle(shown: boolean): EditorQuery
  on(event: string, listener: () => void): EditorQuery
  each(visit: (index: number, element: HTMLElement) => void): EditorQuery
  editableList<Row>(options: EditableListOptions<Row>): EditorQuery
  editableList<Row>(method: 'addItem', row: Row): void
  typedInput(options: { types: (string | TypedInputType)[]; typeField: string }): EditorQuery
}

declare const $: (target: string | HTMLElement) => EditorQuery

declare const RED: {
  /** The text of a catalog, in the language of the user. */
  _(key: string, values?: Record<string, number>): string
  editor: {
    /** The nodes whose dialogs are open, the topmost last. */
    getEditStack(): unknown[]
  }
  utils: {
    validateTypedProperty(value: unknown, type: string, options?: object): true | string
  }
}
