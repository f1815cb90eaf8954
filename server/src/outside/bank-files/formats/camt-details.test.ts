import { expect, test } from 'vitest'
import type { BankRecord } from './camt.ts'
import { readIsoMessages } from './iso-messages.ts'
import { all, bytesOf, camtFile, type SampleEntry } from './samples.testing.ts'

const ENTRY: SampleEntry = {
  amount: '100.00',
  direction: 'CRDT',
  transactions: [{ endToEndId: 'E2E-1', instructionId: 'INSTR-1', amount: '100.00', text: 'one' }],
}

async function read(xml: string): Promise<BankRecord[]> {
  const records = await all(readIsoMessages(bytesOf(xml)))
  return records.flatMap((one) => (one.of === 'ACCOUNT' ? [one.record] : []))
}

/** Reads the first transaction of a file after replacing a string in it. */
async function readTransaction(
  from: string | RegExp,
  to: string,
  version: '08' | '02' = '08',
  entry = ENTRY,
) {
  const xml = camtFile({ version, entries: [entry] })
  const changed = xml.replace(from, to)
  expect(changed).not.toBe(xml)
  const [first] = await read(changed)
  if (first?.type !== 'transaction') throw new Error(`The record is ${first?.type}.`)
  return { ...first.transaction, entry: first.entry }
}

test('a camt transaction has its booked amount, and the instructed amount separately', async () => {
  const details =
    '<AmtDtls><InstdAmt><Amt Ccy="USD">120.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">99.00</Amt></TxAmt></AmtDtls>'
  expect(await readTransaction('<RltdPties>', `${details}<RltdPties>`)).toMatchObject({
    amount: 10_000n,
    currency: 'EUR',
    instructed: { amount: 12_000n, currency: 'USD' },
  })
})

test('an instructed camt amount is never used as the booked amount', async () => {
  const details = '<AmtDtls><InstdAmt><Amt Ccy="EUR">150.00</Amt></InstdAmt></AmtDtls>'
  expect(await readTransaction(/<AmtDtls>.*?<\/AmtDtls>/, details, '02')).toMatchObject({
    amount: null,
    currency: null,
    instructed: { amount: 15_000n, currency: 'EUR' },
  })
})

test('before camt version .03, a transaction amount counts only in the currency of its entry', async () => {
  const inDollars = '<AmtDtls><TxAmt><Amt Ccy="USD">120.00</Amt></TxAmt></AmtDtls>'
  expect(await readTransaction(/<AmtDtls>.*?<\/AmtDtls>/, inDollars, '02')).toMatchObject({ amount: null })
  const inEuros = '<AmtDtls><TxAmt><Amt Ccy="EUR">98.00</Amt></TxAmt></AmtDtls>'
  expect(await readTransaction(/<AmtDtls>.*?<\/AmtDtls>/, inEuros, '02')).toMatchObject({ amount: 9_800n })
})

test('an unreadable foreign amount of a camt transaction is omitted', async () => {
  const details =
    '<AmtDtls><InstdAmt><Amt Ccy="QQQ">12</Amt></InstdAmt><CntrValAmt><Amt Ccy="CHF">90.00</Amt></CntrValAmt></AmtDtls>'
  expect(await readTransaction('<RltdPties>', `${details}<RltdPties>`)).toMatchObject({
    amount: 10_000n,
    instructed: { amount: 9_000n, currency: 'CHF' },
  })
})

test.each([
  [
    'the format of versions .04 and later',
    '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">1.50</TtlChrgsAndTaxAmt><Rcrd><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd><Rcrd><Amt Ccy="EUR">0.50</Amt></Rcrd></Chrgs>',
    { amount: -150n, currency: 'EUR', isIncluded: true },
  ],
  [
    'the format of version .02',
    '<Chrgs><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd></Chrgs><Chrgs><Amt Ccy="EUR">0.25</Amt><CdtDbtInd>CRDT</CdtDbtInd></Chrgs>',
    { amount: -75n, currency: 'EUR', isIncluded: null },
  ],
  [
    'two currencies',
    '<Chrgs><Rcrd><Amt Ccy="EUR">1.00</Amt></Rcrd><Rcrd><Amt Ccy="USD">1.00</Amt></Rcrd></Chrgs>',
    null,
  ],
  ['an unknown currency', '<Chrgs><Rcrd><Amt Ccy="QQQ">1.00</Amt></Rcrd></Chrgs>', null],
])('camt charges with %s are added up with their direction', async (_, charges, expected) => {
  expect(await readTransaction('<RltdPties>', `${charges}<RltdPties>`)).toMatchObject({ charges: expected })
  const [, entry] = await read(camtFile({ entries: [ENTRY] }).replace('<NtryDtls>', `${charges}<NtryDtls>`))
  expect(entry).toMatchObject({ entry: { charges: expected } })
})

