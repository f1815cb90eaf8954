import { expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  beginNewVerification,
  beginVerification,
  buildChange,
  buildWrongAmounts,
  confirmVerification,
  decideChange,
  fundPlatform,
  newNumber,
  readDepositAmounts,
  reportChange,
} from '../../worlds/records/external-accounts.testing.ts'
import { newCustomerClient } from '../../worlds/records/members.testing.ts'

const DAY_SECONDS = 86_400

const readStatus = async (client: Client, bank: string) =>
  (await client.get(`/customers/external-accounts/${bank}`)).body.verificationStatus
const readVerification = async (client: Client, id: string) =>
  (await client.get(`/account-verifications/${id}`)).body
const readBalance = async (client: Client) =>
  Number((await client.get('/platform/internal-accounts?currency=USD')).body.data[0].balance.amount)
const listEvents = async (client: Client, id: string) =>
  (await client.events(`&objectId=${id}`)).map(({ type, data }) => [type, data.status])
const UPDATED = 'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED'

test('both deposit amounts in either order verify the account, and only the transactions show them', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await beginNewVerification(client)
  expect(await readStatus(client, bank)).toBe('PENDING')
  const [first = 0, second = 0] = await readDepositAmounts(client, id)
  expect(first).not.toBe(second)
  for (const amount of [first, second]) expect(amount >= 1 && amount <= 99).toBe(true)
  expect(await readBalance(client)).toBe(10_000 - first - second)

  const confirmed = await confirmVerification(client, id, [second, first])
  expect(confirmed.body).toMatchObject({
    ...{ id, status: 'VERIFIED', externalAccountId: bank, customerId, attemptsLeft: 3 },
    verifiedAt: expect.any(String),
  })
  expect(await readVerification(client, id)).toEqual(confirmed.body)
  expect(JSON.stringify(confirmed.body)).not.toMatch(/amount/i)
  expect(await readStatus(client, bank)).toBe('VERIFIED')
  expect((await client.get(`/account-verifications?externalAccountId=${bank}`)).body.data).toEqual([
    confirmed.body,
  ])
  expect(await listEvents(client, id)).toEqual([
    [UPDATED, 'PENDING'],
    [UPDATED, 'VERIFIED'],
  ])
  expectError(await confirmVerification(client, id, [first, second]), { code: 'INVALID_STATE_TRANSITION' })
  expectError(await beginVerification(client, bank), {
    code: 'ACCOUNT_VERIFICATION_EXISTS',
    field: 'externalAccountId',
  })
  await client.advance(10 * DAY_SECONDS)
  expect(await readStatus(client, bank)).toBe('VERIFIED')
})

test('three wrong attempts fail a verification, after which a new one can start', async () => {
  const client = await newPlatform()
  const { id, bank } = await beginNewVerification(client)
  const wrong = buildWrongAmounts(await readDepositAmounts(client, id))
  const results: unknown[] = []
  for (let attempt = 0; attempt < 3; attempt++)
    results.push((await confirmVerification(client, id, wrong)).body)
  expect(results).toMatchObject([
    { status: 'PENDING', attemptsLeft: 2 },
    { status: 'PENDING', attemptsLeft: 1 },
    { status: 'FAILED', attemptsLeft: 0, failureReason: 'WRONG_AMOUNTS' },
  ])
  expectError(await confirmVerification(client, id, wrong), { code: 'INVALID_STATE_TRANSITION' })
  expect(await readStatus(client, bank)).toBe('FAILED')
  expect((await beginVerification(client, bank)).status).toBe(201)
})

