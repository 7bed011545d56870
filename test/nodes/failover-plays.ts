import { endStages, startStages, type Scene, type Stage } from './failover-stage'

type Play = (stage: Stage) => Promise<void>

/** Scenes that are all played at the same time, each on a stage of its own. */
export class Plays {
  readonly #plays = new Map<string, { name: string; scene: Scene; play: Play }>()

  readonly scene = (name: string, scene: Scene, play: Play): void =>
    void this.#plays.set(`scene-${this.#plays.size}`, { name, scene, play })

  /** Makes a test of each; `more` are scenes in which nothing is played, and options of the flow. */
  test(
    more: [scenes?: Record<string, Scene>, options?: Parameters<typeof startStages>[1]] = [],
  ): void {
    const played = new Map<string, Promise<unknown>>()

    before(async () => {
      const [others, options] = more
      const scenes = [...this.#plays].map(([id, { scene }]) => [id, scene] as const)
      const all = { ...others, ...Object.fromEntries(scenes) }
      for (const stage of await startStages(all, options)) {
        const play = this.#plays.get(stage.id)?.play(stage)
        // Each outcome is asked for by its own test.
        const outcome = Promise.resolve(play).catch((error: unknown) => ({ error }))
        played.set(stage.id, outcome)
      }
    })
    after(async () => {
      await Promise.all(played.values())
      await endStages()
    })

    for (const [id, { name }] of this.#plays) {
      it(name, async () => {
        const failed = (await played.get(id)) as { error: Error } | undefined
        if (failed) throw failed.error
      })
    }
  }
}

/** A scene in which only the failover node is another. */
export const only = (properties: object): Scene => ({ properties })
