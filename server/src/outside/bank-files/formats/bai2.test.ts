import { describe, expect, test } from 'vitest'
import { openVector, vectorsAbsent } from '../../../base/crypto/vectors.testing.ts'
import { bai2File, read, refusal, type SampleBai2Account, type SampleBai2Group } from './bai2.testing.ts'
import { readBai2 } from './bai2-reader.ts'
import { readTwice } from './read-twice.ts'
import { all, entriesOf, pickStatements, pickUnread, transactionsOf } from './samples.testing.ts'

const DAY: SampleBai2Account = {
  account: '0004477',
  summaries: [
    ['010', 100_000n],
    ['015', 109_500n],
  ],
  transactions: [
    { code: '165', amount: 10_000n, bank: 'B1', customer: 'C1', texts: ['ACH CREDIT, A/B'] },
    { code: '698', amount: 500n, bank: 'B2', texts: ['FEES'] },
  ],
}
const file = (group: Partial<SampleBai2Group> = {}, account: SampleBai2Account = DAY) =>
  bai2File([{ accounts: [account], ...group }])

describe('the error of a refused BAI2 file', () => {
  const good = file()
  test.each([
    [
      '49,220000,4/',
      'line 6: record 49 says that its control total is "220001", but its amounts add up to 220000',
      '49,220001,4/',
    ],
    ['49,220000,4/', 'line 6: record 49 says that it has "5" records, but it has 4', '49,220000,5/'],
    ['98,220000,1,6/', 'line 7: record 98 says that it has "2" accounts, but it has 1', '98,220000,2,6/'],
    ['99,220000,1,8/', 'line 8: record 99 says that it has "9" records, but it has 8', '99,220000,1,9/'],
    ['02,ACMEINC,021000021,1,', 'line 2: record 02 has the group status "7"', '02,ACMEINC,021000021,7,'],
    ['261125,2400', 'line 2: record 02 has the as-of date "261131"', '261131,2400'],
    ['261125,2400', 'line 2: record 02 has the as-of time "2401"', '261125,2401'],
    ['USD,2/', 'line 2: record 02 has the as-of date modifier "9"', 'USD,9/'],
    ['010,100000', 'line 3: record 03 has the amount "1000.00" with the code 010', '010,1000.00'],
    ['16,165,10000', 'line 4: record 16 has the amount "-10000"', '16,165,-10000'],
    ['16,165', 'line 4: begins with "17,", which is not a record type', '17,165'],
    ['03,0004477', 'line 3: record 16 is outside of an account', '16,0004477'],
    [',,2/', 'line 1: record 01 has version "3"; only version 2 is supported', ',,3/'],
  ])('names the record and the line: %s', async (from, message, to) => {
    expect(await refusal(good.replace(from, to))).toBe(message)
  })

  test('states that the file is incomplete', async () => {
    expect(await refusal(good.slice(0, good.indexOf('98,')))).toBe('ends before its record 99')
    expect(await refusal(`88,A/\n${good}`)).toBe('line 1: record 88 continues nothing')
  })
})

test('BAI2 data completes a day only if it is final, by its modifier or closing balance', async () => {
  const readKind = async (
    group: Partial<SampleBai2Group>,
    summaries: SampleBai2Account['summaries'] = DAY.summaries,
  ) =>
    pickStatements(await read(file(group, { ...DAY, ...(summaries ? { summaries } : {}) })))[0]?.statement
      .kind
  expect(await Promise.all(['', '1', '2', '3', '4'].map((modifier) => readKind({ modifier })))).toEqual([
    ...['STATEMENT', 'REPORT', 'STATEMENT', 'REPORT', 'STATEMENT'],
  ])
  expect(await readKind({ modifier: '' }, [['030', 5n]])).toBe('REPORT')
  expect(await readKind({ modifier: '2' }, [['045', 5n]])).toBe('STATEMENT')
})

test('BAI2 test and deletion groups are not booked, and each group yields one report', async () => {
  const records = await read(
    bai2File([
      { status: '4', accounts: [DAY] },
      { status: '2', accounts: [DAY, DAY] },
      { status: '3', accounts: [DAY] },
    ]),
  )
  expect(pickUnread(records)).toMatchObject([
    {
      statement: null,
      reason: 'line 2: record 02 is a test (group status 4); its transactions are not booked',
    },
    { statement: null, reason: expect.stringContaining('deletes data that the bank sent before') },
  ])
  expect(pickUnread(records)[0]?.raw).toContain('16,165,10000')
  expect(pickStatements(records)).toHaveLength(1)
  expect(entriesOf(records)).toHaveLength(2)
})

test('a BAI2 statement whose transactions do not add up to its closing balance is contradictory', async () => {
  const wrong = {
    ...DAY,
    summaries: [
      ['010', 100_000n],
      ['015', 109_501n],
    ] as const,
  }
  expect(pickStatements(await read(file({}, wrong)))[0]?.contradiction).toContain(
    'do not add up to the closing balance 109501',
  )
})

