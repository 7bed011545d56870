import { invalidInput } from '../errors'
import { plainCopy } from '../model/foreign'
import { pathUnder } from '../model/json'

/**
 * A copy of what a caller gives, made before anything is waited for: what is checked is what is
 * sent, whatever the caller does with the original meanwhile.
 * @param path names the input in an error
 * @throws GatewayError `INVALID_INPUT` for what cannot be written as JSON
 */
export function plainInput(given: unknown, path: string): unknown {
  const copy = plainCopy(given)
  if (copy.fault === undefined) return copy.value
  throw invalidInput([{ path: pathUnder(path, copy.path), problem: copy.fault }])
}

/** Who gave it may have given a proxy, which throws at the second question and not at the first. */
export const isBuffer = (input: unknown): input is Buffer =>
  ArrayBuffer.isView(input) && Buffer.isBuffer(input)
