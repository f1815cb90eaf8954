import { expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  beginNewVerification,
  beginVerification,
  confirmVerification,
  failVerification,
  fundPlatform,
  readDepositAmounts,
} from '../../worlds/records/external-accounts.testing.ts'

const LIMITED = { code: 'ACCOUNT_VERIFICATION_LIMIT_REACHED', field: 'externalAccountId' } as const
const NUMBER = '4410987779'

/** Verifies an account until no attempt is left. */
async function failOnce(client: Client, bank: string): Promise<void> {
  const started = await beginVerification(client, bank)
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  await client.advance(0)
  await failVerification(client, started.body.id)
}

test('a bank account can be verified three times in 30 days, however often it is added again and by however many customers', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const { id } = await newCustomer(client)
  const first = await newBankAccount(client, id, NUMBER)
  await failOnce(client, first)
  const startedAt = Date.parse((await client.get('/account-verifications')).body.data[0].createdAt)
  expect((await client.send('DELETE', `/customers/external-accounts/${first}`)).status).toBe(204)
  await failOnce(client, await newBankAccount(client, id, NUMBER))
  await failOnce(client, await newBankAccount(client, (await newCustomer(client)).id, NUMBER))

  const bank = await newBankAccount(client, (await newCustomer(client)).id, NUMBER)
  const refused = await beginVerification(client, bank)
  expectError(refused, LIMITED)
  const possibleAt = Date.parse(refused.body.details.possibleAt)
  expect(possibleAt - startedAt).toBe(30 * 24 * 3_600_000)
  const { now } = (await client.get('/sandbox/clock')).body
  await client.advance(Math.floor((possibleAt - Date.parse(now)) / 1_000) - 60)
  expectError(await beginVerification(client, bank), LIMITED)
  await client.advance(61)
  expect((await beginVerification(client, bank)).status).toBe(201)

  const otherPlatform = await newPlatform()
  await fundPlatform(otherPlatform)
  const otherBank = await newBankAccount(otherPlatform, (await newCustomer(otherPlatform)).id, NUMBER)
  expect((await beginVerification(otherPlatform, otherBank)).status).toBe(201)
})

test('fifty customers who verify one bank account concurrently start at most three verifications', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const banks = await Promise.all(
    Array.from({ length: 50 }, async () => newBankAccount(client, (await newCustomer(client)).id, NUMBER)),
  )
  const replies = await Promise.all(banks.map((bank) => beginVerification(client, bank)))
  const started = replies.filter(({ status }) => status === 201)
  // Deposits that have ended in the meantime allow another start.
  expect(started.length).toBeGreaterThanOrEqual(1)
  expect(started.length).toBeLessThanOrEqual(3)
  const codes = replies.filter(({ status }) => status !== 201).map(({ body }) => body.code)
  expect(new Set(codes).size).toBeLessThanOrEqual(2)
  for (const code of codes) expect(code).toMatch(/^ACCOUNT_VERIFICATION_(EXISTS|LIMIT_REACHED)$/)
  await client.advance(0)
  let starts = started.length
  for (const bank of banks.filter((_, index) => replies[index]?.status !== 201).slice(0, 4)) {
    if ((await beginVerification(client, bank)).status === 201) starts += 1
    await client.advance(0)
  }
  expect(starts).toBe(3)
  expect((await client.get('/account-verifications?limit=100')).body.data).toHaveLength(3)
})

test('leading zeros of an account number do not make it another account', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const { id } = await newCustomer(client)
  const newAccount = async (accountNumber: string) => {
    const { body } = await client.post('/customers/external-accounts', {
      ...{ customerId: id, currency: 'USD' },
      accountInfo: {
        ...{ accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '021000021' },
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    return body.id
  }
  for (const zeros of ['', '0', '000']) await failOnce(client, await newAccount(`${zeros}${NUMBER}`))
  expectError(await beginVerification(client, await newAccount(`00${NUMBER}`)), LIMITED)
})

test('a customer can start ten verifications in 30 days, however many accounts they add', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const { id } = await newCustomer(client)
  const banks = await Promise.all(
    Array.from({ length: 14 }, (_, index) => newBankAccount(client, id, `44210000${index + 10}9`)),
  )
  const replies = await Promise.all(banks.map((bank) => beginVerification(client, bank)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
  for (const refused of replies.filter(({ status }) => status !== 201)) expectError(refused, LIMITED)
  const otherCustomersBank = await newBankAccount(client, (await newCustomer(client)).id, '4421000009')
  expect((await beginVerification(client, otherCustomersBank)).status).toBe(201)
})

test('a verification cannot be confirmed once its customer is deleted', async () => {
  const client = await newPlatform()
  const { id, customerId } = await beginNewVerification(client)
  const amounts = await readDepositAmounts(client, id)
  expect((await client.send('DELETE', `/customers/${customerId}`)).status).toBe(200)
  expectError(await confirmVerification(client, id, amounts), {
    code: 'CUSTOMER_DELETED',
    field: 'customerId',
  })
})
