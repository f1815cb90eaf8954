import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAch } from './ach-reader.ts'
import { isCredit } from './ach-records.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { readIsoMessages } from './iso-messages.ts'
import { readTwice } from './read-twice.ts'
import {
  all,
  BATCH,
  balance,
  bytesOf,
  camtEntry,
  camtFile,
  PAYMENT,
  readAll,
  type SampleEntry,
  write,
} from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

/** Malformed entries. With `isWhole`, the entry waits; otherwise only a part waits, and the entry is read. */
const ODD_ENTRIES: readonly { readonly isWhole: boolean; readonly change: (entry: string) => string }[] = [
  { isWhole: true, change: (entry) => entry.replace('<Dt>2026-03-02', '<Dt>2026-13-02') },
  { isWhole: true, change: (entry) => entry.replace(/<Sts>.*?<\/Sts>/, '') },
  { isWhole: true, change: (entry) => entry.replace('Ccy="EUR"', 'Ccy="ZZZ"') },
  { isWhole: true, change: (entry) => entry.replace(/<Amt.*?<\/Amt>/, '') },
  { isWhole: true, change: (entry) => entry.replace(/<CdtDbtInd>.*?<\/CdtDbtInd>/, '') },
  { isWhole: true, change: (entry) => entry.replace(/<Amt Ccy="EUR">/, '<Amt Ccy="EUR">1e') },
  { isWhole: false, change: (entry) => entry.replace(/(<TxDtls>.*?)Ccy="EUR"/, '$1Ccy="ZZZ"') },
  { isWhole: false, change: (entry) => entry.replace(/(<TxDtls>.*?<Amt Ccy="EUR">)/, '$1-') },
  {
    isWhole: false,
    change: (entry) => entry.replace('<TxDtls>', '<x:Odd xmlns:x="urn:x"><x:y/></x:Odd><TxDtls>'),
  },
]

interface OddCase {
  readonly entry: SampleEntry
  readonly odd: number | undefined
}

function arbitraryCases(): fc.Arbitrary<OddCase[]> {
  const amount = fc.bigInt(1n, 10n ** 12n)
  const entry = fc
    .record({ amounts: fc.array(amount, { minLength: 1, maxLength: 4 }), isCredit: fc.boolean() })
    .map(({ amounts, isCredit }): SampleEntry => {
      const direction = isCredit ? 'CRDT' : 'DBIT'
      const transactions = amounts.map((one) => ({
        amount: formatDecimalAmount(one, 'EUR'),
        text: `for ${one}`,
      }))
      return {
        amount: formatDecimalAmount(
          amounts.reduce((a, b) => a + b),
          'EUR',
        ),
        direction,
        transactions,
      }
    })
  const odd = fc.option(fc.nat(ODD_ENTRIES.length - 1), { nil: undefined, freq: 2 })
  return fc.array(fc.record({ entry, odd }), { maxLength: 12 })
}

const units = ({ amount, direction }: SampleEntry) =>
  BigInt(amount.replace('.', '')) * (direction === 'CRDT' ? 1n : -1n)

test('every entry of a camt statement with malformed entries is either read or waits for manual review', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCases(), fc.integer({ min: 1, max: 500 }), async (cases, pieceBytes) => {
      const total = cases.reduce((sum, { entry }) => sum + units(entry), 0n)
      const entries = cases.map(({ entry, odd }) => {
        const xml = camtEntry(entry, '08')
        return odd === undefined ? xml : (ODD_ENTRIES[odd]?.change(xml) ?? xml)
      })
      const closing =
        total < 0n ? `-${formatDecimalAmount(-total, 'EUR')}` : formatDecimalAmount(total, 'EUR')
      const head = `${balance('OPBD', '0.00')}${balance('CLBD', closing)}`
      const xml = camtFile({ entries: [] }).replace('</Acct>', `</Acct>${head}${entries.join('')}`)
      const records = await all(readTwice(() => bytesOf(xml, pieceBytes), readIsoMessages))
      const found = records.flatMap((one) => (one.of === 'ACCOUNT' ? [one.record] : []))
      const waits = (index: number) => ODD_ENTRIES[cases[index]?.odd ?? -1]?.isWhole === true
      const read = found.flatMap((record) => (record.type === 'entry' ? [record.entry] : []))
      expect(read.map(({ place, amount }) => [place, amount])).toEqual(
        cases.flatMap(({ entry }, index) => (waits(index) ? [] : [[index, units(entry)]])),
      )
      const waiting = new Set(
        found.flatMap((one) => (one.type === 'unread' && one.entry !== null ? [one.entry] : [])),
      )
      expect(cases.flatMap((_, index) => (waits(index) && !waiting.has(index) ? [index] : []))).toEqual([])
      const last = found.at(-1)
      expect(last).toMatchObject({ type: 'statement', entries: cases.length, contradiction: null })
      expect(last?.type === 'statement' && last.unread).toBe(
        cases.filter(({ odd }) => odd !== undefined).length,
      )
      for (const record of found)
        if (record.type === 'entry' && record.unread === 0)
          expect(record.transactionsTotal).toBe(record.entry.amount)
    }),
    { numRuns: 150 },
  )
})

