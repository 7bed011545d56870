// The rows of a form, as the manifest of the node describes them.

/** The rows of a node by the names under which its form includes them: `row route`. */
export function rowsOf(node, { properties, credentials = {} }) {
  const rows = Object.entries({ ...properties, ...credentials })
    .filter(([, { as }]) => as)
    .map(([name, property]) => [`row ${name}`, rowOf(node, name, property)])
  return { ...Object.fromEntries(rows), 'row try': TRY }
}

/** A text of the node itself, or of the config node: `gateway:form.name`. */
const keyOf = (key) => key.replace(/^gateway:/, '{{package}}/gateway:')

function rowOf(node, name, property) {
  const { as, icon, label = `label.${name}`, unit, when, hints = [] } = property
  const id = `node-${node === 'gateway' ? 'config-' : ''}input-${name}`
  const text = `data-i18n="${keyOf(label)}"`
  const lines =
    as === 'flag'
      ? [`<input type="checkbox" id="${id}" />`, `<label for="${id}" ${text}></label>`]
      : [
          `<label for="${id}"><i class="fa fa-${icon}"></i> <span ${text}></span></label>`,
          ...FIELDS[as](id, { ...property, name }),
          ...(unit ? [`<span class="media-gateway-unit" data-i18n="${keyOf(unit)}"></span>`] : []),
        ]
  const beside = as === 'flag' ? ' media-gateway-beside' : ''
  return [
    `<div class="form-row${beside}"${conditionOf(when)}>`,
    ...lines.map((line) => `  ${line}`),
    '</div>',
    ...hints.flatMap(hintOf),
  ].join('\n')
}

const conditionOf = (when) => (when ? ` data-media-gateway-when="${when}"` : '')

function placeholderOf({ placeholder }) {
  if (placeholder === undefined) return ''
  return typeof placeholder === 'string'
    ? ` placeholder="${placeholder}"`
    : ` data-i18n="[placeholder]${keyOf(placeholder.text)}"`
}

/** What follows the label, by the kind of the row. */
const FIELDS = {
  text: (id, of) => [`<input type="text" id="${id}"${placeholderOf(of)} />`],
  password: (id) => [`<input type="password" id="${id}" />`],
  number: (id, of) => [
    `<input type="text" id="${id}" class="media-gateway-number"${placeholderOf(of)} />`,
  ],
  lines: (id, of) => [
    `<textarea id="${id}" rows="${of.rows ?? 3}"${placeholderOf(of)}></textarea>`,
  ],
  node: (id) => [`<input type="text" id="${id}" />`],
  typed: (id) => [`<input type="text" id="${id}" />`, `<input type="hidden" id="${id}Type" />`],
  choice: (id, { name, choices }) => {
    const texts = Array.isArray(choices)
      ? choices.map((value) => [value, `${name}.${value}`])
      : Object.entries(choices)
    const options = texts.map(
      ([value, key]) => `  <option value="${value}" data-i18n="${keyOf(key)}"></option>`,
    )
    return [`<select id="${id}">`, ...options, '</select>']
  },
}

function hintOf({ text, when, warns }) {
  const words = `data-i18n="${keyOf(text)}"`
  if (!warns) return [`<div class="media-gateway-hint"${conditionOf(when)} ${words}></div>`]
  return [
    `<div class="media-gateway-hint media-gateway-warning"${conditionOf(when)}>`,
    `  <i class="fa fa-exclamation-triangle"></i> <span ${words}></span>`,
    '</div>',
  ]
}

/** The button that shows what the node would do. */
const TRY = `<div class="media-gateway-beside">
  <button type="button" class="red-ui-button" id="media-gateway-try"><i class="fa fa-eye" aria-hidden="true"></i> <span data-i18n="{{package}}/gateway:try.button"></span></button>
</div>
<div id="media-gateway-try-result"></div>`
