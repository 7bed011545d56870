import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { asObject } from './http'

/** A certificate and its key, both PEM. */
export interface Certificate {
  key: string
  cert: string
}

/**
 * A new self-signed certificate for localhost, 127.0.0.1 and ::1. It is made here, since Node.js can
 * sign but cannot write certificates, and a key that everybody gets with a package would be no secret.
 */
export function testCertificate(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const commonName = sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from('localhost')))
  const name = sequence(der(0x31, commonName))
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  )
  const extensions = sequence(
    // Not an authority for those who trust it.
    sequence(oid(0x55, 0x1d, 0x13), der(0x01, Buffer.from([0xff])), der(0x04, sequence())),
    sequence(oid(0x55, 0x1d, 0x11), der(0x04, names)),
  )
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    // Positive, and without a leading zero.
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    // The second one is beyond the years of the first form.
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x18, Buffer.from('21191231235959Z'))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = Buffer.concat([Buffer.alloc(1), sign('sha256', signed, privateKey)])
  const whole = sequence(signed, ecdsaWithSha256, der(0x03, signature))
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

/** A value in DER: its tag, its length and its bytes. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...(length < 0x80 ? [length] : long)]), value])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes))

/**
 * Reads a certificate, followed by the rest of its chain, and its key from two files.
 *
 * @throws {Error} whose message names the option that is wrong: `--cert` or `--key`
 */
export function certificateFrom(certFile: string, keyFile: string): Certificate {
  const cert = read('--cert', certFile)
  const key = read('--key', keyFile)
  const certificate = parsed(() => new X509Certificate(cert))
  if (!certificate) throw new Error(`--cert: "${certFile}" is not a certificate in PEM format.`)
  const secret = parsed(() => createPrivateKey(key))
  if (!secret) {
    throw new Error(`--key: "${keyFile}" is not a private key in PEM format without a passphrase.`)
  }
  if (!certificate.checkPrivateKey(secret)) {
    throw new Error(`--key: "${keyFile}" is not the key of the certificate in "${certFile}".`)
  }
  return { cert, key }
}

/** SHA-256 of a certificate, upper case with colons. */
export function fingerprintOf(cert: string): string {
  return new X509Certificate(cert).fingerprint256
}

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = asObject(error)
    const sentence =
      code === 'ENOENT'
        ? `${option}: there is no file "${file}".`
        : `${option}: "${file}" cannot be read (${String(code)}).`
    throw new Error(sentence, { cause: error })
  }
}

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
