import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asObject } from './http'

/** A certificate and its key, both PEM. */
export interface Certificate {
  key: string
  cert: string
}

/** The certificate for localhost that comes with the simulator; its key is public. */
export function testCertificate(): Certificate {
  return {
    cert: readFileSync(join(__dirname, 'localhost.cert.pem'), 'utf8'),
    key: readFileSync(join(__dirname, 'localhost.key.pem'), 'utf8'),
  }
}

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
