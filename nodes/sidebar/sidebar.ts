import type { NodeAPI } from 'node-red'

/** The palette manager counts only plugins that the run time knows. The rest is in the editor. */
export = (RED: NodeAPI): void => {
  RED.plugins.registerPlugin('media-gateway-sidebar', { type: 'media-gateway-sidebar' })
}
