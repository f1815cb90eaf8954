import { expect, test } from 'vitest'
import { readBacsReason } from '../bacs-reasons.ts'
import { advicesFile, returnsFile, type SampleReturn } from './bacs-samples.testing.ts'
import { readIsoMessages } from './iso-messages.ts'

async function* toBytes(text: string) {
  yield Buffer.from(text)
}

async function readRecords(text: string) {
  const records: unknown[] = []
  for await (const { of, record } of readIsoMessages(toBytes(text))) records.push({ of, ...record })
  return records
}

const HEAD = { of: 'BACS', type: 'head' }
const item = (changes: Partial<SampleReturn> = {}): SampleReturn => ({
  ...{ ref: 'X01234', code: '1012', words: 'INSTRUCTION CANCELLED', amount: '65.00' },
  ...{ processedOn: '2017-01-12', sortCode: '010203', account: '12345678' },
  ...changes,
})

test('unpaid Bacs direct debits are read with both accounts, reference, amount, day and reason', async () => {
  const text = returnsFile({ report: 'ARUDD', items: [item(), item({ ref: 'X02345', amount: '60.00' })] })
  const unpaid = {
    of: 'BACS',
    type: 'return',
    report: 'ARUDD',
    direction: 'PULL',
    account: '60161312345678',
    other: { sortCode: '010203', account: '12345678' },
    reference: 'X01234',
    amount: 6_500n,
    currency: 'GBP',
    processedOn: '2017-01-12',
    code: '1012',
    text: 'INSTRUCTION CANCELLED',
  }
  expect(await readRecords(text)).toEqual([HEAD, unpaid, { ...unpaid, reference: 'X02345', amount: 6_000n }])
})

test('returned Bacs credits are recognized by their attributes, whatever their elements are called', async () => {
  const text = returnsFile({ report: 'ARUCS', items: [item()] })
  for (const renamed of [text, text.replaceAll('ReturnedCreditItem', 'UnappliedItem')])
    expect(await readRecords(renamed)).toMatchObject([
      HEAD,
      { report: 'ARUCS', direction: 'OUT', amount: 6_500n, other: { account: '12345678' } },
    ])
})

test('a Bacs report whose totals differ from its items is refused completely', async () => {
  for (const totals of [
    { count: 2, sum: '65.00' },
    { count: 1, sum: '65.01' },
    { count: 1, sum: 'much' },
  ])
    await expect(readRecords(returnsFile({ report: 'ARUDD', items: [item()], totals }))).rejects.toThrow(
      'states totals of',
    )
})

test('only the unreadable item of a Bacs report waits for manual review, with its amount if readable', async () => {
  const text = returnsFile({
    report: 'ARUDD',
    items: [item({ processedOn: '12/01/2017' }), item({ ref: ' ' }), item()],
  })
  expect(await readRecords(text)).toMatchObject([
    HEAD,
    { of: 'UNREAD', reason: 'has the day "12/01/2017"', amount: 6_500n, currency: 'GBP' },
    { of: 'UNREAD', reason: 'has no ref' },
    { of: 'BACS', reference: 'X01234' },
  ])
})

test('Bacs advices are read: from the bank, about our instructions, and about the instruction file', async () => {
  const advice = { reference: 'MANDATE-1', code: '3', sortCode: '204512', account: '12345678' }
  const text = advicesFile([
    { ...advice, newSortCode: '20-45-13', newAccount: '87654321' },
    { ...advice, type: 'N', code: '5' },
    { ...advice, type: 'V' },
    { ...advice, type: 'R' },
  ])
  const read = {
    of: 'BACS',
    type: 'advice',
    serviceUserNumber: '123456',
    reference: 'MANDATE-1',
    debtor: { sortCode: '204512', account: '12345678' },
  }
  expect(await readRecords(text)).toEqual([
    HEAD,
    { ...read, report: 'ADDACS', code: '3', changed: { sortCode: '204513', accountNumber: '87654321' } },
    { ...read, report: 'AUDDIS', code: '5', changed: {} },
    { of: 'BACS', type: 'notice', isRejected: false, text: expect.any(String) },
    { of: 'BACS', type: 'notice', isRejected: true, text: expect.stringContaining('MANDATE-1') },
  ])
  expect(await readRecords(advicesFile([]))).toEqual([HEAD])
})

test('an unsupported or truncated Bacs report is refused', async () => {
  const text = returnsFile({ report: 'ARUDD', items: [item()] })
  await expect(readRecords(text.replaceAll('ARUDD', 'InputReport'))).rejects.toThrow('has no ARUCS,')
  await expect(readRecords(text.slice(0, -20))).rejects.toThrow('is not XML')
})

test('a Bacs reason is identified by its code or the text of the bank, and has a description', () => {
  expect([
    readBacsReason('ARUDD', '1012', 'INSTRUCTION CANCELLED').message,
    readBacsReason('ARUDD', '0', 'REFER TO PAYER').message,
    readBacsReason('ARUCS', 'B').message,
    readBacsReason('ADDACS', 'R').message,
    readBacsReason('ARUDD', 'constructor', 'toString').message,
  ]).toEqual([
    'ARUDD-1: The payer has canceled the instruction; INSTRUCTION CANCELLED (1012)',
    'ARUDD-0: Refer to the payer; REFER TO PAYER',
    'ARUCS-B: The account is closed',
    'ADDACS-R: The instruction was reinstated',
    'ARUDD: toString (constructor)',
  ])
})