/** Malformed lines of an entry. `hasAmount`: the amount is still known. */
const ODD_LINES: readonly { readonly hasAmount: boolean; readonly change: (line: string) => string }[] = [
  { hasAmount: false, change: (line) => `${line.slice(0, 29)}00000x0000${line.slice(39)}` },
  { hasAmount: false, change: (line) => `62O${line.slice(3)}`.replace('62O', '6x2') },
  { hasAmount: false, change: (line) => `${line.slice(0, 3)}ABCDEFGH${line.slice(11)}` },
  { hasAmount: false, change: (line) => `X${line.slice(1)}` },
  { hasAmount: true, change: (line) => `621${line.slice(3)}` },
]

const { remittanceInformation: _, ...WITHOUT_TEXT } = PAYMENT

test('every entry of a NACHA file with malformed lines is either read or waits for manual review', async () => {
  const payment = fc.record({
    amount: fc.bigInt(1n, 9_999_999n),
    odd: fc.option(fc.nat(ODD_LINES.length - 1)),
  })
  const batch = fc.record({
    payments: fc.array(payment, { minLength: 1, maxLength: 6 }),
    isForeign: fc.boolean(),
  })
  const layout = fc.constantFrom('\n', '\r\n', '')
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { maxLength: 4 }),
      layout,
      fc.boolean(),
      async (cases, ending, isTrimmed) => {
        let trace = 0
        const file = await write(
          cases.map(({ payments }) => ({
            ...BATCH,
            payments: payments.map(({ amount }) => ({
              ...WITHOUT_TEXT,
              traceSequence: ++trace,
              amount,
            })),
          })),
        )
        const samples = cases.flatMap(({ payments, isForeign }) =>
          payments.map((one) => ({ ...one, isForeign })),
        )
        let [entry, batches] = [0, 0]
        const lines = file
          .trimEnd()
          .split('\n')
          .map((line) => {
            if (line.startsWith('5')) return cases[batches++]?.isForeign ? line.replace('PPD', 'IAT') : line
            if (!line.startsWith('6')) return line
            return ODD_LINES[samples[entry++]?.odd ?? -1]?.change(line) ?? line
          })
        const text = lines.map((line) => (isTrimmed && ending !== '' ? line.trimEnd() : line)).join(ending)
        const records = (await readAll(text)).slice(1)
        expect(records).toHaveLength(samples.length)
        for (const [index, { amount, odd, isForeign }] of samples.entries()) {
          const record = records[index]
          const oddLine = odd === null ? undefined : ODD_LINES[odd]
          if (!oddLine && !isForeign) expect(record).toMatchObject({ type: 'entry', entry: { amount } })
          else
            expect(record).toMatchObject({
              type: 'unread',
              amount: oddLine?.hasAmount === false ? null : amount,
            })
        }
      },
    ),
    { numRuns: 150 },
  )
})

const PAIN_002 = `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><OrgnlGrpInfAndSts><OrgnlMsgId>CS-7</OrgnlMsgId><GrpSts>PART</GrpSts></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts><OrgnlPmtInfId>CS-7</OrgnlPmtInfId><TxInfAndSts><OrgnlEndToEndId>CS01</OrgnlEndToEndId><TxSts>RJCT</TxSts><StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf><OrgnlTxRef><Amt><InstdAmt Ccy="EUR">12.50</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`

const SAMPLES = async (): Promise<readonly (readonly [string, string])[]> => [
  [
    'camt',
    camtFile({
      balances: ['0.00', '12.50'],
      entries: [
        { amount: '12.50', direction: 'CRDT', transactions: [{ amount: '12.50', debtor: 'Zoë', text: 'x' }] },
      ],
    }),
  ],
  ['ACH', await write([BATCH, { ...BATCH, entryClass: 'CCD' }])],
  ['pain', PAIN_002],
]

test('a corrupted bank file is either refused or read identically each time', async () => {
  const samples = await SAMPLES()
  const change = fc.record({
    at: fc.nat(20_000),
    byte: fc.nat(255),
    kind: fc.constantFrom('set', 'insert', 'remove', 'cut', 'copy'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async ([format, text], changes) => {
        let bytes = Buffer.from(text)
        for (const { at, byte, kind } of changes) {
          const place = at % (bytes.length + 1)
          const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
          if (kind === 'set') bytes = Buffer.concat([before, Buffer.of(byte), after.subarray(1)])
          if (kind === 'insert') bytes = Buffer.concat([before, Buffer.of(byte), after])
          if (kind === 'remove') bytes = Buffer.concat([before, after.subarray(1 + (byte % 100))])
          if (kind === 'cut' && byte > 200) bytes = before
          if (kind === 'copy') bytes = Buffer.concat([before, after.subarray(0, byte), after])
        }
        const outcome = (pieceBytes: number) => readOutcome(format, bytes, pieceBytes)
        expect(await outcome(17)).toEqual(await outcome(100_000))
      },
    ),
    { numRuns: 300 },
  )
})

/** Reads the records, or `refused`. Other errors are rethrown. */
async function readOutcome(format: string, bytes: Buffer, pieceBytes: number): Promise<unknown> {
  try {
    const open = () => bytesOf(bytes, pieceBytes)
    return format === 'ACH'
      ? await all(readTwice(open, readAch))
      : await all(readTwice(open, readIsoMessages))
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return 'refused'
  }
}

test('every ACH transaction code is classified as a credit or a debit as in the standard', () => {
  expect(['22', '23', '24', '32', '42', '52', '81', '83'].every(isCredit)).toBe(true)
  expect(['27', '28', '37', '47', '55', '82', '88'].some(isCredit)).toBe(false)
})
