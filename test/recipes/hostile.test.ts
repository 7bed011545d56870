// The functions of the recipes with IDs and names that a gateway may have, and that nobody thinks of.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newCounters } from '../../client/connection/counters'
import { renderMetrics, type Detail } from '../../client/metrics/render'
import { legible } from '../../client/model/legible'
import { healthRow } from '../../client/watch/rows'
import { stateOf } from '../client/watch/states'
import { samplesIn } from '../support/metrics'
import { exampleFiles, Functions, HOSTILE, type Message } from './functions'
import { read } from './support'
import { afterThisTest } from '../support/hooks'

const of = (title: string, env: Record<string, unknown> = {}): Functions =>
  new Functions(read(`Recipes/${title}.json`), env)

interface Route extends Message {
  id: string
  name: string
}
const route = (id: string, name = id, more: Message = {}): Route => ({
  id,
  name,
  state: 'running',
  summaryStatusCode: 'ok',
  source: { name: 'in', state: 'connected', summaryStatusCode: 'ok', usedBandwidth: 5, port: 1 },
  destinations: [{ id: 'd', name: 'out', started: true }],
  ...more,
})
/** Two routes with each hostile text: as the ID of one, and as the name of the other. */
const ROUTES = HOSTILE.flatMap((text, at) => [route(text, `by ID ${at}`), route(`id-${at}`, text)])
const ONLINE = { statusCode: 'ok', status: 'Online' } as const
const event = (name: string, more: Message = {}): Message => ({
  topic: name,
  payload: { event: name, text: name, at: Date.now(), ...more },
})
const about = (each: Route, name: string, after?: unknown): Message =>
  event(name, { route: { id: each.id, name: each.name }, after })
const texts = (messages: Message[] = []): string[] => messages.map(({ payload }) => String(payload))

