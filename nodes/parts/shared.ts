// What several manifests have.
import type { Properties } from './manifest'

/** Colors: of what only reads, of what changes something, and of the connection. */
export const reads = '#A3C6D2'
export const changes = '#DFC397'
export const connects = '#B4BFD3'

export const name = {
  name: {
    value: '',
    as: 'text',
    icon: 'tag',
    label: 'gateway:form.name',
    placeholder: { text: 'gateway:form.name' },
  },
} as const satisfies Properties

// Each of these has those above it that it needs, in the order of the form.

export const gateway = {
  ...name,
  gateway: {
    value: '',
    as: 'node',
    of: 'media-gateway',
    required: true,
    icon: 'server',
    label: 'gateway:form.gateway',
  },
} as const satisfies Properties

export const appliance = {
  ...gateway,
  appliance: {
    value: 'appliance',
    as: 'typed',
    type: 'msg',
    icon: 'sitemap',
    label: 'gateway:form.appliance',
    check: 'appliance',
  },
} as const satisfies Properties

/** Of a node that works for several at once. */
export const appliances = {
  appliance: { ...appliance.appliance, value: '', type: 'all', help: 'appliances' },
} as const satisfies Properties

export const device = {
  ...appliance,
  device: { value: '', as: 'typed', type: 'auto', icon: 'hdd-o', label: 'gateway:form.device' },
} as const satisfies Properties

export const route = {
  ...device,
  route: {
    value: 'routeId',
    as: 'typed',
    type: 'msg',
    icon: 'code-fork',
    label: 'gateway:form.route',
  },
} as const satisfies Properties

export const destination = {
  destination: {
    value: 'destinationId',
    as: 'typed',
    type: 'msg',
    icon: 'share',
    label: 'gateway:form.destination',
  },
} as const satisfies Properties

export const definition = {
  definition: {
    value: 'payload',
    as: 'typed',
    type: 'msg',
    icon: 'file-text-o',
    label: 'gateway:form.definition',
  },
} as const satisfies Properties

export const validate = {
  validate: { value: true, as: 'flag', label: 'gateway:form.validate' },
} as const satisfies Properties

export const hideSecrets = {
  hideSecrets: { value: true, lacking: false, as: 'flag', label: 'gateway:form.hideSecrets' },
} as const satisfies Properties

export const waiting = {
  waitFor: {
    value: 'accepted',
    as: 'choice',
    choices: { accepted: 'gateway:form.accepted', applied: 'gateway:form.applied' },
    icon: 'flag-checkered',
    label: 'gateway:form.waitFor',
  },
  waitTimeout: {
    value: 30,
    as: 'number',
    placeholder: '30',
    unit: 'gateway:form.seconds',
    icon: 'clock-o',
    label: 'gateway:form.waitTimeout',
    when: 'waitFor=applied',
    check: 'value',
  },
} as const satisfies Properties

/** Of the texts that a node makes. */
export const language = {
  language: {
    value: '',
    as: 'choice',
    choices: {
      '': 'gateway:language.server',
      'en-US': 'gateway:language.en-US',
      de: 'gateway:language.de',
      ja: 'gateway:language.ja',
    },
    icon: 'language',
    label: 'gateway:form.language',
  },
} as const satisfies Properties

// What messages have.

export const routeIn = { 'routeId?': 'string | object', 'routeName?': 'string' } as const
export const destinationIn = {
  'destinationId?': 'string | object',
  'destinationName?': 'string',
} as const
export const deviceIn = { 'deviceId?': 'string' } as const
export const confirmProtected = { 'confirmProtected?': 'string | array' } as const
export const confirmShared = { 'confirmShared?': 'boolean' } as const
export const routeOut = { routeId: 'string' } as const
export const deviceOut = { deviceId: 'string' } as const
export const gatewayOut = { gateway: 'object' } as const
