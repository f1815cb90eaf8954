import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AchRecord, readAch } from './ach-reader.ts'
import { writeRecord } from './ach-records.ts'
import {
  type AchBatch,
  type AchFile,
  type AchPayment,
  achEntry,
  type EntryClass,
  entryClassOf,
  writeAch,
} from './ach-writer.ts'
import { all, bytesOf, each, textOf } from './bytes.testing.ts'
import { readTwice } from './read-twice.ts'
import { UnreadableFile, UnwritablePayment } from './unreadable-file.ts'

const FILE: AchFile = {
  originator: {
    destination: '021000021',
    destinationName: 'JPMORGAN CHASE',
    origin: '1123456789',
    originName: 'ACME PAYMENTS',
    companyName: 'ACME PAYMENTS',
    companyId: '1123456789',
    originatingBank: '02100002',
    description: 'PAYOUT',
  },
  date: '2026-03-02',
  time: '09:30',
  modifier: 'A',
  reference: '00000001',
}
const PAYMENT: AchPayment = {
  traceSequence: 1,
  routingNumber: '011401533',
  account: '1234567890',
  accountKind: 'CHECKING',
  amount: 125_050n,
  individualId: 'CS0A1B2C3D4E5F',
  name: 'Grâce Hopper',
  remittanceInformation: 'Invoice 7',
}
interface Given extends Omit<AchBatch, 'payments'> {
  readonly payments: readonly AchPayment[]
}
const BATCH: Given = {
  entryClass: 'PPD',
  direction: 'CREDIT',
  effectiveDate: '2026-03-03',
  payments: [PAYMENT],
}

const write = (batches: readonly Given[] = [BATCH]) =>
  textOf(
    writeAch(
      FILE,
      batches.map((batch) => ({ ...batch, payments: each(batch.payments) })),
    ),
  )
const read = (text: string, pieceBytes?: number) => all(readTwice(() => bytesOf(text, pieceBytes), readAch))

test('a file is laid out to the column', async () => {
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

test('every line has 94 characters, and lines are blocks of ten, whatever is in the file', async () => {
  await fc.assert(
    fc.asyncProperty(batches(), async (given) => {
      const text = await write(given)
      expect(await write(given)).toBe(text)
      const lines = text.split('\n').slice(0, -1)
      expect(lines.length % 10).toBe(0)
      expect(lines.every((line) => line.length === 94 && /^[ -~]*$/.test(line))).toBe(true)
      const found = await read(text)
      const payments = given.flatMap(({ payments }) => payments)
      expect(found.map(({ entry }) => entry.amount)).toEqual(payments.map(({ amount }) => amount))
      expect(found.map(({ entry }) => entry.individualId)).toEqual(
        payments.map(({ individualId }) => individualId),
      )
      expect(found.map(({ entry }) => entry.trace)).toEqual(
        payments.map(({ traceSequence }) => `02100002${String(traceSequence).padStart(7, '0')}`),
      )
      const texts = found.map((record) => (record.type === 'entry' ? record.text : 'none'))
      const sent = given.flatMap(({ entryClass, payments }) =>
        payments.map(
          ({ remittanceInformation: text = '' }) =>
            (entryClass === 'CTX' ? text : text.slice(0, 80)).trim() || null,
        ),
      )
      expect(texts).toEqual(sent)
    }),
    { numRuns: 60 },
  )
})

function batches(): fc.Arbitrary<Given[]> {
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
    entryClass: fc.constantFrom<EntryClass>('PPD', 'CCD', 'CTX'),
    direction: fc.constantFrom('CREDIT' as const, 'DEBIT' as const),
    effectiveDate: fc.constant('2026-03-03'),
    payments: fc.array(payment, { minLength: 1, maxLength: 15 }),
  })
  return fc.array(batch, { maxLength: 4 }).map((given) => {
    let traceSequence = 0
    return given.map((one) => ({
      ...one,
      payments: one.payments.map((p) => ({ ...p, traceSequence: ++traceSequence })),
    }))
  })
}

test('the class follows the receiver and the length of the text', () => {
  expect(entryClassOf(false, 'x'.repeat(200))).toBe('PPD')
  expect(entryClassOf(true, undefined)).toBe('CCD')
  expect(entryClassOf(true, 'x'.repeat(80))).toBe('CCD')
  expect(entryClassOf(true, 'x'.repeat(81))).toBe('CTX')
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
])('a payment is refused for its %s, before it is in any file', (what, change) => {
  const entry = () => achEntry(BATCH, { ...PAYMENT, ...change }, '02100002')
  expect(entry).toThrow(UnwritablePayment)
  expect(entry).toThrow(what)
})

test('traces that do not rise leave no whole file', async () => {
  await expect(write([{ ...BATCH, payments: [PAYMENT, PAYMENT] }])).rejects.toThrow(/trace 1 is not above 1/)
})

