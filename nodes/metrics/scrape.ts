import { METRICS_TYPE, renderMetrics, type Detail, type Picture } from '../../client/internal'
import { shortened } from '../../client/model/shortened'
import type { Followed } from './follow'

/** What a scrape is answered with. */
export interface Scraped {
  payload: string
  headers: Record<string, string>
  statusCode: number
}

/**
 * Writes what is known now of the gateways, or of those that the query of the request names. No
 * request is sent for it.
 */
export async function scrape(
  followed: readonly Followed[],
  detail: Detail,
  req: unknown,
): Promise<Scraped> {
  const pictures = picturesOf(followed)
  const wanted = gatewaysIn(req)
  const unknown = wanted.find((name) => pictures.every(({ gateway }) => gateway !== name))
  if (unknown !== undefined) {
    return {
      payload: `There is no gateway "${shortened(unknown, 200)}". Use the name in the label "gateway" of the metrics.\n`,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      statusCode: 404,
    }
  }
  const chosen = pictures.filter(({ gateway }) => wanted.length === 0 || wanted.includes(gateway))
  return {
    payload: await renderMetrics(chosen, detail),
    headers: { 'content-type': METRICS_TYPE },
    statusCode: 200,
  }
}

/** The names in `?gateway=`: none, one or several. */
function gatewaysIn(req: unknown): string[] {
  const { query } = (req ?? {}) as { query?: { gateway?: unknown } | null }
  return [query?.gateway]
    .flat()
    .filter((name): name is string => typeof name === 'string' && name !== '')
}

/** Of gateways with the same name, each gets its ID too: two samples must not have the same labels. */
function picturesOf(followed: readonly Followed[]): Picture[] {
  const names = followed.map(({ gateway }) => gateway.identity.name)
  return followed.map((one, index) => {
    const name = names[index]!
    const isUnique = names.indexOf(name) === names.lastIndexOf(name)
    return { ...one.picture(), gateway: isUnique ? name : `${name} (${one.gateway.id})` }
  })
}
