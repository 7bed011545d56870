import * as fc from 'fast-check'
import { readTable, writtenCell, type Table } from '../../../client/model/csv'

const read = (text: string): string[][] => {
  const table = readTable(text, 1000) as Table
  return [table.header, ...table.rows.map(({ cells }) => cells)]
}

describe('a table of comma-separated values', () => {
  it('is read as spreadsheets write it', () => {
    read('a,b\n1,2').should.eql([
      ['a', 'b'],
      ['1', '2'],
    ])
    read('a;b,c;d\r\n1;;3\r\n').should.eql([
      ['a', 'b,c', 'd'],
      ['1', '', '3'],
    ])
    read('"a,a,a"\t"b"\r1\t"x ""y"" z"').should.eql([
      ['a,a,a', 'b'],
      ['1', 'x "y" z'],
    ])
    read('a,b\n1,').should.eql([
      ['a', 'b'],
      ['1', ''],
    ])
    read('\n\n a \n\n').should.eql([['a']])
    read('').should.eql([[]])
    const { rows } = readTable('\na,b\n"1\n2",3\n\n4,5', 100) as Table
    rows.map(({ line }) => line).should.eql([3, 6])
  })

  it('is refused where a quotation mark has no counterpart, or where it is too large', () => {
    readTable('a\n"b', 100).should.eql({ fault: 'quote', line: 2 })
    readTable('a\n"b" c', 100).should.eql({ fault: 'quote', line: 2 })
    readTable('a,b\n1,2\n3,4', 5).should.eql({ fault: 'tooLarge' })
  })

  it('has the cells that were written, whatever they contain', () => {
    const cell = fc.string().filter((text) => text.trim() !== '' && !/^[=+\-@\t\r]/.test(text))
    const separator = fc.constantFrom(',', ';', '\t')
    const newLine = fc.constantFrom('\n', '\r\n')
    const table = fc.tuple(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), separator, newLine)
    fc.assert(
      fc.property(table, ([rows, between, end]) => {
        const lines = [['name', 'other'], ...rows].map((row) => row.map(writtenCell).join(between))
        read(lines.join(end)).slice(1).should.eql(rows)
      }),
    )
  })

  it('takes time in proportion to its length', () => {
    const cost = (text: string): number => {
      const before = process.cpuUsage()
      readTable(text, Infinity)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    for (const text of ['"', '""', ',', '\n', '"a\n', ';"', 'a']) {
      // Quadratic work would take minutes.
      should(cost(text.repeat(400_000))).be.below(3000)
    }
  })

  it('is no formula where a spreadsheet opens it', () => {
    writtenCell('=HYPERLINK("x")').should.equal('"\'=HYPERLINK(""x"")"')
    writtenCell('oslo').should.equal('oslo')
  })
})
