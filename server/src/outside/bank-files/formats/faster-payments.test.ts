import fc from 'fast-check'
import { expect, test } from 'vitest'
import { vectorsAbsent } from '../../../base/crypto/vectors.testing.ts'
import { readPoundAccount } from '../payment-details.ts'
import { formatDecimalAmount, parseUnits } from './decimal-amounts.ts'
import {
  type FasterPayment,
  type FasterPaymentsDebtor,
  type FasterPaymentsFile,
  findFasterPaymentsFault,
  writeFasterPayment,
  writeFasterPayments,
} from './faster-payments.ts'
import { schemaFaults } from './official-schema.testing.ts'
import { all, bytesOf, each, joinText } from './samples.testing.ts'
import { findText, listElements, readXmlRecords, type XmlElement } from './xml-records.ts'

const DEBTOR: FasterPaymentsDebtor = {
  ...{ type: 'FASTER_PAYMENTS', name: 'Müller & Söhne Ltd', sortCode: '601613', accountNumber: '31926819' },
}
const BY_IBAN: FasterPaymentsDebtor = {
  ...{ ...DEBTOR, iban: 'GB29NWBK60161331926819', bic: 'NWBKGB2L' },
  address: {
    street: 'Threadneedle Street',
    buildingNumber: '1',
    postalCode: 'EC2R 8AH',
    city: 'London',
    country: 'GB',
  },
}
const PAYMENT: FasterPayment = {
  instructionId: '0198c0de00007000800000000000abcd',
  endToEndId: 'CS0A1B2C3D4E5F',
  amount: 125_050n,
  creditor: { name: 'Zoë Müller', account: '40308669', routingNumber: '560036' },
}
const FILE: FasterPaymentsFile = {
  messageId: 'HOUSE-BANK-5F3A9C01D2E4-00000042',
  createdAt: new Date('2026-12-25T09:30:00Z'),
  ...{ executionDate: '2026-12-25', count: 1, total: 125_050n, debtor: DEBTOR },
}

const write = (changes: Partial<FasterPaymentsFile> = {}, payments: readonly FasterPayment[] = [PAYMENT]) =>
  joinText(writeFasterPayments({ ...FILE, ...changes }, each(payments)))
const writeTyped = (paymentType: NonNullable<FasterPaymentsDebtor['paymentType']>) =>
  write({ debtor: { ...DEBTOR, paymentType } })

async function readBatch(xml: string): Promise<XmlElement | undefined> {
  const [found] = await all(
    readXmlRecords(bytesOf(xml), () => ({
      records: new Set(['CstmrCdtTrfInitn/PmtInf']),
      ...{ take: ({ element }) => [element], takeForeign: () => [], end: () => [] },
    })),
  )
  return found
}

test('a Faster Payments file has both accounts by sort code and number, books each payment separately, and shares charges', async () => {
  const batch = await readBatch(await write())
  const texts = [
    ...['BtchBookg', 'PmtTpInf/SvcLvl/Cd', 'ReqdExctnDt/Dt', 'ChrgBr', 'Dbtr/Nm', 'DbtrAcct/Id/Othr/Id'],
    ...['DbtrAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd', 'DbtrAgt/FinInstnId/ClrSysMmbId/MmbId'],
  ].map((path) => findText(batch, path))
  expect(texts).toEqual([
    ...['false', 'URNS', '2026-12-25', 'SHAR', 'Muller + Sohne Ltd', '31926819'],
    ...['GBDSC', '601613'],
  ])
  const [payment] = listElements(batch, 'CdtTrfTxInf')
  const ofPayment = [
    ...['PmtId/EndToEndId', 'Amt/InstdAmt', 'CdtrAgt/FinInstnId/ClrSysMmbId/MmbId', 'Cdtr/Nm'],
    ...['CdtrAcct/Id/Othr/Id', 'CdtrAcct/Id/Othr/SchmeNm/Cd', 'RmtInf/Ustrd'],
  ].map((path) => findText(payment, path))
  expect(ofPayment).toEqual([
    ...['CS0A1B2C3D4E5F', '1250.50', '560036', 'Zoe Muller', '40308669', 'BBAN', undefined],
  ])
})

