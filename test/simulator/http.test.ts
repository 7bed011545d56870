import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { receive, type Upload } from '../../simulator/http'

describe("the simulator's reader of uploads", () => {
  const part = (head: string, content: string) =>
    `--line\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  const file = part('name="file"; filename="ä b.hmg"', '\ufeff{"ü": 1}\r\n')
  const END = '--line--\r\n'

  const cases: Record<string, [string, Upload?]> = {
    'takes the first part with a file name': [
      part('name="note"', 'no file') + file + part('name="next"; filename="c"', '{}') + END,
      { field: 'file', filename: 'ä b.hmg', content: '\ufeff{"ü": 1}\r\n' },
    ],
    'takes the first part where none has a file name': [
      part('name="first"', '{"ü": 1}') + part('name="second"', '{}') + END,
      { field: 'first', filename: '', content: '{"ü": 1}' },
    ],
    'finds nothing in a form without parts': [END],
    'finds nothing in a form that is cut short': [file],
    'finds nothing in a part without a name': [part('filename="a"', '{}') + END],
    'finds nothing in what is not a form': ['{}'],
    'finds nothing in an empty body': [''],
  }
  for (const [what, [body, upload]] of Object.entries(cases)) {
    it(what, async () => {
      const { multipart, rawBody } = await read(body, 'multipart/form-data; boundary=line')
      should(multipart).eql(upload)
      rawBody.toString('utf8').should.equal(body)
    })
  }

  it('takes a boundary in quotes, and none from a form that does not say it', async () => {
    const quoted = await read(file + END, 'Multipart/Form-Data; charset=utf-8; boundary="line"')
    should(quoted.multipart?.field).equal('file')
    should((await read(file + END, 'multipart/form-data')).multipart).be.undefined()
  })

  function read(body: string, type: string) {
    const request = Readable.from([Buffer.from(body)])
    const parts = { method: 'POST', url: '/', headers: { 'content-type': type } }
    return receive(Object.assign(request, parts) as unknown as IncomingMessage, () => 0)
  }
})
