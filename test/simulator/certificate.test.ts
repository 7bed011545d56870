import { spawn } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fingerprintOf, testCertificate } from '../../simulator/certificate'
import { selfSignedCertificate } from '../support/certificate'
import { root } from '../support/root'

describe("the simulator's certificate", () => {
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'media-gateway-certificate-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  function written(name: string, text: string): string {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  it('is for localhost only, for a very long time, and signs no other', () => {
    const { cert, key } = testCertificate()
    const certificate = new X509Certificate(cert)
    should(certificate.checkHost('localhost')).equal('localhost')
    for (const address of ['127.0.0.1', '::1']) {
      should(certificate.checkIP(address)).equal(address)
    }
    certificate.checkPrivateKey(createPrivateKey(key)).should.be.true()
    certificate.verify(certificate.publicKey).should.be.true()
    // It must not be an authority for those who trust it.
    certificate.ca.should.be.false()
    new Date(certificate.validTo).getFullYear().should.be.above(2100)
    new Date(certificate.validFrom).getFullYear().should.be.below(2026)
    // Nobody else has its key.
    const another = new X509Certificate(testCertificate().cert)
    another.checkPrivateKey(createPrivateKey(key)).should.be.false()
    another.serialNumber.should.not.equal(certificate.serialNumber)
  })

  const shown = {
    'made with --https': () => Promise.resolve({ options: ['--https'], cert: undefined }),
    'the certificate of --cert and --key': async () => {
      const { cert, key } = await selfSignedCertificate()
      return { options: ['--cert', written('cert', cert), '--key', written('key', key)], cert }
    },
  }
  for (const [what, make] of Object.entries(shown)) {
    it(`is ${what}; clients that trust it connect`, async () => {
      const { options, cert } = await make()
      const { child, ended } = run(...options)
      let told = ''
      for await (const chunk of child.stdout) {
        told += String(chunk)
        if (told.includes('Ctrl-C')) break
      }
      const [, port] = /at https:\/\/127\.0\.0\.1:(\d+)/.exec(told) ?? []
      const place = { port: Number(port), host: '127.0.0.1' }
      const socket = connect({ ...place, ca: cert ?? (await shownBy(place)) })
      await once(socket, 'secureConnect')
      const { fingerprint256 } = socket.getPeerCertificate()
      socket.destroy()
      if (cert) fingerprint256.should.equal(fingerprintOf(cert))
      told.should.containEql(`Certificate SHA-256: ${fingerprint256}\n`)
      child.kill('SIGTERM')
      ;(await ended).code.should.equal(0)
    })
  }

  it('is refused with a sentence and code 2 when it cannot be used', async () => {
    const [{ cert, key }, other] = [testCertificate(), await selfSignedCertificate()]
    const locked = createPrivateKey(key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    })
    const [c, k, none] = [written('c', cert), written('k', key), join(folder, 'none')]
    const wrong: Array<[string[], RegExp]> = [
      [['--cert', c], /^Give both --cert and --key, or neither/],
      [['--https', '--key', k], /^Give both --cert and --key/],
      [['--cert', none, '--key', k], /^--cert: there is no file ".*none"/],
      [['--cert', c, '--key', none], /^--key: there is no file ".*none"/],
      [['--cert', folder, '--key', k], /^--cert: ".*" cannot be read \(EISDIR\)/],
      [['--cert', k, '--key', k], /^--cert: ".*" is not a certificate in PEM format/],
      [['--cert', c, '--key', c], /^--key: ".*" is not a private key in PEM format/],
      [['--cert', c, '--key', written('locked', String(locked))], /without a passphrase/],
      [['--cert', c, '--key', written('other', other.key)], /is not the key of the certificate/],
    ]
    const results = await Promise.all(wrong.map(([options]) => run(...options).ended))
    results.forEach(({ code, out, err }, place) => {
      err.should.match(wrong[place]![1])
      err.should.not.match(/\n {4}at /)
      code.should.equal(2)
      out.should.equal('')
    })
  })

  /** What a user trusts who has compared its fingerprint. */
  async function shownBy(place: { port: number; host: string }): Promise<string> {
    const socket = connect({ ...place, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { raw } = socket.getPeerCertificate()
    socket.destroy()
    return String(new X509Certificate(raw))
  }

  function run(...options: string[]) {
    const command = join(root, 'dist/simulator/command.js')
    const child = spawn(process.execPath, [command, '--port=0', ...options])
    const output = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()))
    const ended = once(child, 'close').then(([code]) => ({ code: Number(code), ...output }))
    return { child, ended }
  }
})
