// The account of a fleet, from what its appliances have received: who has polled and changed which
// appliance and when, what that was at each event, and what became of each command. Pure functions
// of plain data, all times in ms on one clock.
//
// A record is a request that reached an appliance:
//   {at, appliance, client, session, kind: 'login' | 'logout' | 'poll' | 'read' | 'write', command?}
// `client` is one life of an instance: after a restart it is another one. `command` is the number that
// a write carries, and only a write that the appliance has accepted has one.
//
// An event is what was done to the fleet: {at, kind, client}, with the life that it is about.
//
// A command is what a flow was given: {number, appliance, isOnce, through, sentAt}, `through` the life that
// was given it, and how it ended: `code` is 'ok' or that of its error, `applied` what the error says of
// the change.

/** What a life of an instance had with one session on one appliance. */
function tenuresOf(records) {
  const appliances = new Map()
  for (const record of records.toSorted((one, other) => one.at - other.at)) {
    const { appliance, session, client, at, kind } = record
    if (session === undefined) continue
    if (!appliances.has(appliance)) appliances.set(appliance, new Map())
    const sessions = appliances.get(appliance)
    let tenure = sessions.get(session)
    if (!tenure) {
      tenure = { appliance, client, first: at, last: at, polls: [], writes: [], requests: [] }
      sessions.set(session, tenure)
    }
    tenure.client ??= client
    tenure.last = at
    tenure.requests.push(at)
    if (kind === 'poll') tenure.polls.push(at)
    if (kind === 'write') tenure.writes.push(at)
    if (kind === 'logout') tenure.loggedOut = at
  }
  return new Map([...appliances].map(([name, sessions]) => [name, [...sessions.values()]]))
}

/**
 * Two sessions on one appliance at the same time: who gives an appliance away logs out first, and who is
 * dead sends nothing, so the times of two sessions never overlap.
 */
function overlapsOf(tenures) {
  const overlaps = []
  for (const [appliance, all] of tenures) {
    for (const [place, former] of all.entries()) {
      for (const next of all.slice(place + 1)) {
        if (next.first >= former.last) continue
        overlaps.push({
          appliance,
          former: former.client,
          next: next.client,
          at: next.first,
          ms: former.last - next.first,
          requests: former.requests.filter((at) => at > next.first).length,
          lateWrites: former.writes.filter((at) => next.writes.some((write) => write < at)).length,
        })
      }
    }
  }
  return overlaps.sort((one, other) => one.at - other.at)
}

/** All polls of an appliance in their order, each with its client. */
const pollsOf = (tenures) =>
  tenures
    .flatMap(({ polls, client }) => polls.map((at) => ({ at, client })))
    .sort((one, other) => one.at - other.at)

/** What an event was for the appliances that it moved, and for all others. */
function accountOfEvent(event, polls, until) {
  const moved = []
  let missing = 0
  let staying = 0
  let longest = 0
  for (const [appliance, all] of polls) {
    const move = moveAt(event, all, until)
    if (move === 'missing') missing++
    else if (move) moved.push({ appliance, ...move })
    else {
      staying++
      longest = Math.max(longest, longestGap(all, event.at, until))
    }
  }
  return {
    ...event,
    moved: moved.length,
    missing,
    takenAfter: spread(moved.map(({ takenAt }) => takenAt - event.at)),
    pause: spread(moved.map(({ pause }) => pause)),
    staying,
    stayingLongest: longest,
  }
}

/** When an appliance was first polled by its new owner; 'missing' when it never was. */
function moveAt({ kind, client, at }, polls, until) {
  const before = polls.findLast((poll) => poll.at <= at)
  const after = polls.filter((poll) => poll.at > at && poll.at < until)
  if (kind === 'join') {
    const first = after.findIndex((poll) => poll.client === client)
    if (first < 0) return undefined
    const former = after[first - 1] ?? before
    return { takenAt: after[first].at, pause: former ? after[first].at - former.at : 0 }
  }
  if (before?.client !== client) return undefined
  const first = after.findIndex((poll) => poll.client !== client)
  if (first < 0) return 'missing'
  return { takenAt: after[first].at, pause: after[first].at - (after[first - 1] ?? before).at }
}

