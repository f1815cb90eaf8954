import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import {
  BankBalance,
  buildRejection,
  buildStatusReport,
  camtFile,
  listPayments,
  readMessageId,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

let count = 0
const balance = new BankBalance()

/** Puts a statement of the next day, with or without balances. */
async function putStatement(isWholeDay: boolean, entry: SampleEntry): Promise<void> {
  count += 1
  const balances = isWholeDay ? { balances: balance.book([entry]) } : {}
  const text = camtFile({ id: `S-${count}`, ...balances, entries: [entry] })
  const date = `2026-03-${String(count + 2).padStart(2, '0')}`
  expect(await bank.put(`statement-${count}.xml`, text.replaceAll('2026-03-02', date))).toBe('done')
}

/** Creates payments of these amounts for a customer with 100 euros. */
async function createPayments(amounts: readonly number[]) {
  const { customerId, account } = await bank.customer()
  await putStatement(true, {
    ...{ amount: '100.00', direction: 'CRDT', servicerReference: `IN-${count}` },
    transactions: [{ amount: '100.00', debtor: 'Ada', text: findDepositReference(account) }],
  })
  const { body: payee } = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: 'FR1420041010050500013M02606',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Zoe Muller', countryOfResidence: 'FR' },
    },
  })
  const ids: string[] = []
  for (const amount of amounts) {
    const route = { source: { accountId: account.id }, destination: { accountId: payee.id } }
    const transfer = await bank.world.client.post('/transfer-out', { ...route, amount })
    expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
    ids.push(transfer.body.id)
  }
  return { ids, customerId }
}

/** Sends a file of three payments, and builds the rejection of the second. */
async function sendThreePayments() {
  const { ids, customerId } = await createPayments([1_000, 2_000, 3_000])
  const { text } = await bank.takeFile()
  const message = readMessageId(text)
  const { instructionId } = requireValue(
    listPayments(text).find(({ amount }) => amount === '20.00'),
    'payment',
  )
  const rejection = buildStatusReport(message, { ofBatch: buildRejection({ instructionId }, 'AC04') })
  return { ids, customerId, message, rejection }
}

test.each([
  ['a statement with balances', true],
  ['a statement without balances', false],
])(
  'payments that %s books as one sum complete once the bank has rejected the remaining payment of their file',
  async (_, isWholeDay) => {
    const { ids, customerId, message, rejection } = await sendThreePayments()
    const [first = '', rejected = '', third = ''] = ids
    await putStatement(isWholeDay, { amount: '40.00', direction: 'DBIT', batch: message })
    expect(await bank.world.listWaitingReports()).toMatchObject([
      { reason: 'OTHER_AMOUNT', body: { data: { file: message } } },
    ])
    for (const id of ids) expect((await bank.world.readTransaction(id)).status).toBe('PENDING')
    expect(await bank.put(`rejected-${count}.xml`, rejection)).toBe('done')
    await bank.world.waitForStatus(first, 'COMPLETED')
    await bank.world.waitForStatus(third, 'COMPLETED')
    await bank.world.waitForStatus(rejected, 'FAILED')
    expect(await bank.world.listWaitingReports()).toEqual([])
    // A repeated rejection changes nothing.
    expect(await bank.put(`again-${count}.xml`, rejection.replace('>S<', '>T<'))).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(6_000n)
    if (!isWholeDay) return
    const { data } = (await bank.world.client.get('/reconciliations?limit=1')).body
    await until(
      async () => (await bank.world.client.get(`/reconciliations/${data[0].id}`)).body,
      ({ status }) => status === 'BALANCED',
    )
  },
)

test('a payment that the bank books by mistake before it is in a file is not sent again in the next file', async () => {
  const { db, workers } = bank.world.service.app
  await db.query(`UPDATE bank_file_workers SET collected_at = '2999-01-01'`)
  const { ids } = await createPayments([1_500, 500])
  const [early = '', later = ''] = ids
  const { rows } = await until(
    () =>
      db.query<{ id: string; amount: bigint }>('SELECT id, amount FROM bank_payments WHERE file_id IS NULL'),
    (found) => found.rows.length === 2,
  )
  const [earlyRow] = rows.filter(({ amount }) => amount === 1_500n)
  const instructionId = earlyRow?.id.replace(/^.*:/, '').replaceAll('-', '') ?? ''
  await putStatement(true, {
    ...{ amount: '15.00', direction: 'DBIT', servicerReference: `EARLY-${count}` },
    transactions: [{ amount: '15.00', instructionId }],
  })
  await bank.world.waitForStatus(early, 'COMPLETED')
  await db.query(`UPDATE bank_file_workers SET collected_at = 'epoch'`)
  workers.wake()
  const { text } = await bank.takeFile()
  expect([...text.matchAll(/<InstdAmt Ccy="EUR">(.*?)</g)].map(([, amount]) => amount)).toEqual(['5.00'])
  expect((await bank.world.readTransaction(later)).status).toBe('PENDING')
})
