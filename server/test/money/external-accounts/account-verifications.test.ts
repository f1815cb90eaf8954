import { expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { change, decide, newNumber, report } from '../../worlds/records/account-changes.testing.ts'
import {
  amountsOf,
  begin,
  begunVerification,
  confirm,
  fundPlatform,
  otherThan,
} from '../../worlds/records/account-verifications.testing.ts'
import { customerClient } from '../../worlds/records/members.testing.ts'

const DAY_SECONDS = 86_400

const statusOf = async (client: Client, bank: string) =>
  (await client.get(`/customers/external-accounts/${bank}`)).body.verificationStatus
const read = async (client: Client, id: string) => (await client.get(`/account-verifications/${id}`)).body
const balanceOf = async (client: Client) =>
  Number((await client.get('/platform/internal-accounts?currency=USD')).body.data[0].balance.amount)
const eventsOf = async (client: Client, id: string) =>
  (await client.events(`&objectId=${id}`)).map(({ type, data }) => [type, data.status])
const UPDATED = 'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED'

test('both amounts in any order verify the account, which shows it, and nothing but the transactions has the amounts', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await begunVerification(client)
  expect(await statusOf(client, bank)).toBe('PENDING')
  const [one = 0, other = 0] = await amountsOf(client, id)
  expect(one).not.toBe(other)
  for (const amount of [one, other]) expect(amount >= 1 && amount <= 99).toBe(true)
  expect(await balanceOf(client)).toBe(10_000 - one - other)

  const confirmed = await confirm(client, id, [other, one])
  expect(confirmed.body).toMatchObject({
    ...{ id, status: 'VERIFIED', externalAccountId: bank, customerId, attemptsLeft: 3 },
    verifiedAt: expect.any(String),
  })
  expect(await read(client, id)).toEqual(confirmed.body)
  expect(JSON.stringify(confirmed.body)).not.toMatch(/amount/i)
  expect(await statusOf(client, bank)).toBe('VERIFIED')
  expect((await client.get(`/account-verifications?externalAccountId=${bank}`)).body.data).toEqual([
    confirmed.body,
  ])
  expect(await eventsOf(client, id)).toEqual([
    [UPDATED, 'PENDING'],
    [UPDATED, 'VERIFIED'],
  ])
  expectError(await confirm(client, id, [one, other]), { code: 'INVALID_STATE_TRANSITION' })
  expectError(await begin(client, bank), { code: 'ACCOUNT_VERIFICATION_EXISTS', field: 'externalAccountId' })
  await client.advance(10 * DAY_SECONDS)
  expect(await statusOf(client, bank)).toBe('VERIFIED')
})

test('three wrong attempts fail a verification, and another one can begin', async () => {
  const client = await newPlatform()
  const { id, bank } = await begunVerification(client)
  const wrong = otherThan(await amountsOf(client, id))
  const left: unknown[] = []
  for (let attempt = 0; attempt < 3; attempt++) left.push((await confirm(client, id, wrong)).body)
  expect(left).toMatchObject([
    { status: 'PENDING', attemptsLeft: 2 },
    { status: 'PENDING', attemptsLeft: 1 },
    { status: 'FAILED', attemptsLeft: 0, failureReason: 'WRONG_AMOUNTS' },
  ])
  expectError(await confirm(client, id, wrong), { code: 'INVALID_STATE_TRANSITION' })
  expect(await statusOf(client, bank)).toBe('FAILED')
  expect((await begin(client, bank)).status).toBe(201)
})

test('fifty wrong confirmations at the same time use three attempts, and fifty right ones verify once', async () => {
  const client = await newPlatform()
  const wrong = await begunVerification(client)
  const amounts = otherThan(await amountsOf(client, wrong.id))
  const refused = await Promise.all(Array.from({ length: 50 }, () => confirm(client, wrong.id, amounts)))
  const used = refused.filter(({ status }) => status === 200).map(({ body }) => body.attemptsLeft)
  expect(used.sort()).toEqual([0, 1, 2])
  expect(refused.filter(({ status }) => status === 409)).toHaveLength(47)
  expect((await read(client, wrong.id)).status).toBe('FAILED')

  const right = await begunVerification(client)
  const sent = await amountsOf(client, right.id)
  const confirmed = await Promise.all(Array.from({ length: 50 }, () => confirm(client, right.id, sent)))
  expect(confirmed.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await eventsOf(client, right.id)).toHaveLength(2)
})

test('fifty calls at the same time begin one verification, and pay two deposits', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const bank = await newBankAccount(client, (await newCustomer(client)).id)
  const begun = await Promise.all(Array.from({ length: 50 }, () => begin(client, bank)))
  const [only, ...more] = begun.filter(({ status }) => status === 201)
  expect(more).toEqual([])
  for (const reply of begun) if (reply !== only) expect(reply.body.code).toBe('ACCOUNT_VERIFICATION_EXISTS')
  await client.advance(0)
  const amounts = await amountsOf(client, only?.body.id)
  expect(await balanceOf(client)).toBe(10_000 - amounts.reduce((sum, one) => sum + one))
})

test('amounts are confirmed within ten days of the delivery of both deposits', async () => {
  const client = await newPlatform()
  const { id, bank } = await begunVerification(client)
  const amounts = await amountsOf(client, id)
  const { createdAt, expiresAt } = await read(client, id)
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(10 * DAY_SECONDS * 1_000)
  await client.advance(10 * DAY_SECONDS)
  expect(await read(client, id)).toMatchObject({ status: 'EXPIRED' })
  expect(await statusOf(client, bank)).toBe('EXPIRED')
  expectError(await confirm(client, id, amounts), { code: 'INVALID_STATE_TRANSITION' })
  expect((await begin(client, bank)).status).toBe(201)
})

