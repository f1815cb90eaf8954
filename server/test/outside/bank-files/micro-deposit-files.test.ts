import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  pauseWorkers,
} from '../../worlds/production/file-bank.testing.ts'
import { ERASES_NOW } from '../../worlds/records/erasures.testing.ts'
import {
  beginVerification,
  confirmVerification,
  readDepositAmounts,
} from '../../worlds/records/external-accounts.testing.ts'
import {
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

const query = (sql: string) => bank.world.service.app.db.query(sql)
const listQueued = async (accountNumber: string) =>
  (
    await query(
      `SELECT id FROM bank_payments WHERE file_id IS NULL AND details->>'account' = '${accountNumber}'`,
    )
  ).rows
const waitForQueued = (accountNumber: string, count: number) =>
  until(
    () => listQueued(accountNumber),
    (rows) => rows.length === count,
  )
const takeNextDescriptions = async () => listDescriptions((await bank.takeFile()).text)

/** Starts a verification for a new customer, and waits until its deposits are queued. */
async function startVerification(accountNumber: string): Promise<string> {
  const { addAccount } = await newUnfundedCustomer(bank)
  const reply = await beginVerification(bank.world.client, await addAccount(accountNumber))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  await waitForQueued(accountNumber, 2)
  return reply.body.id
}

test('verification deposits are sent in separate files, after other payments and in at most six files a day', async () => {
  const { client } = bank.world
  const { addAccount, send } = await newPayingCustomer(bank, 'files')
  const external = await addAccount('555111200')
  const { id } = (await beginVerification(client, external)).body
  await waitForQueued('555111200', 2)
  expect(await takeNextDescriptions()).toEqual(['ACCTVERIFY'])
  await until(
    async () => (await query('SELECT id FROM bank_files WHERE accepted_at IS NULL')).rows,
    (rows) => rows.length === 0,
  )
  expect((await confirmVerification(client, id, await readDepositAmounts(client, id))).body.status).toBe(
    'VERIFIED',
  )

  await pauseWorkers(bank.world)
  const pay = async () => {
    expect((await send(external, 60)).status).toBe(201)
    await waitForQueued('555111200', 1)
  }
  await startVerification('555111201')
  await pay()
  await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  expect(await takeNextDescriptions()).toEqual(['PAYOUT'])
  expect(await takeNextDescriptions()).toEqual(['ACCTVERIFY'])
  for (let file = 3; file <= 6; file++) {
    await startVerification(`55511120${file}`)
    expect(await takeNextDescriptions()).toEqual(['ACCTVERIFY'])
  }

  await startVerification('555111207')
  for (let file = 0; file < 2; file++) {
    await pay()
    expect(await takeNextDescriptions()).toEqual(['PAYOUT'])
  }
  expect(await listQueued('555111207')).toHaveLength(2)
})

test.each([
  ['is deleted', (id: string) => bank.world.client.send('DELETE', `/customers/${id}`)],
  [
    'has it set to INACTIVE',
    (id: string) =>
      query(`UPDATE external_accounts SET status = 'INACTIVE'
      WHERE verification_status = 'VERIFIED' AND customer_id = '${id.slice('Customer:'.length)}'`),
  ],
])(
  'an account needs a prenote again if the only customer who verified it %s',
  async (reason, endVerification) => {
    const number = reason === 'is deleted' ? '555222100' : '555222101'
    const owner = await newUnfundedCustomer(bank)
    await owner.addAccount(number)
    await query(
      `UPDATE external_accounts SET verification_status = 'VERIFIED' WHERE identifier = '${number}'`,
    )
    const { addAccount, send } = await newPayingCustomer(bank, number)
    const payee = await addAccount(number)
    const payAndListCodes = async (amount: number) => {
      expect((await send(payee, amount)).status).toBe(201)
      await waitForQueued(number, 1)
      return listEntries((await bank.takeFile()).text).map((line) => line.slice(0, 3))
    }
    expect(await payAndListCodes(40)).toEqual(['622'])
    await endVerification(owner.customerId)
    expect(await payAndListCodes(41)).toEqual(['623'])
  },
)

test('if a customer is deleted while a verification starts, only one of the two succeeds', async () => {
  const { client } = bank.world
  for (let index = 0; index < 5; index++) {
    const { customerId, addAccount } = await newUnfundedCustomer(bank)
    const external = await addAccount(`66677780${index}`)
    const [started, deleted] = await Promise.all([
      beginVerification(client, external),
      client.send('DELETE', `/customers/${customerId}`),
    ])
    expect([started.status, deleted.status]).toSatisfy(
      ([one, other]) => (one === 201) === (other === 409) && (one === 410) === (other === 200),
    )
  }
})
