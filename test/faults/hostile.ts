// What an enemy sends: values for every field, bodies as a whole, and values in messages.
import { gzipSync } from 'node:zlib'

/** JSON of a value that stands in fields of an answer, a request or a file. */
export const VALUES: Record<string, string> = {
  'a field of 100,000 slashes': JSON.stringify('/'.repeat(100_000)),
  'a URL of 100,000 slashes': JSON.stringify(`http://127.0.0.1:1/${'/'.repeat(100_000)}x`),
  'a URL of 20,000 passwords': JSON.stringify('//a:b@'.repeat(20_000)),
  'a field of 100,000 blanks': JSON.stringify(`${' '.repeat(100_000)}x`),
  'a field of 100,000 digits': JSON.stringify('1'.repeat(100_000)),
  'a field of 100,000 brackets': JSON.stringify('${'.repeat(50_000)),
  'control characters': JSON.stringify(`X\n- [error] forged\u001b[2J\u009b\u202E\u200b\u0000`),
  'the names of an object': '"constructor"',
  'the prototype of all': '"__proto__"',
  'half a character': '"\\ud800"',
  'a number as text': '"12e3"',
  infinity: '1e999',
  'an object for a text':
    '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":3}',
  'two thousand lists': '['.repeat(2000) + ']'.repeat(2000),
  'two thousand objects': '{"a":'.repeat(2000) + '1' + '}'.repeat(2000),
}

const fill = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length))
const MIB = 1024 * 1024

/** Whole texts in the place of JSON. */
export const TEXTS: Record<string, () => string> = {
  'a hundred thousand lists in each other': () => '['.repeat(100_000) + ']'.repeat(100_000),
  '16 MiB of empty lists': () => `[${fill('[],', 16 * MIB)}[]]`,
  '16 MiB of blanks': () => fill(' ', 16 * MIB),
  '16 MiB of one text': () => JSON.stringify(fill('x', 16 * MIB)),
  'a list without end': () => fill('[{"name":', MIB),
  'a page': () => `<!doctype html>${fill('<b>', MIB)}`,
  'a prototype': () =>
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'the number 1e999': () => '1e999',
}

/** 64 KB that become 63 MiB of text, and gigabytes of objects. */
export const bomb = (): Buffer => gzipSync(`[${fill('{},', 63 * MIB)}{}]`)

/** JavaScript of values that only a message can have, beside those of {@link VALUES}. */
export const MADE: Record<string, string> = {
  'a list that is in itself': 'const v = []; v.push(v); return v',
  'an object that is in itself':
    'const v = { name: "A" }; v.source = v; v.destinations = [v]; return v',
  'nine levels of ten aliases':
    'let v = "x"; for (let i = 0; i < 9; i++) v = Array(10).fill(v); return v',
  'aliases of objects':
    'let v = { name: "x" }; for (let i = 0; i < 30; i++) v = { source: v, destinations: [v, v] }; return v',
  '600,000 empty lists': 'return Array.from({ length: 6e5 }, () => [])',
  '200,000 empty lists': 'return Array.from({ length: 2e5 }, () => [])',
  'a text of 32 million characters': 'return "x".repeat(32e6)',
  'a list of a billion items': 'const v = []; v.length = 1e9; return v',
  'binary data': 'return Buffer.alloc(1e6)',
  'a function': 'return () => 1',
  'a getter that throws': 'return { get name() { throw new Error("no") }, get id() { throw 1 } }',
  'a proxy': 'return new Proxy({}, { ownKeys() { throw new Error("no") }, get() { throw 2 } })',
  'not a number': 'return NaN',
  'a big number': 'return 10n ** 30n',
  'a promise': 'return new Promise(() => undefined)',
}

/** A route with a value in every field in which firmware, or a definition, may have one. */
export const routeWith = (value: string): string =>
  `{"id":"R","name":${value},"state":"running","summaryStatusCode":${value},"summaryStatusDetails":${value},` +
  `"source":{"id":"S","name":${value},"protocol":"srt","mode":${value},"address":${value},"port":${value},` +
  `"srtPassPhrase":${value},"summaryStatusDetails":${value},"usedBandwidth":${value},"unknown":${value}},` +
  `"destinations":[{"id":"T","name":${value},"protocol":"udp","address":${value},"port":5000,"labels":[${value}]}]}`

export const deviceWith = (value: string, route = routeWith(value)): string =>
  `{"_id":"D","name":${value},"status":${value},"statusCode":${value},"statusDetails":${value},"firmware":${value},` +
  `"suggestedPollingInterval":{"ms":${value}},"config":{"routes":[${route}],` +
  `"peers":[{"id":"P","gatewayName":${value},"status":${value},"statusDetails":${value}}],` +
  `"settings":{"networkAdapters":[{"name":${value},"address":${value}}]}}}`

/** Where an appliance answers, and what it answers with a value in its fields. */
export const ANSWERS: Record<string, (value: string) => string> = {
  'POST /api/session': (value) =>
    `{"response":{"type":${value},"message":${value},"sessionID":${value}}}`,
  'GET /api/session': (value) => `{"roles":[${value}],"username":${value},"expireAt":${value}}`,
  'GET /api/devices': (value) =>
    `[{"_id":"D","name":${value},"status":${value},"statusCode":${value},"type":${value}}]`,
  'GET /api/devices/D': (value) => deviceWith(value),
  'GET /api/gateway/D/routes': (value) =>
    `{"data":[${routeWith(value)}],"numResults":1,"numPages":1,"numActiveOutputConnections":${value}}`,
  'GET /api/gateway/D/routes/R': (value) => routeWith(value),
  'GET /api/gateway/D/statistics': (value) =>
    `{"route":{"id":"R","name":${value}},"source":{"bitrate":${value},"state":${value}},"destinations":[{"name":${value},"clientStat":[{"clientAddress":${value}}]}]}`,
  'GET /api/gateway/D/system/preset': (value) =>
    `{"preset_version":${value},"product_version":${value},"routes":[${routeWith(value)}]}`,
  'POST /api/devices/D/updates': (value) => `{"status":${value},"message":${value},"id":${value}}`,
  'POST /api/devices/D/commands': (value) => `[{"status":${value},"message":${value}}]`,
}

/** A calendar of ten kilobytes with which an earlier recipe was busy for half a minute. */
export const calendar = (): string => {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
  const DAY = 86_400_000
  const start = Date.now() - 600 * DAY
  const skipped = Array.from({ length: 600 }, (_, at) => `${day(start + at * DAY)}T100000`)
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'UID:1',
    'SUMMARY:Studio A',
    `DTSTART;TZID=Europe/Berlin:${day(start)}T100000`,
    'DURATION:P601D',
    'RRULE:FREQ=DAILY',
    ...skipped.map((date) => `EXDATE;TZID=Europe/Berlin:${date}`),
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')
}
