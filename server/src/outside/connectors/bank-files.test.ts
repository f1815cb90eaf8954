import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { expect, test } from 'vitest'
import { canServe } from '../../money/rails/routing.ts'
import { buildBankFilesRail, findSharedOutboxFault, openBankFilesRail } from './bank-files.ts'

const place = { type: 'folder', path: '/bank', outbox: 'o', inbox: 'i', done: 'd', refused: 'r' } as const
const SEPA = { type: 'SEPA', name: 'Acme', iban: 'DE89370400440532013000' } as const
const SEPA_DEBITS = { ...SEPA, debits: { creditorId: 'DE98ZZZ09999999999' } }
const ACH: BankFilesRailValue['format'] = {
  type: 'ACH',
  destination: '021000021',
  destinationName: 'BANK',
  origin: '1',
  originName: 'ACME',
  companyName: 'ACME',
  companyId: '1',
  originatingBank: '02100002',
  description: 'PAYOUT',
  accountNumber: '1',
  routingNumber: '021000021',
}

const WIRE: Extract<BankFilesRailValue['format'], { type: 'WIRE' }> = {
  ...{ type: 'WIRE', name: 'Acme', accountNumber: '1', routingNumber: '021000021' },
  address: { city: 'New York', country: 'US' },
}

const FASTER_PAYMENTS: Extract<BankFilesRailValue['format'], { type: 'FASTER_PAYMENTS' }> = {
  ...{ type: 'FASTER_PAYMENTS', name: 'Acme', sortCode: '601613', accountNumber: '31926819' },
}

type Serves = BankFilesRailValue['serves'][number]

const LINES: Readonly<Record<BankFilesRailValue['format']['type'], Serves>> = {
  FASTER_PAYMENTS: { direction: 'OUT', accountTypes: ['GBP_ACCOUNT'], currencies: ['GBP'] },
  BACS: { direction: 'OUT', accountTypes: ['GBP_ACCOUNT'], currencies: ['GBP'] },
  SEPA: { direction: 'OUT', accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
  ACH: { direction: 'OUT', accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] },
  WIRE: { direction: 'OUT', accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] },
}

function rail(format: BankFilesRailValue['format'], line: Partial<Serves> = {}) {
  const serves = [{ ...LINES[format.type], ...line }]
  return buildBankFilesRail({ kind: 'bank-files', name: 'bank', serves, format, place }, {}).entry
}

const payment = (paymentRail: string | null, direction: 'OUT' | 'PULL' | 'IN' = 'OUT') =>
  ({ direction, accountType: 'USD_ACCOUNT', paymentRail, currency: 'USD', amount: 1n }) as const

test('a bank-files rail accepts payments only for the networks of its format, even if its entry names none', () => {
  for (const direction of ['OUT', 'PULL'] as const) {
    const entry = rail(ACH, { direction })
    expect(canServe(entry, payment('ACH', direction))).toBe(true)
    expect(canServe(entry, payment(null, direction))).toBe(true)
    for (const other of ['WIRE', 'RTP', 'FEDNOW'])
      expect(canServe(entry, payment(other, direction))).toBe(false)
  }
  const sepa = rail(SEPA)
  const euroPayment = { ...payment(null), accountType: 'EUR_ACCOUNT', currency: 'EUR' } as const
  for (const paymentRail of ['SEPA', 'SEPA_INSTANT', null])
    expect(canServe(sepa, { ...euroPayment, paymentRail })).toBe(true)
  const slow = rail(SEPA, { paymentRails: ['SEPA'] })
  expect(canServe(slow, { ...euroPayment, paymentRail: 'SEPA_INSTANT' })).toBe(false)
})

test('a bank-files rail accepts incoming payments over every network of the account', () => {
  expect(canServe(rail(ACH, { direction: 'IN' }), payment('WIRE', 'IN'))).toBe(true)
})

test.each<[string, Parameters<typeof rail>]>([
  ['ACH files carry ACH payments, not WIRE', [ACH, { paymentRails: ['ACH', 'WIRE'] }]],
  ['ACH files carry ACH payments, not RTP', [ACH, { direction: 'PULL', paymentRails: ['RTP'] }]],
  ['SEPA files carry SEPA and SEPA_INSTANT payments, not SWIFT', [SEPA, { paymentRails: ['SWIFT'] }]],
  ['ACH does not reach accounts of type EUR_ACCOUNT', [ACH, { accountTypes: ['EUR_ACCOUNT'] }]],
])('a bank-files rail with wrong networks is rejected at startup: %s', (message, [format, line]) => {
  expect(() => rail(format, line)).toThrow(`RAILS_FILE, rail bank: serves: ${message}`)
})

const COLUMNS = ['AMOUNT', 'REFERENCE', 'NAME', 'ACCOUNT_NUMBER', 'ROUTING_NUMBER'] as const
const columns = COLUMNS.map((value) => ({ header: value, value }))

