import type { Reply } from './http'

/**
 * The page at `/`: what the first device does, and buttons for the requests of `control.ts`. It
 * loads nothing else, and no other page may show it in a frame.
 */
export const PAGE: Reply = {
  status: 200,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>Simulated gateway</title>
<style>
  :root { color-scheme: light dark; --dim: #5a6270; --line: #d5d9e0; --ok: #1a7f37; --warn: #b35900; --error: #c62828; --set: #fff1d6; }
  @media (prefers-color-scheme: dark) {
    :root { --dim: #a2abb8; --line: #3b424d; --ok: #57c278; --warn: #f0a848; --error: #ff7b72; --set: #4d3a12; }
  }
  body { font: 14px/1.45 system-ui, sans-serif; max-width: 1200px; margin: 1.5rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; margin: 0; }
  p { margin: 0.3rem 0; color: var(--dim); }
  #bar { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; margin: 0.8rem 0; }
  #bar b { margin-right: 0.6rem; }
  #said { min-height: 1.45em; color: var(--error); }
  div.table { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: 0.25rem 0.7rem 0.25rem 0; font-weight: normal; white-space: nowrap; }
  tbody tr:first-child { border-top: 1px solid var(--line); }
  tbody th { font-weight: 600; padding-top: 0.6rem; }
  tbody tr:first-child td { padding-top: 0.6rem; }
  td:first-child { padding-left: 1.2rem; }
  td:nth-child(-n + 3) { white-space: normal; overflow-wrap: anywhere; }
  td:nth-child(3) { min-width: 11em; }
  td:nth-child(4) { text-align: right; font-variant-numeric: tabular-nums; }
  .dim, thead th { color: var(--dim); }
  .ok { color: var(--ok); } .warn { color: var(--warn); } .error { color: var(--error); }
  button { font: inherit; font-size: 0.9em; padding: 0.1rem 0.55rem; border: 1px solid var(--line); border-radius: 4px; background: none; color: inherit; cursor: pointer; }
  button:hover { border-color: currentColor; }
  button[aria-pressed='true'] { background: var(--set); border-color: var(--warn); }
</style>
</head>
<body>
<h1>Simulated gateway</h1>
<p id="about"></p>
<div id="bar"></div>
<div id="said" role="status"></div>
<div class="table"><table>
<thead><tr><th>Part</th><th>Address</th><th>State</th><th>Mbit/s</th><th>Callers</th><th>Make it fail</th></tr></thead>
</table></div>
<script>
  'use strict'
  const LOSS = { loss: 8, rtt: 600 }
  const table = document.querySelector('table')
  const said = document.getElementById('said')

  function element(name, text, parent) {
    const made = document.createElement(name)
    made.textContent = text
    if (parent) parent.append(made)
    return made
  }

  async function ask(method, path, body) {
    const sent = { method, cache: 'no-store', body: body && JSON.stringify(body) }
    const response = await fetch('/simulator' + path, sent)
    const content = await response.json()
    if (!response.ok) throw new Error(content.error.message)
    return content
  }

  function button(parent, label, what, work) {
    const made = element('button', label, parent)
    made.type = 'button'
    made.title = what
    made.setAttribute('aria-label', what)
    made.onclick = () => Promise.resolve(work()).then(refresh).catch(report)
    return made
  }

  const mark = (pressed, is) => pressed.setAttribute('aria-pressed', String(is))
  const report = (error) => {
    const isGone = error instanceof TypeError
    said.textContent = isGone ? 'The simulator does not respond. Is it still running?' : error.message
  }

  // ---- the gateway as a whole

  const bar = document.getElementById('bar')
  const gateway = element('b', '', bar)
  const device = (state) => ask('POST', '/device', { state })
  let back
  const stay = (state) => {
    clearTimeout(back)
    return device(state)
  }
  const offline = button(bar, 'Device offline', 'The gateway says that its device is offline', () => stay('offline'))
  const away = button(bar, 'Gateway off', 'The gateway is off: every connection is cut', () => stay('away'))
  button(bar, 'Off for 30 s', 'The gateway is off for 30 seconds, while this page is open', async () => {
    await stay('away')
    back = setTimeout(() => device('ok').then(refresh).catch(report), 30000)
  })
  button(bar, 'Back', 'The gateway is back', () => stay('ok'))
  button(bar, 'Restore everything', 'Restore the gateway and every source and destination', () => {
    clearTimeout(back)
    return ask('DELETE', '/failures')
  })

  // ---- its routes

  const partsOf = ({ source, destinations }) => [source, ...destinations.filter(({ name }) => name !== undefined)]
  let shape
  let rows = []

  function show({ devices, failures }, routes) {
    const [first] = devices
    const others = devices.length > 1 ? ', the first of ' + devices.length : ''
    const count = first ? (first.routes > routes.length ? 'the first ' + routes.length + ' of ' : '') + first.routes : 0
    document.getElementById('about').textContent =
      (first ? first.name + others + ': ' : '') + count + ' routes. What fails here fails for every client.'
    gateway.textContent = { ok: 'Gateway on', offline: 'Device offline', away: 'Gateway off' }[failures.device]
    gateway.className = failures.device === 'ok' ? 'ok' : 'error'
    mark(offline, failures.device === 'offline')
    mark(away, failures.device === 'away')

    const now = JSON.stringify(routes.map((route) => [route.id, route.name, partsOf(route).map(placeOf)]))
    if (now !== shape) {
      shape = now
      for (const body of table.querySelectorAll('tbody')) body.remove()
      rows = routes.map(rowsOf)
    }
    routes.forEach((route, number) => rows[number](route))
  }

  /** Makes the rows of a route; returns what shows its present state in them. */
  function rowsOf(route) {
    const body = element('tbody', '', table)
    const head = element('tr', '', body)
    const name = element('th', route.name, head)
    name.scope = 'rowgroup'
    name.colSpan = 2
    const state = element('td', '', head)
    const parts = partsOf(route).map((part) => rowOf(body, route, part, part.id === route.source.id))
    return (present) => {
      state.className = classOf(present)
      const details = present.summaryStatusDetails
      state.textContent = present.state + (['running', details].includes(present.state) ? '' : ' (' + details + ')')
      partsOf(present).forEach((part, place) => parts[place](part, present))
    }
  }

  const placeOf = ({ id, name, protocol, mode, address, port }) => [
    id, name, protocol + (mode ? ' ' + mode : ''), (address || '') + (port ? ':' + port : ''),
  ]
  const classOf = ({ summaryStatusCode: code }) => (['ok', 'warn', 'error'].includes(code) ? code : 'dim')

  function rowOf(body, route, part, isSource) {
    const row = element('tr', '', body)
    const [id, name, protocol, address] = placeOf(part)
    const whole = route.name + ', ' + (isSource ? 'source' : name)
    element('td', isSource ? 'Source' : '→ ' + name, row)
    element('td', protocol + ' ' + address, row).className = 'dim'
    const [state, rate, callers, actions] = ['', '', '', ''].map((text) => element('td', text, row))
    const fail = (line) =>
      ask('POST', '/routes/' + encodeURIComponent(route.id), isSource ? { source: line } : { destinations: { [id]: line } })
    const buttons = [
      ['Fail', 'disconnected', ({ state }) => state !== undefined],
      ['No data', 'no-data', ({ data }) => data === false],
      ['Loss', LOSS, ({ loss }) => loss > 0],
    ].map(([label, line, isSet]) => [button(actions, label, whole + ': ' + label.toLowerCase(), () => fail(line)), isSet])
    button(actions, 'Undo', whole + ': restore', () => fail('ok'))
    for (const each of actions.children) each.after(' ')
    let calling = 0
    const call = (change) =>
      ask('POST', '/callers/' + encodeURIComponent(route.id), { [id]: Math.max(0, calling + change) })
    const number = document.createElement('span')
    if (route.callers[id] !== undefined) {
      button(callers, '−', whole + ': a caller leaves', () => call(-1))
      callers.append(' ', number, ' ')
      button(callers, '+', whole + ': a caller joins', () => call(1))
    }
    return (present, { lines, callers: { [id]: count } }) => {
      const line = lines[id]
      const words = [present.summaryStatusDetails]
      if (line.loss) words.push('loss ' + line.loss + ' %')
      if (line.rtt) words.push(line.rtt + ' ms')
      if (line.bitrate !== undefined) words.push('at most ' + line.bitrate + ' Mbit/s')
      state.textContent = words.join(', ')
      state.className = classOf(present)
      rate.textContent = Number(present.usedBandwidth).toFixed(1)
      for (const [each, isSet] of buttons) mark(each, isSet(line))
      calling = count
      number.textContent = count
    }
  }

  // ---- again each second

  async function refresh() {
    const [state, routes] = await Promise.all([ask('GET', ''), ask('GET', '/routes')])
    show(state, routes)
    said.textContent = ''
  }

  async function keepShowing() {
    await refresh().catch(report)
    setTimeout(keepShowing, 1000)
  }

  keepShowing()
</script>
</body>
</html>
`,
}
