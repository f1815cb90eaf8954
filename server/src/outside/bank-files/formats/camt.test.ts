import { expect, test } from 'vitest'
import type { BankRecord } from './camt.ts'
import { type IsoRecord, readIsoMessages } from './iso-messages.ts'
import { readTwice } from './read-twice.ts'
import { all, balance, bytesOf, camtFile, type SampleEntry } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

const read = async (xml: string | Uint8Array, pieceBytes?: number): Promise<BankRecord[]> => {
  const records = await all(readTwice(() => bytesOf(xml, pieceBytes), readIsoMessages))
  return records.flatMap((one) => (one.of === 'ACCOUNT' ? [one.record] : []))
}

const DEPOSIT: SampleEntry = {
  amount: '100.00',
  direction: 'CRDT',
  transactions: [{ endToEndId: 'RF18', amount: '100.00', debtor: 'Ada &amp; Co', text: 'for account 7' }],
}
const RETURNED: SampleEntry = {
  amount: '12.50',
  direction: 'CRDT',
  isReversal: true,
  transactions: [{ endToEndId: 'CS0A1B2C3D4E5F', amount: '12.50', creditor: 'Grace', returnReason: 'AC04' }],
}
const SUM: SampleEntry = {
  amount: '30.00',
  direction: 'DBIT',
  batch: 'CS-7',
  transactions: [
    { endToEndId: 'one', amount: '10.00', creditor: 'A' },
    { endToEndId: 'two', amount: '20.00', creditor: 'B' },
  ],
}
const FEE: SampleEntry = { amount: '0.75', direction: 'DBIT' }
const PENDING: SampleEntry = { amount: '5.00', direction: 'CRDT', status: 'PDNG' }

test.each(['08', '02'] as const)(
  'a camt statement of version .%s yields its transactions, its entries and itself',
  async (version) => {
    const xml = camtFile({
      version,
      balances: ['-1.00', '80.75'],
      entries: [DEPOSIT, RETURNED, SUM, FEE, PENDING],
    })
    const records = await read(xml)
    expect(records.map(({ type }) => type).join(' ')).toBe(
      'transaction entry transaction entry transaction transaction entry entry entry statement',
    )
    expect(records[0]).toMatchObject({
      statement: {
        kind: 'STATEMENT',
        id: 'STMT-1',
        number: '61',
        account: 'DE89370400440532013000',
        currency: 'EUR',
      },
      entry: {
        place: 0,
        amount: 10_000n,
        currency: 'EUR',
        status: 'BOOK',
        bookedOn: '2026-03-02',
        transactionCode: 'PMNT-RCDT-ESCT',
        servicerReference: 'SVC-1',
      },
      transaction: {
        endToEndId: 'RF18',
        amount: 10_000n,
        debtor: { name: 'Ada & Co', account: 'PL61109010140000071219812874', bic: 'BREXPLPWXXX' },
        remittanceInformation: 'for account 7',
        returnReason: null,
      },
    })
    expect(records[2]).toMatchObject({
      entry: { isReversal: true },
      transaction: {
        endToEndId: 'CS0A1B2C3D4E5F',
        creditor: { name: 'Grace' },
        returnReason: { code: 'AC04', text: 'closed' },
      },
    })
    expect(records[5]).toMatchObject({ transaction: { place: 1, amount: -2_000n, endToEndId: 'two' } })
    expect(records[6]).toMatchObject({
      entry: { amount: -3_000n, batch: { paymentInformationId: 'CS-7' }, text: 'SEPA' },
      transactions: 2,
      transactionsTotal: -3_000n,
    })
    expect(records[7]).toMatchObject({ entry: { amount: -75n }, transactions: 0 })
    expect(records[9]).toMatchObject({
      entries: 5,
      booked: 8_175n,
      balances: [
        { type: 'OPBD', amount: -100n },
        { type: 'CLBD', amount: 8_075n },
      ],
    })
  },
)

