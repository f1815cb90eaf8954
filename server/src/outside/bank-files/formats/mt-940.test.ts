import { describe, expect, test } from 'vitest'
import { openVector, vectorsAbsent } from '../../../base/crypto/vectors.testing.ts'
import { entriesOf, statementsOf, transactionsOf, unreadOf } from './bank-records.testing.ts'
import { mt940File, read, refusal, type SampleMtMessage } from './mt-940.testing.ts'
import { startsLikeMt940 } from './mt-940-fields.ts'
import { readMt940 } from './mt-940-reader.ts'
import { readTwice } from './read-twice.ts'
import { all } from './samples.testing.ts'

const DAY: SampleMtMessage = {
  account: 'DE89370400440532013000',
  opening: 100_000n,
  entries: [
    { amount: 10_000n, text: 'RENT', name: 'GRACE HOPPER', account: 'DE02120300000000202051' },
    { amount: 500n, mark: 'D', type: 'NCHG', gvc: '808', text: 'FEES' },
  ],
}
const file = (more: Partial<SampleMtMessage> = {}) => mt940File([{ ...DAY, ...more }], { lineEnd: '\n' })
/** A statement with these lines between its balances. */
const withLines = (...lines: readonly string[]) =>
  [':20:X', ':25:77', ':28C:1/1', ':60F:C261125EUR0,', ...lines, ':62F:C261125EUR0,', '-'].join('\n')
const first = async (...lines: readonly string[]) => {
  const records = await read(withLines(...lines))
  return { entry: entriesOf(records)[0], transaction: transactionsOf(records)[0] }
}

describe('a message that refuses a file', () => {
  const good = file()
  test.each([
    ['line 4: field 60F has the balance "C261131EUR1000,00"', ':60F:C261125', ':60F:C261131'],
    ['line 4: field 60F has the balance "C261125ZZZ1000,00"', 'EUR1000,00', 'ZZZ1000,00'],
    ['line 10: field 62F is in USD, but the opening balance is in EUR', '62F:C261125EUR', '62F:C261125USD'],
    ['line 2: field 25 has the account "-"', ':25:DE89370400440532013000', ':25:-'],
    ['line 3: field 25 stands twice in its message', ':28C:', ':25:1\n:28C:'],
    ['line 5: field 61 stands before its opening balance (60)', ':60F:', ':99X:'],
    ['line 1: the message has no closing balance (62)', ':62F:', ':99X:'],
    ['line 2: is an MT103; supported are MT940 and MT942', ':20:', '{1:F01A}{2:O103A}{4:\n:20:'],
  ])('names the field and the line: %s', async (message, from, to) => {
    expect(await refusal(good.replace(from, to))).toBe(message)
  })

  test('says that a file is not whole, or that something stands outside of a message', async () => {
    expect(await refusal(good.slice(0, good.indexOf(':62F:')))).toBe(
      'line 1: the message has no closing balance (62)',
    )
    expect(await refusal(`${good}:61:2611251125C1,NTRFX\n`)).toBe(
      'line 13: field 61 stands outside of a message',
    )
    expect(await refusal(`${good}what is this?\n`)).toBe(
      'line 13: "what is this?" stands outside of a message',
    )
    expect(await refusal(good.replace(':64:', ':61:2611251125C1,NTRFX\n:64:'))).toBe(
      'line 11: field 61 stands after its closing balance (62)',
    )
    expect(await refusal('COBADEFF\n940\nCOBADEFF\n')).toBe('has no message')
  })

  test('limits lines and fields, which never grow with a file', async () => {
    expect(await refusal(withLines(':61:2611251125C1,NTRFX', `:86:${'A'.repeat(5_000)}`))).toBe(
      'line 6: longer than 4096 characters',
    )
    expect(await refusal(withLines(':61:2611251125C1,NTRFX', `:86:${'A\n'.repeat(300)}`))).toBe(
      'line 6: field 86 has more than 200 lines',
    )
  })
})