test('fifty concurrent wrong confirmations use three attempts, and fifty correct ones verify once', async () => {
  const client = await newPlatform()
  const failing = await beginNewVerification(client)
  const amounts = buildWrongAmounts(await readDepositAmounts(client, failing.id))
  const refused = await Promise.all(
    Array.from({ length: 50 }, () => confirmVerification(client, failing.id, amounts)),
  )
  const attemptsLeft = refused.filter(({ status }) => status === 200).map(({ body }) => body.attemptsLeft)
  expect(attemptsLeft.sort()).toEqual([0, 1, 2])
  expect(refused.filter(({ status }) => status === 409)).toHaveLength(47)
  expect((await readVerification(client, failing.id)).status).toBe('FAILED')

  const passing = await beginNewVerification(client)
  const depositAmounts = await readDepositAmounts(client, passing.id)
  const confirmed = await Promise.all(
    Array.from({ length: 50 }, () => confirmVerification(client, passing.id, depositAmounts)),
  )
  expect(confirmed.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await listEvents(client, passing.id)).toHaveLength(2)
})

test('fifty concurrent calls start one verification, and pay two deposits', async () => {
  const client = await newPlatform()
  await fundPlatform(client)
  const bank = await newBankAccount(client, (await newCustomer(client)).id)
  const replies = await Promise.all(Array.from({ length: 50 }, () => beginVerification(client, bank)))
  const [only, ...more] = replies.filter(({ status }) => status === 201)
  expect(more).toEqual([])
  for (const reply of replies) if (reply !== only) expect(reply.body.code).toBe('ACCOUNT_VERIFICATION_EXISTS')
  await client.advance(0)
  const amounts = await readDepositAmounts(client, only?.body.id)
  expect(await readBalance(client)).toBe(10_000 - amounts.reduce((sum, amount) => sum + amount))
})

test('a verification expires ten days after both deposits are delivered', async () => {
  const client = await newPlatform()
  const { id, bank } = await beginNewVerification(client)
  const amounts = await readDepositAmounts(client, id)
  const { createdAt, expiresAt } = await readVerification(client, id)
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(10 * DAY_SECONDS * 1_000)
  await client.advance(10 * DAY_SECONDS)
  expect(await readVerification(client, id)).toMatchObject({ status: 'EXPIRED' })
  expect(await readStatus(client, bank)).toBe('EXPIRED')
  expectError(await confirmVerification(client, id, amounts), { code: 'INVALID_STATE_TRANSITION' })
  expect((await beginVerification(client, bank)).status).toBe(201)
})

test("a failed deposit fails the verification with the bank's reason, and its money is returned", async () => {
  const client = await newPlatform()
  const { id } = await beginNewVerification(client, undefined, '003')
  expect(await readVerification(client, id)).toMatchObject({
    ...{ status: 'FAILED', failureReason: 'DEPOSIT_FAILED', message: 'The account is closed or invalid' },
  })
  expect(await readBalance(client)).toBe(10_000)
})

test('a deposit that is returned after the confirmation fails the verification', async () => {
  const client = await newPlatform()
  const { id, bank } = await beginNewVerification(client)
  expect((await confirmVerification(client, id, await readDepositAmounts(client, id))).body.status).toBe(
    'VERIFIED',
  )
  const { transactionIds } = await readVerification(client, id)
  const returned = await client.post('/sandbox/rail-events', {
    ...{ type: 'payment.returned', paymentId: transactionIds[1], message: 'Account closed' },
  })
  expect(returned.status, JSON.stringify(returned.body)).toBe(201)
  await client.advance(0)
  expect(await readVerification(client, id)).toMatchObject({ status: 'FAILED', message: 'Account closed' })
  expect(await readStatus(client, bank)).toBe('FAILED')
})

test('changed account details fail a completed verification, and removing the account fails one in progress', async () => {
  const client = await newPlatform()
  const { id, bank } = await beginNewVerification(client)
  await confirmVerification(client, id, await readDepositAmounts(client, id))
  const { transactionIds } = await readVerification(client, id)
  await reportChange(client, transactionIds[0], buildChange(newNumber()))
  const { data } = (await client.get(`/account-changes?externalAccountId=${bank}`)).body
  expect(await readStatus(client, bank)).toBe('VERIFIED')
  await decideChange(client, data[0].id, 'apply')
  expect(await readVerification(client, id)).toMatchObject({
    status: 'FAILED',
    failureReason: 'ACCOUNT_CHANGED',
  })
  expect(await readStatus(client, bank)).toBe('FAILED')

  const secondId = (await beginVerification(client, bank)).body.id
  expect((await client.send('DELETE', `/customers/external-accounts/${bank}`)).status).toBe(204)
  expect(await readVerification(client, secondId)).toMatchObject({
    status: 'FAILED',
    failureReason: 'ACCOUNT_REMOVED',
  })
})

