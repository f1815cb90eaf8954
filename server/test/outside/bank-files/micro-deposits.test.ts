import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { ERASES_NOW, requestErasure, waitUntilErased } from '../../worlds/records/erasures.testing.ts'
import {
  beginVerification,
  buildWrongAmounts,
  confirmVerification,
  readDepositAmounts,
} from '../../worlds/records/external-accounts.testing.ts'
import {
  buildBankFile,
  buildReturnAddenda,
  fundPlatform,
  listDescriptions,
  listEntries,
  newPayingCustomer,
  newUnfundedCustomer,
} from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH', { format: { ...ACH_FORMAT, sendsPrenotes: true } }, ERASES_NOW)
  await fundPlatform(bank)
})
afterAll(() => bank.close())

const get = async (path: string) => (await bank.world.client.get(path)).body
const query = (sql: string) => bank.world.service.app.db.query(sql)
const readVerification = (id: string) => get(`/account-verifications/${id}`)

/** Starts a verification, whose deposits then wait for a file. */
async function startVerification(external: string): Promise<string> {
  const reply = await beginVerification(bank.world.client, external)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body.id
}

/** Waits until this number of payments to an account is queued. */
const waitForQueued = (accountNumber: string, count: number) =>
  until(
    async () =>
      (
        await query(
          `SELECT id FROM bank_payments WHERE file_id IS NULL AND details->>'account' = '${accountNumber}'`,
        )
      ).rows,
    (rows) => rows.length === count,
  )

const waitForAcceptance = () =>
  until(
    async () => (await query('SELECT id FROM bank_files WHERE accepted_at IS NULL')).rows,
    (rows) => rows.length === 0,
  )

const NOTE = 'Seen on her statement'

/** Decides as a person that these deposits were delivered. */
async function markDelivered(transactionIds: readonly string[]): Promise<void> {
  for (const id of transactionIds) {
    const decision = { outcome: 'DELIVERED', reason: 'By telephone', evidence: { note: NOTE } }
    const decided = await bank.world.client.post(`/transactions/${id}/decide`, decision)
    expect(decided.status, JSON.stringify(decided.body)).toBe(200)
    await until(
      () => get(`/transactions/${id}`),
      ({ status }) => status === 'COMPLETED',
    )
  }
}

