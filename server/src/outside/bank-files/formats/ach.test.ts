import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AchPayment,
  checkAchText,
  ENTRY_CLASSES,
  type EntryClass,
  findEntryClass,
  writeAchEntry,
} from './ach-writer.ts'
import { BATCH, PAYMENT, read, type SampleBatch, write } from './samples.testing.ts'
import { UnwritablePayment } from './unreadable-file.ts'

test('a NACHA file has every field in its column', async () => {
  expect((await write()).split('\n')).toEqual([
    '101 02100002111234567892603020930A094101JPMORGAN CHASE         ACME PAYMENTS          00000001',
    '5220ACME PAYMENTS                       1123456789PPDPAYOUT    260303260303   1021000020000001',
    '6220114015331234567890       0000125050CS0A1B2C3D4E5F Grace Hopper            1021000020000001',
    `705${'Invoice 7'.padEnd(80)}00010000001`,
    `822000000200011401530000000000000000001250501123456789${' '.repeat(25)}021000020000001`,
    `9000001000001000000020001140153000000000000000000125050${' '.repeat(39)}`,
    ...Array(4).fill('9'.repeat(94)),
    '',
  ])
})

test('a balanced NACHA file has an offset entry in each batch, and equal debits and credits', async () => {
  const to = { account: '987654321', routingNumber: '021000021' }
  const pulls = {
    ...BATCH,
    entryClass: 'WEB',
    direction: 'DEBIT',
    payments: [{ ...PAYMENT, traceSequence: 2 }],
  } as const
  const text = await write([
    { ...BATCH, offset: { ...to, traceSequence: 3 } },
    { ...pulls, offset: { ...to, traceSequence: 4 } },
  ])
  const lines = text.split('\n')
  expect(lines.filter((line) => /^[58]/.test(line)).map((line) => line.slice(1, 4))).toEqual(
    Array(4).fill('200'),
  )
  expect(lines.filter((line) => line.includes('OFFSET'))).toEqual([
    '627021000021987654321        0000125050OFFSET         ACME PAYMENTS           0021000020000003',
    '622021000021987654321        0000125050OFFSET         ACME PAYMENTS         S 0021000020000004',
  ])
  expect(lines.find((line) => line.startsWith('9'))?.slice(31, 55)).toBe('000000250100000000250100')
  expect(await read(text)).toHaveLength(4)
})

test('every line of a NACHA file has 94 characters, lines form blocks of ten, and any content is read back', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryBatches(), async (samples) => {
      const text = await write(samples)
      expect(await write(samples)).toBe(text)
      const lines = text.split('\n').slice(0, -1)
      expect(lines.length % 10).toBe(0)
      expect(lines.every((line) => line.length === 94 && /^[ -~]*$/.test(line))).toBe(true)
      const found = await read(text)
      const payments = samples.flatMap(({ payments }) => payments)
      expect(found.map(({ entry }) => entry?.amount)).toEqual(payments.map(({ amount }) => amount))
      expect(found.map(({ entry }) => entry?.individualId)).toEqual(
        payments.map(({ individualId }) => individualId),
      )
      expect(found.map(({ entry }) => entry?.trace)).toEqual(
        payments.map(({ traceSequence }) => `02100002${String(traceSequence).padStart(7, '0')}`),
      )
      const texts = found.map((record) => (record.type === 'entry' ? record.text : 'none'))
      const sent = samples.flatMap(({ entryClass, payments }) =>
        payments.map(
          ({ remittanceInformation: text = '' }) =>
            (entryClass === 'TEL' ? '' : text.slice(0, 80)).trim() || null,
        ),
      )
      expect(texts).toEqual(sent)
    }),
    { numRuns: 60 },
  )
})

function arbitraryBatches(): fc.Arbitrary<SampleBatch[]> {
  const payment = fc.record({
    routingNumber: fc.constantFrom('021000021', '011401533', '091000019'),
    account: fc.stringMatching(/^[0-9]{4,17}$/),
    accountKind: fc.constantFrom('CHECKING' as const, 'SAVINGS' as const),
    amount: fc.bigInt(1n, 9_999_999_999n),
    individualId: fc.stringMatching(/^CS[0-9A-F]{12}$/),
    name: fc.stringMatching(/^[A-Z][a-z]{1,30}$/),
    remittanceInformation: fc.stringMatching(/^[a-z0-9*~\\]{0,400}$/),
  })
  const batch = fc.record({
    entryClass: fc.constantFrom<EntryClass>(...ENTRY_CLASSES),
    direction: fc.constantFrom('CREDIT' as const, 'DEBIT' as const),
    isPrenote: fc.boolean(),
    description: fc.constantFrom(undefined, 'ACCTVERIFY', 'REVERSAL'),
    effectiveDate: fc.constant('2026-03-03'),
    payments: fc.array(payment, { minLength: 1, maxLength: 15 }),
  })
  return fc.array(batch, { maxLength: 4 }).map((samples) => {
    let traceSequence = 0
    return samples.map((sample) => ({
      ...sample,
      payments: sample.payments.map((one) => ({
        ...one,
        amount: sample.isPrenote ? 0n : one.amount,
        traceSequence: ++traceSequence,
      })),
    }))
  })
}