test('a Faster Payments file has our IBAN, BIC and address if the rail has an IBAN', async () => {
  const batch = await readBatch(await write({ debtor: BY_IBAN }))
  expect(findText(batch, 'DbtrAcct/Id/IBAN')).toBe('GB29NWBK60161331926819')
  expect(findText(batch, 'DbtrAgt/FinInstnId/BICFI')).toBe('NWBKGB2L')
  expect(findText(batch, 'Dbtr/PstlAdr/PstCd')).toBe('EC2R 8AH')
})

test('the setting paymentType marks Faster Payments as each bank requires', async () => {
  expect(await writeTyped({ serviceLevelProprietary: 'FAST' })).toContain(
    '<PmtTpInf><SvcLvl><Prtry>FAST</Prtry></SvcLvl></PmtTpInf>',
  )
  expect(await writeTyped({ serviceLevelCode: 'NURG', localInstrumentProprietary: 'FPS' })).toContain(
    '<PmtTpInf><SvcLvl><Cd>NURG</Cd></SvcLvl><LclInstrm><Prtry>FPS</Prtry></LclInstrm></PmtTpInf>',
  )
  expect(await writeTyped({ localInstrumentCode: 'INST' })).toContain(
    '<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>',
  )
  expect(await writeTyped({})).not.toContain('PmtTpInf')
})

test.skipIf(vectorsAbsent)(
  'Faster Payments files with all settings are valid by the official schema',
  async () => {
    const address = { street: 'Main Street', city: 'Łódź', country: 'PL' }
    const addressed = { ...PAYMENT, creditor: { ...PAYMENT.creditor, address } }
    for (const xml of [
      await write(),
      await write({ debtor: BY_IBAN }, [addressed]),
      await writeTyped({}),
      await writeTyped({ serviceLevelProprietary: 'FAST', localInstrumentCode: 'INST' }),
    ])
      expect(schemaFaults('pain.001.001.09', xml)).toEqual([])
  },
)

const payments = fc.array(
  fc.record({
    instructionId: fc.stringMatching(/^[0-9a-f]{32}$/),
    endToEndId: fc.stringMatching(/^CS[0-9A-F]{10,12}$/),
    amount: fc.bigInt(1n, 100_000_000n),
    creditor: fc.record({
      name: fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ſ&<>'"]{1,150}$/).filter((name) => /[A-Za-z]/.test(name)),
      account: fc.stringMatching(/^[0-9]{8}$/),
      routingNumber: fc.stringMatching(/^[0-9]{6}$/),
    }),
    remittanceInformation: fc.stringMatching(/^[A-Za-z0-9&<>!]{0,18}$/),
  }),
  { minLength: 1, maxLength: 20 },
)

test.skipIf(vectorsAbsent)(
  'any payments produce a valid, reproducible Faster Payments file with their sums, accounts and text',
  async () => {
    await fc.assert(
      fc.asyncProperty(payments, async (sent) => {
        const total = sent.reduce((sum, { amount }) => sum + amount, 0n)
        const xml = await write({ count: sent.length, total }, sent)
        expect(await write({ count: sent.length, total }, sent)).toBe(xml)
        expect(schemaFaults('pain.001.001.09', xml)).toEqual([])
        const batch = await readBatch(xml)
        expect(findText(batch, 'CtrlSum')).toBe(formatDecimalAmount(total, 'GBP'))
        const written = listElements(batch, 'CdtTrfTxInf')
        const text = (path: string) => written.map((one) => findText(one, path) ?? '')
        expect(text('Amt/InstdAmt').map((one) => parseUnits(one, 'GBP'))).toEqual(
          sent.map(({ amount }) => amount),
        )
        expect(text('CdtrAcct/Id/Othr/Id')).toEqual(sent.map(({ creditor }) => creditor.account))
        for (const name of text('Cdtr/Nm')) expect(name).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/)
        for (const remittance of text('RmtInf/Ustrd'))
          expect(remittance).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{0,18}$/)
      }),
      { numRuns: 60 },
    )
  },
)