test.each<[string, Parameters<typeof rail>]>([
  ['serves: WIRE files carry WIRE payments, not ACH', [WIRE, { paymentRails: ['ACH'] }]],
  ['serves: wires cannot pull', [WIRE, { direction: 'PULL' }]],
  ['serves: WIRE carries USD, not EUR', [WIRE, { currencies: ['EUR'] }]],
  ['format: routingNumber is not a routing number', [{ ...WIRE, routingNumber: '021000022' }]],
  [
    'format: csv.columns must have a column with the value REFERENCE',
    [{ ...WIRE, csv: { columns: columns.filter(({ value }) => value !== 'REFERENCE') } }],
  ],
  [
    'format: csv.columns[5] must not have both a value and a text',
    [{ ...WIRE, csv: { columns: [...columns, { header: 'X', value: 'TEXT', text: 'X' }] } }],
  ],
  [
    'format: csv.columns[5] must not begin like a formula',
    [{ ...WIRE, csv: { columns: [...columns, { header: 'X', text: '=HYPERLINK("https://example.com")' }] } }],
  ],
  [
    'format: csv.columns[5] must not contain control characters',
    [{ ...WIRE, csv: { columns: [...columns, { header: 'X\r\nY' }] } }],
  ],
  [
    'format: csv.separator and csv.decimalMark must differ',
    [{ ...WIRE, csv: { columns, decimalMark: ',' } }],
  ],
])('a wire rail with wrong settings is rejected at startup: %s', (message, [format, line]) => {
  expect(() => rail(format, line)).toThrow(`RAILS_FILE, rail bank: ${message}`)
})

test.each<[string, Parameters<typeof rail>]>([
  [
    'serves: FASTER_PAYMENTS files carry FASTER_PAYMENTS payments, not BACS',
    [FASTER_PAYMENTS, { paymentRails: ['BACS'] }],
  ],
  ['serves: Faster Payments cannot pull', [FASTER_PAYMENTS, { direction: 'PULL' }]],
  ['serves: FASTER_PAYMENTS carries GBP, not EUR', [FASTER_PAYMENTS, { currencies: ['EUR'] }]],
  [
    'format: iban does not match sortCode and accountNumber',
    [{ ...FASTER_PAYMENTS, iban: 'GB33BUKB20201555555555' }],
  ],
])('a Faster Payments rail with wrong settings is rejected at startup: %s', (message, [format, line]) => {
  expect(() => rail(format, line)).toThrow(`RAILS_FILE, rail bank: ${message}`)
})

const entryWith = (overrides: Partial<BankFilesRailValue>): BankFilesRailValue => ({
  ...{ kind: 'bank-files', name: 'bank', serves: [LINES.SEPA], format: SEPA, place },
  ...overrides,
})

test.each<[string, Partial<BankFilesRailValue>]>([
  [
    'format: debits needs statements in camt.053 or MT940, not BAI2',
    { format: SEPA_DEBITS, statementFormat: 'BAI2' },
  ],
  ['fileNames: must contain {message}, or {date} and {sequence}', { fileNames: 'A{date}' }],
  ['markers: {file} must differ from the name of the file', { markers: { ours: { name: '{file}' } } }],
  ['markers: {stem} must have an extension, as in {stem}.ok', { markers: { theirs: { name: '{stem}' } } }],
  ['markers: .{file} must not be hidden', { markers: { theirs: { name: '.{file}' } } }],
  [
    'acknowledgements: {file} must have text before or after it',
    { acknowledgements: { accepted: '{file}' } },
  ],
  [
    'acknowledgements: accepted and rejected must have different names',
    { acknowledgements: { accepted: '{file}.a', rejected: '{file}.a' } },
  ],
  [
    'format: accountNumber must have 1 to 17 letters and digits',
    { serves: [LINES.ACH], format: { ...ACH, isBalanced: true, accountNumber: '12/34' } },
  ],
])('a bank-files rail with wrong file settings is rejected at startup: %s', (message, overrides) => {
  expect(() => buildBankFilesRail(entryWith(overrides), {})).toThrow(`RAILS_FILE, rail bank: ${message}`)
})

test('two rails with the same outbox are rejected if they could create files with the same name', () => {
  const findFault = (fileNames: string, otherFileNames: string) =>
    findSharedOutboxFault(entryWith({ fileNames }), entryWith({ name: 'other', fileNames: otherFileNames }))
  expect(findFault('A{date}{sequence}', 'A{date}-{sequence}')).toContain('the rail other has the same outbox')
  expect(findFault('{date}{sequence}', 'B{date}{sequence}')).toContain('the same outbox')
  expect(findFault('A{date}{sequence}', 'B{date}{sequence}')).toBeUndefined()
  expect(findFault('{message}', 'B{date}{sequence}')).toBeUndefined()
  const elsewhere = { ...place, path: '/other' }
  const other = entryWith({ fileNames: 'A{date}{sequence}', place: elsewhere })
  expect(findSharedOutboxFault(entryWith({ fileNames: 'A{date}{sequence}' }), other)).toBeUndefined()
})

test('a bank-files rail without its PGP keys, or without their passphrase, is rejected at startup', async () => {
  const pgp = { bankKeys: ['/none/bank.asc'], ownKeys: ['/none/own.asc'] }
  await expect(openBankFilesRail(entryWith({ pgp }), {})).rejects.toThrow(
    'RAILS_FILE, rail bank: pgp: ENOENT',
  )
  const locked = { ...pgp, passphrase: { env: 'PGP_WORDS' } }
  await expect(openBankFilesRail(entryWith({ pgp: locked }), {})).rejects.toThrow(
    'the environment variable PGP_WORDS must contain the passphrase of pgp',
  )
})