test('a missing BAI2 opening balance is calculated only if the stated totals match all transactions', async () => {
  const readBalances = async (credits: bigint) =>
    pickStatements(
      await read(
        file(
          {},
          {
            ...DAY,
            summaries: [
              ['015', 109_500n],
              ['100', credits],
              ['400', 500n],
            ],
          },
        ),
      ),
    )[0]?.balances.map(({ type, amount }) => [type, amount])
  expect(await readBalances(10_000n)).toEqual([
    ['OPBD', 100_000n],
    ['CLBD', 109_500n],
  ])
  expect(await readBalances(10_001n)).toEqual([['CLBD', 109_500n]])
})

test('a BAI2 transaction without a direction, with unknown funds, or that is a total waits without the others', async () => {
  const records = await read(
    file(
      { modifier: '2' },
      {
        account: '0004477',
        transactions: [
          { code: '721', amount: 5n, texts: ['LOAN'] },
          { code: '165', amount: 6n, funds: ['Q'], texts: ['X'] },
          { code: '100', amount: 7n },
          { code: '165', amount: 8n, funds: ['V', '261399', ''] },
          { code: '890', amount: 0n, texts: ['A NOTE'] },
          { code: '195', amount: 9n, bank: 'B' },
        ],
      },
    ),
  )
  expect(pickUnread(records).map(({ reason, amount }) => [reason, amount])).toEqual([
    ['line 4: has the type code "721"', null],
    ['line 5: has the funds type "Q"', 6n],
    ['line 6: is a total (100)', null],
    ['line 7: has the value date "261399"', 8n],
  ])
  expect(entriesOf(records).map((entry) => entry.amount)).toEqual([9n])
  expect(pickStatements(records)).toMatchObject([{ entries: 5, unread: 4 }])
})

test('a BAI2 customer reference identifies a payment in debits and returns, but is text in other credits', async () => {
  const customer = 'CS0123456789'
  const records = await read(
    file(
      {},
      {
        account: '1',
        transactions: [
          { code: '165', amount: 1n, customer },
          { code: '257', amount: 1n, customer, texts: ['ACH RETURN R03 NO ACCOUNT'] },
          { code: '451', amount: 1n, customer },
        ],
      },
    ),
  )
  expect(transactionsOf(records)).toMatchObject([
    { endToEndId: null, isReturn: false, remittanceInformation: customer },
    { endToEndId: customer, isReturn: true, returnReason: { code: 'R03' } },
    { endToEndId: customer, isReturn: false },
  ])
})

test('a BAI2 settlement of several payments is marked as a sum, and every entry keeps its type code', async () => {
  const transactions = ['166', '466', '165', '354'].map((code) => ({ code, amount: 1n, customer: 'FILE-1' }))
  const entries = entriesOf(await read(file({}, { account: '1', transactions })))
  const sum = { messageId: 'FILE-1', paymentInformationId: null }
  expect(entries.map(({ batch }) => batch)).toEqual([sum, sum, null, null])
  expect(entries[3]?.proprietaryCode).toEqual({ code: '354', issuer: 'BAI2' })
})

test('a BAI2 file without line breaks can have any length, but a line beyond the limit is refused', async () => {
  const transactions = Array.from({ length: 900 }, (_, index) => ({ code: '165', amount: BigInt(index + 1) }))
  const groups = [{ accounts: [{ account: '1', transactions }] }]
  expect(entriesOf(await read(bai2File(groups, { lineEnd: '' })))).toHaveLength(900)
  const text = 'A'.repeat(40_000)
  const long = file({}, { account: '1', transactions: [{ code: '165', amount: 1n, texts: [text] }] })
  expect(await refusal(long)).toBe('line 4: is longer than 32768 characters')
})

test('a BAI2 file with too many continuations, or with an account without a number, is refused', async () => {
  const texts = Array.from({ length: 1_002 }, () => 'A')
  const endless = file({}, { account: '1', transactions: [{ code: '165', amount: 1n, texts }] })
  expect(await refusal(endless)).toBe('line 1005: record 16 has more than 1000 continuations')
  expect(await refusal(file({}, { account: '' }))).toBe('line 3: record 03 has the account number ""')
})

test('a BAI2 file is read despite invalid UTF-8, zero bytes and Ctrl-Z', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from(file().replace('FEES', 'GEB\u00dcHR'), 'latin1'),
    Buffer.from([0x1a, 0, 0]),
  ])
  expect(entriesOf(await read(bytes))[1]?.text).toBe('GEB\u00dcHR')
})

test.skipIf(vectorsAbsent)('the BAI2 sample file is read', async () => {
  const records = await all(readTwice(() => openVector('bank-made/bai2.txt'), readBai2))
  expect(entriesOf(records)).toMatchObject([
    { amount: 10_000n, servicerReference: 'BANKREF1', text: 'ACH CREDIT CSD59D3725E6' },
  ])
  expect(pickStatements(records)).toMatchObject([
    { statement: { kind: 'STATEMENT', account: '0004477', currency: 'USD' }, contradiction: null },
  ])
})
