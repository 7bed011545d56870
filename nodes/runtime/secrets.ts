import type { Node, NodeAPI } from 'node-red'
import { invalidInput } from '../../client/errors'
import { pathUnder } from '../../client/model/json'
import { withSecretsFrom } from '../../client/model/secrets'
import type { Appliance } from './gateway-node'

/**
 * Returns a definition with its secrets, where it gives them by name, as `${NAME}`. The definition
 * itself stays as it is: it is part of a message.
 * @param path of the definition in the input, for errors
 * @throws GatewayError `INVALID_INPUT` with every variable that is not set or must not be read
 */
export type WithSecrets = (definition: unknown, path?: string) => unknown

/** The variables are those of the node: of its group, subflow and flow, and of the process. */
export const secretsOf =
  (RED: NodeAPI, node: Node, gateway: Pick<Appliance, 'secretPrefix'>): WithSecrets =>
  (given, path = '') => {
    const variables = { prefix: gateway.secretPrefix(), lookUp: variablesOf(RED, node) }
    const { definition, faults } = withSecretsFrom(given, variables)
    if (faults.length === 0) return definition
    throw invalidInput(faults.map((fault) => ({ ...fault, path: pathUnder(path, fault.path) })))
  }

/** Returns what looks up a variable of a node; one of a flow may be a number. */
export const variablesOf =
  (RED: NodeAPI, node: Node) =>
  (name: string): string | undefined => {
    const value: unknown = RED.util.getSetting(node, name)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
  }
