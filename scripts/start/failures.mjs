// Buttons that make something of the simulator fail, and restore it, and that let callers come and go.

export const TITLE = 'Simulator: failures'

const ofStudio = 'routes/Studio%20A'

/** A route that runs, and that nobody calls at first. */
const WAITING = 'Stadium North'
const callersOfWaiting = (who) => ({
  path: `callers/${encodeURIComponent(WAITING)}`,
  body: { [`${WAITING} partners`]: who },
})

/** Routes of the simulator; one of them waits for callers. */
export const withWaiting = (routes) =>
  routes.map((route) => (route.name === WAITING ? { ...route, callers: 0 } : route))

/** What can fail: the label of a button, the call of the simulator that it makes, and its body. */
const LINES = {
  'Source of Studio A': [
    { label: 'source fails', path: ofStudio, body: { source: 'disconnected' } },
    { label: 'source sends no data', path: ofStudio, body: { source: 'no-data' } },
    { label: 'bit rate drops', path: ofStudio, body: { source: { bitrate: 0.5 } } },
    { label: 'packet loss', path: ofStudio, body: { source: { loss: 8, rtt: 600 } } },
    { label: 'source is back', path: ofStudio, body: { source: 'ok' } },
  ],
  'Destination of Studio A': [
    {
      label: 'destination fails',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'disconnected' } },
    },
    {
      label: 'destination is back',
      path: ofStudio,
      body: { destinations: { 'Studio A out': 'ok' } },
    },
  ],
  [`Callers of ${WAITING}`]: [
    { label: 'a caller joins', ...callersOfWaiting(1) },
    { label: 'another joins', ...callersOfWaiting(2) },
    { label: 'they reconnect', ...callersOfWaiting('reconnect') },
    { label: 'all leave', ...callersOfWaiting(0) },
  ],
  Gateway: [
    { label: 'device goes offline', path: 'device', body: { state: 'offline' } },
    { label: 'gateway does not respond', path: 'device', body: { state: 'away' } },
    { label: 'gateway is back', path: 'device', body: { state: 'ok' } },
  ],
  Everything: [{ label: 'everything is back', path: 'failures', method: 'DELETE' }],
}

/** How wide the editor draws a button with a label in lower case, so that all begin in one line. */
function widthOf(label) {
  const widths = Array.from(
    label,
    (letter) => WIDTHS.find(([of]) => of.includes(letter))?.[1] ?? 7.8,
  )
  const width = Math.round(widths.reduce((sum, each) => sum + each, 0))
  return Math.max(100, 20 * Math.ceil((width + 50) / 20))
}

/** Of letters of Arial that are not as wide as most, in the size of labels. */
const WIDTHS = [
  ['ijl', 3.11],
  ['ft ', 3.89],
  ['r', 4.66],
  ['cksvxyz', 7],
  ['w', 10.11],
  ['m', 11.66],
]

/** A tab with buttons that make something of the simulator fail, and restore it. */
export function failureFlow(url) {
  const z = 'simulator-failures'
  const comment = {
    id: `${z}-comment`,
    type: 'comment',
    z,
    name: 'Make something fail, and see what your flow does',
    info: `These buttons call the simulator. "Start and stop a route" has a watch that reports what happens. Import a recipe, choose its gateway and the route Studio A, and press a button here.`,
    x: 200,
    y: 40,
    wires: [],
  }
  return [
    { id: z, type: 'tab', label: TITLE, disabled: false, info: '' },
    comment,
    ...buttons({ url, z, y: 80, callY: 160, groups: LINES }),
  ]
}

/** Groups of buttons that call the simulator, one below the other, from `y` on the tab `z`. */
export function buttons({ url, z, y: top, callY = top, groups: titles }) {
  const nodes = []
  const groups = []
  const outs = []
  const add = (node) => {
    nodes.push({ id: `${z}-failure-${nodes.length}`, z, wires: [], ...node })
    return nodes.at(-1)
  }
  const group = (name, members, place) => {
    const id = `${z}-failures-${groups.length}`
    for (const member of members) member.g = id
    const ids = members.map((member) => member.id)
    groups.push({ id, type: 'group', z, name, style: { label: true }, nodes: ids, ...place })
  }
  let y = top
  for (const [title, failures] of Object.entries(titles)) {
    const members = failures.map(({ label: name, path, body = {}, method = 'POST' }, row) =>
      add({
        type: 'inject',
        name,
        props: [
          { p: 'payload', v: JSON.stringify(body), vt: 'json' },
          { p: 'method', v: method, vt: 'str' },
          { p: 'url', v: `${url}/simulator/${path}`, vt: 'str' },
        ],
        repeat: '',
        crontab: '',
        once: false,
        onceDelay: 0.1,
        topic: '',
        x: 66 + widthOf(name) / 2,
        y: y + 41 + 40 * row,
        wires: [[`${z}-out-${groups.length}`]],
      }),
    )
    const out = add({
      id: `${z}-out-${groups.length}`,
      type: 'link out',
      name: 'do it',
      mode: 'link',
      links: [`${z}-in`],
      x: 425,
      y: y + 41 + 20 * (failures.length - 1),
    })
    outs.push(out.id)
    members.push(out)
    const h = 82 + 40 * (failures.length - 1)
    group(title, members, { x: 20, y, w: 446, h })
    y += h + 20
  }
  const start = add({
    id: `${z}-in`,
    type: 'link in',
    name: 'what to do',
    links: outs,
    x: 541,
    y: callY + 41,
    wires: [[`${z}-call`]],
  })
  const call = add({
    id: `${z}-call`,
    type: 'http request',
    name: 'call the simulator',
    method: 'use',
    ret: 'obj',
    paytoqs: 'ignore',
    url: '',
    tls: '',
    persist: false,
    proxy: '',
    insecureHTTPParser: false,
    authType: '',
    senderr: false,
    headers: [],
    x: 686,
    y: callY + 41,
    wires: [[`${z}-shown`]],
  })
  const shown = add({
    id: `${z}-shown`,
    type: 'debug',
    name: 'what the simulator says',
    active: true,
    tosidebar: true,
    console: false,
    tostatus: false,
    complete: 'payload',
    targetType: 'msg',
    x: 906,
    y: callY + 41,
  })
  group('Do it', [start, call, shown], { x: 500, y: callY, w: 562, h: 82 })
  return [...groups, ...nodes]
}
