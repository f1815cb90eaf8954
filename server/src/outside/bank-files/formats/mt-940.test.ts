import { describe, expect, test } from 'vitest'
import { openVector, vectorsAbsent } from '../../../base/crypto/vectors.testing.ts'
import { mt940File, read, refusal, type SampleMtMessage } from './mt-940.testing.ts'
import { startsLikeMt940 } from './mt-940-fields.ts'
import { readMt940 } from './mt-940-reader.ts'
import { readTwice } from './read-twice.ts'
import { all, entriesOf, pickStatements, pickUnread, transactionsOf } from './samples.testing.ts'

const DAY: SampleMtMessage = {
  account: 'DE89370400440532013000',
  opening: 100_000n,
  entries: [
    { amount: 10_000n, text: 'RENT', name: 'GRACE HOPPER', account: 'DE02120300000000202051' },
    { amount: 500n, mark: 'D', type: 'NCHG', gvc: '808', text: 'FEES' },
  ],
}
const file = (more: Partial<SampleMtMessage> = {}) => mt940File([{ ...DAY, ...more }], { lineEnd: '\n' })
/** Builds a statement with these lines between its balances. */
const withLines = (...lines: readonly string[]) =>
  [':20:X', ':25:77', ':28C:1/1', ':60F:C261125EUR0,', ...lines, ':62F:C261125EUR0,', '-'].join('\n')
const readFirst = async (...lines: readonly string[]) => {
  const records = await read(withLines(...lines))
  return { entry: entriesOf(records)[0], transaction: transactionsOf(records)[0] }
}

describe('the error of a refused MT940 file', () => {
  const good = file()
  test.each([
    ['line 4: field 60F has the balance "C261131EUR1000,00"', ':60F:C261125', ':60F:C261131'],
    ['line 4: field 60F has the balance "C261125ZZZ1000,00"', 'EUR1000,00', 'ZZZ1000,00'],
    ['line 10: field 62F is in USD, but the opening balance is in EUR', '62F:C261125EUR', '62F:C261125USD'],
    ['line 2: field 25 has the account "-"', ':25:DE89370400440532013000', ':25:-'],
    ['line 3: field 25 occurs twice in its message', ':28C:', ':25:1\n:28C:'],
    ['line 5: field 61 comes before its opening balance (60)', ':60F:', ':99X:'],
    ['line 1: the message has no closing balance (62)', ':62F:', ':99X:'],
    ['line 2: is an MT103; supported messages are MT940 and MT942', ':20:', '{1:F01A}{2:O103A}{4:\n:20:'],
  ])('names the field and the line: %s', async (message, from, to) => {
    expect(await refusal(good.replace(from, to))).toBe(message)
  })

  test('states that a file is incomplete, or that a line is outside of a message', async () => {
    expect(await refusal(good.slice(0, good.indexOf(':62F:')))).toBe(
      'line 1: the message has no closing balance (62)',
    )
    expect(await refusal(`${good}:61:2611251125C1,NTRFX\n`)).toBe('line 13: field 61 is outside of a message')
    expect(await refusal(`${good}what is this?\n`)).toBe('line 13: "what is this?" is outside of a message')
    expect(await refusal(good.replace(':64:', ':61:2611251125C1,NTRFX\n:64:'))).toBe(
      'line 11: field 61 comes after its closing balance (62)',
    )
    expect(await refusal('COBADEFF\n940\nCOBADEFF\n')).toBe('has no message')
  })

  test('states the limit that a line or a field exceeds', async () => {
    expect(await refusal(withLines(':61:2611251125C1,NTRFX', `:86:${'A'.repeat(5_000)}`))).toBe(
      'line 6: is longer than 4096 characters',
    )
    expect(await refusal(withLines(':61:2611251125C1,NTRFX', `:86:${'A\n'.repeat(300)}`))).toBe(
      'line 6: field 86 has more than 200 lines',
    )
  })
})

