import { badResponse, say } from '../errors'
import type { Connection } from '../connection/connection'
import type { Operation, Subject } from '../connection/operation'
import { requestTo } from './endpoints'
import { bodyOr, expectObject, readChange } from './shapes'

/** The whole set of routes of a device, as the appliance exports it. It contains passphrases. */
export type Preset = Record<string, unknown>

/** Response to an import: the names of the routes that will be created. */
export interface PresetAnswer {
  type: string
  message: string
  pendingCreation?: string[]
  [member: string]: unknown
}

/** What a 404 means: no such device, or firmware without this call. */
const missing = (deviceId: string): Subject => ({ kind: 'preset', id: deviceId })

/** GET /api/gateway/{device}/system/preset, see docs/project/interface.md#presets. */
export async function exportPreset(
  gateway: Connection,
  deviceId: string,
  operation: Operation,
): Promise<Preset> {
  const request = requestTo('exportPreset', { device: deviceId }, { what: missing(deviceId) })
  const preset = expectObject<Preset>(await gateway.call(request, operation), 'preset')
  // What could not be imported again is no backup.
  if (isPreset(preset)) return preset
  throw badResponse(say('noPreset'))
}

/** Whether it has what makes a preset: its version, and a list of routes. */
const isPreset = (preset: Preset): boolean =>
  'preset_version' in preset && Array.isArray(preset.routes)

/** POST of a preset file to the same path. It replaces the routes of the device. */
export async function importPreset(
  gateway: Connection,
  { deviceId, preset, secrets }: { deviceId: string; preset: string | Buffer; secrets: string[] },
  operation: Operation,
): Promise<PresetAnswer> {
  const form = new FormData()
  // The name of the form field is not documented: docs/project/interface.md#unknown.
  form.append(
    'file',
    new Blob([typeof preset === 'string' ? preset : new Uint8Array(preset)], {
      type: 'application/json',
    }),
    'preset.hmg',
  )
  const encoded = new Response(form)
  const request = requestTo(
    'importPreset',
    { device: deviceId },
    {
      contentType: encoded.headers.get('content-type') ?? undefined,
      body: Buffer.from(await encoded.arrayBuffer()),
      what: missing(deviceId),
      secrets,
    },
  )
  const body = await gateway.call(request, operation)
  return readChange(() => expectObject<PresetAnswer>(bodyOr({}, body), 'import'))
}
