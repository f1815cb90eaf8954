import { afterAll, beforeAll, expect, test } from 'vitest'
import { camtFile } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  openFileBank,
  pauseWorkers,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'
import {
  ERASES_NOW,
  requestErasure,
  resumeErasures,
  waitUntilErased,
  waitUntilErasureWaits,
} from '../../worlds/records/erasures.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA', {}, ERASES_NOW)
})
afterAll(() => bank.close())

const PAYER = 'Quahog Marker'

test('an erasure waits until the returned part of a deposit is booked, and its file is complete', async () => {
  const { world } = bank
  const { client } = world
  const { customerId, account } = await bank.customer()
  const credit = { amount: '10.00', direction: 'CRDT' as const, servicerReference: 'SVC-1' }
  const entries = [{ ...credit, transactions: [{ amount: '10.00', debtor: PAYER, text: 'hello' }] }]
  await bank.put('paid.xml', camtFile({ entries }))
  const [deposit] = (await client.get('/deposits?status=SUSPENSE')).body.data
  const split = await client.post(`/deposits/${deposit.id}/split`, {
    amounts: [600, 400],
    reason: 'Two payers',
  })
  expect(split.status, JSON.stringify(split.body)).toBe(200)
  const [assigned, returned] = (await client.get('/deposits?status=SUSPENSE')).body.data.sort(
    (a: Deposit, b: Deposit) => Number(b.amount.amount) - Number(a.amount.amount),
  )
  expect((await client.post(`/deposits/${assigned.id}/assign`, { accountId: account.id })).status).toBe(200)
  const { body: payee } = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'EUR' },
    accountInfo: {
      ...{ accountType: 'EUR_ACCOUNT', iban: 'FR1420041010050500013M02606' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'FR' },
    },
  })
  const transfer = await client.post('/transfer-out', {
    ...{ source: { accountId: account.id }, destination: { accountId: payee.id }, amount: 600 },
  })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  await waitUntilQueued(world, 1)
  await bank.takeFile()
  const decision = { outcome: 'DELIVERED', reason: 'By telephone', evidence: { note: 'Seen' } }
  await until(
    () => client.post(`/transactions/${transfer.body.id}/decide`, decision),
    ({ status }) => status === 200,
  )

  await pauseWorkers(world)
  const reply = await client.post(`/deposits/${returned.id}/return`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  await requestErasure(world, customerId)
  expect(await waitUntilErasureWaits(world, customerId)).toBe('ERASING')
  await world.service.app.db.query(`UPDATE bank_file_workers SET claimed_until = 'epoch'`)
  const { text } = await bank.takeFile()
  expect(text).toContain(PAYER)
  await resumeErasures(world)
  expect(await waitUntilErasureWaits(world, customerId)).toBe('ERASING')
  const [, endToEndId = ''] = /<EndToEndId>(.*?)</.exec(text) ?? []
  const debit = { amount: '4.00', direction: 'DBIT' as const, servicerReference: 'SVC-2' }
  await bank.put(
    'booked.xml',
    camtFile({ id: 'S-2', entries: [{ ...debit, transactions: [{ endToEndId, amount: '4.00' }] }] }),
  )
  await resumeErasures(world)
  await waitUntilErased(world, customerId)
  const { rows } = await world.service.app.db.query(
    `SELECT id FROM bank_payments WHERE details::text LIKE '%${PAYER}%'`,
  )
  expect(rows).toEqual([])
})

interface Deposit {
  readonly amount: { readonly amount: number }
}