test('an MT940 file is detected only by its first field or the header before it', () => {
  const starts = (text: string) => startsLikeMt940(Buffer.from(text))
  for (const envelope of ['BLOCKS', 'HEADER_LINES', 'TAG', 'BARE'] as const)
    expect(starts(mt940File([DAY], { envelope }))).toBe(true)
  for (const text of [
    `\u0001${file()}`,
    `\ufeff\r\n${file()}`,
    `0000 01INGBNL2AXXXX00001\n940 00\n${file()}`,
  ])
    expect(starts(text)).toBe(true)
  for (const text of [
    '01,021000021,',
    '101 021000021',
    '<Document',
    'No statement today',
    '',
    'name;amount\n',
    'ABC',
  ])
    expect(starts(text)).toBe(false)
})

describe('an MT940 entry', () => {
  test('is read with all fields or only the required fields', async () => {
    const { entry, transaction } = await readFirst(
      ':61:2612310102RCR1234,5NTRFOUR REF 1//BANK-1',
      '/OCMT/USD1500,00/CHGS/EUR4,50/',
    )
    expect(entry).toMatchObject({
      ...{ amount: -123_450n, isReversal: true, valueOn: '2026-12-31', bookedOn: '2027-01-02' },
      ...{ reference: 'OUR REF 1', servicerReference: 'BANK-1', transactionCode: 'NTRF' },
      charges: { amount: -450n, currency: 'EUR', isIncluded: null },
    })
    expect(transaction?.instructed).toEqual({ amount: 150_000n, currency: 'USD' })
    expect(await readFirst(':61:261125C7,NMSC')).toMatchObject({
      entry: { amount: 700n, valueOn: '2026-11-25', bookedOn: '2026-11-25', reference: null },
      transaction: undefined,
    })
    expect((await readFirst(':61:261125    DR7,05N062NONREF')).entry?.amount).toBe(-705n)
  })

  test('gets the end of the month as value date for 30 February', async () => {
    expect((await readFirst(':61:2602300301C1,NINTNONREF')).entry).toMatchObject({
      ...{ valueOn: '2026-02-28', bookedOn: '2026-03-01' },
    })
  })

  test('waits for manual review without the others if it is unreadable, and its amount counts if it is known', async () => {
    const records = await read(
      withLines(
        ':61:2613991125C5,NTRFX',
        ':86:TEXT',
        ':61:2611251125C5,001NTRFX',
        ':61:HELLO',
        ':61:261125D5,NTRFX',
      ),
    )
    expect(pickUnread(records).map(({ reason, amount }) => [reason, amount])).toEqual([
      ['line 5: field 61 has the dates "2613991125"', 500n],
      ['line 7: field 61 has the amount 5.001, but EUR has 2 decimals', null],
      ['line 8: field 61 has the content "HELLO"', null],
    ])
    expect(pickUnread(records)[0]?.raw).toBe(':61:2613991125C5,NTRFX\n:86:TEXT')
    expect(entriesOf(records)).toHaveLength(1)
    expect(pickStatements(records)).toMatchObject([{ entries: 4, unread: 3, contradiction: null }])
  })

  test('is not booked if it has an expected amount', async () => {
    expect((await readFirst(':61:261125EC5,NTRFX')).entry?.status).toBe('PDNG')
  })
})

describe('the references of an MT940 entry', () => {
  test('identify a payment in debits, reversals and returns, but are text in other credits', async () => {
    const reference = 'CS0123456789'
    const found = await Promise.all(
      ['D5,NTRF', 'RD5,NTRF', 'C5,NRTI', 'C5,NTRF'].map((line) =>
        readFirst(`:61:261125${line}${reference}//B`),
      ),
    )
    expect(found.map(({ transaction }) => transaction?.endToEndId)).toEqual([
      reference,
      reference,
      reference,
      null,
    ])
    expect(found[3]?.transaction?.remittanceInformation).toBe(reference)
    expect(found.map(({ entry }) => entry?.isReturn)).toEqual([false, false, true, false])
  })

  test('identify nothing if they are placeholders or possibly truncated bank references', async () => {
    for (const word of ['NONREF', 'EREF', 'KREF+', '0000000000'])
      expect((await readFirst(`:61:261125D5,NTRF${word}//NONREF`)).entry).toMatchObject({
        ...{ reference: null, servicerReference: null },
      })
    const { entry, transaction } = await readFirst(':61:261125D5,NTRFX//1234567890123456')
    expect([entry?.servicerReference, transaction?.servicerReference]).toEqual([null, '1234567890123456'])
  })
})