test('the ACH entry class depends on the receiver, the direction and the debit authorization', () => {
  for (const debitClass of [undefined, 'PPD', 'WEB', 'TEL'] as const) {
    expect(findEntryClass(false, 'CREDIT', debitClass)).toBe('PPD')
    expect(findEntryClass(false, 'DEBIT', debitClass)).toBe(debitClass ?? 'PPD')
    expect(findEntryClass(true, 'CREDIT', debitClass)).toBe('CCD')
    expect(findEntryClass(true, 'DEBIT', debitClass)).toBe('CCD')
  }
})

test('an ACH prenote has its own transaction code for each account type and direction, and no amount', () => {
  const entry = (direction: 'CREDIT' | 'DEBIT', accountKind: 'CHECKING' | 'SAVINGS', amount = 0n) =>
    writeAchEntry(
      { entryClass: 'PPD', direction, isPrenote: true },
      { ...PAYMENT, accountKind, amount },
      '02100002',
    )[0]
  expect(entry('CREDIT', 'CHECKING')?.slice(0, 3)).toBe('623')
  expect(entry('DEBIT', 'CHECKING')?.slice(0, 3)).toBe('628')
  expect(entry('CREDIT', 'SAVINGS')?.slice(0, 3)).toBe('633')
  expect(entry('DEBIT', 'SAVINGS')?.slice(0, 3)).toBe('638')
  expect(entry('CREDIT', 'CHECKING')?.slice(29, 39)).toBe('0000000000')
  expect(() => entry('CREDIT', 'CHECKING', 1n)).toThrow('a prenote must not have an amount')
})

test('an ACH reversal batch has the description REVERSAL, and the class, company and codes of payments', async () => {
  for (const [entryClass, direction, code] of [
    ['PPD', 'DEBIT', '627'],
    ['WEB', 'CREDIT', '622'],
    ['CCD', 'CREDIT', '622'],
  ] as const) {
    const lines = (await write([{ ...BATCH, entryClass, direction, description: 'REVERSAL' }])).split('\n')
    const serviceClass = direction === 'DEBIT' ? '5225' : '5220'
    const head = `${serviceClass}ACME PAYMENTS                       1123456789${entryClass}REVERSAL  260303260303`
    expect(lines[1]?.startsWith(head), lines[1]).toBe(true)
    expect(lines[2]?.slice(0, 3)).toBe(code)
  }
})

test('ACH savings accounts have separate codes, and WEB and TEL entries are marked as single entries', () => {
  const entry = (
    entryClass: EntryClass,
    direction: 'CREDIT' | 'DEBIT',
    accountKind: 'CHECKING' | 'SAVINGS',
  ) => writeAchEntry({ entryClass, direction }, { ...PAYMENT, accountKind }, '02100002')[0]
  expect(entry('PPD', 'CREDIT', 'SAVINGS')?.slice(0, 3)).toBe('632')
  expect(entry('WEB', 'DEBIT', 'SAVINGS')?.slice(0, 3)).toBe('637')
  expect(entry('WEB', 'DEBIT', 'CHECKING')?.slice(0, 3)).toBe('627')
  expect(entry('WEB', 'DEBIT', 'CHECKING')?.slice(76, 78)).toBe('S ')
  expect(entry('TEL', 'DEBIT', 'CHECKING')?.slice(76, 79)).toBe('S 0')
  expect(entry('PPD', 'DEBIT', 'CHECKING')?.slice(76, 79)).toBe('  1')
})

test('text with any characters is either carried in full by ACH or refused', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ENTRY_CLASSES),
      fc.string({ maxLength: 90, unit: 'grapheme' }),
      (...[entryClass, text]) => {
        const entry = () => {
          checkAchText(entryClass, text)
          return writeAchEntry(
            { ...BATCH, entryClass },
            { ...PAYMENT, remittanceInformation: text },
            '02100002',
          )
        }
        let lines: readonly string[]
        try {
          lines = entry()
        } catch (error) {
          expect(error).toMatchObject({ name: 'UnwritablePayment', part: 'remittanceInformation' })
          return
        }
        const plain = /^[!-~]*$/.test(text) ? text : undefined
        if (plain !== undefined) expect((lines[1] ?? '').slice(3, 83).trim()).toBe(plain)
        expect(lines.length).toBeLessThanOrEqual(2)
      },
    ),
  )
  expect(() => checkAchText('CCD', 'x'.repeat(80))).not.toThrow()
  expect(() => checkAchText('CCD', 'x'.repeat(81))).toThrow(
    'has 81 characters, but ACH carries at most 80 in CCD entries',
  )
  // ß becomes two letters.
  expect(() => checkAchText('PPD', 'ß'.repeat(41))).toThrow('82')
  expect(() => checkAchText('TEL', 'x')).toThrow('at most 0 in TEL')
})

test.each<[string, Partial<AchPayment>]>([
  ['routing number', { routingNumber: '011401534' }],
  ['account number', { account: '123456789012345678' }],
  ['account number', { account: '' }],
  ['amount', { amount: 0n }],
  ['amount', { amount: 10_000_000_000n }],
  ['reference', { individualId: 'sixteen letters.' }],
  ['name', { name: '李小龍' }],
  ['name', { name: '—' }],
])('an ACH payment with an invalid %s is refused before it is added to a file', (what, change) => {
  const entry = () => writeAchEntry(BATCH, { ...PAYMENT, ...change }, '02100002')
  expect(entry).toThrow(UnwritablePayment)
  expect(entry).toThrow(what)
})

test('trace numbers that do not increase never produce a complete NACHA file', async () => {
  await expect(write([{ ...BATCH, payments: [PAYMENT, PAYMENT] }])).rejects.toThrow(
    /trace number 1 is not above 1/,
  )
})
