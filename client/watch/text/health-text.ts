import type { Health, Reason, Sign } from '../../model/health'
import { legible } from '../../model/legible'
import type { Language } from '../../model/watch'
import { clipped } from './parts'

/** The words for how something is. */
interface HealthWords {
  readonly signs: Readonly<Record<Sign, string>>
  /** The name of the output is that of the gateway, that of a caller as in the list of callers. */
  readonly reasons: Readonly<Record<Reason, string | ((output: string) => string)>>
}

const WORDS: Readonly<Record<Language, HealthWords>> = {
  'en-US': {
    signs: {
      critical: 'critical',
      warning: 'warning',
      unknown: 'unknown',
      waiting: 'waiting for callers',
      ok: 'OK',
      stopped: 'stopped',
    },
    reasons: {
      'gateway-away': 'gateway unreachable',
      'device-away': 'device offline',
      'device-error': 'device error',
      'device-warning': 'device warning',
      'not-seen': 'not known yet',
      'no-source': 'no source',
      'no-data': 'no data',
      'source-error': 'source error',
      'route-error': 'route error',
      'not-running': 'not running',
      'output-lost': (output) => `output “${output}” lost`,
      'output-error': (output) => `output “${output}” has an error`,
      'output-warning': (output) => `output “${output}” has a warning`,
      'source-warning': 'source warning',
      'route-warning': 'route warning',
      threshold: 'threshold passed',
      'caller-away': (caller) => `caller “${caller}” is away`,
      'no-caller': 'waiting for callers',
    },
  },
  de: {
    signs: {
      critical: 'kritisch',
      warning: 'Warnung',
      unknown: 'unbekannt',
      waiting: 'wartet auf Caller',
      ok: 'OK',
      stopped: 'gestoppt',
    },
    reasons: {
      'gateway-away': 'Gateway nicht erreichbar',
      'device-away': 'Gerät offline',
      'device-error': 'Gerätefehler',
      'device-warning': 'Gerätewarnung',
      'not-seen': 'noch nicht bekannt',
      'no-source': 'keine Quelle',
      'no-data': 'keine Daten',
      'source-error': 'Fehler der Quelle',
      'route-error': 'Fehler der Route',
      'not-running': 'läuft nicht',
      'output-lost': (output) => `Ziel „${output}“ verloren`,
      'output-error': (output) => `Fehler am Ziel „${output}“`,
      'output-warning': (output) => `Warnung am Ziel „${output}“`,
      'source-warning': 'Warnung der Quelle',
      'route-warning': 'Warnung der Route',
      threshold: 'Schwellenwert verletzt',
      'caller-away': (caller) => `Caller „${caller}“ fehlt`,
      'no-caller': 'wartet auf Caller',
    },
  },
  ja: {
    signs: {
      critical: '重大',
      warning: '警告',
      unknown: '不明',
      waiting: '接続待ち',
      ok: '正常',
      stopped: '停止中',
    },
    reasons: {
      'gateway-away': 'ゲートウェイに接続できません',
      'device-away': 'デバイスがオフライン',
      'device-error': 'デバイスのエラー',
      'device-warning': 'デバイスの警告',
      'not-seen': '未確認',
      'no-source': 'ソースなし',
      'no-data': 'データなし',
      'source-error': 'ソースのエラー',
      'route-error': 'ルートのエラー',
      'not-running': '停止中',
      'output-lost': (output) => `出力先「${output}」切断`,
      'output-error': (output) => `出力先「${output}」のエラー`,
      'output-warning': (output) => `出力先「${output}」の警告`,
      'source-warning': 'ソースの警告',
      'route-warning': 'ルートの警告',
      threshold: 'しきい値を超過',
      'caller-away': (caller) => `Caller「${caller}」不在`,
      'no-caller': '接続待ち',
    },
  },
}

/**
 * Says how something is, the reason first and the gateway's own word after it:
 * `no source (disconnected)`. One line, for people.
 * @param isBrief without the gateway's own word
 */
export function healthText(
  { sign, reason, output = '', word }: Health,
  language: Language = 'en-US',
  isBrief = false,
): string {
  const { signs, reasons } = WORDS[language]
  const said = reason === undefined ? signs[sign] : reasons[reason]
  const text = typeof said === 'function' ? said(clipped(output)) : said
  const isNews = word !== undefined && !text.toLowerCase().includes(word.toLowerCase())
  return legible(!isBrief && isNews && reason !== 'no-caller' ? `${text} (${clipped(word)})` : text)
}