test('every camt text that may contain a reference is listed in full, the most reliable first', async () => {
  const long = 'x'.repeat(300)
  const remittance = `<RmtInf><Ustrd>${long}</Ustrd><Ustrd>CS0A1B2C</Ustrd><Ustrd>3D4E5F</Ustrd><Strd><RfrdDocInf><Nb>DOC-1</Nb></RfrdDocInf><RfrdDocInf><Nb>DOC-2</Nb></RfrdDocInf><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf><AddtlRmtInf>more 1</AddtlRmtInf><AddtlRmtInf>more 2</AddtlRmtInf></Strd><Strd><CdtrRefInf><Ref>RF19</Ref></CdtrRefInf></Strd></RmtInf><AddtlTxInf>added</AddtlTxInf>`
  const found = await readTransaction(/<RmtInf>.*?<\/RmtInf>/, remittance)
  expect(found.references).toEqual([
    { where: 'EndToEndId', text: 'E2E-1' },
    { where: 'InstrId', text: 'INSTR-1' },
    { where: 'Strd/CdtrRefInf/Ref', text: 'RF18' },
    { where: 'Strd/CdtrRefInf/Ref', text: 'RF19' },
    { where: 'Strd/AddtlRmtInf', text: 'more 1' },
    { where: 'Strd/AddtlRmtInf', text: 'more 2' },
    { where: 'Strd/RfrdDocInf/Nb', text: 'DOC-1' },
    { where: 'Strd/RfrdDocInf/Nb', text: 'DOC-2' },
    { where: 'Ustrd', text: long },
    { where: 'Ustrd', text: 'CS0A1B2C' },
    { where: 'Ustrd', text: '3D4E5F' },
    { where: 'Ustrd', text: `${long} CS0A1B2C 3D4E5F` },
    { where: 'Ustrd', text: `${long}CS0A1B2C3D4E5F` },
    { where: 'AddtlTxInf', text: 'added' },
    // The text follows the transaction, which is the only one of its entry.
    { where: 'AddtlNtryInf', text: 'SEPA' },
  ])
  expect(found.remittanceInformation).toBe(`${long} CS0A1B2C 3D4E5F RF18 RF19`)
})