test('a camt advice has no balances', async () => {
  const records = await read(camtFile({ kind: '054', entries: [DEPOSIT] }))
  expect(records.at(-1)).toMatchObject({
    type: 'statement',
    statement: { kind: 'ADVICE' },
    balances: [],
    booked: 10_000n,
  })
})

test('a camt transaction without an end-to-end id has a null id', async () => {
  const [first] = await read(camtFile({ entries: [{ ...DEPOSIT, transactions: [{ amount: '100.00' }] }] }))
  expect(first).toMatchObject({ transaction: { endToEndId: null, debtor: { name: null } } })
})

test('each of two camt statements in a file has only its own entries', async () => {
  const one = camtFile({ id: 'A', entries: [DEPOSIT] })
  const other = /<Stmt>[\s\S]*<\/Stmt>/.exec(camtFile({ id: 'B', entries: [FEE, FEE] }))![0]
  const records = await read(one.replace('</Stmt>', `</Stmt>${other}`))
  const heads = records.filter((record) => record.type === 'statement')
  expect(heads).toMatchObject([
    { statement: { id: 'A' }, entries: 1, booked: 10_000n },
    { statement: { id: 'B' }, entries: 2, booked: -150n },
  ])
  const entries = records.filter((record) => record.type === 'entry')
  expect(entries.map(({ statement, entry }) => [statement.id, entry.place])).toEqual([
    ['A', 0],
    ['B', 0],
    ['B', 1],
  ])
})

test('camt amounts are read with the decimals of their currency', async () => {
  const inYen = camtFile({ entries: [{ ...FEE, amount: '750' }] }).replace(
    '<Ntry><Amt Ccy="EUR">',
    '<Ntry><Amt Ccy="JPY">',
  )
  expect((await read(inYen))[0]).toMatchObject({ entry: { amount: -750n, currency: 'JPY' } })
  const inDinars = inYen.replace('"JPY">750', '"KWD">0.755')
  expect((await read(inDinars))[0]).toMatchObject({ entry: { amount: -755n, currency: 'KWD' } })
})

test('the balances of a single camt page are not checked', async () => {
  const page = camtFile({ balances: ['0.00', '500.00'], entries: [DEPOSIT] })
  const paged = page.replace(
    '<ElctrncSeqNb>',
    '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn><ElctrncSeqNb>',
  )
  expect((await read(paged)).at(-1)).toMatchObject({
    booked: 10_000n,
    statement: { page: { number: 1, isLast: false } },
  })
})

test('only the camt statement whose entries do not add up to its closing balance is contradictory', async () => {
  const wrong = camtFile({ id: 'WRONG', balances: ['0.00', '100.01'], entries: [DEPOSIT] })
  const right = camtFile({ id: 'RIGHT', balances: ['0.00', '100.00'], entries: [DEPOSIT] })
  const statement = /<Stmt>.*<\/Stmt>/s.exec(wrong)?.[0] ?? ''
  const records = await read(right.replace('<Stmt>', `${statement}<Stmt>`))
  expect(records.filter(({ type }) => type === 'statement')).toMatchObject([
    {
      statement: { id: 'WRONG' },
      contradiction: 'the opening balance 0 and the entries 10000 do not add up to the closing balance 10001',
    },
    { statement: { id: 'RIGHT' }, contradiction: null },
  ])
})

const GOOD = camtFile({ balances: ['0.00', '100.00'], entries: [DEPOSIT] })
const entity = (text: string) => GOOD.replace('?>', `?>\n${text}`)