test('a file is known by its first field or by the header before it, and by nothing else', () => {
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

describe('a line of a statement', () => {
  test('has all its parts, or only those that are required', async () => {
    const { entry, transaction } = await first(
      ':61:2612310102RCR1234,5NTRFOUR REF 1//BANK-1',
      '/OCMT/USD1500,00/CHGS/EUR4,50/',
    )
    expect(entry).toMatchObject({
      ...{ amount: -123_450n, isReversal: true, valueOn: '2026-12-31', bookedOn: '2027-01-02' },
      ...{ reference: 'OUR REF 1', servicerReference: 'BANK-1', transactionCode: 'NTRF' },
      charges: { amount: -450n, currency: 'EUR', isIncluded: null },
    })
    expect(transaction?.instructed).toEqual({ amount: 150_000n, currency: 'USD' })
    expect(await first(':61:261125C7,NMSC')).toMatchObject({
      entry: { amount: 700n, valueOn: '2026-11-25', bookedOn: '2026-11-25', reference: null },
      transaction: undefined,
    })
    expect((await first(':61:261125    DR7,05N062NONREF')).entry?.amount).toBe(-705n)
  })

  test('is valued on 30 February by banks whose months have 30 days: at the end of the month', async () => {
    expect((await first(':61:2602300301C1,NINTNONREF')).entry).toMatchObject({
      ...{ valueOn: '2026-02-28', bookedOn: '2026-03-01' },
    })
  })

  test('waits alone if it cannot be read, and its amount counts if that is known', async () => {
    const records = await read(
      withLines(
        ':61:2613991125C5,NTRFX',
        ':86:TEXT',
        ':61:2611251125C5,001NTRFX',
        ':61:HELLO',
        ':61:261125D5,NTRFX',
      ),
    )
    expect(unreadOf(records).map(({ reason, amount }) => [reason, amount])).toEqual([
      ['line 5: field 61 has the dates "2613991125"', 500n],
      ['line 7: field 61 has the amount 5.001, but EUR has 2 decimals', null],
      ['line 8: field 61 has the content "HELLO"', null],
    ])
    expect(unreadOf(records)[0]?.raw).toBe(':61:2613991125C5,NTRFX\n:86:TEXT')
    expect(entriesOf(records)).toHaveLength(1)
    expect(statementsOf(records)).toMatchObject([{ entries: 4, unread: 3, contradiction: null }])
  })

  test('of an expected amount is not booked', async () => {
    expect((await first(':61:261125EC5,NTRFX')).entry?.status).toBe('PDNG')
  })
})

describe('references', () => {
  test('of the owner name a payment in debits, reversals and returns; in other credits they are text', async () => {
    const own = 'CS0123456789'
    const found = await Promise.all(
      ['D5,NTRF', 'RD5,NTRF', 'C5,NRTI', 'C5,NTRF'].map((line) => first(`:61:261125${line}${own}//B`)),
    )
    expect(found.map(({ transaction }) => transaction?.endToEndId)).toEqual([own, own, own, null])
    expect(found[3]?.transaction?.remittanceInformation).toBe(own)
    expect(found.map(({ entry }) => entry?.isReturn)).toEqual([false, false, true, false])
  })

  test('that stand for none, and bank references that may be truncated, identify nothing', async () => {
    for (const word of ['NONREF', 'EREF', 'KREF+', '0000000000'])
      expect((await first(`:61:261125D5,NTRF${word}//NONREF`)).entry).toMatchObject({
        ...{ reference: null, servicerReference: null },
      })
    const { entry, transaction } = await first(':61:261125D5,NTRFX//1234567890123456')
    expect([entry?.servicerReference, transaction?.servicerReference]).toEqual([null, '1234567890123456'])
  })
})

describe('field 86 of German banks', () => {
  const line = ':61:2611251125C5,NTRFNONREF'

  test('has codes and named parts that are cut anywhere, with any separator', async () => {
    const said = (s: string) =>
      `166${s}00GUTSCHRIFT${s}109310${s}20EREF+CS01234567${s}2189AB SVWZ+Rent ${s}22for CSD59D37${s}2325E6${s}30COBADEFFXXX${s}31DE02120300000000202051${s}32ADA ${s}33LOVELACE${s}34000`
    for (const separator of ['?', '>', '~', '^']) {
      const text = said(separator)
      const { entry, transaction } = await first(
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

  test('cannot be forged by the text of a payer: a code that stands twice identifies nobody', async () => {
    const { transaction } = await first(
      line,
      ':86:166?00X?20EREF+E1?21SVWZ+HELLO ?31DE00?32MALLORY?22EREF+E2?31DE02120300000000202051?32ADA?34000',
    )
    expect(transaction).toMatchObject({ endToEndId: 'E1', debtor: { name: null, account: null } })
  })

  test('marks returns by its code of three digits, with the reason in the text', async () => {
    const { entry, transaction } = await first(
      line,
      ':86:159?00RETOURE?20EREF+CS0123456789?21SVWZ+RETURN AC04 CLOSED?34912',
    )
    expect(entry?.isReturn).toBe(true)
    expect(transaction).toMatchObject({ endToEndId: 'CS0123456789', returnReason: { code: 'AC04' } })
  })
})

describe('field 86 of other banks', () => {
  test('has code words, of which one that stands twice counts for nothing', async () => {
    const line = ':61:2611251125C5,NTRFEREF//B'
    const ing = '/EREF/E1//CNTP/NL32INGB0000012345/INGBNL2A/ADA LOVELACE///REMI/USTD//FOR CSD59D3725E6/'
    expect((await first(line, `:86:${ing}`)).transaction).toMatchObject({
      ...{ endToEndId: 'E1', remittanceInformation: 'FOR CSD59D3725E6' },
      debtor: { name: 'ADA LOVELACE', account: 'NL32INGB0000012345', bic: 'INGBNL2A' },
    })
    const abn = '/TRTP/SEPA/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/ADA/REMI/A/B/EREF/NOTPROVIDED'
    expect((await first(line, `:86:${abn}`)).transaction).toMatchObject({
      ...{ endToEndId: null, remittanceInformation: 'A/B' },
      debtor: { name: 'ADA', account: 'NL91ABNA0417164300' },
    })
    const forged = '/REMI/HELLO/EREF/CS0123456789/IBAN/X/EREF/E1/IBAN/NL91ABNA0417164300'
    expect((await first(line, `:86:${forged}`)).transaction).toMatchObject({
      ...{ endToEndId: null, debtor: { account: null } },
    })
  })

  test('is text, in one field or in several, and lines may begin with a hyphen or be blank', async () => {
    const { transaction } = await first(
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

test('only a statement closes a day; an interim report is news, and its numbers and sums are compared', async () => {
  const report = mt940File([{ ...DAY, message: '942' }], { lineEnd: '\n' })
  expect(statementsOf(await read(report))).toMatchObject([
    { statement: { kind: 'REPORT', currency: 'EUR' }, balances: [], entries: 2, contradiction: null },
  ])
  const [wrong] = statementsOf(await read(report.replace(':90C:1EUR100', ':90C:2EUR100')))
  expect(wrong?.contradiction).toBe('its field 90C says 2 entries of 10000, but it has 1 of 10000')
  const both = await read(file().replace(':60F:', ':34F:EUR0,\n:60F:'))
  expect(statementsOf(both)).toMatchObject([{ statement: { kind: 'REPORT' } }])
})

test('a statement whose entries do not lead to its closing balance contradicts itself', async () => {
  expect(statementsOf(await read(file({ closing: 109_501n })))[0]?.contradiction).toBe(
    'its opening balance 100000 and entries 9500 are not its closing balance 109501',
  )
})

test('pages have intermediate balances, and the last one closes the statement', async () => {
  const pages = [
    { ...DAY, number: '00007/001', isContinued: true },
    { ...DAY, number: '00007/002', opening: 109_500n, continues: true },
  ]
  expect(statementsOf(await read(mt940File(pages)))).toMatchObject([
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
])('the account %s is read as %s', async (written, account) => {
  expect(statementsOf(await read(file({ account: written })))[0]?.statement.account).toBe(account)
})

test('bytes that are not UTF-8, marks of a transmission and a missing line end spoil nothing', async () => {
  const bytes = Buffer.concat([
    Buffer.from([0x01]),
    Buffer.from(file().trimEnd().replace('RENT', 'GEB\u00dcHR'), 'latin1'),
    Buffer.from([0x03, 0x0d]),
  ])
  expect(transactionsOf(await read(bytes))[0]?.remittanceInformation).toBe('GEB\u00dcHR')
})

test.skipIf(vectorsAbsent)('the file that was made for this format is read', async () => {
  const records = await all(readTwice(() => openVector('bank-made/mt940.sta'), readMt940))
  expect(transactionsOf(records)).toMatchObject([
    { amount: 1_000n, remittanceInformation: 'CSD59D3725E6', debtor: { name: 'ADA LOVELACE' } },
  ])
  expect(statementsOf(records)).toMatchObject([
    { statement: { kind: 'STATEMENT', account: '37040044/0532013000' }, contradiction: null },
  ])
})
