import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  bai2File,
  type SampleBai2Account,
  type SampleBai2Group,
  type SampleBai2Transaction,
} from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import { BATCH, PAYMENT, write } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { ACH_FORMAT, type FileBank, openFileBank } from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH', { bankCodes: [{ code: '699', kind: 'FEE' }] })
})
afterAll(() => bank.close())

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
let balance = 0n

/** Starts the next day of the account, so that tests do not share statements. */
function startNextDay(): string {
  day += 86_400_000
  return new Date(day).toISOString().slice(0, 10)
}

const isDebit = ({ code }: SampleBai2Transaction) => code >= '400'
const sumTransactions = (transactions: readonly SampleBai2Transaction[]) =>
  transactions.reduce(
    (sum, transaction) => sum + (isDebit(transaction) ? -transaction.amount : transaction.amount),
    0n,
  )

/** Builds a whole day of the account, which continues from the previous balance. */
function buildDay(transactions: readonly SampleBai2Transaction[]): SampleBai2Account {
  const opening = balance
  balance += sumTransactions(transactions)
  return {
    account: ACH_FORMAT.accountNumber,
    summaries: [
      ['010', opening],
      ['015', balance],
    ],
    transactions,
  }
}

function buildFile(
  date: string,
  accounts: readonly SampleBai2Account[],
  more: Partial<SampleBai2Group> = {},
) {
  const group = { date: date.slice(2).replaceAll('-', ''), accounts, ...more }
  return bai2File([group], { fileId: String(++count) })
}
const put = (text: string) => bank.put(`bai2-${++count}.txt`, text)

const buildCredit = (reference: string, amount: bigint): SampleBai2Transaction => ({
  ...{ code: '165', amount, bank: `B-${++count}`, texts: [`FOR ${reference}`] },
})

/** Sends a payment of a new customer whose money a BAI2 file has credited. */
async function sendPayment(amount: number) {
  const { customerId, account, reference } = await bank.newPayer()
  await put(buildFile(startNextDay(), [buildDay([buildCredit(reference, 1_000n)])]))
  await bank.waitForBalance(customerId, 1_000n)
  const payee = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'USD',
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '1234567890', routingNumber: '011401533' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    },
  })
  expect(payee.status, JSON.stringify(payee.body)).toBe(201)
  const route = { source: { accountId: account.id }, destination: { accountId: payee.body.id } }
  const transfer = await bank.world.client.post('/transfer-out', { ...route, amount })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  const line = (await bank.takeFile()).text.split('\n').find((text) => text.startsWith('6')) ?? ''
  const waitForStatus = (status: string) =>
    until(
      async () => (await bank.world.client.get(`/transactions/${transfer.body.id}`)).body,
      (found) => found.status === status,
    )
  return {
    customerId,
    transactionId: transfer.body.id,
    waitForStatus,
    paymentReference: line.slice(39, 54).trim(),
  }
}

