// Checks what the watches report. Each begins with a snapshot, to which its events are then applied
// one by one. If an event does not fit what was reported before, it was duplicated or an earlier
// one was lost; and in the end the result must match what the appliance has.

/** Only the script changes routes of such a name. */
const OF_SCRIPT = /^Watched /

export function createAccount() {
  /** By watch: its current instance, and the routes as it has reported them. */
  const watches = new Map()
  /** Changes by the script, with the watches that still have to report each. */
  const changes = []
  const faults = []
  const count = { events: 0, snapshots: 0, changes: 0, byEvent: 0, bySnapshot: 0 }

  function take({ watch, instance, payload }) {
    if (payload.event.startsWith('statistics.')) return void count.events++
    const known = watches.get(watch)
    if (known && instance < known.instance) {
      return blame(watch, payload, 'came from a watch that was closed')
    }
    if (payload.event === 'snapshot') {
      count.snapshots++
      if (known?.instance === instance && known.deviceId === payload.device.id) {
        blame(watch, payload, 'came a second time')
      }
      watches.set(watch, {
        instance,
        deviceId: payload.device.id,
        routes: new Map(payload.routes.map((route) => [route.id, routeOf(route)])),
      })
      for (const change of changes) settleBySnapshot(change, watch)
      return
    }
    count.events++
    if (payload.event.startsWith('appliance.')) return
    if (!known || known.instance !== instance)
      return blame(watch, payload, 'came before a snapshot')
    follow(watch, known, payload)
  }

  function follow(watch, { routes }, payload) {
    const { event, route: named, destination, before, after } = payload
    if (!named) return
    const route = routes.get(named.id)
    const fits = (isRight) => isRight || blame(watch, payload, 'does not fit what was told before')
    if (event === 'route.added') {
      fits(!route)
      routes.set(named.id, routeOf(after))
    } else if (!route) {
      fits(false)
    } else if (event === 'route.removed') {
      routes.delete(named.id)
    } else if (event === 'route.renamed') {
      fits(route.name === before)
      route.name = after
    } else if (event === 'route.started' || event === 'route.stopped') {
      fits(route.running === (event === 'route.stopped'))
      route.running = event === 'route.started'
      // It covers the same of its destinations: which of the others did it too is not reported.
      for (const [id, started] of route.destinations) {
        if (started !== route.running) route.destinations.set(id, undefined)
      }
    } else if (event === 'route.status') {
      fits(route.code === before)
      route.code = after
    } else if (event === 'destination.added') {
      fits(!route.destinations.has(destination.id))
      route.destinations.set(destination.id, after.started)
    } else if (event === 'destination.removed') {
      fits(route.destinations.delete(destination.id))
    } else if (event === 'destination.started' || event === 'destination.stopped') {
      fits([before, undefined].includes(route.destinations.get(destination.id)))
      route.destinations.set(destination.id, after)
    }
    settleByEvent(watch, payload)
  }

  function settleByEvent(watch, payload) {
    const { event, route, after } = payload
    const name = event === 'route.renamed' ? after : route.name
    if (!OF_SCRIPT.test(name) || !(event in OF_CHANGE)) return
    const fitting = changes.filter(
      (change) =>
        isOf(change, route) &&
        change.kind === OF_CHANGE[event] &&
        (change.kind !== 'rename' || change.to === after),
    )
    if (fitting.some(({ open }) => open.delete(watch))) count.byEvent++
    else if (!fitting.some(({ excused }) => excused.delete(watch))) {
      blame(watch, payload, 'tells of a change that nobody has made, or for the second time')
    }
  }

  /** A watch that restarts after a deploy reports the change with its snapshot. */
  function settleBySnapshot(change, watch) {
    const route = [...watches.get(watch).routes.values()].find((one) => isOf(change, one))
    if (!shows(change, route)) return
    change.excused.delete(watch)
    if (change.open.delete(watch)) count.bySnapshot++
  }

  function blame(watch, { event, route }, what) {
    faults.push(`${watch}: ${event} ${route ? `of ${route.name} ` : ''}${what}.`)
  }

  return {
    count,
    faults,
    take,
    /**
     * From now on the watches `who` have to report it, each once; `others` may. Returns it: a route that
     * is added gets its ID later.
     */
    changed(change, who, others) {
      count.changes++
      const made = { ...change, open: new Set(who), excused: new Set(others) }
      changes.push(made)
      return made
    },
    /** Whether a change of this route still has to be reported. */
    isOpen: (route) => changes.some((change) => change.route === route && change.open.size > 0),
    open: () =>
      changes
        .filter(({ open }) => open.size > 0)
        .map(
          ({ kind, route, to = '', open }) => `${kind} ${route} ${to} by ${[...open].join(', ')}`,
        ),
    /** A watch that was removed need not report any more, but may just have done so. */
    isAway(watch) {
      for (const { open, excused } of changes) if (open.delete(watch)) excused.add(watch)
    },
    /** How the reported routes differ from the real ones, in words; undefined if they do not. */
    difference(watch, routes) {
      const known = watches.get(watch)
      if (!known) return `${watch} has told nothing.`
      const wanted = watch === 'watch-pattern' ? routes.filter(isOfScript) : routes
      const told = [...known.routes.values()].filter(
        (route) => watch !== 'watch-pattern' || isOfScript(route),
      )
      const there = asText(wanted.map((route) => ({ ...route, destinations: entries(route) })))
      const real = new Map(wanted.flatMap(entries))
      const said = asText(
        told.map((route) => ({
          ...route,
          destinations: [...route.destinations].map(([id, started]) => [
            id,
            started ?? real.get(id),
          ]),
        })),
      )
      const odd = there.filter((one) => !said.includes(one)).map((one) => `is: ${one}`)
      odd.push(...said.filter((one) => !there.includes(one)).map((one) => `told: ${one}`))
      return odd.length > 0 ? `${watch} differs: ${odd.slice(0, 4).join('; ')}` : undefined
    },
  }
}

const OF_CHANGE = {
  'route.renamed': 'rename',
  'route.started': 'start',
  'route.stopped': 'stop',
  'route.added': 'add',
  'route.removed': 'remove',
  'route.changed': 'edit',
}

/** Before it has an ID, an added route is the one of its name. */
const isOf = ({ route, kind, to }, { id, name }) =>
  route === id || (route === undefined && kind === 'add' && to === name)

const isOfScript = ({ name }) => OF_SCRIPT.test(name)

const routeOf = ({ id, name, state, summaryStatusCode, source, destinations }) => ({
  id,
  name,
  running: state === 'running',
  code: summaryStatusCode,
  port: source.port,
  destinations: new Map(destinations.map((one) => [one.id, one.started])),
})

function shows({ kind, to, port }, route) {
  if (kind === 'remove') return !route
  if (!route) return false
  if (kind === 'rename') return route.name === to
  if (kind === 'start' || kind === 'stop') return route.running === (kind === 'start')
  return kind !== 'edit' || route.port === port
}

const entries = ({ destinations }) => destinations.map(({ id, started }) => [id, started])

const asText = (routes) =>
  routes.map(({ id, name, running, code, destinations }) =>
    JSON.stringify([id, name, running, code, destinations.sort()]),
  )