test('text is either carried in full by Faster Payments, in at most 18 characters, or refused', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30, unit: 'grapheme' }), (remittanceInformation) => {
      try {
        const written = writeFasterPayment({ ...PAYMENT, remittanceInformation })
        expect(/<Ustrd>(.*)<\/Ustrd>/.exec(written)?.[1]?.length ?? 0).toBeLessThanOrEqual(18)
      } catch (error) {
        expect(error).toMatchObject({ name: 'UnwritablePayment', part: 'remittanceInformation' })
      }
    }),
  )
  const withText = (characters: number) =>
    writeFasterPayment({ ...PAYMENT, remittanceInformation: 'x'.repeat(characters) })
  expect(withText(18)).toContain(`<Ustrd>${'x'.repeat(18)}</Ustrd>`)
  expect(() => withText(19)).toThrow(
    'the remittance information has 19 characters, but Faster Payments carries at most 18',
  )
})

test.each<[string, Partial<FasterPayment>]>([
  ['the amount must be between 0.01 and 1000000.00 GBP', { amount: 0n }],
  ['the amount must be between 0.01 and 1000000.00 GBP', { amount: 100_000_001n }],
  ['the sort code must have 6 digits', { creditor: { ...PAYMENT.creditor, routingNumber: 'NWBKGB2L' } }],
  ['the account number must have 8 digits', { creditor: { ...PAYMENT.creditor, account: '1234567' } }],
  ["the beneficiary's name contains the character 李", { creditor: { ...PAYMENT.creditor, name: '李小龍' } }],
])('a Faster Payment is refused before it is added to a file: %s', (message, changes) => {
  expect(() => writeFasterPayment({ ...PAYMENT, ...changes })).toThrow(message)
})

test.each<[string, Partial<FasterPaymentsDebtor>]>([
  ['format: iban does not match sortCode and accountNumber', { iban: 'GB29NWBK60161331926818' }],
  ['format: iban is not valid', { iban: 'GB28NWBK60161331926819' }],
  ['format: the BIC NWBKGBZZ2 is not valid', { iban: 'GB29NWBK60161331926819', bic: 'NWBKGBZZ2' }],
  ['format: bic requires iban', { bic: 'NWBKGB2L' }],
  ["format: the account holder's name contains the character 李", { name: '李' }],
  [
    'format: paymentType must not have two service levels',
    { paymentType: { serviceLevelCode: 'URNS', serviceLevelProprietary: 'FAST' } },
  ],
  [
    'format: paymentType must not have two local instruments',
    { paymentType: { localInstrumentCode: 'INST', localInstrumentProprietary: 'FPS' } },
  ],
])('invalid Faster Payments settings are refused at the start: %s', (message, changes) => {
  expect(findFasterPaymentsFault({ ...DEBTOR, ...changes })).toContain(message)
})

test('Faster Payments settings with and without an IBAN are accepted', () => {
  expect([DEBTOR, BY_IBAN].map(findFasterPaymentsFault)).toEqual([undefined, undefined])
})

test.each([
  ['GB29NWBK60161331926819', undefined],
  ['GB29 NWBK 6016 1331 9268 19', 'NWBKGB2L'],
  ['60161331926819', '601613'],
  ['60-16-13 31926819', '601613'],
  ['31926819', '601613'],
])('the account of a payer is read from %s and %s', (accountIdentifier, bankIdentifier) => {
  const sender = { accountIdentifier, ...(bankIdentifier && { bankIdentifier }) }
  expect(readPoundAccount({ sender })).toEqual({ sortCode: '601613', number: '31926819' })
})

test.each([
  ['a number of 14 digits at a bank abroad', '50100123456789', 'HDFCINBB'],
  ['a number of 14 digits without a sort code', '60161331926819', undefined],
  ['an IBAN with wrong check digits', 'GB28NWBK60161331926819', undefined],
  ['an IBAN of another country', 'DE89370400440532013000', undefined],
])('a deposit in pounds cannot be returned to %s', (_, accountIdentifier, bankIdentifier) => {
  const sender = { accountIdentifier, ...(bankIdentifier && { bankIdentifier }) }
  expect(() => readPoundAccount({ sender })).toThrow('the sort code of the account is unknown')
})