test('the text of a camt entry with several transactions belongs to none of them', async () => {
  const entry = { ...ENTRY, transactions: [{ amount: '60.00' }, { amount: '40.00' }] }
  const records = await read(camtFile({ entries: [entry] }))
  expect(records.map(({ type }) => type)).toEqual(['transaction', 'transaction', 'entry', 'statement'])
  expect(
    JSON.stringify(records.slice(0, 2), (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  ).not.toContain('AddtlNtryInf')
  expect(records[2]).toMatchObject({ entry: { references: [{ where: 'AddtlNtryInf', text: 'SEPA' }] } })
})

test('a camt transaction has its mandate, clearing reference and own codes', async () => {
  const refs = '<EndToEndId>E2E-1</EndToEndId><MndtId>M-1</MndtId><ClrSysRef>C-1</ClrSysRef>'
  const codes =
    '</Refs><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn><Prtry><Cd>NTRF+166+9310+000</Cd><Issr>DK</Issr></Prtry></BkTxCd>'
  const found = await readTransaction('<EndToEndId>E2E-1</EndToEndId></Refs>', `${refs}${codes}`)
  expect(found).toMatchObject({
    mandateId: 'M-1',
    clearingReference: 'C-1',
    transactionCode: 'PMNT-RCDT-ESCT',
    proprietaryCode: { code: 'NTRF+166+9310+000', issuer: 'DK' },
    gvc: '166',
    isReturn: false,
  })
})

test.each([
  ['NMSC+201+9310+000', undefined, '201'],
  ['NMSC+201', 'ZKA', '201'],
  ['166', 'ZKA', '166'],
  ['544', undefined, null],
  ['N544NONREF', undefined, null],
])('the German business transaction code of %s by issuer %s is %s', async (code, issuer, gvc) => {
  const own = `<BkTxCd><Prtry><Cd>${code}</Cd>${issuer ? `<Issr>${issuer}</Issr>` : ''}</Prtry></BkTxCd>`
  expect((await readTransaction(/<BkTxCd>.*?<\/BkTxCd>/, own)).entry).toMatchObject({
    gvc,
    transactionCode: code,
  })
})

test.each([
  '<Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn>',
  '<Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn>',
  '<Domn><Cd>PMNT</Cd><Fmly><Cd>RDDT</Cd><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn>',
  '<Prtry><Cd>NRTI+159+9310+901</Cd></Prtry>',
  '<Prtry><Cd>NRTI+109</Cd><Issr>ZKA</Issr></Prtry>',
])('the camt entry code %s indicates a returned payment without a reason', async (code) => {
  expect(await readTransaction(/<BkTxCd>.*?<\/BkTxCd>/, `<BkTxCd>${code}</BkTxCd>`)).toMatchObject({
    isReturn: true,
    returnReason: null,
    entry: { isReturn: true },
  })
})

test('a camt return reason indicates a returned payment, whatever the code is', async () => {
  const entry = { ...ENTRY, transactions: [{ amount: '100.00', returnReason: 'AC04' }] }
  const [first] = await read(camtFile({ entries: [entry] }))
  expect(first).toMatchObject({
    transaction: { isReturn: true, returnReason: { code: 'AC04' } },
    entry: { isReturn: false },
  })
})

test('a camt batch entry has the number of its payments', async () => {
  const batch = '<NtryDtls><Btch><PmtInfId>CS-7</PmtInfId><NbOfTxs>50</NbOfTxs></Btch>'
  const found = await readTransaction('<NtryDtls>', batch)
  expect(found.entry).toMatchObject({ batch: { paymentInformationId: 'CS-7' }, batchSize: 50 })
})

test('a camt statement header has its page, period, creation time and copy indicator', async () => {
  const xml = camtFile({ entries: [] })
    .replace(
      '<ElctrncSeqNb>61</ElctrncSeqNb>',
      '<StmtPgntn><PgNb>2</PgNb><LastPgInd>true</LastPgInd></StmtPgntn><ElctrncSeqNb>61</ElctrncSeqNb>',
    )
    .replace(
      '<Acct>',
      '<FrToDt><FrDtTm>2026-03-02T00:00:00</FrDtTm><ToDtTm>2026-03-02T23:59:59</ToDtTm></FrToDt><CpyDplctInd>DUPL</CpyDplctInd><Acct>',
    )
  expect((await read(xml))[0]).toMatchObject({
    statement: {
      page: { number: 2, isLast: true },
      period: { from: '2026-03-02T00:00:00', to: '2026-03-02T23:59:59' },
      createdAt: '2026-03-03T05:00:00+01:00',
      copyDuplicate: 'DUPL',
    },
  })
  const paged = camtFile({ entries: [] }).replace(
    '</CreDtTm></GrpHdr>',
    '</CreDtTm><MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn></GrpHdr>',
  )
  expect((await read(paged))[0]).toMatchObject({
    statement: { page: { number: 1, isLast: false }, period: null, copyDuplicate: null },
  })
})

test('an intraday camt report has the kind REPORT', async () => {
  const xml = camtFile({ entries: [ENTRY] })
    .replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt')
    .replaceAll(/<(\/?)Stmt>/g, '<$1Rpt>')
    .replace('camt.053', 'camt.052')
  expect((await read(xml)).map(({ statement }) => statement?.kind)).toEqual(['REPORT', 'REPORT', 'REPORT'])
})
