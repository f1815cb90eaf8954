import { readFileSync } from 'node:fs'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import {
  getVectorPath,
  openVector,
  vectorNames,
  vectorsAbsent,
} from '../../../base/crypto/vectors.testing.ts'
import { getIso4217Decimals } from '../../../base/formats/iso-4217.ts'
import type { BankRecord } from './camt.ts'
import { type IsoRecord, readIsoMessages } from './iso-messages.ts'
import { readTwice } from './read-twice.ts'
import { all } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** The number of statements, entries and transactions of each file, or its error. */
const EXPECTED: Readonly<Record<string, readonly [number, number, number] | RegExp>> = {
  'camt/genkgo/camt052.v1.xml': /camt.052.001.01/,
  'camt/genkgo/camt052.v2.other-account.xml': [1, 1, 1],
  'camt/genkgo/camt052.v2.with-account-name.xml': [1, 1, 1],
  'camt/genkgo/camt052.v2.xml': [1, 1, 1],
  'camt/genkgo/camt052.v4.xml': [1, 1, 1],
  'camt/genkgo/camt052.v6.Amt-zero.xml': [1, 1, 1],
  'camt/genkgo/camt052.v6.xml': [1, 1, 1],
  'camt/genkgo/camt052.v8.xml': [1, 1, 0],
  'camt/genkgo/camt053.v2.all-balance-types.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.five.decimals.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.minimal.ultimate.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.minimal.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.multi.statement.xml': [2, 2, 2],
  'camt/genkgo/camt053.v2.with-account-name.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.with-party-ids.xml': [1, 1, 1],
  'camt/genkgo/camt053.v2.wrong.xml': /no statement, no report and no advice/,
  'camt/genkgo/camt053.v3.xml': [1, 1, 1],
  'camt/genkgo/camt053.v4.xml': [1, 1, 1],
  'camt/genkgo/camt053.v8.xml': [1, 1, 1],
  'camt/genkgo/camt054.v2.with-account-name.xml': [1, 1, 1],
  'camt/genkgo/camt054.v2.xml': [1, 1, 3],
  'camt/genkgo/camt054.v4.xml': [1, 1, 3],
  'camt/genkgo/camt054.v8-with-UETR.xml': [1, 1, 1],
  'camt/genkgo/camt054.v8-with-financial-institution.xml': [1, 1, 1],
  'camt/genkgo/camt054.v8.xml': [1, 1, 3],
  'camt/genkgo/camt53.only-Dt-with-DtTm.xml': [1, 0, 0],
  'camt/viafintech/052-valid_example.xml': [1, 2, 2],
  'camt/viafintech/052-valid_example_with_dates.xml': [1, 1, 1],
  'camt/viafintech/053-valid_example.xml': [1, 4, 5],
  'camt/viafintech/053-valid_example_v4.xml': [1, 13, 32],
  'camt/viafintech/053-valid_example_v8.xml': [1, 3, 3],
  'camt/viafintech/053-valid_example_with_batch.xml': [1, 3, 2],
  'camt/viafintech/053-valid_example_with_datetime.xml': [1, 1, 0],
  'camt/viafintech/053-valid_example_with_debit.xml': [1, 4, 5],
  'camt/viafintech/053-valid_example_with_instdamt.xml': [1, 1, 1],
  'camt/viafintech/053-valid_example_with_other_id.xml': [1, 0, 0],
  'bank-made/camt053-debit-with-charge.xml': [1, 1, 1],
  'bank-made/camt053-fee-bank-code.xml': [1, 1, 0],
  'bank-made/camt053-interest-bare.xml': [1, 1, 0],
  'bank-made/camt053-interest-with-details.xml': [1, 1, 1],
  'bank-made/camt053-own-debit-eref-in-text.xml': [1, 1, 1],
  'bank-made/camt053-reference-in-addtltxinf.xml': [1, 1, 1],
  'bank-made/camt053-single-on-advices-rail.xml': [1, 1, 1],
  'bank-made/camt053-strd-addtlrmtinf.xml': [1, 1, 1],
  'bank-made/camt053-two-pages-one-id.xml': [2, 2, 2],
  'bank-made/camt053-ustrd-3-lines.xml': [1, 1, 1],
}

/** Files with invented balances, which do not match their entries. */
const CONTRADICTORY: readonly string[] = [
  'camt/genkgo/camt053.v2.all-balance-types.xml',
  'camt/genkgo/camt053.v2.five.decimals.xml',
  'camt/viafintech/053-valid_example_with_batch.xml',
  'camt/viafintech/053-valid_example_with_debit.xml',
  'camt/viafintech/053-valid_example_with_instdamt.xml',
]

const read = (name: string) => all(readTwice(() => openVector(name), readIsoMessages))
const selectBankRecords = (records: readonly IsoRecord[]): readonly BankRecord[] =>
  records.flatMap((one) => (one.of === 'ACCOUNT' ? [one.record] : []))

