// The commands of a user: each after a question, with its outcome.
import type { RequestError } from '../../editor/ask'
import { isRunning } from '../../editor/states'
import type { Failover, FailoverAction, Place } from '../../wire'
import { commandFailover, control } from './api'
import { sendToAll } from './bulk'
import { isBlocked, isOnAir, type Action, type Commands, type Target } from './commands'
import { effectOf, effectOfAll } from './effects'
import { actionsOf, changesAir } from './failover'
import { createMessage } from './message'
import { createQuestions, type Question } from './questions'
import type { Route, Snapshot } from './route'
import { text } from './text'

export interface ControlsOptions {
  commands: Commands
  gateway(): Place & { name: string }
  snapshot(): Snapshot | undefined
  /** What is shown is out of date. */
  isOld: () => boolean
  complain: (words: string) => void
  speak(words: string): void
  /** A command was sent, or has an outcome. */
  onSend(): void
  /** The height may have changed. */
  onChange: () => void
}

export function createControls(options: ControlsOptions) {
  const { commands, isOld, complain } = options
  const questions = createQuestions(options.onChange)
  /** The failovers to which a command is under way. */
  const switching = new Set<string>()
  /** Commands to many routes are under way. */
  let isSending = false
  let isCancelled = false
  const progress = createMessage(() => {
    isCancelled = true
  }, text('all.cancel'))
  progress.element.setAttribute('role', 'status')

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
    options.onSend()
    let why: string | undefined
    try {
      await control(options.gateway(), { deviceId, ...target, action })
      commands.accepted(target)
    } catch (error) {
      commands.refused(target)
      why = (error as RequestError).message
    }
    options.onSend()
    return why
  }

  async function command({ id }: Failover, action: FailoverAction, route: Route): Promise<void> {
    complain('')
    switching.add(id)
    options.onSend()
    try {
      await commandFailover(options.gateway(), id, action)
    } catch (error) {
      complain(`${route.name}: ${(error as RequestError).message}`)
    }
    switching.delete(id)
    options.onSend()
  }

  async function sendAll(action: 'start' | 'stop', wanted: Route[]): Promise<void> {
    complain('')
    isCancelled = false
    isSending = true
    const deviceId = deviceNow()
    const all = wanted.length
    const tell = (done: number): void => {
      progress.show(text(`all.progress.${action}`, { done, all }))
      options.onChange()
    }
    tell(0)
    const { done, failed, left } = await sendToAll(
      wanted,
      ({ id: routeId, name }) => send({ routeId }, action, name, deviceId),
      () => isCancelled,
      tell,
    )
    isSending = false
    progress.show('')
    const outcome = text(`all.done.${action}`, { done: done.length, all })
    options.speak(outcome)
    if (failed.length + left.length === 0) return options.onChange()
    const reasons = failed.map(({ one, why }) => `${one.name}: ${why}`)
    if (left.length > 0) reasons.push(text('all.left', { left: left.length }))
    complain([outcome, ...reasons].join('\n'))
  }

  return {
    /** The question and the progress. */
    elements: [progress.element, questions.element],
    /**
     * Asks before it sends a command; without an action, the one that changes the state.
     * @param goBack brings the focus back
     */
    ask(target: Target, goBack: () => void, wanted?: Action): void {
      const { routeId, destinationId } = target
      const route = routeWith(routeId)
      const destination = route?.destinations.find((one) => one.id === destinationId)
      if (isOld() || !route || (destinationId !== undefined && !destination)) return
      const action = wanted ?? (isOnAir([route], target) ? 'stop' : 'start')
      if (isBlocked(action, route)) return
      const name = destination?.name ?? route.name
      const kind = destination ? 'destination' : 'route'
      ask({
        question: text(`question.${action}.${kind}`, {
          name,
          route: route.name,
          gateway: options.gateway().name,
        }),
        effect: () => effectOf(action, routeWith(routeId), destination && 'destination'),
        yes: text(`yes.${action}.${kind}`),
        isOver: () => isOnAir(routes(), target) !== (action !== 'start'),
        onYes: () => void sendOne(target, action, name),
        goBack,
      })
    },
    /** Asks before it starts or stops all of these. */
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
      const number = due().length
      if (number === 0) {
        return complain(text(left() > 0 ? 'protected.none' : `all.none.${action}`))
      }
      ask({
        question: text(`question.${action}.all`, { number, gateway: options.gateway().name }),
        effect: () =>
          [
            effectOfAll(action, due()),
            ...(left() === 0 ? [] : [text('protected.left', { number: left() })]),
          ].join(' '),
        yes: text(`yes.${action}.all`),
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
      const gateway = options.gateway().name
      ask({
        question: text(`question.failover.${action}`, { name: route.name, gateway }),
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
    /** A command to the failover is under way. */
    isSwitching: (failoverId: string): boolean => switching.has(failoverId),
    /** Brings the open question up to date. */
    update: questions.update,
    takeBack: questions.takeBack,
    /** Another appliance or device is shown: what was not sent yet is not sent any more. */
    abandon(): void {
      questions.takeBack()
      isCancelled = true
    },
  }
}
