import { titled, type Words } from './words'

const destinationCalled = (name: string): string => (name ? `出力先「${name}」` : '出力先')
const routeCalled = (name: string): string => titled('ルート', name, 'route')

export const JAPANESE: Words = {
  decimal: '.',
  comma: '、',

  gateway: (name) => (name ? titled('ゲートウェイ', name, 'gateway') : 'ゲートウェイ'),
  source: 'ソース',
  destination: destinationCalled,
  pairing: (name) => (name ? `${name} とのペアリング` : 'ペアリング'),
  networkInterface: (name) =>
    name ? `ネットワークインタフェース ${name} ` : 'ネットワークインタフェース',

  // A predicate begins with its particle.
  says: (whole, part, predicate) =>
    part ? `${whole}: ${part}${predicate}` : `${whole} ${predicate}`,
  predicates: {
    ok: 'は正常です',
    okAgain: 'は正常に戻りました',
    warn: 'に警告があります',
    error: 'にエラーがあります',
    unknown: 'の状態は不明です',
    lost: 'が途絶しました',
    back: 'が復旧しました',
    noData: 'はデータを受信していません',
    data: 'はデータを受信しています',
    running: 'は実行中です',
    stopped: 'は停止しています',
    added: 'が追加されました',
    removed: 'が削除されました',
    starts: 'が開始しました',
    stops: 'が停止しました',
  },
  shows: (whole, part, now, before) =>
    `${whole}: ${part ? `${part}は` : ''}${now}${before ? `、以前は${before}` : ''}`,
  state: (word) => ` (${word})`,
  details: (words) => ` (${words})`,
  states: {
    connected: '接続済み',
    connecting: '接続処理中',
    'connection established': '接続確立',
    disconnected: '切断',
    running: '実行中',
    idle: '停止中',
    stopped: '停止中',
    online: 'オンライン',
    offline: 'オフライン',
    never: '接続履歴なし',
    'device error': 'デバイスエラー',
    'communication error': '通信エラー',
    accepted: '承認済み',
    'pair pending': 'ペアリング待ち',
    'pairing error': 'ペアリングエラー',
    'pairing timeout': 'ペアリングのタイムアウト',
    'pairing denied': 'ペアリング拒否',
    'poll timeout': 'ポーリングのタイムアウト',
    'poll error': 'ポーリングエラー',
  },

  unreachable: (gateway, reason) => `${gateway} に接続できません: ${reason}`,
  unwatchable: (gateway, reason) => `${gateway} を監視できません: ${reason}`,
  reasons: {
    ECONNREFUSED: '接続が拒否されました',
    ECONNRESET: '接続が切断されました',
    EPIPE: '接続が切断されました',
    ENOTFOUND: 'ホスト名が見つかりません',
    EAI_AGAIN: 'ホスト名を解決できません',
    EHOSTUNREACH: 'ホストへの経路がありません',
    ENETUNREACH: 'ネットワークへの経路がありません',
    ETIMEDOUT: '時間内に応答がありません',
    TIMEOUT: '時間内に応答がありません',
    UNAVAILABLE: '利用できません',
    TLS: '信頼できるTLS接続を確立できません',
    LOGIN_REFUSED: 'ログインが拒否されました',
    TOO_MANY_SESSIONS: 'セッションが多すぎます',
    FORBIDDEN: 'アクセス権がありません',
    NOT_FOUND: 'デバイスが見つかりません',
    BAD_RESPONSE: '応答が不正です',
    REJECTED: '要求が拒否されました',
    CONFLICT: '要求が拒否されました',
    CONFIG: '設定が正しくありません',
    INVALID_INPUT: '設定が正しくありません',
    READ_ONLY: '読み取り専用です',
    OUTCOME_UNKNOWN: '結果は不明です',
    NOT_CONFIRMED: '確認できません',
    CLOSED: '接続が閉じられました',
  },
  backAfter: (gateway, duration) =>
    duration ? `${gateway} が${duration}ぶりに復旧しました` : `${gateway} が復旧しました`,
  engineLost: (gateway) =>
    `${gateway}: エンジン上のリースが失われたため、このインスタンスは担当アプライアンスの処理を停止しました`,
  engineBack: (gateway, duration) =>
    `${gateway}: エンジン上のリースが${duration ? `${duration}ぶりに` : ''}回復しました`,
  durations: {
    second: (count) => `${count}秒`,
    minute: (count) => `${count}分`,
    hour: (count) => `${count}時間`,
    day: (count) => `${count}日`,
  },
  and: '',

  firmware: (version, before) =>
    version
      ? `ファームウェア ${version}${before ? `、以前は ${before}` : ''}`
      : 'ファームウェアのバージョンは不明です',
  address: (networkInterface, now, before) =>
    now
      ? `${networkInterface}のアドレスは ${now}${before ? `、以前は ${before}` : ''}`
      : `${networkInterface}にアドレスがありません${before ? `、以前は ${before}` : ''}`,
  interfaces: (names) =>
    names
      ? `ネットワークインタフェースが変更されました: ${names}`
      : 'ネットワークインタフェースが変更されました',

  added: (route, state) => {
    const how = state && (state === 'running' ? ' (実行中)' : ' (停止中)')
    return `${routeCalled(route)} が新たに見つかりました${how ?? ''}`
  },
  removed: (route, wasRunning) =>
    `${wasRunning ? '実行中だった' : ''}${routeCalled(route)} がなくなりました`,
  renamed: (before, after) => `${before} の名前が ${after} に変更されました`,
  noLongerRunning: (route, state) =>
    `${route} は実行中ではなくなりました${state ? ` (状態: ${state})` : ''}`,
  changed: (route, parts) => `${route} が変更されました${parts ? `: ${parts}` : ''}`,
  several: (destinations) => `${destinations}個の出力先`,

  measured: (measure, destination) =>
    `${destination === undefined ? 'ソース' : destinationCalled(destination)}の${measure}`,
  measures: {
    bitrate: 'ビットレート',
    roundTripTime: 'ラウンドトリップタイム',
    packetLoss: 'パケットロス',
  },
  below: (what, value, limit) => `${what}が ${value} で、${limit} を下回っています`,
  above: (what, value, limit) => `${what}が ${value} で、${limit} を上回っています`,
  normal: (what, value) => `${what}は正常に戻りました (${value})`,
  notMeasured: (what) => `${what}は測定されなくなりました`,

  joined: (caller, part) => `${caller}が${part}に接続しました`,
  left: (caller, part, duration) =>
    `${caller}が${part}から切断しました${duration ? ` (${duration}後)` : ''}`,

  running: (running, routes) =>
    routes === 0 ? 'ルートはありません' : `${routes}件中${running}件のルートが実行中です`,
  stateUnknown: (routes) => `${routes}件の状態は不明です`,
}
