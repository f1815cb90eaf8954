import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import { ERASES_NOW, requestErasure, untilErased } from '../../worlds/production/erasures.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  untilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import { amountsOf, begin, confirm, otherThan } from '../../worlds/records/account-verifications.testing.ts'
import {
  bankFile,
  descriptionsIn,
  entriesIn,
  fundPlatform,
  payingCustomer,
  poorCustomer,
  returnAddenda,
} from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH', { format: { ...ACH_FORMAT, sendsPrenotes: true } }, ERASES_NOW)
  await fundPlatform(bank)
})
afterAll(() => bank.close())

const get = async (path: string) => (await bank.world.client.get(path)).body
const query = (sql: string) => bank.world.service.app.db.query(sql)
const read = (id: string) => get(`/account-verifications/${id}`)

/** Begins a verification whose deposits wait for a file. */
async function begun(external: string): Promise<string> {
  const reply = await begin(bank.world.client, external)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body.id
}

/** Waits until this number of payments to an account waits for a file. */
const untilQueuedTo = (accountNumber: string, count: number) =>
  until(
    async () =>
      (
        await query(
          `SELECT id FROM bank_payments WHERE file_id IS NULL AND details->>'account' = '${accountNumber}'`,
        )
      ).rows,
    (rows) => rows.length === count,
  )

const untilAccepted = () =>
  until(
    async () => (await query('SELECT id FROM bank_files WHERE accepted_at IS NULL')).rows,
    (rows) => rows.length === 0,
  )

const NOTE = 'Seen on her statement'

/** A person decides that these deposits were delivered. */
async function deliver(transactionIds: readonly string[]): Promise<void> {
  for (const one of transactionIds) {
    const said = { outcome: 'DELIVERED', reason: 'By telephone', evidence: { note: NOTE } }
    const decided = await bank.world.client.post(`/transactions/${one}/decide`, said)
    expect(decided.status, JSON.stringify(decided.body)).toBe(200)
    await until(
      () => get(`/transactions/${one}`),
      ({ status }) => status === 'COMPLETED',
    )
  }
}

