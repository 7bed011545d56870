// What the nodes that work for several appliances say in `registerType`, besides `definition.js`.
export default {
  // part: property appliances
  appliance: {
    value: '',
    validate: function (value, opt) {
      return mediaGatewayNodes.checkAppliance(this, value, opt)
    },
  },
  applianceType: { value: 'all' },
}