/** The longest time without a poll that reaches into the time from `at` to `until`, as far as that. */
function longestGap(polls, at, until) {
  let longest = 0
  let last
  for (const poll of polls) {
    if (last !== undefined && poll.at > at && last < until) {
      longest = Math.max(longest, Math.min(poll.at, until) - last)
    }
    last = poll.at
  }
  return last < until ? Math.max(longest, until - last) : longest
}

function spread(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, longest: sorted.at(-1) ?? 0 }
}

/** What became of the commands, by what was answered and by what the appliances have received. */
function accountOfCommands(commands, records, gone) {
  const writes = new Map()
  for (const record of records) {
    const { command } = record
    if (command !== undefined) writes.set(command, [...(writes.get(command) ?? []), record])
  }
  const list = { twice: [], claimed: [], denied: [], unanswered: [], astray: [] }
  const codes = {}
  /** The first of each code. */
  const messages = {}
  let carriedOut = 0
  let unknown = 0
  let senderGone = 0
  for (const command of commands) {
    const { number, appliance, through, code, applied, message } = command
    const done = (writes.get(number) ?? []).toSorted((one, other) => one.at - other.at)
    if (done.length > 0) carriedOut++
    if (done.length > 1) list.twice.push(number)
    if (done.some((write) => write.appliance !== appliance)) list.astray.push(number)
    if (code === undefined && gone.has(through)) senderGone++
    else if (code === undefined) list.unanswered.push(number)
    else codes[code] = (codes[code] ?? 0) + 1
    if (message) messages[code] ??= message
    if ((code === 'ok' || applied === 'yes') && done.length === 0) list.claimed.push(number)
    if (applied === 'maybe') unknown++
    if (code !== 'ok' && applied === 'no' && done.length > 0) list.denied.push(number)
  }
  const faulty = new Set(Object.values(list).flat())
  const details = commands
    .filter(({ number }) => faulty.has(number))
    .map((command) => ({
      ...command,
      writes: (writes.get(command.number) ?? []).map(({ at, client }) => ({ at, client })),
    }))
  const counts = { sent: commands.length, carriedOut, unknown, senderGone }
  return { ...counts, codes, messages, ...list, details }
}

/** The sessions that nobody has ended, and how many an appliance had at most. */
function accountOfSessions(tenures, excused, lifetime, until) {
  let left = 0
  let expiring = 0
  let most = 0
  for (const all of tenures.values()) {
    const spans = all.map(({ first, last, loggedOut }) => ({
      from: first,
      to: loggedOut ?? last + lifetime,
    }))
    for (const { from } of spans) {
      const open = spans.filter((span) => span.from <= from && span.to > from).length
      most = Math.max(most, open)
    }
    for (const [place, { client, loggedOut }] of all.entries()) {
      if (loggedOut !== undefined || spans[place].to <= until) continue
      if (excused.has(client)) expiring++
      else left++
    }
  }
  return { most, left, expiring }
}

/** Who has polled how many appliances, how often. */
function accountOfClients(tenures) {
  const clients = {}
  for (const [appliance, all] of tenures) {
    for (const { client, polls } of all) {
      const own = (clients[client] ??= { appliances: new Set(), polls: 0, logins: 0 })
      own.appliances.add(appliance)
      own.polls += polls.length
      own.logins++
    }
  }
  return Object.fromEntries(
    Object.entries(clients).map(([client, own]) => [
      client,
      { ...own, appliances: own.appliances.size },
    ]),
  )
}

/**
 * @param names of all appliances, polled or not
 * @param until the end of the watching: what follows is the end of everything
 * @param lifetime how long a session lasts after its last use
 * @param lost the lives that have said that they had lost their lease for a time
 */
