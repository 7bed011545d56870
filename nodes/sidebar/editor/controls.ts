// The commands of a user: each after a question, with its outcome.
import { sentenceOfCommand } from '../../editor/ask'
import { isOn, isRunning } from '../../editor/states'
import type { Failover, FailoverAction, Place } from '../../wire'
import { request } from './api'
import { createCommands, isBlocked, isOnAir, type Action, type Target } from './commands'
import { actionsOf, changesAir } from './failover'
import { createQuestions, type Question } from './questions'
import type { Route, Snapshot } from './route'
import { text } from './text'
import { createMessage } from './widgets'

export interface ControlsOptions {
  place: Place
  gateway(): string
  snapshot(): Snapshot | undefined
  isOld: () => boolean
  complain: (words: string) => void
  speak: (words: string) => void
  onSend: () => void
}

/** Of a command to many routes: polls and other users get their turn. */
const AT_ONCE = 3

export function createControls(options: ControlsOptions) {
  const { place, isOld, complain, speak, onSend } = options
  const commands = createCommands()
  const questions = createQuestions()
  const switching = new Set<string>()
  let isSending = false
  let isCancelled = false
  const cancel = (): void => void (isCancelled = true)
  const progress = createMessage('status', cancel, text('all.cancel'))

  const deviceNow = (): string => options.snapshot()?.device.id ?? ''
  const routes = (): readonly Route[] => options.snapshot()?.routes ?? []
  const routeWith = (id: string): Route | undefined => routes().find((route) => route.id === id)

  /** What is out of date says nothing of the effect. */
  const ask = ({ effect, ...question }: Question): void =>
    questions.ask({ ...question, effect: () => (isOld() ? text('effect.old') : effect()) })

  async function sendOne(target: Target, action: Action, name: string): Promise<void> {
    complain('')
    const why = await send(target, action, name)
    if (why !== undefined) complain(`${name}: ${why}`)
  }

  /** Resolves with why it failed, when it did. */
  async function send(
    target: Target,
    action: Action,
    name: string,
    deviceId = deviceNow(),
  ): Promise<string | undefined> {
    commands.send({ ...target, action, name })
    onSend()
    const { failure } = await request('control', { ...place, deviceId, ...target, action })
    commands.answered(target, failure === undefined)
    onSend()
    return failure && sentenceOfCommand(failure)
  }

  async function command({ id }: Failover, action: FailoverAction, route: Route): Promise<void> {
    complain('')
    switching.add(id)
    onSend()
    const { failure } = await request('failover', { ...place, failoverId: id, action })
    if (failure) complain(`${route.name}: ${sentenceOfCommand(failure)}`)
    switching.delete(id)
    onSend()
  }

  async function sendAll(action: 'start' | 'stop', wanted: Route[]): Promise<void> {
    complain('')
    isCancelled = false
    isSending = true
    const deviceId = deviceNow()
    const all = wanted.length
    const left = [...wanted]
    const reasons: string[] = []
    let done = 0
    const tell = (): void =>
      progress.show(text(`all.progress.${action}`, { done: done + reasons.length, all }))
    const work = async (): Promise<void> => {
      const route = isCancelled ? undefined : left.shift()
      if (!route) return
      const why = await send({ routeId: route.id }, action, route.name, deviceId)
      if (why === undefined) done++
      else reasons.push(`${route.name}: ${why}`)
      tell()
      return work()
    }
    tell()
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    isSending = false
    progress.show('')
    const outcome = text(`all.done.${action}`, { done, all })
    speak(outcome)
    if (left.length > 0) reasons.push(text('all.left', { left: left.length }))
    if (reasons.length > 0) complain([outcome, ...reasons].join('\n'))
  }

  return {
    elements: [progress.element, questions.element],
    /** Without an action, the one that changes the state. @param goBack brings the focus back */
    ask(target: Target, goBack: () => void, wanted?: Action): void {
      const { routeId, destinationId } = target
      const route = routeWith(routeId)
      const destination = route?.destinations.find((one) => one.id === destinationId)
      if (isOld() || !route || (destinationId !== undefined && !destination)) return
      const action = wanted ?? (isOnAir([route], target) ? 'stop' : 'start')
      if (isBlocked(action, route)) return
      const name = destination?.name ?? route.name
      const kind = destination ? 'destination' : 'route'
      const values = { name, route: route.name, gateway: options.gateway() }
      ask({
        question: text(`question.${action}.${kind}`, values),
        effect: () =>
          destination
            ? text(`effect.${action}.destination`)
            : effectOnRoute(action, routeWith(routeId)),
        yes: text(`yes.${action}.${kind}`),
        isOver: () => isOnAir(routes(), target) !== (action !== 'start'),
        onYes: () => void sendOne(target, action, name),
        goBack,
      })
    },
    askAll(action: 'start' | 'stop', shown: readonly Route[], goBack: () => void): void {
      if (isOld() || isSending) return
      const wanted = new Set(shown.map(({ id }) => id))
      // What has the wanted state by then, or is gone, needs no command.
      const all = (): Route[] =>
        routes().filter(
          (route) =>
            wanted.has(route.id) &&
            isRunning(route) === (action === 'stop') &&
            commands.waiting({ routeId: route.id }) === undefined,
        )
      const due = (): Route[] => all().filter((route) => !isBlocked(action, route))
      const left = (): number => all().length - due().length
      const [first, ...others] = due()
      if (!first) {
        return complain(text(left() > 0 ? 'protected.none' : `all.none.${action}`))
      }
      const kind = others.length > 0 ? 'all' : 'route'
      const values = { number: others.length + 1, name: first.name, gateway: options.gateway() }
      ask({
        question: text(`question.${action}.${kind}`, values),
        effect() {
          const effect = effectOnRoutes(action, due())
          return left() === 0 ? effect : `${effect} ${text('protected.left', { number: left() })}`
        },
        yes: text(`yes.${action}.${kind}`),
        isOver: () => due().length === 0,
        onYes: () => void sendAll(action, due()),
        goBack,
      })
    },
    /** Has a failover obey; asks before it where that may change what is on the air. */
    askFailover(
      failover: Failover,
      action: FailoverAction,
      route: Route,
      goBack: () => void,
    ): void {
      if (isOld()) return
      const act = (): void => void command(failover, action, route)
      if (!changesAir(failover, action)) return act()
      const values = { name: route.name, gateway: options.gateway() }
      ask({
        question: text(`question.failover.${action}`, values),
        effect: () => text(`effect.failover.${action}`),
        yes: text(`yes.failover.${action}`),
        isOver() {
          const now = routeWith(route.id)?.failovers.find(({ id }) => id === failover.id)
          return !now || !actionsOf(now).includes(action)
        },
        onYes: act,
        goBack,
      })
    },
    get isWaiting() {
      return commands.isWaiting
    },
    waiting: commands.waiting,
    isSwitching: (failoverId: string): boolean => switching.has(failoverId),
    /** Tells which commands have had their effect, or have had none for too long. */
    settle(): void {
      const { done, late } = commands.settle(routes())
      for (const { action, name } of done) speak(text(`done.${action}`, { name }))
      if (done.length > 0) complain('')
      for (const { name } of late) complain(text('late', { name }))
    },
    update: questions.update,
    takeBack: questions.takeBack,
    /** Another appliance or device is shown: what was not sent yet is not sent any more. */
    abandon(): void {
      questions.takeBack()
      cancel()
    },
  }
}

function effectOnRoute(action: Action, route: Route | undefined): string {
  const { destinations = [] } = route ?? {}
  const number = destinations.filter(isOn).length
  // What firmware reports about the destinations of an idle route is not known:
  // docs/project/interface.md#unknown.
  const none = action === 'start' && destinations.length > 0 ? 'untold' : 'none'
  const some = number === 1 ? 'one' : 'many'
  return text(`effect.${action}.${number === 0 ? none : some}`, { number })
}

const MOST_NAMED = 5

function effectOnRoutes(action: Action, routes: readonly Route[]): string {
  const names = routes.slice(0, MOST_NAMED).map(({ name }) => text('effect.name', { name }))
  const more = routes.length - names.length
  const named = names.join(text('effect.comma'))
  return text(`effect.${action}.${routes.length === 1 ? 'oneRoute' : 'routes'}`, {
    number: routes.length,
    names: more > 0 ? text('effect.more', { named, more }) : named,
  })
}
