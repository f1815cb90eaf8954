import { expect, test } from 'vitest'
import { all, bytesOf } from './bytes.testing.ts'
import { balance, camtFile, type SampleEntry } from './camt.testing.ts'
import { type BankRecord, readCamt } from './camt.ts'
import { readTwice } from './read-twice.ts'
import { UnreadableFile } from './unreadable-file.ts'

const read = (xml: string | Uint8Array, pieceBytes?: number) =>
  all(readTwice(() => bytesOf(xml, pieceBytes), readCamt))

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
const NEWS: SampleEntry = { amount: '5.00', direction: 'CRDT', status: 'PDNG' }

test.each(['08', '02'] as const)(
  'a statement of version .%s gives each transaction, each entry, and itself',
  async (version) => {
    const xml = camtFile({
      version,
      balances: ['-1.00', '80.75'],
      entries: [DEPOSIT, RETURNED, SUM, FEE, NEWS],
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

test('an advice has no balances', async () => {
  const records = await read(camtFile({ kind: '054', entries: [DEPOSIT] }))
  expect(records.at(-1)).toMatchObject({
    type: 'statement',
    statement: { kind: 'ADVICE' },
    balances: [],
    booked: 10_000n,
  })
})

test('a transaction without a reference has none', async () => {
  const [first] = await read(camtFile({ entries: [{ ...DEPOSIT, transactions: [{ amount: '100.00' }] }] }))
  expect(first).toMatchObject({ transaction: { endToEndId: null, debtor: { name: null } } })
})

test('two statements of a file have entries of their own', async () => {
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

test('a page of a statement need not add up by itself', async () => {
  const page = camtFile({ balances: ['0.00', '500.00'], entries: [DEPOSIT] })
  const paged = page.replace(
    '<ElctrncSeqNb>',
    '<StmtPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></StmtPgntn><ElctrncSeqNb>',
  )
  expect((await read(paged)).at(-1)).toMatchObject({ booked: 10_000n })
})

const GOOD = camtFile({ balances: ['0.00', '100.00'], entries: [DEPOSIT] })
const entity = (text: string) => GOOD.replace('?>', `?>\n${text}`)

test.each<[string, string | Uint8Array, RegExp]>([
  [
    'balances that do not add up',
    camtFile({ balances: ['0.00', '100.01'], entries: [DEPOSIT] }),
    /opening balance 0 and entries 10000/,
  ],
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
  ['an entity that nobody declared', GOOD.replace('for account', '&nbsp;'), /entity/],
  [
    'a processing instruction',
    entity('<?xml-stylesheet href="http://bank.example/"?>'),
    /processing instruction/,
  ],
  ['an unknown namespace', GOOD.replace('camt.053.001.08', 'camt.053.001.99'), /namespace "urn.*99"/],
  [
    'another namespace inside',
    GOOD.replace('<Ntry>', '<Ntry xmlns="urn:else">'),
    /changes to the namespace "urn:else"/,
  ],
  ['no namespace', GOOD.replace(/ xmlns="[^"]*"/, ''), /namespace ""/],
  [
    'another document',
    '<html xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"/>',
    /begins with "html"/,
  ],
  ['a truncated file', GOOD.slice(0, GOOD.indexOf('</Ntry>')), /unclosed|not XML/i],
  ['a truncated last tag', GOOD.slice(0, GOOD.lastIndexOf('</')), /unclosed|not XML/i],
  ['nothing', '', /not XML|no statement|root/i],
  ['something after its end', `${GOOD}<Document/>`, /not XML/],
  ['Latin-1', Buffer.from(GOOD.replace('Ada', 'Jürgen'), 'latin1'), /not UTF-8/],
  ['another encoding by its own word', GOOD.replace('UTF-8', 'ISO-8859-1'), /ISO-8859-1/],
  ['UTF-16', Buffer.from(`\ufeff${GOOD}`, 'utf16le'), /UTF-8/],
  ['a huge text', GOOD.replace('for account', 'x'.repeat(2_000_000)), /more than 20000 characters/],
  [
    'a huge comment',
    GOOD.replace('<Ntry>', `<!--${'x'.repeat(2_000_000)}--><Ntry>`),
    /more than 20000 characters/,
  ],
  [
    'a huge attribute',
    GOOD.replace('<Ntry>', `<Ntry a="${'x'.repeat(2_000_000)}">`),
    /more than 20000 characters/,
  ],
  ['a huge name', GOOD.replace('<Ntry>', `<${'x'.repeat(2_000_000)}`), /more than 20000 characters/],
  ['too deep a tree', GOOD.replace('<Ntry>', `${'<a>'.repeat(50)}<Ntry>`), /32 elements deep/],
  [
    'too many elements beside the entries',
    GOOD.replace('<Ntry>', `${'<Bal/>'.repeat(30_000)}<Ntry>`),
    /20000 elements/,
  ],
  [
    'too many attributes',
    GOOD.replace('<Ntry>', `<Ntry ${Array.from({ length: 30 }, (_, n) => `a${n}="1"`).join(' ')}>`),
    /attributes/,
  ],
  ['an attribute twice', GOOD.replace('<Ntry>', '<Ntry a="1" a="2">'), /not XML/],
  ['tags that cross', GOOD.replace('</Ntry></Stmt>', '').replace('</Ntry>', '</Stmt></Ntry>'), /not XML/],
  ['an entry without its amount', GOOD.replace(/<Ntry><Amt.*?<\/Amt>/, '<Ntry>'), /entry 1 has no amount/],
  [
    'an amount without its currency',
    GOOD.replace('<Ntry><Amt Ccy="EUR">', '<Ntry><Amt>'),
    /entry 1 has no amount/,
  ],
  [
    'an amount that is no number',
    GOOD.replace('<Ntry><Amt Ccy="EUR">100.00', '<Ntry><Amt Ccy="EUR">-100'),
    /amount "-100"/,
  ],
  ['an amount of a fraction', GOOD.replaceAll('100.00', '100.001'), /has 2 decimals/],
  ['a currency that is none', GOOD.replace('<Ntry><Amt Ccy="EUR">', '<Ntry><Amt Ccy="XXX">'), /"XXX"/],
  [
    'no direction',
    GOOD.replace(/(<Ntry>.*?)<CdtDbtInd>CRDT/, '$1<CdtDbtInd>BOTH'),
    /neither credit nor debit/,
  ],
  ['no status', GOOD.replace(/<Sts>.*?<\/Sts>/, ''), /entry 1 has no status/],
  [
    'a date that is none',
    GOOD.replace('<BookgDt><Dt>2026-03-02', '<BookgDt><Dt>2026-02-30'),
    /the date "2026-02-30"/,
  ],
  ['a statement without an id', GOOD.replace('<Id>STMT-1</Id>', ''), /without an id/],
  [
    'a balance without a date',
    GOOD.replace(balance('OPBD', '0.00'), balance('OPBD', '0.00').replace('2026-03-02', '')),
    /balance without/,
  ],
  ['no statement', GOOD.replace(/<Stmt>[\s\S]*<\/Stmt>/, ''), /no statement/],
])('a file with %s is refused, and gives nothing of what comes before', async (_, xml, message) => {
  const given: BankRecord[] = []
  const reading = (async () => {
    for await (const record of readTwice(() => bytesOf(xml, 4_096), readCamt)) given.push(record)
  })()
  await expect(reading).rejects.toThrow(UnreadableFile)
  await expect(reading).rejects.toThrow(message)
  expect(given).toEqual([])
})

test('additions of the bank in their own namespace are passed over', async () => {
  const xml = GOOD.replace(
    '</Stmt>',
    '<SplmtryData><Envlp><x:More xmlns:x="urn:bank">1</x:More></Envlp></SplmtryData></Stmt>',
  )
  expect(await read(xml)).toHaveLength(3)
})

test('what stands between entries adds up to nothing', async () => {
  const entries = Array.from({ length: 300 }, () => DEPOSIT)
  const xml = camtFile({ entries }).replaceAll('<Ntry>', `${' '.repeat(200)}<!-- next --><Ntry>`)
  expect((await read(xml)).at(-1)).toMatchObject({ entries: 300, booked: 3_000_000n })
})

test('the file is read the same in whatever pieces it comes, with a byte order mark or without', async () => {
  const whole = await read(GOOD, 1_000_000)
  for (const pieceBytes of [1, 2, 3, 7, 64])
    expect(await read(GOOD.replace('Ada', 'Zoë'), pieceBytes)).toEqual(
      await read(GOOD.replace('Ada', 'Zoë'), 1_000_000),
    )
  expect(await read(`\ufeff${GOOD}`)).toEqual(whole)
})
