// What several nodes say in `registerType`: `include: property device` puts it in its place.
export default {
  // part: property configVersion
  configVersion: { value: 2 },

  // part: property gateway
  name: { value: '' },
  gateway: { value: '', type: 'media-gateway', required: true },

  // part: property appliance
  appliance: {
    value: 'appliance',
    validate: function (value, opt) {
      return mediaGatewayNodes.checkAppliance(this, value, opt)
    },
  },
  applianceType: { value: 'msg' },

  // part: property device
  device: {
    value: '',
    validate: function (value, opt) {
      return mediaGatewayNodes.checkTyped(this, 'device', value, opt)
    },
  },
  deviceType: { value: 'auto' },

  // part: property route
  route: {
    value: 'routeId',
    validate: function (value, opt) {
      return mediaGatewayNodes.checkTyped(this, 'route', value, opt)
    },
  },
  routeType: { value: 'msg' },

  // part: property definition
  definition: {
    value: 'payload',
    validate: function (value, opt) {
      return mediaGatewayNodes.checkTyped(this, 'definition', value, opt)
    },
  },
  definitionType: { value: 'msg' },

  // part: property waitFor
  waitFor: { value: 'accepted' },
  waitTimeout: {
    value: 30,
    validate: function (value, opt) {
      if (mediaGatewayNodes.value(this, 'waitFor') !== 'applied') return true
      return mediaGatewayNodes.check('waitTimeout', value, opt)
    },
  },

  // part: labels
  paletteLabel: function () {
    return this._('node')
  },
  label: function () {
    return this.name || mediaGatewayNodes.label(this) || this._('node')
  },
  labelStyle: function () {
    return this.name ? 'node_label_italic' : ''
  },
  inputLabels: function () {
    return this._('{{package}}/gateway:input')
  },
  outputLabels: function () {
    return this._('result')
  },
  onadd: function () {
    mediaGatewayNodes.prepareNew(this)
  },

  // part: dialog
  oneditprepare: function () {
    mediaGatewayNodes.prepareForm(this)
  },
  oneditsave: function () {
    mediaGatewayNodes.saveForm(this)
  },
}
