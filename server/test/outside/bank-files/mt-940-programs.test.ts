import { describe, expect, test } from 'vitest'
import { formatDecimalAmount } from '../../../src/outside/bank-files/formats/decimal-amounts.ts'
import {
  mt940File,
  read,
  type SampleMtEntry,
} from '../../../src/outside/bank-files/formats/mt-940.testing.ts'
import { entriesOf, pickStatements } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { hasPython, runPythonReader } from '../../operation/accounting/accounting.testing.ts'

const READ_MT940 = `
import json, sys
import mt940
found = mt940.parse(sys.argv[1])
print(json.dumps({
    'opening': str(found.data['final_opening_balance'].amount.amount),
    'closing': str(found.data['final_closing_balance'].amount.amount),
    'lines': [[str(one.data['amount'].amount), str(one.data['date']), str(one.data['entry_date'])] for one in found],
}))
`

const ENTRIES: readonly SampleMtEntry[] = [
  { amount: 450_000n, owner: 'OWN-1', bank: 'BANK-1', text: 'RENT', endToEndId: 'E1', name: 'ADA' },
  { amount: 1n, mark: 'D', type: 'NCHG', details: ['/OCMT/EUR0,01/'], text: 'FEES' },
  { amount: 99n, mark: 'RD', valueOn: '2026-12-31', bookedOn: '2027-01-02', text: 'REVERSED' },
]

describe.skipIf(!hasPython('mt940'))('an MT940 file', () => {
  test('is read with the same balances, dates and amounts by another program', async () => {
    const text = mt940File([{ account: 'DE89370400440532013000', opening: -12_345n, entries: ENTRIES }])
    const records = await read(text)
    const [statement] = pickStatements(records)
    const [opening, closing] =
      statement?.balances.map(({ amount }) => formatDecimalAmount(amount, 'EUR')) ?? []
    expect(JSON.parse(runPythonReader(READ_MT940, 'statement.sta', text))).toEqual({
      ...{ opening, closing },
      lines: entriesOf(records).map(({ amount, valueOn, bookedOn }) => [
        ...[formatDecimalAmount(amount, 'EUR'), valueOn, bookedOn],
      ]),
    })
  })
})