test('a deposit that fails fails the verification with the reason of the bank, and its money is back', async () => {
  const client = await newPlatform()
  const { id } = await begunVerification(client, undefined, '003')
  expect(await read(client, id)).toMatchObject({
    ...{ status: 'FAILED', failureReason: 'DEPOSIT_FAILED', message: 'The account is closed or invalid' },
  })
  expect(await balanceOf(client)).toBe(10_000)
})

test('a deposit that is returned after the confirmation ends it', async () => {
  const client = await newPlatform()
  const { id, bank } = await begunVerification(client)
  expect((await confirm(client, id, await amountsOf(client, id))).body.status).toBe('VERIFIED')
  const { transactionIds } = await read(client, id)
  const returned = await client.post('/sandbox/rail-events', {
    ...{ type: 'payment.returned', paymentId: transactionIds[1], message: 'Account closed' },
  })
  expect(returned.status, JSON.stringify(returned.body)).toBe(201)
  await client.advance(0)
  expect(await read(client, id)).toMatchObject({ status: 'FAILED', message: 'Account closed' })
  expect(await statusOf(client, bank)).toBe('FAILED')
})

test('other details end a verification that succeeded, and the removal of the account one that is in progress', async () => {
  const client = await newPlatform()
  const { id, bank } = await begunVerification(client)
  await confirm(client, id, await amountsOf(client, id))
  const { transactionIds } = await read(client, id)
  await report(client, transactionIds[0], change(newNumber()))
  const { data } = (await client.get(`/account-changes?externalAccountId=${bank}`)).body
  expect(await statusOf(client, bank)).toBe('VERIFIED')
  await decide(client, data[0].id, 'apply')
  expect(await read(client, id)).toMatchObject({ status: 'FAILED', failureReason: 'ACCOUNT_CHANGED' })
  expect(await statusOf(client, bank)).toBe('FAILED')

  const again = (await begin(client, bank)).body.id
  expect((await client.send('DELETE', `/customers/external-accounts/${bank}`)).status).toBe(204)
  expect(await read(client, again)).toMatchObject({ status: 'FAILED', failureReason: 'ACCOUNT_REMOVED' })
})

test('deposits go only from an account of the platform in US dollars to a US bank account of an approved customer', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const bank = await newBankAccount(client, customer.id)
  expectError(await begin(client, bank), { code: 'INSUFFICIENT_BALANCE', field: 'amount' })
  const own = await fundPlatform(client)
  const source = (sourceAccountId: string) => begin(client, bank, { sourceAccountId })
  expectError(await source(customer.usd), { code: 'INVALID_INPUT', field: 'sourceAccountId' })
  const [euros] = (await client.get('/platform/internal-accounts?currency=EUR')).body.data
  expectError(await source(euros.id), { code: 'INVALID_CURRENCY', field: 'sourceAccountId' })
  const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada', countryOfResidence: 'DE' }
  const sepa = await client.post('/customers/external-accounts', {
    ...{ customerId: customer.id, currency: 'EUR' },
    accountInfo: { accountType: 'EUR_ACCOUNT', iban: 'DE89370400440532013000', beneficiary },
  })
  expectError(await begin(client, sepa.body.id), { code: 'INVALID_INPUT', field: 'externalAccountId' })
  const other = await newPlatform()
  await fundPlatform(other)
  expectError(await begin(other, bank), { code: 'ACCOUNT_NOT_FOUND', field: 'externalAccountId' })
  const unapproved = await newCustomer(client, { fullName: 'Ada Lovelace001' })
  const theirs = await newBankAccount(client, unapproved.id, newNumber().slice(-8))
  expectError(await begin(client, theirs), { code: 'USER_NOT_READY' })
  expect((await source(own)).body.sourceAccountId).toBe(own)
})

test('the lowest amount of a payment of the platform does not apply to deposits', async () => {
  const client = await newPlatform()
  const { supportedCurrencies } = (await client.get('/config')).body
  const raised = supportedCurrencies.map((one: object) => ({ ...one, minAmount: 500 }))
  expect((await client.send('PATCH', '/config', { supportedCurrencies: raised })).status).toBe(200)
  const { id } = await begunVerification(client)
  expect((await confirm(client, id, await amountsOf(client, id))).body.status).toBe('VERIFIED')
})

test('the lists and files of transactions by account have the deposits to it, but not those of its customer', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await begunVerification(client)
  const { transactionIds } = await read(client, id)
  const both = [...transactionIds].sort()
  const listed = async (query: string) =>
    (await client.get(`/transactions?${query}`)).body.data.map((one: { id: string }) => one.id).sort()
  expect(await listed(`accountIdentifier=${bank}`)).toEqual(both)
  expect(await listed(`receiverAccountIdentifier=${bank}`)).toEqual(both)
  expect(await listed(`senderAccountIdentifier=${bank}`)).toEqual([])
  expect(await listed(`customerId=${customerId}`)).toEqual([])
  const file = await client.get(`/transactions.csv?accountIdentifier=${bank}`)
  for (const one of both) expect(file.body).toContain(one)
})

test('a customer token sees neither the deposits nor their amounts, by whatever account it asks', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await begunVerification(client)
  const { transactionIds } = await read(client, id)
  const customer = await customerClient(client, customerId)
  expect((await customer.get(`/transactions?accountIdentifier=${bank}`)).body.data).toEqual([])
  for (const one of transactionIds) expect((await customer.get(`/transactions/${one}`)).status).toBe(404)
})
