/** A text that only the form of the watch has. */
export function text(key: string, values?: Record<string, number>): string {
  return RED._(`@media-gateway/node-red/watch:${key}`, values)
}
