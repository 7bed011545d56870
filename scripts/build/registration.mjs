// What a node tells the editor, as its manifest describes it. The flow library reads this text without
// running it: all names and literals are in place.
import { compiled } from '../ready.mjs'

/** The script that registers a node. What it does in the editor is in nodes/editor-bundle.ts. */
export function registrationOf(node, { color, properties, credentials, inputs, outputs }) {
  const isConfig = outputs === undefined
  const ends = isConfig
    ? ''
    : `
      inputs: ${inputs ? 1 : 0},
      outputs: 1,`
  const labels = isConfig
    ? ''
    : `
      inputLabels: function () {
        return this._('{{package}}/gateway:input')
      },
      outputLabels: function () {
        return this._('result')
      },
      onadd: function () {
        mediaGatewayNodes.prepareNew(this)
      },`
  const secrets = Object.entries(credentials ?? {}).map(
    ([name, { as }]) => `${name}: { type: '${as}' },`,
  )
  return `
<script type="text/javascript">
  {
    const checked = (property) => function (value, opt) {
      return mediaGatewayNodes.check(this, property, value, opt)
    }
    RED.nodes.registerType('${isConfig ? 'media-gateway' : `media-gateway-${node}`}', {
      category: '${isConfig ? 'config' : 'media gateway'}',
      color: '${color}',
      icon: '${node}.svg',${ends}
      defaults: {
        configVersion: { value: ${compiled('nodes/runtime/migrations.js').CONFIG_VERSION} },${linesOf(defaultsIn(node, properties))}
      },${credentials ? `\n      credentials: {${linesOf(secrets)}\n      },` : ''}
      paletteLabel: function () {
        return this._('node')
      },
      label: function () {
        return this.name || mediaGatewayNodes.label(this) || this._('node')
      },
      labelStyle: function () {
        return this.name ? 'node_label_italic' : ''
      },${labels}
      oneditprepare: function () {
        mediaGatewayNodes.prepareForm(this)
      },
      oneditsave: function () {
        mediaGatewayNodes.saveForm(this)
      },
    })
  }
</script>
`
}

const linesOf = (lines) => lines.map((line) => `\n        ${line}`).join('')

function defaultsIn(node, properties) {
  return Object.entries(properties).flatMap(([name, property]) => {
    const { value, lacking, as, of, required, label, when, check = as } = property
    const isChecked = ['value', 'typed', 'appliance', 'own'].includes(check)
    const members = {
      value: literal(value),
      lacking: literal(lacking),
      type: of && `'${of}'`,
      required: literal(required),
      // Before the reason, where the editor says what is wrong.
      label: isChecked && !label && `RED._('{{package}}/${node}:label.${name}')`,
      check: isChecked && `'${check}'`,
      when: isChecked && literal(when),
      validate: isChecked && `checked('${name}')`,
    }
    const given = Object.entries(members).filter(([, code]) => code)
    const code = given.map(([member, each]) => `${member}: ${each}`).join(', ')
    return [
      `${name}: {${code && ` ${code} `}},`,
      ...(as === 'typed' ? [`${name}Type: { value: '${property.type}' },`] : []),
    ]
  })
}

const literal = (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
