import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { md, pki } from 'node-forge'
import type { Certificate } from '../../simulator'

/** A new self-signed certificate for localhost and 127.0.0.1, valid for a year. */
export const selfSignedCertificate = (): Promise<Certificate> => newCertificate('localhost')

/**
 * A new certificate, valid for a year.
 * @param name also a name of the server, beside 127.0.0.1
 * @param authority that signs it, instead of itself
 * @param days until it expires; negative, and it has expired
 */
export async function newCertificate(
  name: string,
  authority?: Certificate,
  days = 365,
): Promise<Certificate> {
  // About a hundred times faster than forge's own.
  const pair = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const certificate = pki.createCertificate()
  certificate.publicKey = pki.publicKeyFromPem(pair.publicKey)
  // A leading 01 keeps the number positive and without a leading zero.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000)
  certificate.validity.notAfter = new Date(Date.now() + days * 86_400_000)
  const subject = [{ name: 'commonName', value: name }]
  const issuer = authority && pki.certificateFromPem(authority.cert)
  certificate.setSubject(subject)
  certificate.setIssuer(issuer?.subject.attributes ?? subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: authority === undefined, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, keyCertSign: true },
    { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: name },
        { type: 7, ip: '127.0.0.1' },
        { type: 7, ip: '::1' },
      ],
    },
  ])
  certificate.sign(pki.privateKeyFromPem(authority?.key ?? pair.privateKey), md.sha256.create())
  return { key: pair.privateKey, cert: pki.certificateToPem(certificate) }
}
