const TYPE = 'media-gateway'

/**
 * Gives a new node what most users want: the gateway where it can use only one, and a route that is
 * picked by its name. To call in `onadd`: the editor calls that before it knows a node from the
 * palette, but after it knows one that was pasted or imported, which keeps what it has.
 */
export function prepareNew(node: EditorNode): void {
  if (RED.nodes.node(node.id)) return
  if (node['gateway'] === '') chooseOnlyGateway(node)
  // A saved node without these properties does what their defaults say, so those stay.
  if (node['routeType'] === 'msg') Object.assign(node, { route: '', routeType: 'name' })
}

function chooseOnlyGateway(node: EditorNode): void {
  const usable: EditorNode[] = []
  RED.nodes.eachConfig((config) => {
    const isWithin = !config['z'] || config['z'] === node['z']
    if (config['type'] === TYPE && !config.d && isWithin) usable.push(config)
  })
  const [only] = usable
  if (only && usable.length === 1 && !isSetBySubflow(node)) node['gateway'] = only.id
}

/** A subflow may leave the choice to its instances. */
function isSetBySubflow({ z }: EditorNode): boolean {
  const { env = [] } = RED.nodes.subflow(z) ?? {}
  return env.some(({ type, ui }) => type === TYPE && ui?.type === 'conf-types')
}
