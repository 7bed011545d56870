// The part of Node-RED's editor that the forms use. The full types bring jQuery, its UI and more,
// and still lack what is used here.

/** A node in the editor: its properties, and what else the editor knows of it. */
interface EditorNode {
  [property: string]: unknown
  id: string
  type: string
  changed?: boolean
  /** It is disabled. */
  d?: boolean
  credentials?: Record<string, unknown>
  _def: {
    category: string
    defaults: Record<string, EditorProperty>
    credentials?: Record<string, { type: 'text' | 'password' }>
  }
}

/** As nodes/parts/manifest.ts has it; only our forms read `lacking`, `check` and `when`. */
interface EditorProperty {
  value: unknown
  lacking?: unknown
  check?: 'own' | 'value' | 'typed' | 'appliance'
  when?: string
  /** True, or what is wrong. */
  validate?(this: EditorNode, value: unknown, options: object): boolean | string
}

interface TypedInputType {
  value: string
  label: string
  icon?: string
  /** False when the type alone is enough and there is nothing to fill in. */
  hasValue?: boolean
  /** For the button beside the value; `this` is the field. */
  expand?(this: { value(): string; value(value: string): void }): void
}

interface EditableListOptions<Row> {
  addButton: string
  removable: boolean
  height: 'auto'
  sortable?: boolean
  sortItems?(): void
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
  data(name: string): unknown
  data(name: string, value: unknown): EditorQuery
  closest(selector: string): EditorQuery
  toggle(shown: boolean): EditorQuery
  trigger(event: string): EditorQuery
  on(event: string, listener: () => void): EditorQuery
  editableList<Row>(options: EditableListOptions<Row>): EditorQuery
  editableList<Row>(method: 'addItem', row: Row): void
  editableList(method: 'empty'): void
  typedInput(options: {
    types: (string | TypedInputType)[]
    default?: string
    typeField: string
  }): EditorQuery
  typedInput(method: 'value' | 'type', value: string): EditorQuery
  typedInput(method: 'types', types: (string | TypedInputType)[]): EditorQuery
}

/** A response; `status` is 0 when there was none. */
interface EditorReply {
  status: number
  responseJSON?: unknown
}

declare const $: {
  (target: string | HTMLElement): EditorQuery
  /** Carries the token of the user, and knows the root of the editor. */
  ajax(request: {
    url: string
    dataType: 'json'
    cache: boolean
    success(answer: unknown): void
    error(reply: EditorReply): void
  }): void
}

declare const RED: {
  /** The text of a catalog, in the language of the user. */
  _(key: string, values?: Record<string, number | string>): string
  nodes: {
    node(id: string): EditorNode | null | undefined
    eachConfig(visit: (node: EditorNode) => void): void
    /** Undefined for a type that is not installed. */
    getType(type: string): EditorNode['_def'] | undefined
    id(): string
    /** A tab; undefined for a subflow. */
    workspace(id: unknown): { label?: string } | undefined
    dirty(isDirty: boolean): void
    /** Undefined for a tab. */
    subflow(id: unknown): { env?: { type: string; ui?: { type?: string } }[] } | undefined
  }
  editor: {
    /** The nodes whose dialogs are open, the topmost last. */
    getEditStack(): unknown[]
    editJSON(options: { value: string; complete(value: string): void }): void
  }
  tabs: {
    /** Makes tabs of an empty list. */
    create(options: { id: string; onchange(tab: { id: string }): void }): {
      addTab(tab: { id: string; label: string }): void
      activateTab(id: string): void
      resize(): void
    }
  }
  view: {
    /** At the pointer, where the next click places them; with `touchImport` where they say. */
    importNodes(nodes: object[], options: { notify: boolean; touchImport: boolean }): void
    scale(): number
  }
  workspaces: {
    active(): string
    /** Missing in some versions of 4.0. */
    isLocked?(): boolean
  }
  plugins: { registerPlugin(id: string, plugin: { type: string; onadd(): void }): void }
  sidebar: {
    addTab(
      tab: Record<'id' | 'label' | 'name' | 'iconClass' | 'action', string> & {
        content: HTMLElement
        /** It can be used while a dialog is open. */
        enableOnEdit: boolean
      },
    ): void
    show(id: string): void
  }
  actions: { add(id: string, action: () => void, options: { label: string }): void }
  events: { on(event: string, listener: () => void): void }
  comms: { subscribe(topic: string, listener: () => void): void }
  /** Missing in some versions of 4.0. */
  user: { hasPermission?(permission: string): boolean }
  /** Confirms it beside the element, with a text of the editor. */
  clipboard: { copyText(text: string, beside: EditorQuery, message: string): boolean }
  utils: { validateTypedProperty(value: unknown, type: string, options?: object): true | string }
}
