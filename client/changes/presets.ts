import { invalidInput, type Finding, readOnlyError } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation } from '../connection/operation'
import { givenWords } from '../model/faults'
import { MOST, parsedWithin } from '../model/foreign'
import { givenAs } from '../model/given'
import { isObject, objectsIn } from '../model/json'
import { findHidden, keepHidden, withoutMasks } from '../model/secrets'
import { secretsIn } from '../connection/redaction'
import { exportPreset, importPreset, type Preset, type PresetAnswer } from '../api/presets'
import { forgetUnseenOf } from '../unseen'
import { isBuffer, plainInput } from './input'
import { forgetSecretsOf } from './known-secrets'
import { refuseIfAnyProtected } from './protected'

interface RestorePreset {
  deviceId: string | (() => Promise<string>)
  /** The content of a preset file: an object, its JSON text, or that as a Buffer. */
  preset: unknown
}

/**
 * Hidden values are taken from the route and destination of the same name in the present preset.
 * @throws GatewayError `INVALID_INPUT` before anything is sent when it is not a preset
 */
export async function restorePreset(
  gateway: Connection,
  { deviceId: where, preset: given }: RestorePreset,
  operation: Operation,
): Promise<{ deviceId: string; answer: PresetAnswer }> {
  if (gateway.readOnly) throw readOnlyError()
  // Others may write into a Buffer while the device is looked up.
  const input = isBuffer(given) ? Buffer.from(given) : given
  const preset = parse(input)
  const deviceId = typeof where === 'string' ? where : await where()
  const complete =
    findHidden(preset).length > 0
      ? withSecretsOf(await exportPreset(gateway, deviceId, operation), preset)
      : preset
  // A file is sent unchanged, whatever its layout; only an object, or a preset whose hidden values
  // were filled in, is serialized.
  const file =
    complete === preset && (typeof input === 'string' || isBuffer(input))
      ? input
      : JSON.stringify(complete)
  const secrets = secretsIn(complete)
  await refuseIfAnyProtected(gateway, deviceId, operation)
  // Also if it only may arrive, nobody knows afterwards which secrets the appliance has.
  forgetSecretsOf(gateway, deviceId)
  const sentAt = gateway.clock.now()
  const answer = await importPreset(gateway, { deviceId, preset: file, secrets }, operation)
  forgetUnseenOf(gateway, deviceId, sentAt)
  return { deviceId, answer }
}

function parse(input: unknown): Preset {
  const refuse = (problem: string): never => {
    throw invalidInput([{ path: '', problem }])
  }
  let preset: unknown
  if (typeof input === 'string' || isBuffer(input)) {
    const parsed = parsedWithin(input.toString().replace(/^\uFEFF/, ''), MOST)
    if (parsed.fault === 'is not JSON')
      return refuse('is not a preset: a preset file contains JSON')
    if (parsed.fault !== undefined) return refuse(parsed.fault)
    preset = parsed.value
  } else preset = plainInput(input, '')
  if (!isObject(preset)) {
    const given = givenWords(givenAs(preset))
    return refuse(`is ${given}; it must be a preset: an object, its JSON text, or a Buffer`)
  }
  if (!('preset_version' in preset)) return refuse('is not a preset: it has no preset_version')
  const { routes } = preset
  if (
    !Array.isArray(routes) ||
    !Array.from<unknown>(routes).every((route) => isObject(route) && route.name)
  ) {
    return refuse('is not a preset: it has no list of routes with names')
  }
  return preset
}

function withSecretsOf(present: Preset, wanted: Preset): Preset {
  const problems: Finding[] = []
  const presentRoutes = objectsIn(present.routes)
  const routes = (wanted.routes as unknown[]).map((route, index) => {
    if (!isObject(route)) return route
    const sameName = presentRoutes.filter(({ name }) => name === route.name)
    const counterpart = sameName.length === 1 ? sameName[0] : undefined
    // An import replaces the route: what a mask stands for would be lost, not kept.
    const { fields, problems: faults } = keepHidden(route, withoutMasks(counterpart))
    for (const one of faults) problems.push({ ...one, path: `routes[${index}].${one.path}` })
    return fields
  })
  const complete = { ...wanted, routes }
  for (const path of findHidden({ ...complete, routes: [] })) {
    problems.push({ path, problem: 'is hidden; give the value itself' })
  }
  if (problems.length > 0) throw invalidInput(problems)
  return complete
}
