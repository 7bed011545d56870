// Loaded by the Node-RED of a job: reports, from within, what actually runs and what happens.
module.exports = (RED) => {
  let sent = []
  let completed = []
  let starts = 0
  const warnings = []

  RED.events.on('flows:started', () => starts++)
  process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))
  RED.hooks.add('onSend.matrix', (events) => {
    for (const { source, msg } of events) {
      const { id, type, name } = source.node
      if (!type.startsWith('media-gateway-') && type !== 'catch') continue
      const { topic, payload, error } = RED.util.cloneMessage({ ...msg, req: null, res: null })
      sent.push({ id, type, name, topic, payload, error })
    }
  })
  RED.hooks.add('onComplete.matrix', ({ node, error }) => {
    const { id, type } = node.node
    if (!type.startsWith('media-gateway-')) return
    completed.push({
      id,
      type,
      code: error?.code,
      message: error && String(error.message ?? error),
    })
  })

  RED.httpAdmin.get('/observer', (_request, response) => {
    response.json({
      node: process.version,
      nodeRed: RED.version(),
      starts,
      sent,
      completed,
      warnings,
      open: whatIsOpen(),
    })
  })
  RED.httpAdmin.delete('/observer', (_request, response) => {
    sent = []
    completed = []
    response.json({})
  })

  /** Counts that a redeploy must not change. */
  function whatIsOpen() {
    const counts = {
      handles: process._getActiveHandles().length,
      'listeners of the process': listenersOf(process),
      'listeners of Node-RED': listenersOf(RED.events),
    }
    for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
    return counts
  }
}

function listenersOf(emitter) {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
}
