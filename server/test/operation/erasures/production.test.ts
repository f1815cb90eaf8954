import { afterAll, beforeAll, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { accountOf, openProduction, type Production } from '../../worlds/production/production.testing.ts'
import { findPlaces } from '../../worlds/records/erasures.testing.ts'
import { buildGermanIban } from '../../worlds/records/external-accounts.testing.ts'
import { upload } from '../../worlds/records/onboarding.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction({}, { PERSONAL_DATA_DAYS: '0' })
})
afterAll(() => world.close())

const PERSONAL = {
  fullName: 'Xanthippe Railmark',
  holder: 'Xanthippe Holdermark',
  sender: 'Sendermark Senior',
  reason: 'Pocketmoneymark',
  remittance: 'Rentmark of Xanthippe',
  fileName: 'xanthippemark.png',
}

async function eraseNow(id: string): Promise<void> {
  expect((await world.client.send('DELETE', `/customers/${id}`)).status).toBe(200)
  const erasure = await world.client.post(`/customers/${id}/erasure`)
  expect(erasure.body.erasesAt).toBe(erasure.body.requestedAt)
  await until(
    async () => (await world.client.get(`/customers/${id}/erasure`)).body.status,
    (status) => status === 'DONE',
  )
}

test('personal data sent to and from banks is erased, including the deposit account number', async () => {
  const { client, service } = world
  const id = await world.newApproved()
  await client.send('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: PERSONAL.fullName })
  const uploadReply = await upload(
    client,
    '/documents',
    { documentHolder: id, documentType: 'PASSPORT', country: 'DE' },
    undefined,
    { fileName: PERSONAL.fileName },
  )
  expect(uploadReply.status).toBe(201)
  const account = await accountOf(client, id, 'EUR')
  const { iban: depositIban } = account.fundingPaymentInstructions[0].accountOrWalletInfo
  await world.paidIn(account, '2500', {
    sender: { name: PERSONAL.sender },
    remittanceInformation: PERSONAL.reason,
  })
  const readBalance = () => client.get(`/customers/internal-accounts?customerId=${id}&currency=EUR`)
  await until(readBalance, ({ body }) => Number(body.data[0].balance.amount) === 2500)
  const iban = buildGermanIban('777')
  const bank = await client.post('/customers/external-accounts', {
    customerId: id,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: PERSONAL.holder, countryOfResidence: 'DE' },
    },
  })
  expect(bank.status, toJson(bank.body)).toBe(201)
  const payment = await client.post('/transfer-out', {
    source: { accountId: account.id },
    destination: { accountId: bank.body.id },
    remittanceInformation: PERSONAL.remittance,
  })
  expect(payment.status, toJson(payment.body)).toBe(201)
  const completedPayment = await until(
    async () => (await client.get(`/transactions/${payment.body.id}`)).body,
    ({ status }) => status === 'COMPLETED',
  )
  await service.app.requestLog.flush()
  const texts = [...Object.values(PERSONAL), depositIban, iban]
  const before = await findPlaces(service.app.db, texts)
  expect([...before].filter(([, places]) => places.length === 0)).toEqual([])
  await eraseNow(id)
  await service.app.requestLog.flush()
  const after = await findPlaces(service.app.db, texts)
  expect([...after].filter(([, places]) => places.length > 0)).toEqual([])
  const transaction = (await client.get(`/transactions/${payment.body.id}`)).body
  expect(transaction).toMatchObject({
    id: completedPayment.id,
    status: 'COMPLETED',
    receivedAmount: completedPayment.receivedAmount,
  })
  const { data } = (await client.get(`/deposits?limit=100`)).body
  expect(data).toMatchObject([{ status: 'CREDITED', amount: { amount: 2500 } }])
  for (const path of [
    `/ledger/transfers?cause=${payment.body.id}`,
    `/statements?accountId=${account.id}&from=2026-01-01T00:00:00Z&to=2999-01-01T00:00:00Z`,
  ])
    expect((await client.get(path)).status).toBe(200)
})

test('a request that is repeated with its Idempotency-Key after the erasure does not recreate the customer', async () => {
  const { client } = world
  const body = { customerType: 'INDIVIDUAL', fullName: 'Yolanda Railmark' }
  const headers = { 'Idempotency-Key': 'create-1' }
  const { id } = (await client.post('/customers', body, headers)).body
  const path = `/customers/${id}/kyc-link`
  const linkHeaders = { 'Idempotency-Key': 'link-1' }
  expect((await client.post(path, {}, linkHeaders)).status).toBe(201)
  await eraseNow(id)
  expectError(await client.post('/customers', body, headers), { code: 'CUSTOMER_DELETED' })
  expectError(await client.post(path, {}, linkHeaders), { code: 'CUSTOMER_DELETED', field: 'customerId' })
})
