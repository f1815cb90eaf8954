import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vectorsAbsent } from '../../../src/base/crypto/vectors.testing.ts'
import { schemaFaults } from '../../../src/outside/bank-files/formats/official-schema.testing.ts'
import {
  buildPaymentStatus,
  buildStatusReport,
  camtFile,
  readMessageId,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  FASTER_PAYMENTS_FORMAT,
  type FileBank,
  findDepositReference,
  holdPounds,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'
import { newPoundAccount } from '../../worlds/records/external-accounts.testing.ts'

let bank: FileBank
let countersign: Countersign
beforeAll(async () => {
  bank = await openFileBank('FASTER_PAYMENTS')
  await holdPounds(bank.world)
  const { client } = bank.world
  countersign = new Countersign({ ...client.credentials, baseUrl: client.baseUrl })
})
afterAll(() => bank.close())

const { iban, sortCode, accountNumber } = FASTER_PAYMENTS_FORMAT
/** The formats in which banks state our account. */
const OUR_ACCOUNT = {
  IBAN: `<IBAN>${iban}</IBAN>`,
  number: `<Othr><Id>${accountNumber}</Id></Othr>`,
  'sort code and number': `<Othr><Id>${sortCode}${accountNumber}</Id></Othr>`,
} as const
/** The formats in which banks state a payer's account. */
const PAYER = {
  IBAN: ['<IBAN>GB33BUKB20201555555555</IBAN>', '<BICFI>BUKBGB22</BICFI>'],
  'sort code and number': [
    '<Othr><Id>55555555</Id></Othr>',
    '<BICFI>BUKBGB22</BICFI><ClrSysMmbId><ClrSysId><Cd>GBDSC</Cd></ClrSysId><MmbId>202015</MmbId></ClrSysMmbId>',
  ],
} as const

let files = 0
async function putStatement(
  entry: SampleEntry,
  as: keyof typeof OUR_ACCOUNT = 'IBAN',
  from: keyof typeof PAYER = 'IBAN',
): Promise<void> {
  const id = `FPS-${++files}`
  const text = camtFile({ id, entries: [{ servicerReference: id, ...entry }] })
    .replaceAll('EUR', 'GBP')
    .replace(/<IBAN>.*?<\/IBAN>/, OUR_ACCOUNT[as])
    .replaceAll(/<IBAN>PL.*?<\/IBAN>/g, PAYER[from][0])
    .replaceAll(/<BICFI>.*?<\/BICFI>/g, PAYER[from][1])
  expect(await bank.put(`${id}.xml`, text)).toBe('done')
}

/** Reads the elements of the only payment in one of our files. */
function parseFile(text: string) {
  const findElement = (name: string) =>
    new RegExp(`<CdtTrfTxInf>.*<${name}[^>]*>([^<]*)</${name}>`).exec(text)?.[1]
  const [instructionId = '', endToEndId = ''] = [findElement('InstrId'), findElement('EndToEndId')]
  const to = [findElement('MmbId'), /<CdtrAcct>.*?<Othr><Id>(.*?)</.exec(text)?.[1], findElement('Nm')]
  const amount = findElement('InstdAmt') ?? ''
  const message = readMessageId(text)
  return { text, instructionId, endToEndId, amount, message, to, reference: findElement('Ustrd') }
}
type Sent = ReturnType<typeof parseFile>
const takeFile = async () => parseFile((await bank.takeFile()).text)

async function putStatusReport(
  { message, instructionId, endToEndId }: Sent,
  code: string,
  reason = '',
): Promise<void> {
  const ofBatch = buildPaymentStatus({ instructionId, endToEndId }, code, reason)
  const report = buildStatusReport(message, { id: `S-${++files}`, ofBatch })
  expect(await bank.put(`status-${files}.xml`, report)).toBe('done')
}

/** Creates a customer with pounds and an external account. */
async function newPayee(more: object = {}, pounds = 100) {
  const { customerId, account } = await bank.customer()
  const amount = pounds.toFixed(2)
  await putStatement({
    ...{ amount, direction: 'CRDT' },
    transactions: [{ amount, debtor: 'Ada Lovelace', text: findDepositReference(account) }],
  })
  await bank.waitForBalance(customerId, BigInt(pounds) * 100n)
  const external = await newPoundAccount(bank.world.client, customerId, more)
  return { customerId, account: String(account.id), external }
}
type Payee = Awaited<ReturnType<typeof newPayee>>

/** Pays by a quote through the SDK, and resolves to the transaction and its file. */
async function pay({ account, external }: Payee, amount: bigint) {
  const quote = await countersign.quotes.create({
    source: { sourceType: 'ACCOUNT', accountId: account },
    destination: {
      destinationType: 'ACCOUNT',
      accountId: external.id,
      paymentRail: 'FASTER_PAYMENTS',
    },
    ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: amount },
  })
  await countersign.quotes.execute(quote.id)
  return { id: quote.transactionId, sent: await takeFile() }
}

const waitForStatus = (id: string, status: string) =>
  until(
    () => countersign.transactions.get(id),
    (found) => found.status === status,
  )
const buildDebit = ({ amount, instructionId, endToEndId }: Sent): SampleEntry => ({
  ...{ amount, direction: 'DBIT' },
  transactions: [{ amount, instructionId, endToEndId }],
})

