// Events in each of their forms, with their texts.
import type { ERROR_CODES } from '../../../client/errors'
import type { EventName } from '../../../client/model/watch'
import type { WatchEvent } from '../../../client/model/event'

export type About = Partial<WatchEvent> & { event: EventName }

export const away = { before: 'connected', after: 'disconnected' }
const there = { before: 'disconnected', after: 'connected' }
const same = { before: 'connected', after: 'connected' }
type Adapters = Array<[name: string, address: string]>
const adapters = (all: Adapters) => all.map(([name, address]) => ({ name, address }))
const configured = (before: Adapters, after: Adapters): About => ({
  event: 'device.config',
  before: adapters(before),
  after: adapters(after),
})
const turned = (
  event: EventName,
  before: string,
  after: string,
  [was, is]: [was: string, is: string],
  details?: string,
): About => ({
  event,
  before,
  after,
  states: { before: was, after: is },
  ...(details && { details }),
})
const definition = (port: number, ...ports: number[]) => ({
  source: { protocol: 'udp', port },
  destinations: ports.map((each, index) => ({ id: `x${index}`, name: `Out ${index}`, port: each })),
})
const low = { event: 'statistics.low', measure: 'bitrate', of: 'source', limit: 2 } as const
const high = { event: 'statistics.high', measure: 'roundTripTime', of: 'source' } as const
const normal = { event: 'statistics.normal', measure: 'bitrate', of: 'source', limit: 2 } as const
const back = { event: 'appliance.reachable', since: 1 } as const
/** A gateway that counts as unreachable. */
export const lost = (code: (typeof ERROR_CODES)[number], detail?: string): About => ({
  event: 'appliance.unreachable',
  reason: { code, message: 'in English', ...(detail && { detail }) },
})

const called = { route: { id: 'r1', name: 'City hall' } }
const air = { id: 'x1', name: 'Air' }
const caller = (name: string | null, durationMs: number | null = null) => ({
  address: '203.0.113.7',
  port: 40_001,
  name,
  since: 1,
  durationMs,
})

/** How long an outage was, in each language. */
const BACK_AFTER: Array<[outageMs: number, english: string, german: string, japanese: string]> = [
  [180_400, '3 minutes', '3 Minuten', '3分'],
  [45_000, '45 seconds', '45 Sekunden', '45秒'],
  [59_700, '1 minute', '1 Minute', '1分'],
  [3_599_900, '1 hour', '1 Stunde', '1時間'],
  [(2 * 60 + 5) * 60_000, '2 hours and 5 minutes', '2 Stunden und 5 Minuten', '2時間5分'],
  [75 * 3_600_000, '3 days and 3 hours', '3 Tagen und 3 Stunden', '3日3時間'],
  [90_000, '1 minute and 30 seconds', '1 Minute und 30 Sekunden', '1分30秒'],
]
const backAfter = ([outageMs, english, german, japanese]: (typeof BACK_AFTER)[number]) =>
  [
    `Gateway gw1 is back after ${english}`,
    [
      { ...back, outageMs },
      `Gateway gw1 ist nach ${german} wieder da`,
      `ゲートウェイ「gw1」が${japanese}後に復旧しました`,
    ],
  ] as [string, Case]

type Case = [About, german: string, japanese: string]