describe('the MT940 field 86 of German banks', () => {
  const line = ':61:2611251125C5,NTRFNONREF'

  test('is read with any separator, even if its codes and named parts are split anywhere', async () => {
    const buildText = (s: string) =>
      `166${s}00GUTSCHRIFT${s}109310${s}20EREF+CS01234567${s}2189AB SVWZ+Rent ${s}22for CSD59D37${s}2325E6${s}30COBADEFFXXX${s}31DE02120300000000202051${s}32ADA ${s}33LOVELACE${s}34000`
    for (const separator of ['?', '>', '~', '^']) {
      const text = buildText(separator)
      const { entry, transaction } = await readFirst(
        line,
        `:86:${text.slice(0, 65)}`,
        text.slice(65, 130),
        text.slice(130),
      )
      expect(entry).toMatchObject({
        gvc: '166',
        proprietaryCode: { code: 'NTRF+166+9310+000', issuer: 'SWIFT' },
      })
      expect(transaction).toMatchObject({
        endToEndId: 'CS0123456789AB',
        debtor: { name: 'ADA LOVELACE', account: 'DE02120300000000202051', bic: 'COBADEFFXXX' },
        remittanceInformation: 'Rent for CSD59D3725E6',
      })
    }
  })

  test('cannot be forged by the text of a payer, because a repeated code identifies nobody', async () => {
    const { transaction } = await readFirst(
      line,
      ':86:166?00X?20EREF+E1?21SVWZ+HELLO ?31DE00?32MALLORY?22EREF+E2?31DE02120300000000202051?32ADA?34000',
    )
    expect(transaction).toMatchObject({ endToEndId: 'E1', debtor: { name: null, account: null } })
  })

  test('marks returns by its three-digit code, with the reason in the text', async () => {
    const { entry, transaction } = await readFirst(
      line,
      ':86:159?00RETOURE?20EREF+CS0123456789?21SVWZ+RETURN AC04 CLOSED?34912',
    )
    expect(entry?.isReturn).toBe(true)
    expect(transaction).toMatchObject({ endToEndId: 'CS0123456789', returnReason: { code: 'AC04' } })
  })
})

describe('the MT940 field 86 of other banks', () => {
  test('is read by its code words, and ignores repeated code words', async () => {
    const line = ':61:2611251125C5,NTRFEREF//B'
    const ing = '/EREF/E1//CNTP/NL32INGB0000012345/INGBNL2A/ADA LOVELACE///REMI/USTD//FOR CSD59D3725E6/'
    expect((await readFirst(line, `:86:${ing}`)).transaction).toMatchObject({
      ...{ endToEndId: 'E1', remittanceInformation: 'FOR CSD59D3725E6' },
      debtor: { name: 'ADA LOVELACE', account: 'NL32INGB0000012345', bic: 'INGBNL2A' },
    })
    const abn = '/TRTP/SEPA/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/ADA/REMI/A/B/EREF/NOTPROVIDED'
    expect((await readFirst(line, `:86:${abn}`)).transaction).toMatchObject({
      ...{ endToEndId: null, remittanceInformation: 'A/B' },
      debtor: { name: 'ADA', account: 'NL91ABNA0417164300' },
    })
    const forged = '/REMI/HELLO/EREF/CS0123456789/IBAN/X/EREF/E1/IBAN/NL91ABNA0417164300'
    expect((await readFirst(line, `:86:${forged}`)).transaction).toMatchObject({
      ...{ endToEndId: null, debtor: { account: null } },
    })
  })

  test('may be plain text in several fields, with blank lines and lines that begin with a hyphen', async () => {
    const { transaction } = await readFirst(
      ':61:2611251125C5,NTRFX',
      ':86:RENT FOR CSD59D',
      '3725E6',
      '- MARCH',
      '',
      ':86:APRIL',
    )
    expect(transaction?.remittanceInformation).toBe('RENT FOR CSD59D 3725E6 - MARCH APRIL X')
    expect(transaction?.references.map(({ text }) => text)).toContain('RENT FOR CSD59D3725E6- MARCHAPRIL')
  })
})

