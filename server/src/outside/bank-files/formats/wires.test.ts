import { guardFormulas } from '@countersign/contract/core/csv-guard'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { all, bytesOf, each, joinText } from './samples.testing.ts'
import type { WireDebtor, WirePayment } from './wire-payment.ts'
import { checkWireText, type WireFile, writeWires, writeWireTransfer } from './wires.ts'
import { findElement, findText, readXmlRecords } from './xml-records.ts'

const DEBTOR: WireDebtor = {
  ...{ type: 'WIRE', name: 'Acme Inc', accountNumber: '987654321', routingNumber: '021000021' },
  address: {
    street: 'Wall Street',
    buildingNumber: '1',
    postalCode: '10005',
    city: 'New York',
    region: 'NY',
    country: 'US',
  },
}
const PAYMENT: WirePayment = {
  instructionId: '0198c0de00007000800000000000abcd',
  endToEndId: 'CS0A1B2C3D4E5F',
  amount: 125_050n,
  creditor: {
    ...{ name: 'Grace Höpper & Co', account: '1234567890', routingNumber: '011401533' },
    address: { street: 'Main, Street', city: 'Boston', region: 'MA', country: 'US' },
  },
  remittanceInformation: 'Invoice 7 – thank you',
}
const FILE: WireFile = {
  messageId: 'WIRE-BANK-5F3A9C01D2E4-00000042',
  createdAt: new Date('2026-03-02T09:30:00Z'),
  ...{ executionDate: '2026-03-02', count: 1, total: 125_050n, debtor: DEBTOR },
}
const CSV: NonNullable<WireDebtor['csv']> = {
  columns: [
    { header: 'Type', text: 'WIRE OUT' },
    { header: 'Amount', value: 'AMOUNT' },
    { header: 'Date', value: 'DATE' },
    { header: 'Name', value: 'NAME' },
    { header: 'Account', value: 'ACCOUNT_NUMBER' },
    { header: 'ABA', value: 'ROUTING_NUMBER' },
    { header: 'Street', value: 'STREET' },
    { header: 'Empty' },
    { header: 'Text', value: 'TEXT' },
    { header: 'Reference', value: 'REFERENCE' },
  ],
}

const write = (changes: Partial<WireFile> = {}, payments: readonly WirePayment[] = [PAYMENT]) =>
  joinText(writeWires({ ...FILE, ...changes }, each(payments)))
const writeCsv = (csv: Partial<typeof CSV>, payments?: readonly WirePayment[]) =>
  write({ debtor: { ...DEBTOR, csv: { ...CSV, ...csv } } }, payments)

test('a wire is urgent, booked separately, and has both addresses and both banks', async () => {
  const [found] = await all(
    readXmlRecords(bytesOf(await write()), () => ({
      records: new Set(['CstmrCdtTrfInitn/PmtInf']),
      ...{ take: ({ element }) => [element], takeForeign: () => [], end: () => [] },
    })),
  )
  const text = (path: string) => findText(found, path)
  expect(text('BtchBookg')).toBe('false')
  expect([text('PmtTpInf/InstrPrty'), text('PmtTpInf/SvcLvl/Cd'), text('ChrgBr')]).toEqual([
    'HIGH',
    'URGP',
    'SHAR',
  ])
  expect([text('Dbtr/PstlAdr/TwnNm'), text('DbtrAgt/FinInstnId/ClrSysMmbId/MmbId')]).toEqual([
    'New York',
    '021000021',
  ])
  const transfer = findElement(found, 'CdtTrfTxInf')
  expect(
    [
      'PmtId/EndToEndId',
      'Amt/InstdAmt',
      'CdtrAcct/Id/Othr/Id',
      'Cdtr/Nm',
      'Cdtr/PstlAdr/CtrySubDvsn',
      'RmtInf/Ustrd',
    ].map((path) => findText(transfer, path)),
  ).toEqual(['CS0A1B2C3D4E5F', '1250.50', '1234567890', 'Grace Hopper + Co', 'MA', 'Invoice 7 - thank you'])
})

test('a CSV wire file has the columns, text, separator, dates and decimal mark of its template', async () => {
  expect(await writeCsv({})).toBe(
    'Type,Amount,Date,Name,Account,ABA,Street,Empty,Text,Reference\r\n' +
      'WIRE OUT,1250.50,2026-03-02,Grace Hopper + Co,1234567890,011401533,"Main, Street",,Invoice 7 - thank you,CS0A1B2C3D4E5F\r\n',
  )
  const german = await writeCsv({ separator: ';', hasHeader: false, dates: 'DD.MM.YYYY', decimalMark: ',' })
  expect(german).toMatch(/^WIRE OUT;1250,50;02\.03\.2026;/)
  expect(await writeCsv({ hasHeader: false, dates: 'MM/DD/YYYY' })).toContain(',03/02/2026,')
})

test('no cell of a CSV wire file begins like a formula, and every row has all columns', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n;,|"\' Aa1/'), minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      text,
      fc.constantFrom(',', ';', '|'),
      async (name, remittanceInformation, street, separator) => {
        const creditor = {
          ...PAYMENT.creditor,
          name: `A${name}`,
          address: { city: 'Boston', country: 'US', street },
        }
        const payment = { ...PAYMENT, creditor, remittanceInformation }
        const rows: string[][] = parse(await writeCsv({ separator, hasHeader: false }, [payment]), {
          delimiter: separator,
          record_delimiter: '\r\n',
        })
        const [row = [], ...others] = rows
        expect(others).toEqual([])
        expect(row).toHaveLength(CSV.columns.length)
        for (const cell of row) expect(guardFormulas(cell)).toBe(cell)
      },
    ),
    { numRuns: 300 },
  )
})

test('a wire file is never completed if its payments do not match its header', async () => {
  await expect(write({ total: 1n })).rejects.toThrow('not 1 of 1')
  await expect(write({ debtor: { ...DEBTOR, csv: CSV }, count: 2 })).rejects.toThrow('not 2 of')
})

test.each<[string, Partial<WirePayment>]>([
  ['the amount must be between 0.01 and 9999999999.99 USD', { amount: 1_000_000_000_000n }],
  ['the routing number is not valid', { creditor: { ...PAYMENT.creditor, routingNumber: '011401534' } }],
  ['the account number is not valid', { creditor: { ...PAYMENT.creditor, account: '12;34' } }],
])('a payment that a wire cannot carry is refused in both file formats: %s', (message, changes) => {
  for (const debtor of [DEBTOR, { ...DEBTOR, csv: CSV }])
    expect(() => writeWireTransfer({ ...PAYMENT, ...changes }, debtor)).toThrow(message)
})

test('wire text of more than 140 characters is refused before the payment is made', () => {
  expect(() => checkWireText('A'.repeat(141))).toThrow('a wire carries at most 140')
  expect(() => checkWireText('A'.repeat(140))).not.toThrow()
})
