import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { CsvFault, type CsvRow, readRows } from './csv.ts'

/** Reads the rows of bytes that arrive in pieces of this length. */
async function readAllRows(bytes: Uint8Array, fromByte = 0, piece = 7): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  for await (const row of readRows(Readable.from(splitBytes(bytes.subarray(fromByte), piece)), fromByte))
    rows.push(row)
  return rows
}

function* splitBytes(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const FILE = Buffer.from(
  '\ufeffid,name\r\n\r\n1,"Ada\r\nKing"\n2,"say ""hi"""\r3,=1+1,more\r\n\r\n4,😀 é\r\n5',
)

test.each([1, 2, 3, 5, 100])(
  'a file read in pieces of %i bytes, or from any of its rows on, has the same rows',
  async (piece) => {
    const rows = await readAllRows(FILE, 0, piece)
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['id', 'name'],
      ['1', 'Ada\r\nKing'],
      ['2', 'say "hi"'],
      ['3', '=1+1', 'more'],
      ['4', '😀 é'],
      ['5'],
    ])
    for (const [index, { nextByte }] of rows.entries())
      expect(await readAllRows(FILE, nextByte, piece)).toEqual(rows.slice(index + 1))
  },
)

test.each([
  ['a quote that does not end', 'id,name\n1,"Ada\n2,Eve', 2, /does not end/],
  ['text after a quote', 'id,name\n1,Ada\n2,"Eve"x', 3, /follows the closing quote/],
  ['a quote within a cell', 'id,name\n1,5" pipe', 2, /contains one/],
  ['U+0000', 'id,name\n\n1,A\u0000a', 2, /U\+0000/],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from('id,name\n1,'), Buffer.of(0xe9), Buffer.from(',x')]),
    2,
    /UTF-8/,
  ],
  ['a character that is cut off', Buffer.concat([Buffer.from('id\n'), Buffer.of(0xf0, 0x9f)]), 2, /UTF-8/],
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffid,name', 'utf16le'), 1, /UTF-8/],
  ['UTF-16 without a byte order mark', Buffer.from('id,name', 'utf16le'), 1, /U\+0000/],
])('a CSV file with %s is rejected, and the error names the row', async (_, file, row, message) => {
  const error = await readAllRows(Buffer.from(file), 0, 1000).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CsvFault)
  expect(error).toMatchObject({ row, message: expect.stringMatching(message) })
})

test.each([
  ['a cell of 50 MB', 'x'],
  ['a quoted cell of 50 MB with lines', '"x\n'],
  ['a million columns', ','],
])('a CSV file with %s is rejected after at most 20 pieces of 64 KiB', async (_, text) => {
  const piece = Buffer.from(text.padEnd(64 * 1024, text.at(-1) === '\n' ? '\n' : text))
  let pieces = 0
  function* endless() {
    for (; pieces < 800; pieces++) yield piece
  }
  const read = async () => {
    for await (const _row of readRows(Readable.from(endless()), 0)) throw new Error('a row')
  }
  await expect(read()).rejects.toThrow('longer than')
  expect(pieces).toBeLessThan(20)
})

test('a reader that stops early closes the stream of the file', async () => {
  const bytes = Readable.from(splitBytes(Buffer.from('a\n'.repeat(100_000)), 1000))
  for await (const { cells } of readRows(bytes, 0)) {
    expect(cells).toEqual(['a'])
    break
  }
  expect(bytes.destroyed).toBe(true)
})
