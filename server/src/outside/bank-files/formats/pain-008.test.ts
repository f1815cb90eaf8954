import fc from 'fast-check'
import { expect, test } from 'vitest'
import { vectorsAbsent } from '../../../base/crypto/vectors.testing.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { schemaFaults } from './official-schema.testing.ts'
import { writePain001 } from './pain-001.ts'
import {
  DEBIT_SEQUENCES,
  type SepaDebit,
  type SepaDebitFile,
  writePain008,
  writeSepaDebit,
} from './pain-008.ts'
import { each, joinText } from './samples.testing.ts'
import { UnwritablePayment } from './unreadable-file.ts'

const FILE: SepaDebitFile = {
  messageId: 'CS-0000000001',
  createdAt: new Date('2026-03-02T09:30:00Z'),
  executionDate: '2026-03-03',
  sequence: 'FRST',
  creditor: {
    name: 'Müller & Söhne GmbH',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    creditorId: 'DE98ZZZ09999999999',
  },
  count: 1,
  total: 125_050n,
}
const DEBIT: SepaDebit = {
  instructionId: '0198c0de00007000800000000000abcd',
  endToEndId: 'CS0A1B2C3D4E5F',
  amount: 125_050n,
  mandate: { reference: 'MANDATE-7', signedOn: '2026-02-27' },
  debtor: { name: 'Łukasz Żółć', iban: 'PL61109010140000071219812874' },
  remittanceInformation: 'Invoice 7 – thank you',
}

const write = (file: Partial<SepaDebitFile> = {}, debits: readonly SepaDebit[] = [DEBIT]) =>
  joinText(writePain008({ ...FILE, ...file }, each(debits)))

test('a SEPA direct debit file has the mandate, creditor, day and sequence type, in SEPA characters', async () => {
  const xml = await write()
  for (const part of [
    '<PmtMtd>DD</PmtMtd>',
    '<SvcLvl><Cd>SEPA</Cd></SvcLvl><LclInstrm><Cd>CORE</Cd></LclInstrm><SeqTp>FRST</SeqTp>',
    '<ReqdColltnDt>2026-03-03</ReqdColltnDt>',
    '<Cdtr><Nm>Muller + Sohne GmbH</Nm></Cdtr>',
    '<PrvtId><Othr><Id>DE98ZZZ09999999999</Id><SchmeNm><Prtry>SEPA</Prtry></SchmeNm></Othr></PrvtId>',
    '<InstdAmt Ccy="EUR">1250.50</InstdAmt>',
    '<MndtRltdInf><MndtId>MANDATE-7</MndtId><DtOfSgntr>2026-02-27</DtOfSgntr></MndtRltdInf>',
    '<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>',
    '<Dbtr><Nm>Lukasz Zolc</Nm></Dbtr>',
    '<Ustrd>Invoice 7 - thank you</Ustrd>',
  ])
    expect(xml).toContain(part)
})

test.skipIf(vectorsAbsent)(
  'a SEPA direct debit file is valid by the official schema, and the check detects errors',
  async () => {
    const xml = await write()
    expect(schemaFaults('pain.008.001.08', xml)).toEqual([])
    for (const [from, to, fault] of [
      ['<ChrgBr>SLEV</ChrgBr>', '<ChrgBr>NONE</ChrgBr>', /PmtInf\/ChrgBr: NONE/],
      ['<SeqTp>FRST</SeqTp>', '<SeqTp>LAST</SeqTp>', /SeqTp: LAST/],
      ['<PmtMtd>DD</PmtMtd>', '', /PmtInf\/PmtMtd: number/],
      ['<ReqdColltnDt>2026-03-03<', '<ReqdColltnDt>03.03.2026<', /ReqdColltnDt/],
      ['<EndToEndId>', `<EndToEndId>${'x'.repeat(36)}`, /EndToEndId/],
      ['<DtOfSgntr>2026-02-27</DtOfSgntr></MndtRltdInf>', '</MndtRltdInf><X/>', /DrctDbtTx: order/],
      ['Ccy="EUR"', 'Ccy="Euro"', /InstdAmt@Ccy: Euro/],
    ] as const) {
      const changed = xml.replace(from, to)
      expect(changed).not.toBe(xml)
      expect(schemaFaults('pain.008.001.08', changed).join()).toMatch(fault)
    }
  },
)