export function accountOf({ names, records, events, commands, until, lifetime, lost = [] }) {
  const tenures = tenuresOf(records)
  const polls = new Map([...tenures].map(([name, all]) => [name, pollsOf(all)]))
  const clientsOf = (...kinds) =>
    new Set(events.filter(({ kind }) => kinds.includes(kind)).map(({ client }) => client))
  // Who is dead cannot log out, and who has lost its lease must not.
  const excused = new Set([...clientsOf('kill'), ...lost])
  const overlaps = overlapsOf(tenures)
  return {
    appliances: names.length,
    unpolled: names.filter((name) => !polls.get(name)?.length),
    clients: accountOfClients(tenures),
    events: events.map((event, place) =>
      accountOfEvent(event, polls, events[place + 1]?.at ?? until),
    ),
    doubles: overlaps.filter(({ former, next }) => former !== next),
    twins: overlaps.filter(({ former, next }) => former === next),
    commands: accountOfCommands(commands, records, clientsOf('kill', 'leave')),
    sessions: accountOfSessions(tenures, excused, lifetime, records.at(-1)?.at ?? until),
  }
}

/** How long a takeover may last beyond the TTL. */
const TAKEOVER_MS = 10_000
/** A session of the new owner beside the one of a dead owner that has not expired yet. */
const MOST_SESSIONS = 2

/**
 * @param isSteady false where events follow each other so closely that neither a takeover nor the number of
 * sessions is promised
 * @returns a sentence for each promise that was broken
 */
export function brokenPromises(account, { ttlMs, isSteady = true }) {
  const { unpolled, events, doubles, twins, commands, sessions } = account
  const broken = []
  const check = (count, sentence) => count > 0 && broken.push(sentence)
  check(unpolled.length, `${some(unpolled, 'appliance')} never polled: ${first(unpolled)}.`)
  for (const { kind, client, missing, takenAfter } of isSteady ? events : []) {
    check(missing, `${missing} appliances of ${client} were polled by nobody after its ${kind}.`)
    if (kind === 'kill' && takenAfter.longest > ttlMs + TAKEOVER_MS) {
      broken.push(
        `The takeover from ${client} lasted ${seconds(takenAfter.longest)}: more than the TTL and 10 s.`,
      )
    }
  }
  for (const { appliance, former, next, ms, requests, lateWrites } of doubles.slice(0, SHOWN)) {
    broken.push(
      `${appliance}: ${former} made ${requests} requests up to ${ms} ms after ${next} had begun, ${lateWrites} of them writes after a write.`,
    )
  }
  check(doubles.length - SHOWN, `${doubles.length - SHOWN} more doubles.`)
  check(
    twins.length,
    `${some(twins, 'time')} one instance had two sessions on an appliance: ${first(twins.map(({ appliance }) => appliance))}.`,
  )
  const { twice, claimed, denied, unanswered, astray } = commands
  check(twice.length, `${some(twice, 'command')} carried out twice: ${first(twice)}.`)
  check(
    claimed.length,
    `${some(claimed, 'command')} answered, and not carried out: ${first(claimed)}.`,
  )
  check(
    denied.length,
    `${some(denied, 'command')} carried out, and said not to be: ${first(denied)}.`,
  )
  check(unanswered.length, `${some(unanswered, 'command')} never answered: ${first(unanswered)}.`)
  check(
    astray.length,
    `${some(astray, 'command')} carried out on another appliance: ${first(astray)}.`,
  )
  check(sessions.left, `${sessions.left} sessions of living instances were left open.`)
  if (isSteady && sessions.most > MOST_SESSIONS) {
    broken.push(`An appliance had ${sessions.most} sessions at once.`)
  }
  return broken
}

const SHOWN = 5

const some = (list, what) => `${list.length} ${what}${list.length === 1 ? '' : 's'}`
const first = (list) => list.slice(0, SHOWN).join(', ') + (list.length > SHOWN ? ', …' : '')
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`