describe.skipIf(vectorsAbsent)('camt files of banks', () => {
  test('every camt.052, camt.053 and camt.054 test file is in the table', () => {
    const names = vectorNames(['camt/genkgo', 'camt/viafintech', 'bank-made'], '.xml')
    expect(names.filter((name) => !name.includes('pain002')).toSorted()).toEqual(
      Object.keys(EXPECTED).toSorted(),
    )
  })

  test.each(Object.entries(EXPECTED))(
    '%s is read with the same sums as by an independent parser',
    async (name, expected) => {
      if (expected instanceof RegExp) {
        await expect(read(name)).rejects.toThrow(UnreadableFile)
        await expect(read(name)).rejects.toThrow(expected)
        return
      }
      const records = selectBankRecords(await read(name))
      const count = (type: BankRecord['type']) => records.filter((record) => record.type === type).length
      expect([count('statement'), count('entry'), count('transaction')]).toEqual(expected)
      expect(count('unread')).toBe(0)
      const contradictions = records.flatMap((one) =>
        one.type === 'statement' && one.contradiction !== null ? [one.contradiction] : [],
      )
      expect(contradictions).toEqual(
        CONTRADICTORY.includes(name) ? [expect.stringMatching(/do not add up to the closing balance/)] : [],
      )
      expect(sumBooked(records)).toEqual(sumWithParser(name))
    },
  )
})

/** Adds up the booked entries by currency. */
function sumBooked(records: readonly BankRecord[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  for (const record of records)
    if (record.type === 'entry' && record.entry.status === 'BOOK')
      sums[record.entry.currency] = (sums[record.entry.currency] ?? 0n) + record.entry.amount
  return sums
}

interface ParsedEntry {
  readonly Amt: { readonly '#text': string; readonly '@_Ccy': string }
  readonly CdtDbtInd: string
  readonly Sts: string | { readonly Cd: string }
}

/** Adds up the booked entries with an independent parser and floating-point numbers. */
function sumWithParser(name: string): Record<string, bigint> {
  const options = { removeNSPrefix: true, ignoreAttributes: false, parseTagValue: false, isArray }
  const parsed = new XMLParser(options).parse(readFileSync(getVectorPath(name), 'utf8'))
  const sums: Record<string, bigint> = {}
  for (const { Amt, CdtDbtInd, Sts } of findEntries(parsed)) {
    if ((typeof Sts === 'string' ? Sts : Sts.Cd) !== 'BOOK') continue
    const units = Math.round(Number(Amt['#text']) * 10 ** (getIso4217Decimals(Amt['@_Ccy']) ?? 0))
    sums[Amt['@_Ccy']] = (sums[Amt['@_Ccy']] ?? 0n) + BigInt(CdtDbtInd === 'CRDT' ? units : -units)
  }
  return sums
}

function isArray(name: string): boolean {
  return name === 'Ntry'
}

function findEntries(node: unknown): readonly ParsedEntry[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, child]) => (name === 'Ntry' ? child : findEntries(child)))
}

describe.skipIf(vectorsAbsent)('camt files for single cases', () => {
  const readTransaction = async (name: string) => {
    const record = selectBankRecords(await read(`bank-made/${name}`)).find(
      ({ type }) => type === 'transaction',
    )
    return record?.type === 'transaction' ? record : undefined
  }

  test('two pages of a camt statement have their page numbers', async () => {
    const records = selectBankRecords(await read('bank-made/camt053-two-pages-one-id.xml'))
    const pages = records.flatMap((record) => (record.type === 'statement' ? [record] : []))
    expect(pages.map(({ statement, booked }) => [statement.id, statement.page, booked])).toEqual([
      ['TWOPAGES', { number: 1, isLast: false }, 1_101n],
      ['TWOPAGES', { number: 2, isLast: true }, 1_102n],
    ])
  })

  test.each([
    ['camt053-ustrd-3-lines.xml', 'Ustrd', 'ref CS67A5BB06F4'],
    ['camt053-strd-addtlrmtinf.xml', 'Strd/AddtlRmtInf', 'Payment CS67A5BB06F4'],
    ['camt053-reference-in-addtltxinf.xml', 'AddtlTxInf', 'CS67A5BB06F4'],
  ])('%s: the reference is found in %s', async (name, where, text) => {
    const { references = [] } = (await readTransaction(name))?.transaction ?? {}
    expect(references.filter((one) => one.where === where).map((one) => one.text)).toContainEqual(
      expect.stringContaining(text),
    )
  })

  test('a camt debit with a charge has the booked amount, the instructed amount and the charge', async () => {
    const found = await readTransaction('camt053-debit-with-charge.xml')
    expect(found).toMatchObject({
      transaction: {
        amount: -279n,
        instructed: { amount: 229n, currency: 'EUR' },
        charges: { amount: -50n, currency: 'EUR' },
      },
    })
  })

  test('a camt fee has the bank’s own code and its German business transaction code', async () => {
    const records = selectBankRecords(await read('bank-made/camt053-fee-bank-code.xml'))
    expect(records[0]).toMatchObject({
      entry: {
        proprietaryCode: { code: 'NCHG+808+9310+808', issuer: null },
        gvc: '808',
        references: [{ where: 'AddtlNtryInf', text: 'Entgeltabschluss' }],
      },
    })
  })

  test('our ids in the text of a camt debit are among its references', async () => {
    const found = await readTransaction('camt053-own-debit-eref-in-text.xml')
    expect(JSON.stringify(found?.transaction.references)).toContain('EREF')
  })

  test.each(['pain002-001-11.xml', 'pain002-PATC.xml'])('%s yields each status', async (name) => {
    const status = name.includes('PATC') ? 'PATC' : 'RJCT'
    expect(await read(`bank-made/${name}`)).toMatchObject([
      { of: 'PAIN_002', record: { level: 'FILE', originalMessageId: 'HOUSE-00000001', status: null } },
      { of: 'PAIN_002', record: { level: 'PAYMENT', status, currency: 'EUR' } },
      { of: 'PAIN_002', record: { level: 'BATCH', originalPaymentInformationId: 'HOUSE-00000001' } },
    ])
  })
})
