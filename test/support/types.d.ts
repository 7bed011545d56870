/** Of every test: test/support/hooks.ts loads it. */
declare const should: typeof import('should')

declare module 'node-red-node-test-helper' {
  import type { Node, NodeAPI } from 'node-red'

  type DeployType = 'full' | 'nodes' | 'flows'

  interface TestHelper {
    init(runtimePath: string, settings?: object): void
    load(
      nodes: Array<(RED: NodeAPI) => void>,
      flow: object[],
      credentials?: Record<string, object>,
    ): Promise<void>
    unload(): Promise<void>
    /** Within its `setFlows`, which gives the flows only 300 ms to start. */
    _redNodes: { setFlows(flow: object[], credentials: object, type: DeployType): Promise<unknown> }
    _events: import('node:events').EventEmitter
    getNode(id: string): Node & Record<string, unknown>
    startServer(started: () => void): void
    stopServer(stopped: () => void): void
    /** The admin routes, by supertest. */
    request(): {
      get(path: string): Promise<{ status: number; text: string }>
      post(path: string): {
        set(
          name: string,
          value: string,
        ): { send(body: string): Promise<{ status: number; text: string }> }
      }
    }
    log(): { args: Array<[{ level: number; msg: unknown; type?: string }]> }
  }
  const helper: TestHelper
  export = helper
}
