import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  getVectorPath,
  openVector,
  vectorNames,
  vectorsAbsent,
} from '../../../base/crypto/vectors.testing.ts'
import { type AchRecord, readAch } from './ach-reader.ts'
import { isCredit } from './ach-records.ts'
import { readTwice } from './read-twice.ts'
import { all } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

/**
 * The records of each file, or its error. Refused files are fragments or have wrong control records on
 * purpose.
 */
const EXPECTED: Readonly<Record<string, string | RegExp>> = {
  'ach/moov/044f121c5da6ff398d22b6ca8679239a13270594.ach': '2 entry',
  'ach/moov/1.ach': /does not begin with a header/,
  'ach/moov/20110805A.ach': '43 entry, 6 unread',
  'ach/moov/20180716-IAT-A17-A18.ach': '2 unread',
  'ach/moov/3.ach': /does not begin with a header/,
  'ach/moov/44a858e07e89fb0b24bcfdda733070f38ef1e889.ach': '2 entry',
  'ach/moov/5.ach': /does not begin with a header/,
  'ach/moov/9bb2e883c8cfa2bfc73f433fcac11a7e90f8d6e5.ach': '2 entry',
  'ach/moov/FISERV-ZEROFILE-PIMRET825324_032720_110221.ach': '',
  'ach/moov/NACHA_SAMPLE_TEL_REVERSAL.ach': '2 entry',
  'ach/moov/ack-read.ach': '2 entry',
  'ach/moov/adv-invalidFileControl.ach': '3 unread',
  'ach/moov/adv-read.ach': '2 unread',
  'ach/moov/adv.ach': '2 unread',
  'ach/moov/arc-debit.ach': '1 entry',
  'ach/moov/atx-read.ach': '2 entry',
  'ach/moov/bfd6b648c4b4e2d1581a0767740233f2c67cebea.ach': '2 entry',
  'ach/moov/boc-debit.ach': '1 entry',
  'ach/moov/ccd-debit.ach': '2 entry',
  'ach/moov/cie-credit.ach': '1 entry',
  'ach/moov/cor-example.ach': '1 change',
  'ach/moov/cor-read.ach': '1 change',
  'ach/moov/dishonored-return.ach': '2 return',
  'ach/moov/dne-read.ach': '1 entry',
  'ach/moov/enr-read.ach': '1 entry',
  'ach/moov/flattenADVBatchesMultipleBatchHeaders.ach': /states 600000 as its sum of credits/,
  'ach/moov/flattenBatchesMultipleBatchHeaders.ach': '12 entry',
  'ach/moov/flattenBatchesTraceNumberCollision.ach': '15 entry',
  'ach/moov/flattenIATBatchesOneBatchHeader.ach': '12 unread',
  'ach/moov/iat-addenda98.ach': '1 unread',
  'ach/moov/iat-batchHeaderErr.ach': /inside another/,
  'ach/moov/iat-credit.ach': '1 unread',
  'ach/moov/iat-invalidAddenda10.ach': '2 unread',
  'ach/moov/iat-invalidAddenda12.ach': '1 unread',
  'ach/moov/iat-invalidAddenda15.ach': '1 unread',
  'ach/moov/iat-invalidAddenda17.ach': '1 unread',
  'ach/moov/iat-invalidAddenda98.ach': '1 unread',
  'ach/moov/iat-invalidAddendaRecordIndicator.ach': '1 unread',
  'ach/moov/iat-invalidBatchHeader.ach': '2 unread',
  'ach/moov/iat-mixedDebitCredit.ach': '2 unread',
  'ach/moov/issue1620.ach': '1 entry, 1 unread',
  'ach/moov/issue702-1.ach': '',
  'ach/moov/issue751.ach': /does not begin with a header/,
  'ach/moov/loan-credit.ach': '1 entry',
  'ach/moov/moov-ids.ach': /states 9999999999 as its entry hash/,
  'ach/moov/mte-read.ach': '1 entry',
  'ach/moov/nonascii.ach': '1 entry, 1 unread',
  'ach/moov/pop-debit.ach': '1 entry',
  'ach/moov/pos-debit.ach': '1 entry',
  'ach/moov/pos-invalidReturnFile.ach': '1 return',
  'ach/moov/ppd-credit.ach': '1 entry',
  'ach/moov/ppd-debit-fixedLength.ach': '1 entry',
  'ach/moov/ppd-debit-invalid-entryDetail-checkDigit.ach': '1 entry',
  'ach/moov/ppd-debit.ach': '1 entry',
  'ach/moov/ppd-mixedDebitCredit-invalid.ach': '2 entry',
  'ach/moov/rck-debit.ach': '1 entry',
  'ach/moov/rck.ach': '1 entry',
  'ach/moov/return-WEB.ach': '2 return',
  'ach/moov/return-no-batch-header.ach': /does not begin with a header/,
  'ach/moov/same-day-ach-ppd-credit.ach': '1 entry',
  'ach/moov/segmentFile-ppd-debit.ach': '1 entry',
  'ach/moov/short-line.ach': '1 entry',
  'ach/moov/skip-validation.ach': '6 entry',
  'ach/moov/tel-debit.ach': '1 entry',
  'ach/moov/trx-debit.ach': '1 entry',
  'ach/moov/txp-credit.ach': '1 entry',
  'ach/moov/web-debit.ach': '6 entry',
  'ach/moov/xck-debit.ach': '1 entry',
  'bank-made/credit-to-another-account.ach': '1 entry',
  'bank-made/ctx-reference-as-id.ach': '1 entry',
  'bank-made/iat-credit.ach': '1 unread',
  'bank-made/return-without-id.ach': '1 return',
}