test.skipIf(vectorsAbsent)('a SEPA transfer file is valid by the official schema', async () => {
  const { creditor: debtor, ...file } = FILE
  const { debtor: creditor, ...payment } = DEBIT
  const xml = await joinText(
    writePain001({ ...file, isInstant: true, debtor }, each([{ ...payment, creditor }])),
  )
  expect(schemaFaults('pain.001.001.09', xml)).toEqual([])
})

const debits = fc.array(
  fc.record({
    instructionId: fc.stringMatching(/^[0-9a-f]{32}$/),
    endToEndId: fc.stringMatching(/^CS[0-9A-F]{12}$/),
    amount: fc.bigInt(1n, 99_999_999_999n),
    mandate: fc.record({
      reference: fc.stringMatching(/^[A-Za-z0-9+?:().,'-]{1,35}$/).filter((text) => /[A-Za-z0-9]/.test(text)),
      signedOn: fc.constantFrom('2024-02-29', '2026-03-01'),
    }),
    debtor: fc.record({
      name: fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ſ&<>'"]{1,90}$/).filter((name) => /[A-Za-z]/.test(name)),
      iban: fc.constantFrom('DE89370400440532013000', 'FR1420041010050500013M02606', 'NO9386011117947'),
    }),
    remittanceInformation: fc.stringMatching(/^[a-z0-9 &<>]{0,300}$/),
  }),
  { minLength: 1, maxLength: 10 },
)

test.skipIf(vectorsAbsent)(
  'the same SEPA direct debits produce the same valid bytes with their sums',
  async () => {
    await fc.assert(
      fc.asyncProperty(debits, fc.constantFrom(...DEBIT_SEQUENCES), async (sent, sequence) => {
        const total = sent.reduce((sum, { amount }) => sum + amount, 0n)
        const file = { count: sent.length, total, sequence }
        const xml = await write(file, sent)
        expect(await write(file, sent)).toBe(xml)
        expect(schemaFaults('pain.008.001.08', xml)).toEqual([])
        const sums = [...xml.matchAll(/<CtrlSum>(.*?)<\/CtrlSum>/g)].map(([, sum]) => sum)
        expect(sums).toEqual([formatDecimalAmount(total, 'EUR'), formatDecimalAmount(total, 'EUR')])
        const references = [...xml.matchAll(/<EndToEndId>(.*?)<\/EndToEndId>/g)].map(([, text]) => text)
        expect(references).toEqual(sent.map(({ endToEndId }) => endToEndId))
        expect(xml.match(/<SeqTp>(.*?)<\/SeqTp>/)?.[1]).toBe(sequence)
      }),
      { numRuns: 30 },
    )
  },
)

test('a SEPA direct debit file is never completed if its collections do not match its header', async () => {
  await expect(write({ count: 2 })).rejects.toThrow(/1 payments of 125050, not 2/)
  await expect(write({ total: 1n })).rejects.toThrow(/of 125050, not 1 of 1/)
})

test.each<[string, Partial<SepaDebit>]>([
  ['amount', { amount: 0n }],
  ['amount', { amount: 100_000_000_000n }],
  ['IBAN', { debtor: { name: 'Ada', iban: 'DE89370400440532013001' } }],
  ['name', { debtor: { name: '李小龍', iban: 'DE89370400440532013000' } }],
  ['mandate reference', { mandate: { reference: 'a//b', signedOn: '2026-01-01' } }],
  ['mandate reference', { mandate: { reference: 'x'.repeat(36), signedOn: '2026-01-01' } }],
])('a SEPA direct debit with an invalid %s is refused before it is added to a file', (what, change) => {
  expect(() => writeSepaDebit({ ...DEBIT, ...change })).toThrow(UnwritablePayment)
  expect(() => writeSepaDebit({ ...DEBIT, ...change })).toThrow(what)
})