test('only an MT940 statement completes a day, and the totals of an MT942 report are checked', async () => {
  const report = mt940File([{ ...DAY, message: '942' }], { lineEnd: '\n' })
  expect(pickStatements(await read(report))).toMatchObject([
    { statement: { kind: 'REPORT', currency: 'EUR' }, balances: [], entries: 2, contradiction: null },
  ])
  const [contradictory] = pickStatements(await read(report.replace(':90C:1EUR100', ':90C:2EUR100')))
  expect(contradictory?.contradiction).toBe(
    'field 90C states 2 entries of 10000, but the message has 1 of 10000',
  )
  const both = await read(file().replace(':60F:', ':34F:EUR0,\n:60F:'))
  expect(pickStatements(both)).toMatchObject([{ statement: { kind: 'REPORT' } }])
})

test('an MT940 statement whose entries do not add up to its closing balance is contradictory', async () => {
  expect(pickStatements(await read(file({ closing: 109_501n })))[0]?.contradiction).toBe(
    'the opening balance 100000 and the entries 9500 do not add up to the closing balance 109501',
  )
})

test('MT940 pages have intermediate balances, and the last page completes the statement', async () => {
  const pages = [
    { ...DAY, number: '00007/001', isContinued: true },
    { ...DAY, number: '00007/002', opening: 109_500n, continues: true },
  ]
  expect(pickStatements(await read(mt940File(pages)))).toMatchObject([
    {
      statement: { number: '7', page: { number: 1, isLast: false } },
      balances: [{ type: 'OPBD', amount: 100_000n }, { type: 'ITBD', amount: 109_500n }, {}],
    },
    {
      statement: { number: '7', page: { number: 2, isLast: true } },
      balances: [{ type: 'ITBD', amount: 109_500n }, { type: 'CLBD', amount: 119_000n }, {}],
    },
  ])
})

test.each([
  ['37040044/532013000', '37040044/0532013000'],
  ['37040044/0532013000EUR', '37040044/0532013000'],
  ['COBADEFFXXX/0532013000', '0532013000'],
  ['DE89370400440532013000EUR', 'DE89370400440532013000'],
  ['UBRTHUHB/123456789150/HUF', '123456789150'],
  ['1291.99.348EUR', '1291.99.348'],
  ['0067-00763/93984487', '0067-00763/93984487'],
  ['FR7630006000011234567890189', 'FR7630006000011234567890189'],
])('the MT940 account %s is read as %s', async (written, account) => {
  expect(pickStatements(await read(file({ account: written })))[0]?.statement.account).toBe(account)
})

test('an MT940 file is read despite invalid UTF-8, transmission characters and a missing last line break', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0x01]),
    Buffer.from(file().trimEnd().replace('RENT', 'GEB\u00dcHR'), 'latin1'),
    Buffer.from([0x03, 0x0d]),
  ])
  expect(transactionsOf(await read(bytes))[0]?.remittanceInformation).toBe('GEB\u00dcHR')
})

test.skipIf(vectorsAbsent)('the MT940 sample file is read', async () => {
  const records = await all(readTwice(() => openVector('bank-made/mt940.sta'), readMt940))
  expect(transactionsOf(records)).toMatchObject([
    { amount: 1_000n, remittanceInformation: 'CSD59D3725E6', debtor: { name: 'ADA LOVELACE' } },
  ])
  expect(pickStatements(records)).toMatchObject([
    { statement: { kind: 'STATEMENT', account: '37040044/0532013000' }, contradiction: null },
  ])
})