/** A file as a bank sends it back: our entries with addenda of theirs. */
async function answered(addenda: string, change: (line: string) => string = (line) => line): Promise<string> {
  return (await write())
    .replace(/^705.*$/m, addenda)
    .replace(/^6.*$/m, change)
    .replace('PPDPAYOUT', 'PPDRETURN')
}
const RETURNED = writeRecord('returnAddenda', {
  type: '99',
  reason: 'R03',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  information: 'NO SUCH NAME',
  trace: '011401530000009',
})
const CHANGED = writeRecord('changeAddenda', {
  type: '98',
  reason: 'C01',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  corrected: '1918171614',
  trace: '011401530000010',
})

test('a return says which payment came back, and why', async () => {
  expect(await read(await answered(RETURNED))).toEqual<AchRecord[]>([
    {
      type: 'return',
      entry: {
        entryClass: 'PPD',
        companyName: 'ACME PAYMENTS',
        companyId: '1123456789',
        description: 'RETURN',
        effectiveDate: '260303',
        transactionCode: '22',
        account: '1234567890',
        amount: 125_050n,
        individualId: 'CS0A1B2C3D4E5F',
        name: 'Grace Hopper',
        trace: '021000020000001',
      },
      reason: 'R03',
      originalTrace: '021000020000001',
      information: 'NO SUCH NAME',
    },
  ])
})

test('a notification of change says what is right', async () => {
  expect(await read(await answered(CHANGED))).toMatchObject([
    { type: 'change', reason: 'C01', originalTrace: '021000020000001', corrected: '1918171614' },
  ])
})

const changed = (from: string | RegExp, to: string) => async () => (await write()).replace(from, to)
test.each<[string, () => Promise<string>, RegExp]>([
  ['nothing in it', async () => '', /ends before/],
  ['a line missing', changed(/^6.*\n/m, ''), /addenda without/],
  ['its last lines missing', async () => (await write()).split('\n').slice(0, 5).join('\n'), /ends before/],
  ['a line cut off', async () => (await write()).slice(0, 300), /characters, not 94/],
  ['a short line', changed('ACME PAYMENTS          0', 'ACME PAYMENTS         0'), /93 characters/],
  ['a wrong entry count', changed('82200000020', '82200000030'), /entries are 3, and they are 2/],
  ['a wrong hash', changed('0001140153', '0001140154'), /hash/],
  ['a changed amount', changed('0000125050CS', '0000125051CS'), /credits are 125050, and they are 125051/],
  ['a changed sum of the file', changed(/^(9000001.*)125050/m, '$1125051'), /credits/],
  ['a wrong number of blocks', changed('9000001000001', '9000001000002'), /blocks are 2/],
  ['a wrong number of batches', changed('9000001000001', '9000002000001'), /batches/],
  ['lines after its end', changed(/9{94}/, 'x'.repeat(94)), /goes on after/],
  [
    'too many lines of nines',
    async () => `${await write()}${`${'9'.repeat(94)}\n`.repeat(10)}`,
    /blocks are 1/,
  ],
  ['no blocks of ten', async () => (await write()).replace(`${'9'.repeat(94)}\n`, ''), /no blocks of ten/],
  ['a record of no kind', changed(/^5220/m, 'X220'), /"X"/],
  ['letters as a number', changed('0000125050CS', '000012505xCS'), /no number as its amount/],
  ['addenda announced and missing', changed(/^705.*\n/m, ''), /addenda are missing/],
  ['a batch in a batch', changed(/^(5220.*)$/m, '$1\n$1'), /inside another/],
  ['another company at its end', changed(/^(822.*)1123456789/m, '$19923456789'), /another company/],
  ['two headers', changed(/^(101.*)$/m, '$1\n$1'), /header/],
  ['no header', changed(/^101.*\n/m, ''), /header/],
  ['letters beyond ASCII', changed('Grace', 'Grâce'), /ASCII/],
  ['a zero byte', changed('Grace', 'Gr\0ce'), /ASCII/],
])('a file with %s is refused, and gives nothing of what comes before', async (_, make, message) => {
  const text = await make()
  const given: AchRecord[] = []
  const reading = (async () => {
    for await (const record of readTwice(() => bytesOf(text), readAch)) given.push(record)
  })()
  await expect(reading).rejects.toThrow(UnreadableFile)
  await expect(reading).rejects.toThrow(message)
  expect(given).toEqual([])
})

test('lines may end in every way that banks end them, and come in whatever pieces', async () => {
  const text = await answered(RETURNED)
  const found = await read(text)
  expect(await read(text.replaceAll('\n', '\r\n'), 1)).toEqual(found)
  expect(await read(text.replaceAll('\n', ''), 93)).toEqual(found)
})
