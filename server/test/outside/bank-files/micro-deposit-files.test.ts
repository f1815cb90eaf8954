import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import { ERASES_NOW } from '../../worlds/production/erasures.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  pauseWorkers,
} from '../../worlds/production/file-bank.testing.ts'
import { amountsOf, begin, confirm } from '../../worlds/records/account-verifications.testing.ts'
import { descriptionsIn, entriesIn, fundPlatform, payingCustomer, poorCustomer } from './ach-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('ACH', { format: { ...ACH_FORMAT, sendsPrenotes: true } }, ERASES_NOW)
  await fundPlatform(bank)
})
afterAll(() => bank.close())

const query = (sql: string) => bank.world.service.app.db.query(sql)
const waitingFor = async (accountNumber: string) =>
  (
    await query(
      `SELECT id FROM bank_payments WHERE file_id IS NULL AND details->>'account' = '${accountNumber}'`,
    )
  ).rows
const untilQueuedTo = (accountNumber: string, count: number) =>
  until(
    () => waitingFor(accountNumber),
    (rows) => rows.length === count,
  )
const nextDescriptions = async () => descriptionsIn((await bank.takeFile()).text)

/** Begins the verification of a new customer's account, whose deposits wait for a file. */
async function begun(accountNumber: string): Promise<string> {
  const { accountOf } = await poorCustomer(bank)
  const reply = await begin(bank.world.client, await accountOf(accountNumber))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  await untilQueuedTo(accountNumber, 2)
  return reply.body.id
}

test('deposits have files without other payments, which leave after these and are at most six a day', async () => {
  const { client } = bank.world
  const { accountOf, send } = await payingCustomer(bank, 'files')
  const paid = await accountOf('555111200')
  const { id } = (await begin(client, paid)).body
  await untilQueuedTo('555111200', 2)
  expect(await nextDescriptions()).toEqual(['ACCTVERIFY'])
  await until(
    async () => (await query('SELECT id FROM bank_files WHERE accepted_at IS NULL')).rows,
    (rows) => rows.length === 0,
  )
  expect((await confirm(client, id, await amountsOf(client, id))).body.status).toBe('VERIFIED')

  await pauseWorkers(bank.world)
  const pay = async () => {
    expect((await send(paid, 60)).status).toBe(201)
    await untilQueuedTo('555111200', 1)
  }
  await begun('555111201')
  await pay()
  await query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  expect(await nextDescriptions()).toEqual(['PAYOUT'])
  expect(await nextDescriptions()).toEqual(['ACCTVERIFY'])
  for (let file = 3; file <= 6; file++) {
    await begun(`55511120${file}`)
    expect(await nextDescriptions()).toEqual(['ACCTVERIFY'])
  }

  await begun('555111207')
  for (let file = 0; file < 2; file++) {
    await pay()
    expect(await nextDescriptions()).toEqual(['PAYOUT'])
  }
  expect(await waitingFor('555111207')).toHaveLength(2)
})

test.each([
  ['was deleted', (id: string) => bank.world.client.send('DELETE', `/customers/${id}`)],
  [
    'has it INACTIVE',
    (id: string) =>
      query(`UPDATE external_accounts SET status = 'INACTIVE'
      WHERE verification_status = 'VERIFIED' AND customer_id = '${id.slice('Customer:'.length)}'`),
  ],
])('an account needs a prenote again if the only customer who has verified it %s', async (reason, end) => {
  const number = reason === 'was deleted' ? '555222100' : '555222101'
  const owner = await poorCustomer(bank)
  await owner.accountOf(number)
  await query(`UPDATE external_accounts SET verification_status = 'VERIFIED' WHERE identifier = '${number}'`)
  const { accountOf, send } = await payingCustomer(bank, number)
  const to = await accountOf(number)
  const nextEntry = async (amount: number) => {
    expect((await send(to, amount)).status).toBe(201)
    await untilQueuedTo(number, 1)
    return entriesIn((await bank.takeFile()).text).map((line) => line.slice(0, 3))
  }
  expect(await nextEntry(40)).toEqual(['622'])
  await end(owner.customerId)
  expect(await nextEntry(41)).toEqual(['623'])
})

test('a deletion of the customer and a start at the same time leave no open deposit of a deleted customer', async () => {
  const { client } = bank.world
  for (let at = 0; at < 5; at++) {
    const { customerId, accountOf } = await poorCustomer(bank)
    const external = await accountOf(`66677780${at}`)
    const [started, deleted] = await Promise.all([
      begin(client, external),
      client.send('DELETE', `/customers/${customerId}`),
    ])
    expect([started.status, deleted.status]).toSatisfy(
      ([one, other]) => (one === 201) === (other === 409) && (one === 410) === (other === 200),
    )
  }
})
