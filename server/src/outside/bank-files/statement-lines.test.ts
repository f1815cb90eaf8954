import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BankRecord } from './formats/camt.ts'
import { readIsoMessages } from './formats/iso-messages.ts'
import { all, bytesOf, camtFile, type SampleEntry } from './formats/samples.testing.ts'
import { type BankStatement, StatementGatherer, toLines } from './statement-lines.ts'

const money = fc.integer({ min: 0, max: 300 }).map((cents) => (cents / 100).toFixed(2))
const text = fc.constantFrom('for CS0123456789', 'rent', '')
const entry: fc.Arbitrary<SampleEntry> = fc.record({
  amount: money,
  direction: fc.constantFrom('CRDT', 'DBIT'),
  status: fc.constantFrom('BOOK', 'BOOK', 'BOOK', 'PDNG'),
  servicerReference: fc.constantFrom('SVC-1', 'NONREF', '0000000000'),
  transactions: fc.array(fc.record({ amount: money, debtor: fc.constantFrom('Ada', 'Grace'), text }), {
    maxLength: 3,
  }),
})
const entries = fc.array(entry, { minLength: 1, maxLength: 8 })

async function readStatement(
  list: readonly SampleEntry[],
  version: '08' | '02' = '08',
): Promise<BankStatement> {
  const gatherer = new StatementGatherer()
  for (const record of await all(readIsoMessages(bytesOf(camtFile({ entries: list, version })))))
    if (record.of === 'ACCOUNT') gatherer.take(record.record satisfies BankRecord)
  const statement = gatherer.end()
  if (!statement) throw new Error('The file has no statement')
  return statement
}

const listNames = (statement: BankStatement) =>
  toLines(statement)
    .map(({ name }) => name)
    .sort()

test('the lines of a statement add up to its booked entries, whatever the details state', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const statement = await readStatement(list)
      const booked = statement.entries.reduce(
        (sum, { entry: one }) => sum + (one.status === 'BOOK' ? one.amount : 0n),
        0n,
      )
      expect(toLines(statement).reduce((sum, { amount }) => sum + amount, 0n)).toBe(booked)
    }),
  )
})

test('every line of a statement has a unique name that does not depend on the order of entries', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const names = listNames(await readStatement(list))
      expect(new Set(names).size).toBe(names.length)
      expect(listNames(await readStatement(list.toReversed()))).toEqual(names)
    }),
  )
})

test('a statement line has the same name in every format version with the same content', async () => {
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const withSums = list.map((one) => ({ ...one, transactions: (one.transactions ?? []).slice(0, 1) }))
      expect(listNames(await readStatement(withSums, '02'))).toEqual(
        listNames(await readStatement(withSums, '08')),
      )
    }),
  )
})
