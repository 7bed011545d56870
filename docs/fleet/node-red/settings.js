// The settings of every Node-RED of the fleet.
const path = require('node:path')

module.exports = {
  uiPort: process.env.PORT || 1880,
  flowFile: path.join(__dirname, 'flows.json'),
  // The flow is changed in its file, for all instances alike, and not in the editor of one of them.
  adminAuth: { type: 'credentials', users: [], default: { permissions: 'read' } },
  // flows_cred.json names variables of the environment, and no secrets.
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
}