/** By what they are about: what an event says in English, the event, and what it says in German and Japanese. */
export const CASES: Record<string, Record<string, Case>> = {
  callers: {
    'City hall: KQED connected to destination “Air”': [
      { event: 'caller.joined', ...called, destination: air, caller: caller('KQED') },
      'City hall: KQED verbunden (Ziel „Air“)',
      'City hall: KQEDが出力先「Air」に接続しました',
    ],
    'City hall: 203.0.113.7 disconnected from source after 2 minutes': [
      { event: 'caller.left', ...called, source: air, caller: caller(null, 120_000) },
      'City hall: 203.0.113.7 nach 2 Minuten nicht mehr verbunden (Quelle)',
      'City hall: 203.0.113.7がソースから切断しました (2分後)',
    ],
    'City hall: KQED connected to a destination': [
      {
        event: 'caller.joined',
        ...called,
        destination: { id: '', name: '' },
        caller: caller('KQED'),
      },
      'City hall: KQED verbunden (ein Ziel)',
      'City hall: KQEDが出力先に接続しました',
    ],
  },
  'the engine of a fleet, and the gateway': {
    'Gateway gw1: this instance has lost its lease on the engine and has stopped working for its appliances':
      [
        { event: 'fleet.engine-lost' },
        'Gateway gw1: Diese Instanz hat ihre Lease auf der Engine verloren und betreut ihre Appliances nicht mehr',
        'ゲートウェイ「gw1」: このインスタンスはエンジン上のリースを失い、担当アプライアンスの処理を停止しました',
      ],
    'Gateway gw1: this instance has its lease on the engine again after 45 seconds': [
      { event: 'fleet.engine-back', outageMs: 45_000 },
      'Gateway gw1: Diese Instanz hat ihre Lease auf der Engine nach 45 Sekunden zurückerhalten',
      'ゲートウェイ「gw1」: このインスタンスは45秒後にエンジン上のリースを回復しました',
    ],
    'Gateway gw1 cannot be reached: connection refused': [
      lost('UNAVAILABLE', 'ECONNREFUSED'),
      'Gateway gw1 ist nicht erreichbar: Verbindung abgelehnt',
      'ゲートウェイ「gw1」に接続できません: 接続が拒否されました',
    ],
    'The gateway cannot be reached: no response in time': [
      { ...lost('TIMEOUT'), device: { id: '', name: '' } },
      'Das Gateway ist nicht erreichbar: Zeitüberschreitung',
      'ゲートウェイに接続できません: 時間内に応答がありません',
    ],
    'Gateway d1 cannot be watched: not available': [
      { ...lost('UNAVAILABLE'), device: { id: 'd1', name: '' } },
      'Gateway d1 kann nicht überwacht werden: nicht verfügbar',
      'ゲートウェイ「d1」を監視できません: 利用できません',
    ],
    'Gateway 1 cannot be watched: login refused': [
      { ...lost('LOGIN_REFUSED'), device: { id: 'd1', name: 'Gateway 1' } },
      'Gateway 1 kann nicht überwacht werden: Anmeldung abgelehnt',
      'Gateway 1を監視できません: ログインが拒否されました',
    ],
    'Gateway gw1 cannot be watched: no trusted TLS connection': [
      lost('TLS', 'CERT_HAS_EXPIRED'),
      'Gateway gw1 kann nicht überwacht werden: keine vertrauenswürdige TLS-Verbindung',
      'ゲートウェイ「gw1」を監視できません: 信頼できるTLS接続を確立できません',
    ],
    ...Object.fromEntries(BACK_AFTER.map(backAfter)),
    'Gateway gw1 is back': [back, 'Gateway gw1 ist wieder da', 'ゲートウェイ「gw1」が復旧しました'],
    'Gateway gw1 has an error (device error, Disk full)': [
      turned('device.status', 'ok', 'error', ['Online', 'Device error'], 'Disk full'),
      'Gateway gw1 meldet einen Fehler (Gerätefehler, Disk full)',
      'ゲートウェイ「gw1」にエラーがあります (デバイスエラー、Disk full)',
    ],
    'Gateway gw1 is OK again': [
      turned('device.status', 'error', 'ok', ['Offline', 'Online']),
      'Gateway gw1 ist wieder in Ordnung',
      'ゲートウェイ「gw1」は正常に戻りました',
    ],
    'Gateway gw1: offline, was online': [
      turned('device.status', 'Online', 'Offline', ['Online', 'Offline']),
      'Gateway gw1: offline, zuvor online',
      'ゲートウェイ「gw1」: オフライン (以前: オンライン)',
    ],
    'Gateway gw1: Rebooting, was online': [
      { event: 'device.status', before: 'Online', after: 'Rebooting' },
      'Gateway gw1: Rebooting, zuvor online',
      'ゲートウェイ「gw1」: Rebooting (以前: オンライン)',
    ],
    'Gateway gw1: firmware 4.2, was 4.1': [
      { event: 'device.firmware', before: '4.1', after: '4.2' },
      'Gateway gw1: Firmware 4.2, zuvor 4.1',
      'ゲートウェイ「gw1」: ファームウェア 4.2 (以前: 4.1)',
    ],
    'Gateway gw1: firmware 4.2': [
      { event: 'device.firmware', after: '4.2' },
      'Gateway gw1: Firmware 4.2',
      'ゲートウェイ「gw1」: ファームウェア 4.2',
    ],
    'Gateway gw1: firmware version unknown': [
      { event: 'device.firmware', before: '4.2' },
      'Gateway gw1: Firmware-Version unbekannt',
      'ゲートウェイ「gw1」: ファームウェアのバージョン不明',
    ],
  },
  'network interfaces and pairings': {
    'Gateway gw1: network interface eth0 has the address 192.0.2.9, had 192.0.2.1': [
      configured(
        [
          ['eth0', '192.0.2.1'],
          ['eth1', '192.0.2.2'],
        ],
        [
          ['eth0', '192.0.2.9'],
          ['eth1', '192.0.2.2'],
        ],
      ),
      'Gateway gw1: Netzwerkschnittstelle eth0 hat die Adresse 192.0.2.9, zuvor 192.0.2.1',
      'ゲートウェイ「gw1」: ネットワークインタフェース「eth0」のアドレス: 192.0.2.9 (以前: 192.0.2.1)',
    ],
    'Gateway gw1: network interface eth0 has no address, had 192.0.2.1': [
      configured([['eth0', '192.0.2.1']], [['eth0', '']]),
      'Gateway gw1: Netzwerkschnittstelle eth0 hat keine Adresse, zuvor 192.0.2.1',
      'ゲートウェイ「gw1」: ネットワークインタフェース「eth0」のアドレスなし (以前: 192.0.2.1)',
    ],
    'Gateway gw1: network interface eth2 was added': [
      configured([], [['eth2', '']]),
      'Gateway gw1: Netzwerkschnittstelle eth2 wurde hinzugefügt',
      'ゲートウェイ「gw1」: ネットワークインタフェース「eth2」が追加されました',
    ],
    'Gateway gw1: a network interface was removed': [
      configured([['', '192.0.2.1']], []),
      'Gateway gw1: eine Netzwerkschnittstelle wurde entfernt',
      'ゲートウェイ「gw1」: ネットワークインタフェースが削除されました',
    ],
    'Gateway gw1: network interfaces changed: eth0, eth1': [
      configured(
        [
          ['eth0', '192.0.2.1'],
          ['eth0', '192.0.2.2'],
        ],
        [
          ['eth0', '192.0.2.1'],
          ['eth1', '192.0.2.2'],
        ],
      ),
      'Gateway gw1: Netzwerkschnittstellen geändert: eth0, eth1',
      'ゲートウェイ「gw1」: ネットワークインタフェースが変更されました: eth0、eth1',
    ],
    'Gateway gw1: network interfaces changed': [
      configured([], []),
      'Gateway gw1: Netzwerkschnittstellen geändert',
      'ゲートウェイ「gw1」: ネットワークインタフェースが変更されました',
    ],
    'Gateway gw1, pairing with hub: poll timed out, was accepted (no reply)': [
      { event: 'peer.status', before: 'accepted', after: 'poll timeout', details: 'no reply' },
      'Gateway gw1, Kopplung mit hub: Zeitüberschreitung bei der Abfrage, zuvor angenommen (no reply)',
      'ゲートウェイ「gw1」、hubとのペアリング: ポーリングのタイムアウト (以前: 承認済み) (no reply)',
    ],
    'Gateway gw1, pairing with hub: accepted': [
      { event: 'peer.status', after: 'accepted' },
      'Gateway gw1, Kopplung mit hub: angenommen',
      'ゲートウェイ「gw1」、hubとのペアリング: 承認済み',
    ],
    'Gateway gw1: pairing with hub was removed': [
      { event: 'peer.status', before: 'accepted' },
      'Gateway gw1: Kopplung mit hub wurde entfernt',
      'ゲートウェイ「gw1」: hubとのペアリングが削除されました',
    ],
    'Gateway gw1: a pairing is in an unknown state': [
      { event: 'peer.status', peer: { id: '', name: '' } },
      'Gateway gw1: eine Kopplung ist in unbekanntem Zustand',
      'ゲートウェイ「gw1」: ペアリングの状態は不明です',
    ],
  },
  routes: {
    'Route Studio A is new and is running': [
      { event: 'route.added', after: { state: 'running' } },
      'Route Studio A ist neu und läuft',
      'ルート「Studio A」が新たに見つかりました (実行中)',
    ],
    'Route Studio A is new and is stopped': [
      { event: 'route.added', after: { state: 'idle' } },
      'Route Studio A ist neu und gestoppt',
      'ルート「Studio A」が新たに見つかりました (停止中)',
    ],
    'Route 1 is new': [
      { event: 'route.added', after: {}, route: { id: 'r1', name: 'Route 1' } },
      'Route 1 ist neu',
      'Route 1が新たに見つかりました',
    ],
    'Route Studio A was removed (it was running)': [
      { event: 'route.removed', before: { state: 'running' } },
      'Route Studio A wurde entfernt (lief zuletzt)',
      'ルート「Studio A」が削除されました (直前まで実行中)',
    ],
    'Route r1 was removed': [
      { event: 'route.removed', before: { state: 'stopped' }, route: { id: 'r1', name: '' } },
      'Route r1 wurde entfernt',
      'ルート「r1」が削除されました',
    ],
    'Studio A was renamed to Studio B': [
      { event: 'route.renamed', before: 'Studio A', after: 'Studio B' },
      'Studio A wurde in Studio B umbenannt',
      '「Studio A」の名前が「Studio B」に変更されました',
    ],
    'Studio A is running': [
      { event: 'route.started', before: 'idle', after: 'running' },
      'Studio A läuft',
      'Studio Aは実行中です',
    ],
    'Studio A is stopped': [
      { event: 'route.stopped', before: 'running', after: 'idle' },
      'Studio A ist gestoppt',
      'Studio Aは停止しています',
    ],
    'Studio A is no longer running, state degraded': [
      { event: 'route.stopped', before: 'running', after: 'degraded' },
      'Studio A läuft nicht mehr, Zustand degraded',
      'Studio Aは実行中ではなくなりました (状態: degraded)',
    ],
    'Studio A is no longer running': [
      { event: 'route.stopped', before: 'running' },
      'Studio A läuft nicht mehr',
      'Studio Aは実行中ではなくなりました',
    ],
    'Studio A has an error (running, No license)': [
      turned('route.status', 'ok', 'error', ['running', 'running'], 'No license'),
      'Studio A meldet einen Fehler (läuft, No license)',
      'Studio Aにエラーがあります (実行中、No license)',
    ],
    'Studio A has a warning': [
      { event: 'route.status', before: 'error', after: 'warn' },
      'Studio A meldet eine Warnung',
      'Studio Aに警告があります',
    ],
    'Studio A is OK again': [
      { event: 'route.status', before: 'warn', after: 'ok', details: 'running' },
      'Studio A ist wieder in Ordnung',
      'Studio Aは正常に戻りました',
    ],
    'Studio A: stopped': [
      turned('route.status', 'ok', 'unknown', ['running', 'idle'], 'idle'),
      'Studio A: gestoppt',
      'Studio A: 停止中',
    ],
    'Studio A: critical': [
      { event: 'route.status', before: 'ok', after: 'critical' },
      'Studio A: critical',
      'Studio A: critical',
    ],
    'Studio A is in an unknown state': [
      { event: 'route.status', before: 'ok' },
      'Studio A ist in unbekanntem Zustand',
      'Studio Aの状態は不明です',
    ],
    'Studio A was changed: source': [
      { event: 'route.changed', before: definition(5000), after: definition(5001) },
      'Studio A wurde geändert: Quelle',
      'Studio Aが変更されました: ソース',
    ],
    'Studio A was changed: destination “Out 1”': [
      { event: 'route.changed', before: definition(5000, 1, 2), after: definition(5000, 1, 3) },
      'Studio A wurde geändert: Ziel „Out 1“',
      'Studio Aが変更されました: 出力先「Out 1」',
    ],
    'Studio A was changed: source, 2 destinations': [
      { event: 'route.changed', before: definition(5000, 1, 2), after: definition(5001, 3, 4, 5) },
      'Studio A wurde geändert: Quelle, 2 Ziele',
      'Studio Aが変更されました: ソース、2個の出力先',
    ],
    'Studio A was changed': [
      { event: 'route.changed', before: definition(5000), after: definition(5000) },
      'Studio A wurde geändert',
      'Studio Aが変更されました',
    ],
  },
  'source and destinations': {
    'Studio A: source receives no data': [
      { event: 'source.data-lost', before: true, after: false },
      'Studio A: Quelle empfängt keine Daten',
      'Studio A: ソースはデータを受信していません',
    ],
    'Studio A: source receives data': [
      { event: 'source.data', before: false, after: true },
      'Studio A: Quelle empfängt Daten',
      'Studio A: ソースはデータを受信しています',
    ],
    'Studio A: source is no longer monitored for data': [
      { event: 'source.data', before: false, after: null },
      'Studio A: Quelle wird nicht mehr auf Daten überwacht',
      'Studio A: ソースのデータ受信は監視対象外になりました',
    ],
    'Studio A: source lost (disconnected)': [
      { event: 'source.status', before: 'ok', after: 'error', states: away },
      'Studio A: Quelle ausgefallen (getrennt)',
      'Studio A: ソースが途絶しました (切断)',
    ],
    'Studio A: source lost (connecting, Source In connecting)': [
      turned('source.status', 'ok', 'warn', ['connected', 'connecting'], 'Source In connecting'),
      'Studio A: Quelle ausgefallen (im Verbindungsaufbau, Source In connecting)',
      'Studio A: ソースが途絶しました (接続処理中、Source In connecting)',
    ],
    'Studio A: source has a warning (connected)': [
      { event: 'source.status', before: 'ok', after: 'warn', states: same },
      'Studio A: Quelle meldet eine Warnung (verbunden)',
      'Studio A: ソースに警告があります (接続済み)',
    ],
    'Studio A: source has an error (disconnected)': [
      { event: 'source.status', before: 'unknown', after: 'error', states: away },
      'Studio A: Quelle meldet einen Fehler (getrennt)',
      'Studio A: ソースにエラーがあります (切断)',
    ],
    'Studio A: source disconnected': [
      { event: 'source.status', before: 'ok', after: 'unknown', states: away },
      'Studio A: Quelle getrennt',
      'Studio A、ソース: 切断',
    ],
    'Studio A: source is back': [
      { event: 'source.status', before: 'error', after: 'ok', states: there },
      'Studio A: Quelle ist wieder da',
      'Studio A: ソースが復旧しました',
    ],
    'Studio A: source is OK again': [
      { event: 'source.status', before: 'warn', after: 'ok', states: same },
      'Studio A: Quelle ist wieder in Ordnung',
      'Studio A: ソースは正常に戻りました',
    ],
    'Studio A: source is OK again (connecting)': [
      turned('source.status', 'error', 'ok', ['disconnected', 'connecting']),
      'Studio A: Quelle ist wieder in Ordnung (im Verbindungsaufbau)',
      'Studio A: ソースは正常に戻りました (接続処理中)',
    ],
    'Studio A: source is OK': [
      { event: 'source.status', before: 'unknown', after: 'ok', states: there },
      'Studio A: Quelle ist in Ordnung',
      'Studio A: ソースは正常です',
    ],
    'Studio A: source disconnected, was connecting': [
      { event: 'source.status', before: 'connecting', after: 'disconnected' },
      'Studio A: Quelle getrennt, zuvor im Verbindungsaufbau',
      'Studio A、ソース: 切断 (以前: 接続処理中)',
    ],
    'Studio A: destination “CDN” lost (disconnected)': [
      { event: 'destination.status', before: 'ok', after: 'error', states: away },
      'Studio A: Ziel „CDN“ ausgefallen (getrennt)',
      'Studio A: 出力先「CDN」が途絶しました (切断)',
    ],
    'Studio A: destination “CDN” is back': [
      { event: 'destination.status', before: 'warn', after: 'ok', states: there },
      'Studio A: Ziel „CDN“ ist wieder da',
      'Studio A: 出力先「CDN」が復旧しました',
    ],
    'Studio A: destination “CDN” was added': [
      { event: 'destination.added', after: {} },
      'Studio A: Ziel „CDN“ wurde hinzugefügt',
      'Studio A: 出力先「CDN」が追加されました',
    ],
    'Studio A: destination “x1” was removed': [
      { event: 'destination.removed', before: {}, destination: { id: 'x1', name: '' } },
      'Studio A: Ziel „x1“ wurde entfernt',
      'Studio A: 出力先「x1」が削除されました',
    ],
    'Studio A: destination “CDN” started': [
      { event: 'destination.started', before: false, after: true },
      'Studio A: Ziel „CDN“ gestartet',
      'Studio A: 出力先「CDN」が開始されました',
    ],
    'Studio A: destination “CDN” stopped': [
      { event: 'destination.stopped', before: true, after: false },
      'Studio A: Ziel „CDN“ gestoppt',
      'Studio A: 出力先「CDN」が停止されました',
    ],
    'Studio A: a destination is in an unknown state': [
      { event: 'destination.stopped', before: true, destination: { id: '', name: '' } },
      'Studio A: ein Ziel ist in unbekanntem Zustand',
      'Studio A: 出力先の状態は不明です',
    ],
  },
  statistics: {
    'Studio A: bit rate of the source 0.4 Mbit/s, below 2 Mbit/s': [
      { ...low, value: 0.4 },
      'Studio A: Bitrate der Quelle 0,4 Mbit/s, unter 2 Mbit/s',
      'Studio A: ソースのビットレートが0.4 Mbit/sで、2 Mbit/sを下回っています',
    ],
    'Studio A: bit rate of the source 1.9996 Mbit/s, below 2 Mbit/s': [
      { ...low, value: 1.9996 },
      'Studio A: Bitrate der Quelle 1,9996 Mbit/s, unter 2 Mbit/s',
      'Studio A: ソースのビットレートが1.9996 Mbit/sで、2 Mbit/sを下回っています',
    ],
    'Studio A: round-trip time of the source 1235 ms, above 250.5 ms': [
      { ...high, value: 1234.56, limit: 250.5 },
      'Studio A: Umlaufzeit der Quelle 1235 ms, über 250,5 ms',
      'Studio A: ソースのラウンドトリップタイムが1235 msで、250.5 msを上回っています',
    ],
    'Studio A: packet loss of destination “CDN” 0.000123, above 0.0001': [
      {
        ...high,
        measure: 'packetLoss',
        of: 'destination',
        destination: { id: 'x1', name: 'CDN' },
        value: 0.000123456,
        limit: 0.0001,
      },
      'Studio A: Paketverlust des Ziels „CDN“ 0,000123, über 0,0001',
      'Studio A: 出力先「CDN」のパケットロスが0.000123で、0.0001を上回っています',
    ],
    'Studio A: bit rate of the source normal again, 15.8 Mbit/s': [
      { ...normal, value: 15.818 },
      'Studio A: Bitrate der Quelle wieder normal, 15,8 Mbit/s',
      'Studio A: ソースのビットレートは正常に戻りました (15.8 Mbit/s)',
    ],
    'Studio A: bit rate of a destination no longer measured': [
      { ...normal, of: 'destination', destination: { id: '', name: '' }, value: null },
      'Studio A: Bitrate eines Ziels wird nicht mehr gemessen',
      'Studio A: 出力先のビットレートは測定されなくなりました',
    ],
  },
}
