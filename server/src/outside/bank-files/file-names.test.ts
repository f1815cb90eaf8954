import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  buildFileNames,
  findFreeModifier,
  findMessageNames,
  findSchemeFault,
  formatFileName,
  MARK_BYTES,
  readModifier,
  readNameValue,
  readSchemePrefix,
} from './file-names.ts'
import { requireSepaReference } from './formats/sepa-text.ts'

const rail = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/)
const number = fc.bigInt({ min: 1n, max: 99_999_999n })
const mark = fc.uint8Array({ minLength: MARK_BYTES, maxLength: MARK_BYTES })

test('every message name is a valid SEPA reference of at most 35 characters, for every rail and file number', () => {
  fc.assert(
    fc.property(rail, number, mark, (...[name, count, random]) => {
      const { message_name } = buildFileNames(name, count, random, 'xml')
      expect(requireSepaReference(message_name, 'message id')).toBe(message_name)
    }),
  )
})

test('a message name is found in every text in which a bank puts it, with or without a random mark', () => {
  const around = fc.constantFrom('', ' ', 'SAMMLER ', '/', '. ', 'DATEI: ')
  fc.assert(
    fc.property(rail, number, mark, around, (...[name, count, random, word]) => {
      const { message_name } = buildFileNames(name, count, random, 'xml')
      const earlierName = `${name.toUpperCase().slice(0, 20)}-${String(count).padStart(8, '0')}`
      for (const messageName of [message_name, earlierName])
        expect(findMessageNames(`${word}${messageName} 12 STK`)).toContain(messageName)
    }),
  )
})

test('two rails and a restored database never create the same file name, even if their file numbers are equal', () => {
  const names = ['house-bank-of-germany-1', 'house-bank-of-germany-2', 'house-bank-of-germany-1'].map(
    (name, index) => buildFileNames(name, 1n, new Uint8Array(MARK_BYTES).fill(index), 'xml'),
  )
  expect(new Set(names.map(({ name }) => name)).size).toBe(3)
  expect(new Set(names.map(({ message_name }) => message_name)).size).toBe(3)
})

test('36 ACH files of a day get 36 different modifiers, even next to files of earlier versions, and a 37th file gets none', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 5 }), (numbers) => {
      const files = numbers.map((one): { modifier: string | null; number: bigint } => ({
        modifier: null,
        number: one,
      }))
      const taken = new Set(files.map(readModifier))
      for (
        let modifier = findFreeModifier(files);
        modifier !== undefined;
        modifier = findFreeModifier(files)
      ) {
        expect(taken.has(modifier)).toBe(false)
        taken.add(modifier)
        files.push({ modifier, number: 1n })
      }
      expect(taken.size).toBe(36)
    }),
  )
})

const PARTS = { day: '2026-03-02', sequence: 7, message: 'BANK-5F3A9C01D2E4-00000042', account: 'DE 89/37' }

test.each([
  ['ACME_{date}_{sequence}.xml', 'ACME_20260302_007.xml'],
  ['{date:YYMMDD}{sequence:1}', '2603027'],
  ['{account}-{date}-{sequence:8}.PGP', 'DE8937-20260302-00000007.PGP'],
  ['P.{message}', 'P.BANK-5F3A9C01D2E4-00000042'],
])('the file name scheme %s produces the name %s', (scheme, name) => {
  expect(findSchemeFault(scheme)).toBeUndefined()
  expect(formatFileName(scheme, PARTS)).toBe(name)
})

test('two files never get the same name from one scheme, on the same day or on different days', () => {
  const scheme = fc.constantFrom(
    '{sequence:2}{date}',
    'A{date:YYMMDD}{sequence}B',
    '{date}-{account}-{sequence:1}',
  )
  const file = fc.record({
    day: fc.constantFrom('2026-03-02', '2026-12-31'),
    sequence: fc.integer({ min: 1, max: 12_000 }),
  })
  fc.assert(
    fc.property(scheme, file, file, (one, first, second) => {
      fc.pre(first.day !== second.day || first.sequence !== second.sequence)
      expect(formatFileName(one, { ...PARTS, ...first })).not.toBe(
        formatFileName(one, { ...PARTS, ...second }),
      )
    }),
  )
})

test.each([
  ['ACME_{date}.xml', 'unique file names'],
  ['ACME_{sequence}.xml', 'unique file names'],
  ['{message:4}', '{message:4} is not a known placeholder'],
  ['{date:DDMM}{sequence}', '{date:DDMM} is not a known placeholder'],
  ['{date}{sequence:9}', '{sequence:9} is not a known placeholder'],
  ['{message}.part', 'incomplete files'],
  [`{message}{account}{account}{account}`, 'at most 120'],
])('the file name scheme %s is refused: %s', (scheme, fault) => {
  expect(findSchemeFault(scheme)).toContain(fault)
})

test('the fixed prefix of a file name scheme includes the account and ends before the first variable part', () => {
  expect(readSchemePrefix('ACH-{account}-{date}{sequence}', '12 3')).toBe('ACH-123-')
  expect(readSchemePrefix('{date}{sequence}', '1')).toBe('')
})

test('the name of our file is read from the name of its acknowledgement, and from no other name', () => {
  expect(readNameValue('ACK_{file}.txt', 'ACK_A.xml.txt')).toBe('A.xml')
  for (const other of ['ACK_.txt', 'A.xml.txt', 'ACK_A.xml'])
    expect(readNameValue('ACK_{file}.txt', other)).toBeUndefined()
})