test('verification deposits have the description ACCTVERIFY, and a verified account needs no prenote', async () => {
  const { client } = bank.world
  const { addAccount, send } = await newPayingCustomer(bank, 'verified')
  const payee = await addAccount('111222333')
  const id = await startVerification(payee)
  await waitUntilQueued(bank.world, 2)
  const amounts = await readDepositAmounts(client, id)
  const early = await confirmVerification(client, id, amounts)
  expect([early.status, early.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
  expect(await readVerification(id)).toMatchObject({ status: 'PENDING', attemptsLeft: 3 })

  const { text } = await bank.takeFile()
  expect(listDescriptions(text)).toEqual(['ACCTVERIFY'])
  const entries = listEntries(text)
  expect(entries.map((line) => line.slice(0, 29).trim())).toEqual(Array(2).fill('622011401533111222333'))
  expect(entries.map((line) => Number(line.slice(29, 39))).sort()).toEqual([...amounts].sort())
  await waitForAcceptance()
  const { transactionIds } = await readVerification(id)
  const decision = { outcome: 'REVERSAL', reason: 'Not needed any more', evidence: { note: NOTE } }
  const refusal = await client.post(`/transactions/${transactionIds[0]}/decide`, decision)
  expect(refusal.body).toMatchObject({ code: 'PAYMENT_NOT_DECIDABLE', details: { reason: 'NOT_REVERSIBLE' } })
  expect((await confirmVerification(client, id, buildWrongAmounts(amounts))).body).toMatchObject({
    attemptsLeft: 2,
  })
  expect((await confirmVerification(client, id, amounts)).body.status).toBe('VERIFIED')
  expect(await get(`/customers/external-accounts/${payee}`)).toMatchObject({ verificationStatus: 'VERIFIED' })

  await send(payee, 70)
  await waitUntilQueued(bank.world, 1)
  const next = await bank.takeFile()
  expect(listDescriptions(next.text)).toEqual(['PAYOUT'])
  expect(listEntries(next.text)).toEqual([expect.stringMatching(/^622011401533111222333 {8}0000000070/)])
})

test('a returned deposit fails the verification with its reason, and the next payment needs a prenote', async () => {
  const { addAccount, send } = await newPayingCustomer(bank, 'returned')
  const payee = await addAccount('222333444')
  const id = await startVerification(payee)
  await waitUntilQueued(bank.world, 2)
  const [entry = ''] = listEntries((await bank.takeFile()).text)
  const returnEntry = {
    ...{ transactionCode: '21', amount: BigInt(entry.slice(29, 39)), account: entry.slice(12, 29).trim() },
    ...{ individualId: entry.slice(39, 54).trim(), trace: '011401530000009' },
  }
  await bank.put(
    'return.ach',
    buildBankFile([{ ...returnEntry, addenda: buildReturnAddenda(entry.slice(79), 'R03') }]),
  )
  const failed = await until(
    () => readVerification(id),
    ({ status }) => status === 'FAILED',
  )
  expect(failed).toMatchObject({
    failureReason: 'DEPOSIT_FAILED',
    message: expect.stringContaining('R03'),
  })
  expect(await get(`/customers/external-accounts/${payee}`)).toMatchObject({ verificationStatus: 'FAILED' })
  await send(payee, 80)
  await waitUntilQueued(bank.world, 1)
  expect(listEntries((await bank.takeFile()).text)).toEqual([expect.stringMatching(/^623011401533222333444/)])
})

test('until its deposits have ended, a verification blocks another one and the deletion of the customer, and its time limit does not start', async () => {
  const { client } = bank.world
  const { customerId, addAccount } = await newUnfundedCustomer(bank)
  const external = await addAccount('444555666')
  const id = await startVerification(external)
  await waitForQueued('444555666', 2)
  await bank.takeFile()
  await waitForAcceptance()
  const { transactionIds, expiresAt } = await readVerification(id)
  expect(expiresAt).toBeUndefined()
  expect((await client.send('DELETE', `/customers/external-accounts/${external}`)).status).toBe(204)
  expect(await readVerification(id)).toMatchObject({ status: 'FAILED', failureReason: 'ACCOUNT_REMOVED' })
  const newAccount = await addAccount('444555666')
  const refusal = await beginVerification(client, newAccount)
  expect(refusal.body).toMatchObject({
    code: 'ACCOUNT_VERIFICATION_EXISTS',
    details: { accountVerificationId: id, status: 'FAILED' },
  })
  const otherCustomer = await newUnfundedCustomer(bank)
  const otherReply = await beginVerification(client, await otherCustomer.addAccount('444555666'))
  expect(otherReply.body).toMatchObject({
    code: 'ACCOUNT_VERIFICATION_EXISTS',
    details: { field: 'externalAccountId' },
  })
  expect(JSON.stringify(otherReply.body)).not.toContain(id)
  const deletion = await client.send('DELETE', `/customers/${customerId}`)
  expect([deletion.status, deletion.body.code]).toEqual([409, 'CUSTOMER_NOT_EMPTY'])
  expect(
    deletion.body.details.transactions.map((transaction: { id: string }) => transaction.id).sort(),
  ).toEqual([...transactionIds].sort())

  await markDelivered(transactionIds)
  expect((await readVerification(id)).expiresAt).toEqual(expect.any(String))
  expect((await beginVerification(client, newAccount)).status).toBe(201)
})

test('erasing a customer erases the details of their account in the deposits that verified it', async () => {
  const { client } = bank.world
  const { customerId, addAccount } = await newUnfundedCustomer(bank)
  const external = await addAccount('333444555')
  const id = await startVerification(external)
  await waitForQueued('333444555', 2)
  await bank.takeFile()
  await waitForAcceptance()
  await markDelivered((await readVerification(id)).transactionIds)
  const listOccurrences = () =>
    query(`SELECT id FROM transactions WHERE destination_identifier = '333444555'
      UNION ALL SELECT id FROM bank_payments WHERE details::text ~ '333444555'
      UNION ALL SELECT id FROM payment_decisions WHERE note ~ '${NOTE}'
        AND transaction_id IN (SELECT first_transaction_id FROM account_verifications WHERE customer_id = '${customerId.slice('Customer:'.length)}')
      UNION ALL SELECT id FROM events WHERE data ~ '333444555'`)
  expect((await listOccurrences()).rows.length).toBeGreaterThan(4)
  await requestErasure(bank.world, customerId)
  await waitUntilErased(bank.world, customerId)
  expect((await listOccurrences()).rows).toEqual([])
  expect((await client.get(`/account-verifications/${id}`)).body.externalAccountId).toBe(external)
})
