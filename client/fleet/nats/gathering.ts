import { invalidInput } from '../../errors'
import type { Gathering } from '../types'
import type { Bucket, Stored } from './bucket'
import type { Line } from './line'
import { tokenOf } from './names'
import type { Mirror } from './retained'

/** @param mirror gets each picture that is kept */
export function createGathering(line: Line, bucket: Bucket, mirror?: Mirror): Gathering {
  const turns = new Map<string, Turn>()

  /** Replaces the picture, unless that of a later owner is there. */
  async function write(appliance: string, picture: object, token: number): Promise<void> {
    const key = tokenOf(appliance)
    for (;;) {
      const present = await bucket.get(key)
      const before = present && recordIn(present)
      if (before && before.token > token) return
      // Who has not seen anything yet keeps what a former owner has seen.
      const text = textOf({ ...before, ...picture, appliance, token })
      const revision = present
        ? await bucket.update(key, text, present.revision)
        : await bucket.create(key, text)
      if (revision !== undefined) return mirror?.show(key)
    }
  }

  function textOf(picture: object): string {
    const text = JSON.stringify(picture)
    if (Buffer.byteLength(text) <= line.room) return text
    const problem = `is larger than the ${line.room} bytes that the engine takes`
    throw invalidInput([{ path: 'picture', problem }])
  }

  return {
    publish(appliance, event, token) {
      const name = event.event.split('.').map(tokenOf).join('.')
      const subject = `event.${tokenOf(appliance)}.${name}`
      line.publish(subject, JSON.stringify({ ...event, appliance, token }))
    },
    async keep(appliance, picture, token) {
      const turn = turns.get(appliance) ?? new Turn()
      turns.set(appliance, turn)
      try {
        await turn.take(() => write(appliance, picture, token))
      } finally {
        if (turn.isFree && turns.get(appliance) === turn) turns.delete(appliance)
      }
    },
    async read(appliance) {
      const present = await bucket.get(tokenOf(appliance))
      if (!present) return undefined
      const { token, appliance: _, ...picture } = recordIn(present)
      return { picture, token }
    },
  }
}

function recordIn({ value }: Stored): { token: number; appliance?: string } {
  const record = JSON.parse(new TextDecoder().decode(value)) as { token?: number }
  return { ...record, token: Number(record.token ?? 0) }
}

/** One write after the other; of those that wait, only the latest is made, for all of them. */
class Turn {
  #present: Promise<void> | undefined
  #next: { work: () => Promise<void>; done: Promise<void> } | undefined

  get isFree(): boolean {
    return this.#present === undefined && this.#next === undefined
  }

  take(work: () => Promise<void>): Promise<void> {
    if (this.#next) {
      this.#next.work = work
      return this.#next.done
    }
    if (!this.#present) return this.#run(work)
    const next = { work, done: Promise.resolve() }
    next.done = this.#present.then(
      () => this.#follow(next),
      () => this.#follow(next),
    )
    this.#next = next
    return next.done
  }

  #follow({ work }: { work: () => Promise<void> }): Promise<void> {
    this.#next = undefined
    return this.#run(work)
  }

  #run(work: () => Promise<void>): Promise<void> {
    const present: Promise<void> = work().finally(() => {
      if (this.#present === present) this.#present = undefined
    })
    this.#present = present
    return present
  }
}