describe('BAI2 files', () => {
  test('a BAI2 file closes a day: it credits the deposit, confirms the payout, records the fees and reconciles the day', async () => {
    const { reference, customerId } = await bank.newPayer()
    const { waitForStatus, paymentReference } = await sendPayment(300)
    const date = startNextDay()
    const text = buildFile(date, [
      buildDay([
        buildCredit(reference, 4_500n),
        { code: '451', amount: 300n, bank: 'B1', customer: paymentReference, texts: ['ACH DEBIT, PAYOUT'] },
        { code: '698', amount: 25n, bank: 'B2', texts: ['SERVICE FEE'] },
        { code: '699', amount: 5n, texts: ['FEE BY THE TABLE OF THE RAIL'] },
        { code: '354', amount: 7n, bank: 'B3', texts: ['INTEREST'] },
      ]),
    ])
    expect(await put(text)).toBe('done')
    await bank.waitForBalance(customerId, 4_500n)
    await waitForStatus('COMPLETED')
    expect(await bank.findReconciliation(date)).toMatchObject({
      statement: { entryCount: 5, charged: 30, closingBalance: Number(balance) },
    })
    expect(await bank.world.listWaitingReports()).toEqual([])
  })

  test('a BAI2 file counts once, even if it is repeated, renamed or rewritten by the bank', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const account = buildDay([buildCredit(reference, 1_200n)])
    const text = buildFile(date, [account])
    for (const content of [
      text,
      text,
      buildFile(date, [account]),
      buildFile(date, [account], { status: '3', time: '9999' }),
    ])
      expect(await put(content)).toBe('done')
    await bank.waitForBalance(customerId, 1_200n)
    expect(await bank.world.listWaitingReports()).toEqual([])
    expect((await bank.findReconciliation(date)).statement).toMatchObject({ entryCount: 1 })
  })

  test('a BAI2 file about another account has no effect but is recorded, and our account in the same file is read', async () => {
    const { reference, customerId } = await bank.newPayer()
    const otherAccount = { ...buildDay([]), account: '55511', transactions: [buildCredit(reference, 9_000n)] }
    expect(
      await put(buildFile(startNextDay(), [otherAccount, buildDay([buildCredit(reference, 700n)])])),
    ).toBe('done')
    await bank.waitForBalance(customerId, 700n)
    const reports = (await bank.world.listWaitingReports()).filter(
      ({ reason }: { reason: string }) => reason === 'OTHER_ACCOUNT',
    )
    expect(reports).toMatchObject([{ body: { data: { account: '55511', currency: 'USD' } } }])
  })

  test('a BAI2 file with a wrong total has no effect, and its refusal names the line', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const before = balance
    const text = buildFile(date, [buildDay([buildCredit(reference, 800n)])])
    balance = before
    expect(await put(text.replace(/^49,(\d+)/m, '49,1$1'))).toBe('refused')
    const refusal = (await bank.world.listWaitingReports()).find(
      ({ type }: { type: string }) => type === 'file.refused',
    )
    expect(refusal.body.data.reason).toMatch(/^line 5: record 49 says that its control total is "1\d+", but/)
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(await bank.findReconciliation(date)).toBeUndefined()
  })

  test('a BAI2 file of the current day books nothing, and a test or a deletion is reported without being booked', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const before = balance
    const account = buildDay([buildCredit(reference, 600n)])
    balance = before
    for (const more of [{ modifier: '3' }, { modifier: '1' }, { status: '4' }, { status: '2' }])
      expect(await put(buildFile(date, [account], more))).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(await bank.findReconciliation(date)).toBeUndefined()
    const reasons = (await bank.world.listWaitingReports()).map(
      ({ body }: { body: { data: { reason?: string } } }) => body.data.reason,
    )
    for (const word of ['is a test', 'deletes data'])
      expect(reasons.filter((reason: string | undefined) => reason?.includes(word))).toHaveLength(1)
    await put(buildFile(date, [buildDay([buildCredit(reference, 600n)])]))
    await bank.waitForBalance(customerId, 600n)
  })

  test.each([
    ['it closes a day', true],
    ['it has no balances', false],
  ])('a BAI2 file with a returned payment refunds it and stores the reason, if %s', async (_, isDay) => {
    const { customerId, transactionId, paymentReference, waitForStatus } = await sendPayment(400)
    await put(
      buildFile(startNextDay(), [
        buildDay([{ code: '451', amount: 400n, customer: paymentReference, texts: ['PAYOUT'] }]),
      ]),
    )
    await waitForStatus('COMPLETED')
    const returnLine = {
      code: '257',
      amount: 400n,
      customer: paymentReference,
      texts: ['RETURN R03 NO ACCOUNT'],
    }
    const account = isDay
      ? buildDay([returnLine])
      : { account: ACH_FORMAT.accountNumber, transactions: [returnLine] }
    await put(buildFile(startNextDay(), [account]))
    await bank.waitForBalance(customerId, 1_000n)
    const { rows } = await bank.world.service.app.db.query<{ details: string }>(
      `SELECT failure::text AS details FROM rail_payments WHERE 'Transaction:' || payment_id = $1`,
      [transactionId],
    )
    expect(rows[0]?.details).toContain('R03: ')
  })

  test('a BAI2 file with a settlement that may be the sum of NACHA entries that were counted before waits for a person', async () => {
    const payers = [await bank.newPayer(), await bank.newPayer()]
    const effectiveDate = startNextDay()
    const payments = payers.map(({ reference }, index) => ({
      ...{ ...PAYMENT, account: ACH_FORMAT.accountNumber, traceSequence: index + 1 },
      ...{ amount: 111n, remittanceInformation: `FOR ${reference}` },
    }))
    await bank.put(`entries-${effectiveDate}.ach`, await write([{ ...BATCH, effectiveDate, payments }]))
    for (const { customerId } of payers) await bank.waitForBalance(customerId, 111n)
    const before = (await bank.world.listWaitingReports()).length
    await put(
      buildFile(effectiveDate, [buildDay([{ code: '166', amount: 222n, texts: ['ACH SETTLEMENT'] }])]),
    )
    const found = await bank.world.listWaitingReports()
    expect(found).toHaveLength(before + 1)
    expect(found.map(({ reason }: { reason: string }) => reason)).toContain('OTHER_AMOUNT')
    const suspense = (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body.data
    expect(suspense.map(({ amount }: { amount: { amount: number } }) => amount.amount)).not.toContain(222)
  })

  test('a BAI2 file with a credit that repeats the reference of our payment counts it as a deposit, not as a return', async () => {
    const { customerId, paymentReference } = await sendPayment(410)
    const credit = { code: '165', amount: 410n, customer: paymentReference, texts: ['FROM A PAYER'] }
    await put(buildFile(startNextDay(), [buildDay([credit])]))
    const { data } = (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body
    expect(data.map(({ amount }: { amount: { amount: number } }) => amount.amount)).toContain(410)
    expect(await bank.balanceOf(customerId)).toBe(590n)
  })
})

const VECTOR = new URL('../../../../../shared/vectors/bank-made/bai2.txt', import.meta.url)
if (!existsSync(VECTOR)) console.warn(`no file at ${VECTOR.pathname}: its test is skipped`)

test.skipIf(!existsSync(VECTOR))(
  'the BAI2 sample file credits the customer whose reference it names',
  async () => {
    const { customerId, reference } = await bank.newPayer()
    const text = readFileSync(VECTOR, 'utf8')
      .replace('CSD59D3725E6', reference)
      .replace('0004477', ACH_FORMAT.accountNumber)
    expect(await put(text)).toBe('done')
    await bank.waitForBalance(customerId, 10_000n)
  },
)
