import { read } from '@countersign/server/outside/bank-files/formats/mt-940.testing'
import {
  entriesOf,
  pickStatements,
  pickUnread,
  transactionsOf,
} from '@countersign/server/outside/bank-files/formats/samples.testing'
import { expect, test } from 'vitest'
import type { Entry, Sheet } from '../src/world/file-bank/messages.ts'
import { formatMt940File } from '../src/world/file-bank/mt-940.ts'

const IN: Entry = {
  cents: 1_250n,
  code: ['PMNT', 'RCDT', 'ESCT'],
  servicerReference: 'P-1',
  details: [
    {
      debtor: { name: 'Grace Hopper', iban: 'DE02120300000000202051' },
      ...{ endToEndId: 'P-1', amount: 1_250n, text: 'for CS0123456789' },
    },
  ],
}
const SUM: Entry = {
  cents: -700n,
  code: ['PMNT', 'ICDT', 'ESCT'],
  details: [],
  batch: 'HOUSE-BANK-5F3A9C01D2E4-00000042',
}
const BACK: Entry = {
  cents: 300n,
  code: ['PMNT', 'ICDT', 'RRTN'],
  details: [{ endToEndId: 'CS0123456789', amount: 300n }],
}
const UNREADABLE: Entry = { ...IN, isUnreadable: true }
const SHEET: Omit<Sheet, 'entries' | 'opening' | 'closing'> = {
  kind: 'STATEMENT',
  id: 'S-1-20',
  iban: 'DE89370400440532013000',
  currency: 'EUR',
  date: '2026-01-12',
}

test('an MT940 file of the simulated bank has the same bookings, parties and balances as the bank', async () => {
  const pages: Sheet[] = [
    { ...SHEET, opening: -100n, closing: 1_150n, entries: [IN], page: { number: 1, isLast: false } },
    {
      ...SHEET,
      opening: 1_150n,
      closing: 2_000n,
      entries: [SUM, BACK, UNREADABLE],
      page: { number: 2, isLast: true },
    },
  ]
  const records = await read(formatMt940File(pages, 'M-1'))
  expect(pickStatements(records)).toMatchObject([
    { statement: { number: '120', page: { number: 1, isLast: false } }, contradiction: null },
    { statement: { number: '120', page: { number: 2, isLast: true } }, contradiction: null, unread: 1 },
  ])
  expect(entriesOf(records).map(({ amount, isReturn }) => [amount, isReturn])).toEqual([
    [1_250n, false],
    [-700n, false],
    [300n, true],
  ])
  expect(pickUnread(records)).toMatchObject([{ amount: 1_250n }])
  expect(transactionsOf(records)).toMatchObject([
    { debtor: { name: 'Grace Hopper', account: 'DE02120300000000202051' }, endToEndId: 'P-1' },
    { paymentInformationId: 'HOUSE-BANK-5F3A9C01D2E4-00000042' },
    { endToEndId: 'CS0123456789', isReturn: true },
  ])
})