test('deposits go only from a US dollar account of the platform to a US bank account of an approved customer', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const bank = await newBankAccount(client, customer.id)
  expectError(await beginVerification(client, bank), { code: 'INSUFFICIENT_BALANCE', field: 'amount' })
  const platformAccountId = await fundPlatform(client)
  const beginFrom = (sourceAccountId: string) => beginVerification(client, bank, { sourceAccountId })
  expectError(await beginFrom(customer.usd), { code: 'INVALID_INPUT', field: 'sourceAccountId' })
  const [euros] = (await client.get('/platform/internal-accounts?currency=EUR')).body.data
  expectError(await beginFrom(euros.id), { code: 'INVALID_CURRENCY', field: 'sourceAccountId' })
  const beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada', countryOfResidence: 'DE' }
  const sepa = await client.post('/customers/external-accounts', {
    ...{ customerId: customer.id, currency: 'EUR' },
    accountInfo: { accountType: 'EUR_ACCOUNT', iban: 'DE89370400440532013000', beneficiary },
  })
  expectError(await beginVerification(client, sepa.body.id), {
    code: 'INVALID_INPUT',
    field: 'externalAccountId',
  })
  const otherPlatform = await newPlatform()
  await fundPlatform(otherPlatform)
  expectError(await beginVerification(otherPlatform, bank), {
    code: 'ACCOUNT_NOT_FOUND',
    field: 'externalAccountId',
  })
  const unapproved = await newCustomer(client, { fullName: 'Ada Lovelace001' })
  const unapprovedBank = await newBankAccount(client, unapproved.id, newNumber().slice(-8))
  expectError(await beginVerification(client, unapprovedBank), { code: 'USER_NOT_READY' })
  expect((await beginFrom(platformAccountId)).body.sourceAccountId).toBe(platformAccountId)
})

test("the platform's minimum payment amount does not apply to verification deposits", async () => {
  const client = await newPlatform()
  const { supportedCurrencies } = (await client.get('/config')).body
  const raised = supportedCurrencies.map((one: object) => ({ ...one, minAmount: 500 }))
  expect((await client.send('PATCH', '/config', { supportedCurrencies: raised })).status).toBe(200)
  const { id } = await beginNewVerification(client)
  expect((await confirmVerification(client, id, await readDepositAmounts(client, id))).body.status).toBe(
    'VERIFIED',
  )
})

test('the transactions of a bank account include its verification deposits, but those of its customer do not', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await beginNewVerification(client)
  const { transactionIds } = await readVerification(client, id)
  const depositIds = [...transactionIds].sort()
  const listTransactionIds = async (query: string) =>
    (await client.get(`/transactions?${query}`)).body.data.map((one: { id: string }) => one.id).sort()
  expect(await listTransactionIds(`accountIdentifier=${bank}`)).toEqual(depositIds)
  expect(await listTransactionIds(`receiverAccountIdentifier=${bank}`)).toEqual(depositIds)
  expect(await listTransactionIds(`senderAccountIdentifier=${bank}`)).toEqual([])
  expect(await listTransactionIds(`customerId=${customerId}`)).toEqual([])
  const file = await client.get(`/transactions.csv?accountIdentifier=${bank}`)
  for (const depositId of depositIds) expect(file.body).toContain(depositId)
})

test('a customer token sees neither the verification deposits nor their amounts', async () => {
  const client = await newPlatform()
  const { id, bank, customerId } = await beginNewVerification(client)
  const { transactionIds } = await readVerification(client, id)
  const customer = await newCustomerClient(client, customerId)
  expect((await customer.get(`/transactions?accountIdentifier=${bank}`)).body.data).toEqual([])
  for (const depositId of transactionIds)
    expect((await customer.get(`/transactions/${depositId}`)).status).toBe(404)
})