describe('with any ID and name of a route', () => {
  it('Alarm with recovery: one alert when it begins, one message when it is over', () => {
    const alarm = of('Alarm with recovery')
    const news = (msg: Message): string[] => texts(alarm.run('one message each', msg).sent[0])
    const incident = (each: Route, name: string, more: Message = {}): Message =>
      event(`incident.${name}`, { route: each, incident: { id: each.id }, ...more })
    should(news(event('snapshot', { routes: ROUTES }))).eql([])
    for (const each of ROUTES) {
      const text = `${each.name}: no source`
      should(news(incident(each, 'begun', { text }))).eql([`ALERT ${text}`])
      const other = { before: 'critical', after: 'critical', text }
      should(news(incident(each, 'changed', other))).eql([])
      should(news(incident(each, 'changed', { ...other, after: 'warning' }))).eql([])
      const worse = { before: 'warning', after: 'critical', text }
      should(news(incident(each, 'changed', worse))).eql([`ALERT ${text}`])
      should(news(incident(each, 'ended', { text }))).eql([`RESOLVED ${text}`])
    }
    should(news({ error: { message: 'cannot watch' } })).eql(['ALERT cannot watch'])
    should(news({ error: { message: 'cannot watch' } })).eql([])
    should(news(event('snapshot', { routes: [] }))).eql(['RESOLVED The watch works again.'])
    should(news(event('snapshot', { routes: [] }))).eql([])
    news({ error: { message: 'cannot watch' } })
    const away = (name: string, text: string): Message =>
      event(`incident.${name}`, { incident: { kind: 'gateway' }, text })
    should(news(away('begun', 'login refused'))).eql(['ALERT login refused'])
    should(news(away('ended', 'OK again'))).eql(['RESOLVED OK again'])
    should(news({})).eql([])
  })

  it('Route state to MQTT: two topics, which a broker takes, and clears them', () => {
    const mqtt = of('Route state to MQTT')
    const send = (msg: Message): Map<unknown, unknown> =>
      new Map(
        mqtt.run('what to publish?', msg).sent[0]!.map(({ topic, payload }) => [topic, payload]),
      )
    const topics = send(event('snapshot', { routes: ROUTES }))
    // Each route has two, and the gateway one.
    should(topics.size).equal(2 * ROUTES.length + 1)
    for (const topic of topics.keys()) should(topic).not.match(/[+#\p{Cc}]/u)
    for (const each of ROUTES) {
      const changed = send(about(each, 'route.stopped'))
      should([...changed.values()]).eql(['false'])
      should([...send(about(each, 'route.status', 'error')).values()]).eql(['error'])
      should([...send(about(each, 'route.removed')).values()]).eql(['', ''])
    }
    should(send(event('snapshot', { routes: [] })).size).equal(0)
  })

  it('Stream Deck with Companion: its state, and one change of it at a time', () => {
    const deck = of('Stream Deck with Companion', { ROUTES: '*', ARMED: true })
    const states = (): Record<string, { state: string }> => {
      const { payload } = deck.run('states of the routes', {}).sent[0]![0]!
      return (payload as { routes: Record<string, { state: string }> }).routes
    }
    should(states()).eql({})
    deck.run('keep the states', event('snapshot', { routes: ROUTES }))
    should(Object.keys(states()).length).equal(ROUTES.length)
    for (const each of ROUTES) {
      should(new Map(Object.entries(states())).get(each.name)!.state).equal('running')
      deck.run('keep the states', about(each, 'route.stopped'))
      should(new Map(Object.entries(states())).get(each.name)!.state).equal('stopped')
    }
    const press = (name: unknown): Message => ({
      req: { query: { route: name }, params: { action: 'stop' } },
      res: {},
    })
    for (const { name } of ROUTES) {
      const { sent } = deck.run('allowed?', press(name))
      should(sent[0]![0]).match({ routeName: name, action: 'stop' })
      should(deck.run('allowed?', press(name)).sent[1]![0]).match({ statusCode: 409 })
      deck.run('what came of it', sent[0]![0]!)
      should(deck.run('allowed?', press(name)).sent[0]).have.length(1)
    }
    for (const strange of [['a', 'b'], { toString: 'x' }, undefined, 7]) {
      should(deck.run('allowed?', press(strange)).sent[1]![0]).match({ statusCode: 400 })
    }
  })

  it('TSL UMD tally: its name and lamp, and nothing else, in every version', () => {
    for (const VERSION of ['3.1', '5.0']) {
      for (const { id, name } of ROUTES) {
        const DISPLAYS = JSON.parse(`{${JSON.stringify(name)}: 5}`) as object
        const tsl = of('TSL UMD tally', { HOST: 'display', PORT: 1, VERSION, SCREEN: 0, DISPLAYS })
        const packet = (msg: Message): Buffer =>
          tsl.run('packets', msg).sent[0]![0]!['payload'] as Buffer
        const rows = (ROUTES as never[]).map((one) => healthRow(ONLINE, one))
        const as = (sign: string): Buffer =>
          packet({ payload: rows.map((row) => (row.id === id ? { ...row, sign } : row)) })
        const unknown = packet({ error: { message: 'not read' }, payload: rows })
        const [running, stopped] = [packet({ payload: rows }), as('stopped')]
        should(running.equals(unknown) || running.equals(stopped)).be.false()
        should(stopped.equals(unknown)).be.false()
        should(as('waiting').equals(running)).be.true()
        should(as('warning').equals(as('critical'))).be.false()
        if (VERSION === '3.1') should(stopped.length).equal(18)
        else should(stopped.readUInt16LE(0)).equal(stopped.length - 2)
        // A sign that nobody has heard of lights no lamp.
        should(as('constructor').equals(unknown)).be.true()
      }
    }
  })

  it('Restart a stalled route: three restarts within the hour for each, then the alarm', () => {
    const stalled = of('Restart a stalled route')
    for (const { id, name } of ROUTES) {
      const low = { topic: 'statistics.low', payload: { route: { id, name }, at: 1 } }
      const [message] = stalled.run('still stalled?', low).sent[0]!
      should(message).match({ stall: { id, name } })
      for (const restarts of [1, 2, 3]) {
        should(stalled.run('how often already?', { ...message }).sent[0]![0]).match({ restarts })
      }
      should(stalled.run('how often already?', { ...message }).sent[1]![0]).match({ restarts: 3 })
      should(stalled.run('still stalled?', { ...message }).sent[0]).have.length(1)
      stalled.run('still stalled?', { topic: 'statistics.normal', payload: low.payload })
      should(stalled.run('still stalled?', { ...message }).sent[0]).eql([])
    }
    stalled.now = () => Date.now() + 3_600_001
    const [first] = ROUTES
    const again = stalled.run('how often already?', { stall: first })
    should(again.sent[0]![0]).match({ restarts: 1 })
    should(stalled.flow.get('restartsDone')).have.length(1)
  })

  it('Salvo: starts exactly what it has stopped', () => {
    const home = mkdtempSync(join(tmpdir(), 'media-gateway-hostile-'))
    afterThisTest(() => rmSync(home, { recursive: true, force: true }))
    const file = join(home, 'salvo.json')
    const salvo = of('Salvo', { PATTERN: '*', FILE: file, ARMED: true })
    const ids = (at: number, msg: Message): unknown[] =>
      salvo.run('which routes?', msg).sent[at]!.map(({ routeId }) => routeId)
    const all = ROUTES.map(({ id }) => id)
    should(ids(0, { salvo: 'stop', payload: ROUTES })).eql(all)
    should(existsSync(file)).be.true()
    const stopped = ROUTES.map((each) => ({ ...each, state: 'idle' }))
    const started = ids(1, { salvo: 'start', payload: stopped })
    should(started).eql(all)
    for (const each of ROUTES) {
      const { id, name } = each
      const { sent } = salvo.run('what came of it', { routeId: id, name })
      if (each === ROUTES.at(-1)) {
        should(texts(sent[0])).eql([`Started ${all.length} of ${all.length}. Remembered: 0.`])
      } else should(sent[0]).eql([])
    }
  })

  it('Salvo, Two sites alike, Scheduled start and stop: act on no word that they do not know', () => {
    for (const word of [undefined, 'restart', 'Stop', 7]) {
      for (const [title, name, msg] of [
        ['Salvo', 'one at a time', { salvo: word }],
        ['Two sites alike', 'approved?', { step: word }],
        ['Scheduled start and stop', 'should it run now?', { action: word ?? 'toggle' }],
      ] as Array<[string, string, Message]>) {
        const functions = of(title, { ARMED: true })
        functions.flow.set('plan', { id: 'x', at: Date.now() })
        const { sent, errors } = functions.run(name, msg)
        should(sent.flat()).eql([], `${title}: ${word}`)
        should(errors[0]).match(/must be/)
        should(functions.flow.get('plan')).match({ id: 'x' })
      }
    }
  })

  it('Control panel: a row with its failover, and the right route for its button', () => {
    const panel = of('Control panel', { ARMED: true })
    const label = (text: string): string => text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
    const shown = (reason: string): Array<{ id: string; state: string; lamp: string }> => {
      const samples = ROUTES.flatMap(({ id, name }) => {
        const labels = `route="${label(name)}",route_id="${label(id)}"`
        const value = reason === 'none' ? 1 : 0
        return [
          `media_gateway_failover_state{${labels},state="normal"} 1`,
          `media_gateway_failover_protects{${labels},reason="${reason}"} ${value}`,
        ]
      })
      panel.run('by route', { payload: samples.join('\n') })
      const [table] = panel.run('lamps and bit rates', {
        payload: (ROUTES as never[]).map((one) => healthRow(ONLINE, one)),
      }).sent[0]!
      return table!['payload'] as Array<{ id: string; state: string; lamp: string }>
    }
    const rows = shown('none')
    should(rows.map(({ id }) => id).sort()).eql(ROUTES.map(({ id }) => id).sort())
    const [green] = rows.map(({ lamp }) => lamp)
    for (const [reason, words, isGreen] of [
      ['none', 'main', true],
      ['held', 'main, held', true],
      ['backup-bad', 'main, backup failed', false],
      // A word that the flow does not know, and every object does.
      ['constructor', 'main', false],
    ] as const) {
      for (const { state, lamp } of shown(reason)) {
        should(state).equal(`OK (failover: ${words})`)
        should(lamp === green).equal(isGreen, reason)
      }
    }
    for (const { id, name } of ROUTES) {
      const clicked = { action: 'button_click', payload: { id }, _client: { socketId: id } }
      const asked = panel.run('which route?', clicked).sent[0]![0]!
      should(asked['payload']).equal(`Stop ${name}? It is on air.`)
      const yes = {
        payload: 'confirm_clicked',
        question: asked['question'],
        _client: { socketId: id },
      }
      should(panel.run('yes?', yes).sent[0]![0]).match({ routeId: id, name, action: 'stop' })
    }
  })

  it('REST facade: what is shown of it, and the same for a list', () => {
    const rest = of('REST facade')
    const shown = rest.run('what is shown', { payload: ROUTES }).sent[0]![0]!['payload'] as Route[]
    should(shown.map(({ id, name }) => [id, name])).eql(ROUTES.map(({ id, name }) => [id, name]))
    const odd = rest.run('what is shown', {
      payload: route('1', '2', { summaryStatusCode: 'toString' }),
    })
    should(odd.sent[0]![0]!['payload']).match({ status: 'unknown' })
  })

  it('Bookings from a calendar: starts it, also where its name ends with a blank', () => {
    for (const name of HOSTILE) {
      const functions = of('Bookings from a calendar', { ROUTES: '*', FIELD: 'SUMMARY', LEAD: 0 })
      const escaped = name.replace(/[\\;,]/g, '\\$&').replace(/\n/g, '\\n')
      const times = 'DTSTART:20000101T000000Z\r\nDTEND:29990101T000000Z'
      const booking = `BEGIN:VEVENT\r\nSUMMARY:${escaped}\r\n${times}\r\nEND:VEVENT`
      const understood = functions.run('read it', {
        payload: `BEGIN:VCALENDAR\r\n${booking}\r\nEND:VCALENDAR\r\n`,
      })
      should(understood.errors).eql([])
      const planned = functions.run('what is booked now?', understood.sent[0]![0]!).sent[0]![0]!
      should(planned['plan']).match({ booked: [name.trim()] })
      const present = [route('7', name, { state: 'idle' }), route('8', 'other')]
      const { sent, errors } = functions.run('what differs?', { ...planned, payload: present })
      should(errors).eql([])
      should(sent[0]).match([{ action: 'start', payload: { id: '7' } }])
      // Which one of two is not known.
      const two = [...present, route('9', name.trim())]
      const unclear = functions.run('what differs?', { ...planned, payload: two })
      should(unclear.sent[0]).eql([])
      should(unclear.errors[0]).match(/several routes have this name/)
    }
  })

  it('Guest contribution: is no guest, and stays where guests are removed', () => {
    const guests = of('Guest contribution', { ARMED: true })
    const shown = guests.run('guests', { action: 'show', payload: ROUTES }).sent[0]![0]!
    should(shown['payload']).match({ guests: [] })
    should(guests.run('guests', { action: 'over', payload: ROUTES }).sent[2]).eql([])
    for (const { id } of ROUTES) {
      const { sent } = guests.run('guests', { action: 'remove', asked: { id }, payload: ROUTES })
      should(sent[2]).eql([])
      should(sent[3]).have.length(1)
    }
    for (const each of ROUTES) {
      const added = about(each, 'route.added', each)
      should(guests.run('connected?', added).sent.flat()).eql([])
    }
  })

  it('Guest contribution: invites a name once, however quickly it is asked for', () => {
    const guests = of('Guest contribution', { ARMED: true, PORTS: '1000-1009' })
    const invite = (name: string): Message[][] =>
      guests.run('guests', { action: 'invite', asked: { name, hours: 1 }, payload: [] }).sent
    should(invite('Ann')[1]).have.length(1)
    should(invite('ann')[3]![0]).match({ statusCode: 409 })
    const ports = ['Bob', 'Cy'].map((name) => invite(name)[1]![0]!['payload']) as Route[]
    should(ports.map(({ source }) => (source as Message)['port'])).eql([1001, 1002])
    // It was not created: the name is free again at once.
    const error = { message: 'refused', cause: { applied: 'no' } }
    guests.run('to the browser', { res: {}, asked: { name: 'Ann' }, error })
    should(invite('Ann')[1]).have.length(1)
    const env = { ARMED: true, GUESTS_PASSWORD: 'a long password' }
    const door = of('Guest contribution', env)
    const headers = {
      authorization: `Basic ${Buffer.from('x:a long password').toString('base64')}`,
    }
    for (const payload of [
      undefined,
      null,
      'text',
      7,
      [],
      { form: ['a'] },
      { form: { toString: 1 } },
    ]) {
      const { sent } = door.run('allowed?', { req: { method: 'POST', headers }, payload })
      should(sent[1]![0]).match({ statusCode: 403 })
    }
  })

  it('Two sites alike: names the interface that is not in its table', () => {
    for (const name of HOSTILE) {
      const sites = of('Two sites alike')
      const table = { networkInterface: { eth0: 'eth1' }, address: { '10.1.': '10.2.' } }
      const definition = (networkInterface: string): Message => ({
        name,
        source: { name, networkInterface, address: '10.1.0.5' },
        destinations: [],
      })
      const good = sites.run('for site B', { table, payload: [definition('eth0')] })
      should(good.sent[0]![0]!['payload']).match([
        { name, source: { networkInterface: 'eth1', address: '10.2.0.5' } },
      ])
      const { errors } = sites.run('for site B', { table, payload: [definition(name)] })
      should(errors[0]).containEql(`source.networkInterface ${name}`)
    }
  })

  it('Keep a route on the air: a chat gets it as it is', () => {
    const keep = of('Keep a route on the air', { SLACK: 'http://s/', TEAMS: 'http://t/' })
    for (const { name } of ROUTES) {
      const [slack, teams] = keep.run('for each chat', { payload: `${name} switched` }).sent[0]!
      should((slack!['payload'] as { text: string }).text).not.match(/[<>]/)
      should(JSON.stringify(teams!['payload'])).containEql(JSON.stringify(`${name} switched`))
    }
  })

  it('Key rotation: a new key for both of its ends, and for no other', () => {
    for (const name of HOSTILE) {
      const env = { SENDER: name, DESTINATION: name, RECEIVER: name, ARMED: true }
      const rotation = of('Key rotation', env)
      const [first] = rotation.run('one at a time', {}).sent[0]!
      should(first).eql({ payload: { name, destinations: [{ name }] } })
      should(rotation.run('one at a time', {}).sent[0]).eql([])
      const end = { protocol: 'srt', srtEncryption: 'AES256' }
      const destinations = [...HOSTILE.filter((other) => other !== name), name].map((other) => ({
        ...(other === name ? end : {}),
        name: other,
      }))
      const receiver = rotation.run('and the receiver', { payload: { before: { destinations } } })
      const [asked] = receiver.sent[0]!
      should(asked).eql({ sender: { ...end, name }, payload: { name, source: {} } })
      const ready = { ...asked, payload: { before: { source: { protocol: 'srt' } } } }
      should(rotation.run('ready?', ready).sent[0]).eql([{}])
      const [[sender], [receiving]] = rotation.run('new key', {}).sent as [[Message], [Message]]
      should(sender).match({ payload: { name, destinations: [{ name }] } })
      should(receiving).match({ payload: { name } })
      const ended = (which: string): Message[] =>
        rotation.run('both or none', { end: which, payload: { changed: true } }).sent[0]!
      should(ended('sender')).eql([])
      should(texts(ended('receiver'))[0]).startWith(`ROTATED ${name}: both ends`)
    }
  })

  it('Routes as a file: which routes differ, and the plan that somebody approves', () => {
    const env = { NAME: 'constructor', ARMED: true }
    const file = of('Routes as a file', env)
    const definition = (name: string, more: Message = {}): Message => ({
      name,
      source: { name, ...more },
      destinations: [{ name, ...more }],
    })
    const routes = HOSTILE.map((name) => definition(name))
    const [exported] = file.run('the file', { payload: routes }).sent[0]!
    const payload = exported!['payload'] as Message
    should(payload).eql({ version: 1, gateway: 'constructor', routes })
    should(file.run('usable?', { payload }).sent[0]).match([{ wanted: routes }])
    for (const gateway of HOSTILE.slice(1)) {
      should(file.run('usable?', { payload: { ...payload, gateway } }).errors).have.length(1)
    }

    const looked = (present: Message[], wanted: Message[]): Message[][] =>
      file.run('what differs?', {
        plan: { table: [], text: '' },
        present,
        wanted,
        payload: wanted.map((before) => ({ before })),
      }).sent
    should(looked(routes, routes)[1]).eql([])
    // Fields with the same names, which only the gateway has.
    const fields = JSON.parse(
      `{${HOSTILE.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`,
    ) as Message
    const [, [more]] = looked(
      HOSTILE.map((name) => definition(name, fields)),
      routes,
    ) as [Message[], [Message]]
    const text = String(more['payload'])
    should(text).startWith(`ALERT constructor: ${HOSTILE.length} routes differ`)
    for (const name of HOSTILE) {
      should(text).containEql(`${JSON.stringify(name)}: source.constructor, source.__proto__`)
    }
    const [, [only]] = looked(routes, []) as [Message[], [Message]]
    should(only['payload']).containEql(`Only on the gateway: ${JSON.stringify('constructor')}, `)

    const table = HOSTILE.map((name) => ({ route: JSON.stringify(name), steps: 'delete' }))
    const plan = { id: 'plan', table, text: HOSTILE.map((name) => JSON.stringify(name)).join('\n') }
    const failed = HOSTILE.map((name) => ({ before: { name }, error: { message: 'refused' } }))
    const [pieces, [report]] = file.run('what came of it', { plan, payload: failed }).sent as [
      Message[],
      [Message],
    ]
    for (const name of HOSTILE) {
      should(report['payload']).containEql(`${name}: refused`)
      should(report['payload']).containEql(JSON.stringify(name))
    }
    should(texts(pieces).join('').replaceAll('\n', '')).equal(
      String(report['payload']).replaceAll('\n', ''),
    )
    should(file.run('approved?', { step: 'apply' }).sent[0]).match([{ plan: { id: 'plan' } }])
  })

  it('Create routes from a CSV: one route of each row, and a line for each', () => {
    const csv = of('Create routes from a CSV')
    const cells = { source_port: '1', latency: '', destination_address: 'a', destination_port: '2' }
    const others = JSON.parse('{"__proto__":"x","constructor":"y","toString":""}') as Message
    const rows = HOSTILE.map((name) => ({ ...others, ...cells, name }))
    const { sent, errors } = csv.run('to routes', { payload: rows })
    should(errors).eql([])
    const names = HOSTILE.map((name) => name.trim())
    const [message] = sent[0]!
    should((message!['payload'] as Route[]).map(({ name }) => name)).eql(names)
    for (const at of HOSTILE.keys()) {
      const results = HOSTILE.map((_, index) =>
        index === at
          ? { error: { message: 'refused' } }
          : { changed: true, action: 'create', diff: [{ path: '' }] },
      )
      const [done] = texts(csv.run('what was done', { ...message, payload: results }).sent[0])
      should(done).startWith('Dry run: ')
      should(done).containEql(`create ${HOSTILE.length - 1}`)
      should(done).containEql(`\n${names[at]}: refused`)
    }
    for (const cell of HOSTILE) {
      const refused = csv.run('to routes', { payload: [{ ...rows[0], source_port: cell }] })
      should(refused.errors[0]).containEql(`source_port is "${cell.trim().slice(0, 40)}"`)
    }
  })

  it('Failover to a backup and back: whatever a probe says, main is good at 200 only', () => {
    for (const text of HOSTILE) {
      const failover = of('Failover to a backup and back')
      const asked = (msg: Message): unknown =>
        failover.run('is main good?', { ...msg, payload: text }).sent[0]![0]
      should(asked({ statusCode: 200 })).eql({ main: true })
      should(asked({ statusCode: 503 })).eql({ main: false })
      should(asked({ statusCode: text })).be.undefined()
      should(asked({ statusCode: 200, error: { message: text } })).be.undefined()
      // A silence is told once.
      should(asked({ statusCode: 200 })).eql({ main: true })
      const silent = failover.run('is main good?', { error: { message: text } })
      should(silent.errors).eql([`The probe does not respond: ${text}`])
    }
  })

  it('Nightly preset backup: a file of its day, and none of what is no preset', () => {
    const nightly = of('Nightly preset backup', { FOLDER: '/backups' })
    const preset = { preset_version: '1', routes: ROUTES }
    const [message] = nightly.run('file name', { payload: preset, filename: '/etc/x' }).sent[0]!
    should(message).match({ payload: preset, filename: /^\/backups\/preset-[ab]-[a-z]+day\.json$/ })
    for (const payload of [undefined, null, 7, [], { routes: {} }, ...HOSTILE]) {
      const { sent, errors } = nightly.run('file name', { payload })
      should(sent.flat()).eql([])
      should(errors).have.length(1)
    }
  })

  it('Prometheus metrics: a sample for each, with its name as a label', async () => {
    const flow = read('Recipes/Prometheus metrics.json')
    const { detail } = flow.find(({ type }) => type === 'media-gateway-metrics')!
    const device = { _id: 'D', name: 'D', statusCode: 'ok', status: 'Online' }
    const state = stateOf({ ...device, config: { routes: ROUTES } } as never)
    const picture = { gateway: '__proto__', isUp: true, counters: newCounters(), state }
    const samples = samplesIn(await renderMetrics([picture], detail as Detail))
    const shown = samples.filter(({ name }) => name === 'media_gateway_route_info')
    should(shown.map(({ labels }) => labels['route'])).eql(ROUTES.map(({ name }) => legible(name)))
    should(new Set(shown.map(({ labels }) => labels['route_id'])).size).equal(ROUTES.length)
  })

  it('Who is watching: a table of text, and a message of callers only', () => {
    const watching = of('Who is watching')
    const callers = HOSTILE.map((name) => ({
      name,
      address: name,
      since: null,
      bitrate: null,
      packetLoss: null,
      roundTripTime: null,
      route: { id: name, name },
      output: { id: name, name },
    }))
    const [page] = texts(watching.run('page', { payload: callers }).sent[0])
    should(page!.match(/<tr>/g)).have.length(1 + HOSTILE.length)
    should(page).not.match(/<(img|script)/)
    const refused = watching.run('page', { error: { message: '<img src=x>' } }).sent[0]![0]!
    should(refused).match({ statusCode: 502, payload: '<p>&#60;img src=x&#62;</p>' })
    for (const text of HOSTILE) {
      const incident = (kind: string): Message => ({ payload: { text, incident: { kind } } })
      should(texts(watching.run('who is away?', incident('caller')).sent[0])).eql([text])
      should(watching.run('who is away?', incident(text)).sent.flat()).eql([])
      should(watching.run('who is away?', { payload: text }).sent.flat()).eql([])
    }
  })

  it('every recipe is in a title here', function () {
    const titles = this.test!.parent!.tests.map(({ title }) => title.split(':')[0]!)
    const covered = new Set(titles.flatMap((title) => title.split(', ')))
    const recipes = exampleFiles.flatMap((file) => /^Recipes\/(.*)\.json$/.exec(file)?.[1] ?? [])
    should(recipes.filter((recipe) => !covered.has(recipe))).eql([])
  })
})
