import type { NodeStatus } from 'node-red'

/**
 * What the lamp under a node looks like, the worst first. A ring says that what is shown is not what
 * is: nothing is known now, or polls fail.
 */
export const LAMPS = {
  critical: { fill: 'red', shape: 'dot' },
  away: { fill: 'red', shape: 'ring' },
  warning: { fill: 'yellow', shape: 'dot' },
  failing: { fill: 'yellow', shape: 'ring' },
  unknown: { fill: 'grey', shape: 'ring' },
  waiting: { fill: 'blue', shape: 'dot' },
  ok: { fill: 'green', shape: 'dot' },
  stopped: { fill: 'grey', shape: 'dot' },
} as const satisfies Record<string, Pick<NodeStatus, 'fill' | 'shape'>>

export type Lamp = keyof typeof LAMPS
