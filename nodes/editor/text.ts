/** A text that the forms share: all of them are in the catalog of the config node. */
export function text(key: string, values?: Record<string, number>): string {
  return RED._(`@media-gateway/node-red/gateway:${key}`, values)
}