describe('a Faster Payments payment', () => {
  test('goes from its quote into a file, is PROCESSING while the bank has it and completes once the bank settles it', {
    tags: 'smoke',
  }, async () => {
    const payee = await newPayee()
    const { id, sent } = await pay(payee, 1_250n)
    expect(sent).toMatchObject({
      amount: '12.50',
      to: ['204512', payee.external.accountNumber, 'Ada Lovelace'],
      reference: undefined,
    })
    expect(sent.text).toContain(`<DbtrAcct><Id>${OUR_ACCOUNT.IBAN}</Id></DbtrAcct>`)
    await putStatusReport(sent, 'ACSP')
    await waitForStatus(id, 'PROCESSING')
    await putStatusReport(sent, 'ACSC')
    await waitForStatus(id, 'COMPLETED')
    await putStatement(buildDebit(sent))
    expect(await bank.balanceOf(payee.customerId)).toBe(8_750n)
  })

  test.each(['IBAN', 'number', 'sort code and number'] as const)(
    'completes when a statement that names our account by its %s debits it, and is refunded once if it is returned',
    async (as) => {
      const payee = await newPayee()
      const { id, sent } = await pay(payee, 2_000n)
      await putStatement(buildDebit(sent), as)
      await waitForStatus(id, 'COMPLETED')
      await bank.waitForBalance(payee.customerId, 8_000n)
      const { amount, endToEndId } = sent
      const returnEntry: SampleEntry = {
        ...{ amount, direction: 'CRDT', servicerReference: `BACK-${endToEndId}` },
        transactions: [{ amount, endToEndId, returnReason: 'AC04' }],
      }
      for (const repeated of [returnEntry, returnEntry]) await putStatement(repeated, as)
      await bank.waitForBalance(payee.customerId, 10_000n)
      expect(await countersign.transactions.get(id)).toMatchObject({ refund: { status: 'COMPLETED' } })
    },
  )

  test('fails with the reason of the bank if the bank rejects it, and is refunded', async () => {
    const payee = await newPayee()
    const { id, sent } = await pay(payee, 3_000n)
    const reason = '<StsRsnInf><Rsn><Cd>AC01</Cd></Rsn><AddtlInf>no such account</AddtlInf></StsRsnInf>'
    await putStatusReport(sent, 'RJCT', reason)
    expect(await waitForStatus(id, 'FAILED')).toMatchObject({
      counterpartyInformation: { failureDetail: expect.stringMatching(/^AC01/) },
    })
    await bank.waitForBalance(payee.customerId, 10_000n)
  })

  test.skipIf(vectorsAbsent)('is sent in a file that is valid according to the official schema', async () => {
    const payee = await newPayee()
    const { sent } = await pay(payee, 100n)
    expect(schemaFaults('pain.001.001.09', sent.text)).toEqual([])
  })
})

describe('limits of Faster Payments', () => {
  const transferOut = ({ account, external }: Payee, more: object) =>
    bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: account }, destination: { accountId: external.id }, amount: 100 },
      ...more,
    })

  test('Faster Payments refuses remittance information of more than 18 characters, and delivers one of 18 characters', async () => {
    const payee = await newPayee()
    const refusal = await transferOut(payee, { remittanceInformation: 'INVOICE 2026-00007X' })
    expectError(refusal, { code: 'INVALID_INPUT', field: 'remittanceInformation' })
    expect(refusal.body.message).toContain('Faster Payments carries at most 18')
    expect((await transferOut(payee, { remittanceInformation: 'INVOICE 2026-00007' })).status).toBe(201)
    expect((await takeFile()).reference).toBe('INVOICE 2026-00007')
  })

  test('Faster Payments refuses transfers and quotes to a payee whose name cannot be written in Latin letters', async () => {
    const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: '李小龍' }
    const payee = await newPayee({ beneficiary })
    const refusal = await transferOut(payee, {})
    expectError(refusal, { code: 'INVALID_INPUT', field: 'destination.accountId' })
    const quote = await bank.world.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: payee.account },
      destination: { destinationType: 'ACCOUNT', accountId: payee.external.id },
      ...{ lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 100 },
    })
    expectError(quote, { code: 'INVALID_INPUT', field: 'destination.accountId' })
  })

  test('Faster Payments refuses more than a million pounds, and its rail refuses other networks', async () => {
    const payee = await newPayee({}, 1_000_001)
    expectError(await transferOut(payee, { amount: 100_000_001 }), { code: 'INVALID_INPUT', field: 'amount' })
    const byBacs = { destination: { accountId: payee.external.id, paymentRail: 'BACS' } }
    expectError(await transferOut(payee, byBacs), { code: 'NOT_IMPLEMENTED' })
    expect(await bank.outbox()).toEqual({})
  })
})

test.each(['IBAN', 'sort code and number'] as const)(
  'a deposit of an unknown payer whom the bank names by %s can be returned to that account',
  async (from) => {
    const entry: SampleEntry = {
      ...{ amount: '7.00', direction: 'CRDT', servicerReference: `UNKNOWN-${from}` },
      transactions: [{ amount: '7.00', debtor: 'Grace Hopper', text: 'thanks' }],
    }
    await putStatement(entry, 'IBAN', from)
    const { client } = bank.world
    const {
      data: [deposit],
    } = await until(
      async () => (await client.get('/deposits?status=SUSPENSE')).body,
      ({ data }) => data.length > 0,
    )
    expect((await client.post(`/deposits/${deposit.id}/return`)).body.status).toBe('RETURNING')
    expect(await takeFile()).toMatchObject({ amount: '7.00', to: ['202015', '55555555', 'Grace Hopper'] })
  },
)
