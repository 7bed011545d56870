declare module 'node-red-node-test-helper' {
  import type { Node, NodeAPI } from 'node-red'

  interface TestHelper {
    init(runtimePath: string, settings?: object): void
    load(
      nodes: Array<(RED: NodeAPI) => void>,
      flow: object[],
      credentials?: Record<string, object>,
    ): Promise<void>
    unload(): Promise<void>
    setFlows(flow: object[], type?: 'full' | 'nodes' | 'flows'): Promise<void>
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
        ): {
          send(body: string): Promise<{ status: number; text: string }>
        }
      }
    }
    log(): { args: Array<[{ level: number; msg: unknown; type?: string }]> }
  }
  const helper: TestHelper
  export = helper
}
