import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  faultOfScheme,
  freeModifier,
  MARK_BYTES,
  messageNamesIn,
  modifierOf,
  nameByScheme,
  namesOfFile,
  startOfScheme,
  valueInName,
} from './file-names.ts'
import { sepaReference } from './formats/sepa-text.ts'

const rail = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,39}$/)
const number = fc.bigInt({ min: 1n, max: 99_999_999n })
const mark = fc.uint8Array({ minLength: MARK_BYTES, maxLength: MARK_BYTES })

test('the name of a message is a valid reference of at most 35 characters for every rail and number', () => {
  fc.assert(
    fc.property(rail, number, mark, (...[name, count, random]) => {
      const { message_name } = namesOfFile(name, count, random, 'xml')
      expect(sepaReference(message_name, 'message id')).toBe(message_name)
    }),
  )
})

test('the name of a message is found in every text in which a bank puts it, whether it has a mark or not', () => {
  const around = fc.constantFrom('', ' ', 'SAMMLER ', '/', '. ', 'DATEI: ')
  fc.assert(
    fc.property(rail, number, mark, around, (...[name, count, random, word]) => {
      const { message_name } = namesOfFile(name, count, random, 'xml')
      const before = `${name.toUpperCase().slice(0, 20)}-${String(count).padStart(8, '0')}`
      for (const one of [message_name, before]) expect(messageNamesIn(`${word}${one} 12 STK`)).toContain(one)
    }),
  )
})

test('two rails and a restored database never give a file the same name, although their numbers are the same', () => {
  const names = ['house-bank-of-germany-1', 'house-bank-of-germany-2', 'house-bank-of-germany-1'].map(
    (name, index) => namesOfFile(name, 1n, new Uint8Array(MARK_BYTES).fill(index), 'xml'),
  )
  expect(new Set(names.map(({ name }) => name)).size).toBe(3)
  expect(new Set(names.map(({ message_name }) => message_name)).size).toBe(3)
})

test('36 files of a day have 36 modifiers, whatever earlier versions have given, and a 37th file gets no modifier', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 5 }), (numbers) => {
      const files = numbers.map((one): { modifier: string | null; number: bigint } => ({
        modifier: null,
        number: one,
      }))
      const taken = new Set(files.map(modifierOf))
      for (let modifier = freeModifier(files); modifier !== undefined; modifier = freeModifier(files)) {
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
])('the scheme %s gives the name %s', (scheme, name) => {
  expect(faultOfScheme(scheme)).toBeUndefined()
  expect(nameByScheme(scheme, PARTS)).toBe(name)
})

test('two files of a scheme never have one name, on one day or on two', () => {
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
      expect(nameByScheme(one, { ...PARTS, ...first })).not.toBe(nameByScheme(one, { ...PARTS, ...second }))
    }),
  )
})

test.each([
  ['ACME_{date}.xml', 'no name may come twice'],
  ['ACME_{sequence}.xml', 'no name may come twice'],
  ['{message:4}', '{message:4} is not known'],
  ['{date:DDMM}{sequence}', '{date:DDMM} is not known'],
  ['{date}{sequence:9}', '{sequence:9} is not known'],
  ['{message}.part', 'incomplete files'],
  [`{message}{account}{account}{account}`, 'at most 120'],
])('the scheme %s is refused: %s', (scheme, fault) => {
  expect(faultOfScheme(scheme)).toContain(fault)
})

test('the fixed start of a scheme has the account, and ends before the first value that changes', () => {
  expect(startOfScheme('ACH-{account}-{date}{sequence}', '12 3')).toBe('ACH-123-')
  expect(startOfScheme('{date}{sequence}', '1')).toBe('')
})

test('the name of our file is found in the name of its acknowledgement, and in no other', () => {
  expect(valueInName('ACK_{file}.txt', 'ACK_A.xml.txt')).toBe('A.xml')
  for (const other of ['ACK_.txt', 'A.xml.txt', 'ACK_A.xml'])
    expect(valueInName('ACK_{file}.txt', other)).toBeUndefined()
})