const read = (name: string) => all(readTwice(() => openVector(name), readAch))

describe.skipIf(vectorsAbsent)('NACHA files', () => {
  test('every NACHA test file is in the table', () => {
    const names = vectorNames(['ach/moov', 'bank-made'], '.ach')
    expect(names.toSorted()).toEqual(Object.keys(EXPECTED).toSorted())
  })

  test.each(Object.entries(EXPECTED))(
    '%s is read with the totals of its control record',
    async (name, expected) => {
      if (expected instanceof RegExp) {
        await expect(read(name)).rejects.toThrow(UnreadableFile)
        await expect(read(name)).rejects.toThrow(expected)
        return
      }
      const records = await read(name)
      expect(records[0]?.type).toBe('head')
      const counts = (['entry', 'return', 'change', 'unread'] as const).flatMap((type) => {
        const count = records.filter((record) => record.type === type).length
        return count === 0 ? [] : [`${count} ${type}`]
      })
      expect(counts.join(', ')).toBe(expected)
      expect(sumRecords(records)).toEqual(readControl(name))
    },
  )
})

/** Debits and credits of readable and unreadable records. */
function sumRecords(records: readonly AchRecord[]): readonly [bigint, bigint] {
  let [debits, credits] = [0n, 0n]
  for (const record of records) {
    if (record.type === 'head') continue
    const signed = record.type === 'unread' ? (record.amount ?? 0n) : toSigned(record)
    if (signed < 0n) debits -= signed
    else credits += signed
  }
  return [debits, credits]
}

function toSigned({ entry }: Exclude<AchRecord, { type: 'head' | 'unread' }>): bigint {
  return isCredit(entry.transactionCode) ? entry.amount : -entry.amount
}

/** Reads the sums from the columns of the last control record. */
function readControl(name: string): readonly [bigint, bigint] {
  const text = readFileSync(getVectorPath(name), 'latin1')
  const lines = text.trim().includes('\n') ? text.split(/\r?\n/) : (text.match(/.{94}/g) ?? [])
  const control = lines.findLast((line) => /^9(?!9{20})/.test(line)) ?? ''
  const width = /^5.{49}ADV/m.test(text) ? 20 : 12
  return [BigInt(control.slice(31, 31 + width)), BigInt(control.slice(31 + width, 31 + 2 * width))]
}

describe.skipIf(vectorsAbsent)('NACHA files for single cases', () => {
  test('a CTX entry yields its identification number and all of its addenda', async () => {
    const [, record] = await read('bank-made/ctx-reference-as-id.ach')
    expect(record).toMatchObject({
      type: 'entry',
      entry: {
        individualId: 'CSD59D3725E6',
        account: '0004477',
        name: 'ACME INC',
        amount: 1_108n,
        entryClass: 'CTX',
      },
    })
    if (record?.type !== 'entry') throw new Error('The record is not an entry.')
    expect(record.references[0]).toEqual({ where: 'individualId', text: 'CSD59D3725E6' })
    // Twelve addenda, and all of them joined in two ways.
    expect(record.references).toHaveLength(1 + 12 + 2)
    expect(record.text).toContain('INV00000011')
  })

  test('an ACH credit to another account names that account and the receiving bank', async () => {
    expect((await read('bank-made/credit-to-another-account.ach'))[1]).toMatchObject({
      type: 'entry',
      entry: {
        account: '99998888',
        receivingBank: '231380104',
        destination: '231380104',
        originatingBank: '12104288',
      },
    })
  })

  test('an international ACH entry waits for manual review with its amount and addenda', async () => {
    expect((await read('bank-made/iat-credit.ach'))[1]).toMatchObject({
      type: 'unread',
      amount: 1_301n,
      currency: 'USD',
      raw: expect.stringContaining('PAYER OF CANADA'),
    })
  })

  test('an ACH return without an id has a trace number, reason and amount', async () => {
    expect((await read('bank-made/return-without-id.ach'))[1]).toMatchObject({
      type: 'return',
      kind: 'RETURN',
      reason: 'R03',
      originalTrace: '231380100000002',
      entry: { amount: 372n, individualId: '' },
    })
  })

  test('a dishonored ACH return identifies the original return', async () => {
    expect((await read('ach/moov/dishonored-return.ach'))[1]).toMatchObject({
      type: 'return',
      kind: 'DISHONORED',
      reason: 'R68',
      originalTrace: '059999990000301',
      returnTrace: '123918710000001',
      returnReason: 'R01',
      information: 'Untimely Return',
    })
  })
})