test.each<[string, string | Uint8Array, RegExp]>([
  ['a DTD', entity('<!DOCTYPE Document SYSTEM "http://bank.example/camt.dtd">'), /DTD/],
  [
    'entities',
    entity(`<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`).replace(
      'for account',
      '&b;',
    ),
    /DTD/,
  ],
  [
    'a reference to a file',
    entity('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>').replace('for account', '&x;'),
    /DTD/,
  ],
  ['a DTD inside its root', GOOD.replace('<Ntry>', '<!DOCTYPE d><Ntry>'), /DTD/],
  ['a DTD before a second document', `${GOOD}<!DOCTYPE d>${GOOD}`, /DTD/],
  ['an entity that nobody declared', GOOD.replace('for account', '&nbsp;'), /entity/],
  ['an unknown version', GOOD.replace('camt.053.001.08', 'camt.053.001.99'), /namespace "urn.*99"/],
  ['a version that is too old', GOOD.replace('camt.053.001.08', 'camt.053.001.01'), /namespace "urn.*01"/],
  ['another message', GOOD.replace('camt.053.001.08', 'camt.086.001.02'), /namespace "urn.*086/],
  ['no namespace', GOOD.replace(/ xmlns="[^"]*"/, ''), /namespace ""/],
  ['another root', '<html xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"/>', /no ISO 20022 document/],
  ['a truncated file', GOOD.slice(0, GOOD.indexOf('</Ntry>')), /unclosed|not XML/i],
  ['a truncated last tag', GOOD.slice(0, GOOD.lastIndexOf('</')), /unclosed|not XML/i],
  ['nothing', '', /no ISO 20022 document/],
  ['text after its end', `${GOOD}and more`, /text outside/],
  ['a truncated second document', `${GOOD}<Document>`, /unclosed|not XML/i],
  ['an unknown encoding', GOOD.replace('UTF-8', 'EBCDIC-CP-DE'), /"EBCDIC-CP-DE"/],
  ['a huge text', GOOD.replace('for account', 'x'.repeat(3_000_000)), /more than 1000000 characters/],
  [
    'a huge comment',
    GOOD.replace('<Ntry>', `<!--${'x'.repeat(3_000_000)}--><Ntry>`),
    /more than 1000000 characters/,
  ],
  [
    'a huge attribute',
    GOOD.replace('<Ntry>', `<Ntry a="${'x'.repeat(3_000_000)}">`),
    /more than 1000000 characters/,
  ],
  ['a huge name', GOOD.replace('<Ntry>', `<${'x'.repeat(3_000_000)}`), /more than 1000000 characters/],
  [
    'many long texts in one record',
    GOOD.replace('<RmtInf>', `<RmtInf>${`<Ustrd>${'x'.repeat(90_000)}</Ustrd>`.repeat(12)}`),
    /record of more than 1000000 characters/,
  ],
  ['too many nested elements', GOOD.replace('<Ntry>', `${'<a>'.repeat(80)}<Ntry>`), /64 elements deep/],
  [
    'too many elements around the entries',
    GOOD.replace('<Ntry>', `${'<Bal/>'.repeat(30_000)}<Ntry>`),
    /20000 elements/,
  ],
  [
    'too many attributes',
    GOOD.replace('<Ntry>', `<Ntry ${Array.from({ length: 130 }, (_, n) => `a${n}="1"`).join(' ')}>`),
    /attributes/,
  ],
  ['a repeated attribute', GOOD.replace('<Ntry>', '<Ntry a="1" a="2">'), /not XML/],
  ['overlapping tags', GOOD.replace('</Ntry></Stmt>', '').replace('</Ntry>', '</Stmt></Ntry>'), /not XML/],
  ['no statement', GOOD.replace(/<Stmt>[\s\S]*<\/Stmt>/, ''), /no statement/],
  ['a single statement without an id', GOOD.replace('<Id>STMT-1</Id>', ''), /without an id/],
])('a camt file with %s is refused and yields no records', async (_, xml, message) => {
  const yielded: IsoRecord[] = []
  const reading = (async () => {
    for await (const record of readTwice(() => bytesOf(xml, 4_096), readIsoMessages)) yielded.push(record)
  })()
  await expect(reading).rejects.toThrow(UnreadableFile)
  await expect(reading).rejects.toThrow(message)
  expect(yielded).toEqual([])
})

const OTHER: SampleEntry = {
  amount: '7.00',
  direction: 'CRDT',
  transactions: [{ amount: '7.00', text: 'ODD' }],
}
const TWO = camtFile({ balances: ['0.00', '107.00'], entries: [OTHER, DEPOSIT] })
const odd = (from: string | RegExp, to: string) => TWO.replace(from, to)

test.each<[string, string, RegExp, { amount: bigint | null; currency: string | null }]>([
  [
    'no amount',
    odd(/<Ntry><Amt.*?<\/Amt>/, '<Ntry>'),
    /entry 1 has no amount/,
    { amount: null, currency: null },
  ],
  [
    'an amount without its currency',
    odd('<Ntry><Amt Ccy="EUR">', '<Ntry><Amt>'),
    /entry 1 has no amount/,
    { amount: null, currency: null },
  ],
  [
    'an amount that is not a number',
    odd('<Ntry><Amt Ccy="EUR">7.00', '<Ntry><Amt Ccy="EUR">-7'),
    /amount "-7"/,
    { amount: null, currency: null },
  ],
  [
    'a fraction of a cent',
    odd('<Ntry><Amt Ccy="EUR">7.00', '<Ntry><Amt Ccy="EUR">7.001'),
    /has 2 decimals/,
    { amount: null, currency: null },
  ],
  [
    'an invalid currency',
    odd('<Ntry><Amt Ccy="EUR">', '<Ntry><Amt Ccy="XXX">'),
    /"XXX"/,
    { amount: null, currency: null },
  ],
  [
    'no direction',
    odd('<CdtDbtInd>CRDT', '<CdtDbtInd>BOTH').replace(/(<Ntry>.*?)<CdtDbtInd>CRDT/, '$1<CdtDbtInd>BOTH'),
    /neither credit nor debit/,
    { amount: null, currency: null },
  ],
  ['no status', odd(/<Sts>.*?<\/Sts>/, ''), /entry 1 has no status/, { amount: 700n, currency: 'EUR' }],
  [
    'an invalid date',
    odd('<BookgDt><Dt>2026-03-02', '<BookgDt><Dt>2026-02-30'),
    /the date "2026-02-30"/,
    { amount: 700n, currency: 'EUR' },
  ],
])(
  'a camt entry with %s waits for manual review, and the other entries are read',
  async (_, xml, reason, money) => {
    const records = await read(
      xml.replace(balance('OPBD', '0.00').replace('CRDT', 'BOTH'), balance('OPBD', '0.00')),
    )
    const unread = records.filter((record) => record.type === 'unread')
    expect(unread).toMatchObject([{ place: 'entry 1', entry: 0, ...money, statement: { id: 'STMT-1' } }])
    expect(unread[0]?.reason).toMatch(reason)
    expect(unread[0]?.raw).toContain('<BookgDt>')
    expect(unread[0]?.raw).toContain('<Ustrd>ODD</Ustrd>')
    const rest = records.filter((record) => record.type === 'transaction')
    expect(rest).toMatchObject([
      { transaction: { amount: 10_000n, endToEndId: 'RF18' }, entry: { place: 1 } },
    ])
    expect(records.at(-1)).toMatchObject({ type: 'statement', entries: 2, unread: 1, booked: 10_000n })
  },
)

test('a waiting camt entry counts in the balances if its amount is known', async () => {
  const broken = odd('<BookgDt><Dt>2026-03-02', '<BookgDt><Dt>2026-02-30')
  const records = await read(
    broken.replace(
      '107.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt>',
      '108.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt>',
    ),
  )
  expect(records.at(-1)).toMatchObject({
    contradiction: 'the opening balance 0 and the entries 10700 do not add up to the closing balance 10800',
  })
})

test('an unreadable camt transaction waits for manual review, and its entry counts it as unread', async () => {
  const records = await read(odd(/(<TxDtls>.*?<Amt Ccy=")EUR/, '$1ZZZ'))
  expect(records.map(({ type }) => type).join(' ')).toBe('unread entry transaction entry statement')
  expect(records[0]).toMatchObject({ place: 'transaction 1 of entry 1', entry: 0, amount: null })
  expect(records[0]).toMatchObject({ raw: expect.stringContaining('<Ustrd>ODD</Ustrd>') })
  expect(records[1]).toMatchObject({
    unread: 1,
    transactions: 0,
    transactionsTotal: null,
    entry: { amount: 700n },
  })
  expect(records[4]).toMatchObject({ entries: 2, unread: 1, booked: 10_700n })
})

test('an error after the transactions of a camt entry does not withdraw them', async () => {
  const late = TWO.replace(
    '</NtryDtls><AddtlNtryInf>',
    '</NtryDtls><ValDt><Dt>2026-02-31</Dt></ValDt><AddtlNtryInf>',
  ).replace('<ValDt><Dt>2026-03-02</Dt></ValDt>', '')
  const records = await read(late)
  expect(records.map(({ type }) => type).join(' ')).toBe('transaction entry transaction entry statement')
  expect(records[1]).toMatchObject({ entry: { amount: 700n, text: 'SEPA' }, transactions: 1 })
})

test('an unreadable camt balance waits for manual review, and the entries are read', async () => {
  const undated = balance('OPBD', '0.00').replace('2026-03-02', '')
  const records = await read(TWO.replace(balance('OPBD', '0.00'), undated))
  expect(records.at(-2)).toMatchObject({ type: 'unread', place: 'balance 1', entry: null })
  expect(records.at(-1)).toMatchObject({ unread: 1, balances: [{ type: 'CLBD' }], booked: 10_700n })
})

test('a camt statement without an id waits for manual review, and the other statements are read', async () => {
  const other = /<Stmt>[\s\S]*<\/Stmt>/.exec(GOOD.replace('<Id>STMT-1</Id>', ''))![0]
  const records = await all(readIsoMessages(bytesOf(GOOD.replace('</Stmt>', `</Stmt>${other}`))))
  expect(records.map(({ of }) => of)).toEqual(['ACCOUNT', 'ACCOUNT', 'ACCOUNT', 'UNREAD'])
  expect(records[3]).toMatchObject({ record: { place: 'statement 2', reason: /without an id/ } })
})

test('an element of a foreign namespace waits for manual review, and the elements around it are read', async () => {
  const xml = TWO.replace('<Ntry>', '<x:Ntry xmlns:x="urn:else"><x:Amt>1</x:Amt></x:Ntry><Ntry>')
  const records = await read(xml)
  expect(records[0]).toMatchObject({ type: 'unread', raw: expect.stringContaining('<Amt>1</Amt></Ntry>') })
  expect(records.at(-1)).toMatchObject({ entries: 2, unread: 1 })
})

test('supplementary data of a bank in its own namespace is ignored', async () => {
  const xml = GOOD.replace(
    '</Stmt>',
    '<SplmtryData><Envlp><x:More xmlns:x="urn:bank">1</x:More></Envlp></SplmtryData></Stmt>',
  )
  expect(await read(xml)).toHaveLength(3)
})

test('whitespace and comments between camt entries do not count against the size limits', async () => {
  const entries = Array.from({ length: 300 }, () => DEPOSIT)
  const xml = camtFile({ entries }).replaceAll('<Ntry>', `${' '.repeat(200)}<!-- next --><Ntry>`)
  expect((await read(xml)).at(-1)).toMatchObject({ entries: 300, booked: 3_000_000n })
})

test('a camt file is read identically in chunks of any size, with or without a byte order mark', async () => {
  const whole = await read(GOOD, 1_000_000)
  for (const pieceBytes of [1, 2, 3, 7, 64])
    expect(await read(GOOD.replace('Ada', 'Zoë'), pieceBytes)).toEqual(
      await read(GOOD.replace('Ada', 'Zoë'), 1_000_000),
    )
  expect(await read(`\ufeff${GOOD}`)).toEqual(whole)
})
