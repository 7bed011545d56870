// The sidebar: what the appliances do now, with start and stop.
import { createSidebar } from './sidebar'
import { text } from './text'

const ID = 'media-gateway-sidebar'
const ACTION = 'media-gateway:show-sidebar'

RED.plugins.registerPlugin(ID, {
  type: ID,
  onadd() {
    const { content, deployed } = createSidebar()
    RED.sidebar.addTab({
      id: ID,
      label: text('tab'),
      name: text('name'),
      iconClass: 'fa fa-video-camera',
      content,
      enableOnEdit: true,
      action: ACTION,
    })
    RED.actions.add(ACTION, () => RED.sidebar.show(ID), { label: text('show') })
    RED.events.on('deploy', deployed)
    RED.comms.subscribe('notification/runtime-deploy', deployed)
  },
})
