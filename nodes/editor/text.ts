/** What Node-RED gives a check that may answer with the reason. */
export interface CheckOptions {
  label?: string
}

/** A text that the forms share: all of them are in the catalog of the config node. */
export function text(key: string, values?: Record<string, number | string>): string {
  return RED._(`@media-gateway/node-red/gateway:${key}`, values)
}

/** A fault as the editor shows it at the node: with the label of the property, where it has one. */
export function reason(fault: string, { label }: CheckOptions): string {
  return label === undefined ? fault : `${label}: ${fault}`
}
