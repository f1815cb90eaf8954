import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bai2File } from './formats/bai2.testing.ts'
import {
  all,
  buildZip,
  camtFile,
  type SampleEntry,
  type SampleZipFile,
  write,
} from './formats/samples.testing.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'
import { detectKind, readRecords } from './read-records.ts'

const ENTRY: SampleEntry = { amount: '1.00', direction: 'CRDT', transactions: [{ amount: '1.00' }] }
const statement = (id: string) => camtFile({ id, entries: [ENTRY] })

let folder = ''
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-records-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Reads a file of these bytes as the inbox does. */
async function read(bytes: string | Uint8Array) {
  count += 1
  const path = join(folder, String(count))
  await writeFile(path, bytes)
  return all(readRecords(detectKind(Buffer.from(bytes).subarray(0, 4_096)), path))
}

/** A summary of each record. */
async function summarize(files: readonly SampleZipFile[]): Promise<string[]> {
  const records = await read(buildZip(files))
  return records.map(({ of, record }) => {
    const id = 'statement' in record ? record.statement?.id : undefined
    return [of, 'type' in record ? record.type : '', id].filter(Boolean).join(' ')
  })
}

test('the format of a bank file is detected from its content, even after padding', async () => {
  expect(detectKind(Buffer.from(`\ufeff\r\n${statement('A')}`))).toBe('XML')
  expect(detectKind(Buffer.from(statement('A'), 'utf16le'))).toBe('XML')
  expect(detectKind(Buffer.from(`\n\n${await write()}`))).toBe('ACH')
  expect(detectKind(buildZip([]))).toBe('ZIP')
  expect(detectKind(Buffer.from(':20:STMT1'))).toBe('MT940')
  expect(detectKind(Buffer.from(`\r\n${bai2File([])}`))).toBe('BAI2')
  expect(detectKind(Buffer.from('01'))).toBe('UNKNOWN')
  expect(detectKind(Buffer.from(''))).toBe('UNKNOWN')
  // Text that mentions a format does not make the file one of that format.
  expect(detectKind(Buffer.from('see urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'))).toBe('UNKNOWN')
})

test('every file in a ZIP archive is read in order and in its own format', async () => {
  const files = [
    { name: 'a/', content: '' },
    { name: 'a/1.xml', content: statement('A') },
    { name: '2.ach', content: await write() },
    { name: '3.xml', content: statement('B') },
    { name: '4.txt', content: bai2File([{ accounts: [{ account: '77' }] }]) },
  ]
  expect(await summarize(files)).toEqual([
    'ACCOUNT transaction A',
    'ACCOUNT entry A',
    'ACCOUNT statement A',
    'ACH head',
    'ACH entry',
    'ACCOUNT transaction B',
    'ACCOUNT entry B',
    'ACCOUNT statement B',
    'ACCOUNT statement 77 2026-11-25',
  ])
})

test.each<[string, SampleZipFile]>([
  ['has an unknown format', { name: 'readme.pdf', content: '%PDF' }],
  ['is malformed at its end', { name: 'x.xml', content: statement('X').slice(0, -5) }],
  ['has a wrong checksum', { name: 'x.xml', content: statement('X'), crc: 1 }],
  ['has a wrong size', { name: 'x.xml', content: statement('X'), size: 100 }],
  ['is another ZIP file', { name: 'x.zip', content: buildZip([{ name: 'x.xml', content: statement('X') }]) }],
])('a file in a ZIP archive that %s waits for manual review, and the others are read', async (_, odd) => {
  const good = { name: 'good.xml', content: statement('A') }
  const read = ['ACCOUNT transaction A', 'ACCOUNT entry A', 'ACCOUNT statement A']
  expect(await summarize([odd, good])).toEqual(['UNREAD', ...read])
  expect(await summarize([good, odd])).toEqual([...read, 'UNREAD'])
  await expect(summarize([odd])).rejects.toThrow(UnreadableFile)
})

test.each<[string, () => Uint8Array, RegExp]>([
  ['no file', () => buildZip([]), /contains no files/],
  [
    'a missing end',
    () => buildZip([{ name: 'a', content: statement('A') }]).subarray(0, -30),
    /not a complete ZIP/,
  ],
  [
    'too many files',
    () => buildZip(Array.from({ length: 1_001 }, () => ({ name: 'a', content: '' }))),
    /more than 1000 files/,
  ],
  [
    'a file that unpacks to a thousand times its size',
    () => buildZip([{ name: 'a', content: Buffer.alloc(20_000_000, 32) }]),
    /more than 200 times/,
  ],
  [
    'files that unpack to more than a gigabyte',
    () => buildZip([{ name: 'a', content: Buffer.alloc(9), size: 2 ** 31 }]),
    /more than 1073741824 bytes/,
  ],
])('a ZIP archive with %s is refused', async (_, make, message) => {
  await expect(read(make())).rejects.toThrow(UnreadableFile)
  await expect(read(make())).rejects.toThrow(message)
})

test('a corrupted ZIP archive is either read or refused, and never fails in another way', {
  tags: 'long',
}, async () => {
  const whole = buildZip([
    { name: 'a.xml', content: statement('A') },
    { name: 'b.xml', content: statement('B') },
  ])
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      async (changes) => {
        const bytes = Buffer.from(whole)
        for (const [at, byte] of changes) bytes[at] = byte
        const outcome = () =>
          read(bytes).catch((error: unknown) => {
            if (!(error instanceof UnreadableFile)) throw error
            return error.message
          })
        expect(await outcome()).toEqual(await outcome())
      },
    ),
    { numRuns: 100 },
  )
})

test('a missing file is reported as a disk error, not as an unreadable file', async () => {
  await expect(all(readRecords('ZIP', join(folder, 'missing')))).rejects.toThrow(/ENOENT/)
  await expect(all(readRecords('XML', join(folder, 'missing')))).rejects.toThrow(/ENOENT/)
})