test('deposits are described as ACCTVERIFY, and a verified account needs no prenote', async () => {
  const { client } = bank.world
  const { accountOf, send } = await payingCustomer(bank, 'verified')
  const to = await accountOf('111222333')
  const id = await begun(to)
  await untilQueued(bank.world, 2)
  const amounts = await amountsOf(client, id)
  const early = await confirm(client, id, amounts)
  expect([early.status, early.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
  expect(await read(id)).toMatchObject({ status: 'PENDING', attemptsLeft: 3 })

  const { text } = await bank.takeFile()
  expect(descriptionsIn(text)).toEqual(['ACCTVERIFY'])
  const entries = entriesIn(text)
  expect(entries.map((line) => line.slice(0, 29).trim())).toEqual(Array(2).fill('622011401533111222333'))
  expect(entries.map((line) => Number(line.slice(29, 39))).sort()).toEqual([...amounts].sort())
  await untilAccepted()
  const { transactionIds } = await read(id)
  const asked = { outcome: 'REVERSAL', reason: 'Not needed any more', evidence: { note: NOTE } }
  const refused = await client.post(`/transactions/${transactionIds[0]}/decide`, asked)
  expect(refused.body).toMatchObject({ code: 'PAYMENT_NOT_DECIDABLE', details: { reason: 'NOT_REVERSIBLE' } })
  expect((await confirm(client, id, otherThan(amounts))).body).toMatchObject({ attemptsLeft: 2 })
  expect((await confirm(client, id, amounts)).body.status).toBe('VERIFIED')
  expect(await get(`/customers/external-accounts/${to}`)).toMatchObject({ verificationStatus: 'VERIFIED' })

  await send(to, 70)
  await untilQueued(bank.world, 1)
  const next = await bank.takeFile()
  expect(descriptionsIn(next.text)).toEqual(['PAYOUT'])
  expect(entriesIn(next.text)).toEqual([expect.stringMatching(/^622011401533111222333 {8}0000000070/)])
})

test('a deposit that the bank returns fails the verification with its reason, and the next payment needs a prenote', async () => {
  const { accountOf, send } = await payingCustomer(bank, 'returned')
  const to = await accountOf('222333444')
  const id = await begun(to)
  await untilQueued(bank.world, 2)
  const [entry = ''] = entriesIn((await bank.takeFile()).text)
  const back = {
    ...{ transactionCode: '21', amount: BigInt(entry.slice(29, 39)), account: entry.slice(12, 29).trim() },
    ...{ individualId: entry.slice(39, 54).trim(), trace: '011401530000009' },
  }
  await bank.put('return.ach', bankFile([{ ...back, addenda: returnAddenda(entry.slice(79), 'R03') }]))
  const failed = await until(
    () => read(id),
    ({ status }) => status === 'FAILED',
  )
  expect(failed).toMatchObject({
    failureReason: 'DEPOSIT_FAILED',
    message: expect.stringContaining('R03'),
  })
  expect(await get(`/customers/external-accounts/${to}`)).toMatchObject({ verificationStatus: 'FAILED' })
  await send(to, 80)
  await untilQueued(bank.world, 1)
  expect(entriesIn((await bank.takeFile()).text)).toEqual([expect.stringMatching(/^623011401533222333444/)])
})

test('no other start and no deletion of the customer is possible until the deposits have ended, and the time to confirm begins then', async () => {
  const { client } = bank.world
  const { customerId, accountOf } = await poorCustomer(bank)
  const external = await accountOf('444555666')
  const id = await begun(external)
  await untilQueuedTo('444555666', 2)
  await bank.takeFile()
  await untilAccepted()
  const { transactionIds, expiresAt } = await read(id)
  expect(expiresAt).toBeUndefined()
  expect((await client.send('DELETE', `/customers/external-accounts/${external}`)).status).toBe(204)
  expect(await read(id)).toMatchObject({ status: 'FAILED', failureReason: 'ACCOUNT_REMOVED' })
  const again = await accountOf('444555666')
  const refused = await begin(client, again)
  expect(refused.body).toMatchObject({
    code: 'ACCOUNT_VERIFICATION_EXISTS',
    details: { accountVerificationId: id, status: 'FAILED' },
  })
  const other = await poorCustomer(bank)
  const ofAnother = await begin(client, await other.accountOf('444555666'))
  expect(ofAnother.body).toMatchObject({
    code: 'ACCOUNT_VERIFICATION_EXISTS',
    details: { field: 'externalAccountId' },
  })
  expect(JSON.stringify(ofAnother.body)).not.toContain(id)
  const open = await client.send('DELETE', `/customers/${customerId}`)
  expect([open.status, open.body.code]).toEqual([409, 'CUSTOMER_NOT_EMPTY'])
  expect(open.body.details.transactions.map((one: { id: string }) => one.id).sort()).toEqual(
    [...transactionIds].sort(),
  )

  await deliver(transactionIds)
  expect((await read(id)).expiresAt).toEqual(expect.any(String))
  expect((await begin(client, again)).status).toBe(201)
})

test('erasing a customer erases the details of their account in the deposits that verified it', async () => {
  const { client } = bank.world
  const { customerId, accountOf } = await poorCustomer(bank)
  const external = await accountOf('333444555')
  const id = await begun(external)
  await untilQueuedTo('333444555', 2)
  await bank.takeFile()
  await untilAccepted()
  await deliver((await read(id)).transactionIds)
  const places = () =>
    query(`SELECT id FROM transactions WHERE destination_identifier = '333444555'
      UNION ALL SELECT id FROM bank_payments WHERE details::text ~ '333444555'
      UNION ALL SELECT id FROM payment_decisions WHERE note ~ '${NOTE}'
        AND transaction_id IN (SELECT first_transaction_id FROM account_verifications WHERE customer_id = '${customerId.slice('Customer:'.length)}')
      UNION ALL SELECT id FROM events WHERE data ~ '333444555'`)
  expect((await places()).rows.length).toBeGreaterThan(4)
  await requestErasure(bank.world, customerId)
  await untilErased(bank.world, customerId)
  expect((await places()).rows).toEqual([])
  expect((await client.get(`/account-verifications/${id}`)).body.externalAccountId).toBe(external)
})
