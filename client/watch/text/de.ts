import { titled, type Words } from './words'

const counted = (one: string, many: string) => (count: number) =>
  `${count} ${count === 1 ? one : many}`

export const GERMAN: Words = {
  decimal: ',',
  comma: ', ',

  gateway: (name) => (name ? titled('Gateway', name) : 'Das Gateway'),
  source: 'Quelle',
  destination: (name) => (name ? `Ziel „${name}“` : 'ein Ziel'),
  pairing: (name) => (name ? `Kopplung mit ${name}` : 'eine Kopplung'),
  networkInterface: (name) =>
    name ? `Netzwerkschnittstelle ${name}` : 'eine Netzwerkschnittstelle',

  says: (whole, part, predicate) =>
    part ? `${whole}: ${part} ${predicate}` : `${whole} ${predicate}`,
  predicates: {
    ok: 'ist in Ordnung',
    okAgain: 'ist wieder in Ordnung',
    warn: 'meldet eine Warnung',
    error: 'meldet einen Fehler',
    unknown: 'ist in unbekanntem Zustand',
    lost: 'ausgefallen',
    back: 'ist wieder da',
    noData: 'empfängt keine Daten',
    data: 'empfängt Daten',
    running: 'läuft',
    stopped: 'ist gestoppt',
    added: 'wurde hinzugefügt',
    removed: 'wurde entfernt',
    starts: 'gestartet',
    stops: 'gestoppt',
  },
  shows: (whole, part, now, before) =>
    `${whole}: ${part ? `${part} ` : ''}${now}${before ? `, zuvor ${before}` : ''}`,
  state: (word) => `, ${word}`,
  details: (words) => ` (${words})`,
  states: {
    connected: 'verbunden',
    connecting: 'im Verbindungsaufbau',
    'connection established': 'mit aufgebauter Verbindung',
    disconnected: 'getrennt',
    running: 'läuft',
    idle: 'gestoppt',
    stopped: 'gestoppt',
    online: 'online',
    offline: 'offline',
    never: 'noch nie verbunden',
    'device error': 'Gerätefehler',
    'communication error': 'Kommunikationsfehler',
    accepted: 'angenommen',
    'pair pending': 'wartet auf die Kopplung',
    'pairing error': 'Fehler bei der Kopplung',
    'pairing timeout': 'Zeitüberschreitung bei der Kopplung',
    'pairing denied': 'Kopplung abgelehnt',
    'poll timeout': 'Zeitüberschreitung bei der Abfrage',
    'poll error': 'Fehler bei der Abfrage',
  },

  unreachable: (gateway, reason) => `${gateway} ist nicht erreichbar: ${reason}`,
  unwatchable: (gateway, reason) => `${gateway} kann nicht überwacht werden: ${reason}`,
  reasons: {
    ECONNREFUSED: 'Verbindung abgelehnt',
    ECONNRESET: 'Verbindung abgebrochen',
    EPIPE: 'Verbindung abgebrochen',
    ENOTFOUND: 'Hostname nicht gefunden',
    EAI_AGAIN: 'Namensauflösung fehlgeschlagen',
    EHOSTUNREACH: 'kein Netzwerkpfad zum Host',
    ENETUNREACH: 'kein Pfad zum Netzwerk',
    ETIMEDOUT: 'keine rechtzeitige Antwort',
    TIMEOUT: 'keine rechtzeitige Antwort',
    UNAVAILABLE: 'nicht verfügbar',
    TLS: 'keine vertrauenswürdige TLS-Verbindung',
    LOGIN_REFUSED: 'Anmeldung abgelehnt',
    TOO_MANY_SESSIONS: 'zu viele Sitzungen',
    FORBIDDEN: 'Zugriff verweigert',
    NOT_FOUND: 'Gerät nicht gefunden',
    BAD_RESPONSE: 'unbrauchbare Antwort',
    REJECTED: 'Anfrage abgewiesen',
    CONFLICT: 'Anfrage abgewiesen',
    CONFIG: 'unbrauchbare Einstellungen',
    INVALID_INPUT: 'unbrauchbare Einstellungen',
    READ_ONLY: 'nur lesen',
    OUTCOME_UNKNOWN: 'Ergebnis unbekannt',
    NOT_CONFIRMED: 'nicht bestätigt',
    CLOSED: 'Verbindung geschlossen',
  },
  backAfter: (gateway, duration) =>
    duration ? `${gateway} ist nach ${duration} wieder da` : `${gateway} ist wieder da`,
  // In the dative, after „nach“.
  engineLost: (gateway) =>
    `${gateway}: Lease auf der Engine verloren, diese Instanz arbeitet nicht mehr für ihre Appliances`,
  engineBack: (gateway, duration) =>
    `${gateway}: Lease auf der Engine ${duration ? `nach ${duration} ` : ''}wieder vorhanden`,
  durations: {
    second: counted('Sekunde', 'Sekunden'),
    minute: counted('Minute', 'Minuten'),
    hour: counted('Stunde', 'Stunden'),
    day: counted('Tag', 'Tagen'),
  },
  and: ' und ',

  firmware: (version, before) =>
    version
      ? `Firmware ${version}${before ? `, zuvor ${before}` : ''}`
      : 'Firmware-Version unbekannt',
  address: (networkInterface, now, before) =>
    now
      ? `${networkInterface} hat die Adresse ${now}${before ? `, zuvor ${before}` : ''}`
      : `${networkInterface} hat keine Adresse${before ? `, zuvor ${before}` : ''}`,
  interfaces: (names) =>
    names ? `Netzwerkschnittstellen geändert: ${names}` : 'Netzwerkschnittstellen geändert',

  added: (route, state) =>
    `${titled('Route', route)} ist neu${state ? ` und ${state === 'running' ? 'läuft' : 'gestoppt'}` : ''}`,
  removed: (route, wasRunning) =>
    `${titled('Route', route)}${wasRunning ? ', die lief,' : ''} ist nicht mehr da`,
  renamed: (before, after) => `${before} wurde in ${after} umbenannt`,
  noLongerRunning: (route, state) =>
    `${route} läuft nicht mehr${state ? `, Zustand ${state}` : ''}`,
  changed: (route, parts) => `${route} wurde geändert${parts ? `: ${parts}` : ''}`,
  several: (destinations) => `${destinations} Ziele`,

  measured: (measure, destination) => {
    if (destination === undefined) return `${measure} der Quelle`
    return `${measure} ${destination ? `des Ziels „${destination}“` : 'eines Ziels'}`
  },
  measures: { bitrate: 'Bitrate', roundTripTime: 'Umlaufzeit', packetLoss: 'Paketverlust' },
  below: (what, value, limit) => `${what} ${value}, unter ${limit}`,
  above: (what, value, limit) => `${what} ${value}, über ${limit}`,
  normal: (what, value) => `${what} wieder normal, ${value}`,
  notMeasured: (what) => `${what} wird nicht mehr gemessen`,

  joined: (caller, part) => `${caller} ist mit ${part} verbunden`,
  left: (caller, part, duration) =>
    `${caller} ist nicht mehr mit ${part} verbunden${duration ? `, nach ${duration}` : ''}`,

  running: (running, routes) => {
    if (routes === 0) return 'keine Routen'
    return `${running} von ${routes} Routen ${running === 1 ? 'läuft' : 'laufen'}`
  },
  stateUnknown: (routes) => `Zustand von ${routes} unbekannt`,
}
