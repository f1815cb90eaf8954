import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { buildMissingId, expectError, stateOf } from '../../worlds/contract/calls.testing.ts'
import { CustomerClient, newCustomerClient } from '../../worlds/records/members.testing.ts'

let owner: Client
let ada: Awaited<ReturnType<typeof newCustomer>>
beforeAll(async () => {
  owner = await newPlatform()
  ada = await newCustomer(owner)
})

const ALL = ['VIEW', 'TRANSACT', 'MANAGE']
const listAccounts = (caller: CustomerClient) => caller.get('/customers/internal-accounts')

describe("a customer's token", () => {
  test('has 256 random bits, is shown once, and expires after 15 minutes', async () => {
    const { token } = await newCustomerClient(owner, ada.id)
    expect(token).toMatchObject({
      id: expect.stringMatching(/^CustomerToken:/),
      customerId: ada.id,
      permissions: ALL,
    })
    expect(Buffer.from(token.accessToken.slice('csc_'.length), 'base64url')).toHaveLength(32)
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(900_000)
    expect((await newCustomerClient(owner, ada.id)).token.accessToken).not.toBe(token.accessToken)
    expect(toJson(await stateOf(owner))).not.toContain(token.accessToken)
  })

  test("expires by the platform's clock, after an hour at most", async () => {
    const platform = await newPlatform()
    const { id } = await newCustomer(platform)
    const now = Date.parse((await platform.get('/sandbox/clock')).body.now)
    const toTime = (seconds: number) => new Date(now + seconds * 1000).toISOString()
    const createToken = (expiresAt: string) =>
      platform.post('/customer-tokens', { customerId: id, permissions: ALL, expiresAt })
    for (const invalidTime of [toTime(-1), toTime(3700)])
      expectError(await createToken(invalidTime), { code: 'INVALID_INPUT', field: 'expiresAt' })
    const { body } = await createToken(toTime(3500))
    expect(body.expiresAt).toBe(toTime(3500))
    const caller = new CustomerClient(platform, body)
    expect((await listAccounts(caller)).status).toBe(200)
    await platform.advance(3501)
    expectError(await listAccounts(caller), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
  })

  test('cannot have a permission that its creator lacks, nor decide about customers', async () => {
    const token = await owner.post('/tokens', { name: 'teller', permissions: ['TRANSACT'] })
    const teller = new Client(
      { ...owner.credentials, tokenId: token.body.id, clientSecret: token.body.clientSecret },
      owner.baseUrl,
    )
    const createToken = (permissions: string[]) =>
      teller.post('/customer-tokens', { customerId: ada.id, permissions })
    expectError(await createToken(['VIEW', 'TRANSACT']), { code: 'FORBIDDEN', field: 'permissions' })
    expect((await createToken(['TRANSACT'])).status).toBe(201)
    expectError(await createToken(['REVIEW']), { code: 'INVALID_INPUT', field: 'permissions.0' })
    expectError(await createToken([]), { code: 'INVALID_INPUT', field: 'permissions' })
  })

  test.each([
    ['VIEW', 200, 403, 403],
    ['TRANSACT', 403, 404, 403],
    ['MANAGE', 403, 403, 404],
  ])('with %s alone allows only the calls of that permission', async (permission, view, transact, manage) => {
    const caller = await newCustomerClient(owner, ada.id, { permissions: [permission] })
    const external = `/customers/external-accounts/${buildMissingId('ExternalAccount')}`
    expect((await listAccounts(caller)).status).toBe(view)
    expect((await caller.post(`/quotes/${buildMissingId('Quote')}/execute`)).status).toBe(transact)
    expect((await caller.send('DELETE', external)).status).toBe(manage)
  })

  test('cannot be created for a customer of another platform, or a deleted one', async () => {
    const otherPlatform = await newPlatform()
    const createToken = (customerId: string) =>
      owner.post('/customer-tokens', { customerId, permissions: ALL })
    expectError(await createToken((await newCustomer(otherPlatform)).id), {
      code: 'USER_NOT_FOUND',
      field: 'customerId',
    })
    const deletedCustomer = await newCustomer(owner)
    await owner.send('DELETE', `/customers/${deletedCustomer.id}`)
    expectError(await createToken(deletedCustomer.id), { code: 'CUSTOMER_DELETED', field: 'customerId' })
  })

  test('ends when it, its customer or the API token that created it is deleted, or the sandbox is reset', async () => {
    const platform = await newPlatform()
    const { id } = await newCustomer(platform)
    const backendToken = (await platform.post('/tokens', { name: 'b', permissions: ALL })).body
    const backend = new Client(
      { ...platform.credentials, tokenId: backendToken.id, clientSecret: backendToken.clientSecret },
      platform.baseUrl,
    )
    const expectToEnd = async (
      caller: CustomerClient,
      end: () => Promise<{ status: number }>,
      status: number,
    ) => {
      expect((await listAccounts(caller)).status).toBe(200)
      expect((await end()).status).toBe(status)
      expectError(await listAccounts(caller), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    }
    const signedOutCaller = await newCustomerClient(platform, id)
    const path = `/customer-tokens/${signedOutCaller.token.id}`
    const foreignReply = await (await newPlatform()).send('DELETE', path)
    expectError(foreignReply, { code: 'TOKEN_NOT_FOUND', field: 'customerTokenId' })
    await expectToEnd(signedOutCaller, () => platform.send('DELETE', path), 204)
    expectError(await platform.send('DELETE', path), { code: 'TOKEN_NOT_FOUND' })
    const backendCaller = await newCustomerClient(backend, id)
    await expectToEnd(backendCaller, () => platform.send('DELETE', `/tokens/${backendToken.id}`), 204)
    const resetCaller = await newCustomerClient(platform, (await newCustomer(platform)).id)
    const deletedCaller = await newCustomerClient(platform, id)
    await expectToEnd(deletedCaller, () => platform.send('DELETE', `/customers/${id}`), 200)
    await expectToEnd(resetCaller, () => platform.post('/sandbox/reset'), 200)
  })

  test('is not accepted as a credential of a backend or an agent', async () => {
    const { token } = await newCustomerClient(owner, ada.id)
    const Authorization = `Basic ${Buffer.from(`${token.id}:${token.accessToken}`).toString('base64')}`
    expectError(await owner.send('GET', '/config', undefined, { Authorization }), { code: 'UNAUTHORIZED' })
    const bearer = { Authorization: `Bearer ${token.accessToken}` }
    expectError(await owner.send('GET', '/agents/me', undefined, bearer), { code: 'UNAUTHORIZED' })
    const unknown = { Authorization: `Bearer csc_${'A'.repeat(43)}` }
    expectError(await owner.send('GET', '/quotes/x', undefined, unknown), {
      code: 'UNAUTHORIZED',
      reason: 'Invalid credentials',
    })
  })
})

describe('a customer with a token', () => {
  test('can sign in, sign a payment from the wallet, and see it settle', async () => {
    const { id, wallet } = await newCustomer(owner)
    await fund(owner, wallet, 100_000_000)
    const caller = await newCustomerClient(owner, id)
    const bank = await caller.post('/customers/external-accounts', {
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    // Without customerId the account belongs to the customer, not to the platform.
    expect(bank.body).toMatchObject({ customerId: id })
    const session = await signIn(caller as unknown as Client, wallet)
    const quote = await caller.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: wallet },
      destination: { destinationType: 'ACCOUNT', accountId: bank.body.id },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 5_000_000,
    })
    const path = `/quotes/${quote.body.id}/execute`
    expect((await caller.post(path)).status).toBe(202)
    expect((await sendSigned(caller as unknown as Client, session, 'POST', path)).status).toBe(200)
    await owner.advance(600)
    const transaction = await caller.get(`/transactions/${quote.body.transactionId}`)
    expect(transaction.body).toMatchObject({ status: 'COMPLETED', customerId: id })
  })

  test("can execute neither payments from the platform's account nor pulls", async () => {
    const { id, usd } = await newCustomer(owner)
    const caller = await newCustomerClient(owner, id)
    const bank = await newBankAccount(owner, id)
    const { data } = (await owner.get('/platform/internal-accounts?currency=USD')).body
    await fund(owner, data[0].id, 10_000)
    const buildQuote = (accountId: string, to: string) => ({
      source: { sourceType: 'ACCOUNT', accountId, customerId: id },
      destination: { destinationType: 'ACCOUNT', accountId: to },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
    })
    for (const body of [buildQuote(data[0].id, bank), buildQuote(bank, usd)]) {
      const quote = await owner.post('/quotes', body)
      expect(quote.status).toBe(201)
      expectError(await caller.post(`/quotes/${quote.body.id}/execute`), {
        code: 'QUOTE_NOT_FOUND',
        field: 'quoteId',
      })
      expect((await owner.get(`/quotes/${quote.body.id}`)).body.status).toBe('PENDING')
    }
    expectError(await caller.post('/quotes', buildQuote(bank, usd)), {
      code: 'FORBIDDEN',
      field: 'source.accountId',
    })
  })

  test('gets no stored response of another customer or the backend under the same key', async () => {
    const [firstCustomer, secondCustomer] = [await newCustomer(owner), await newCustomer(owner)]
    const body = {
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
      destination: {
        destinationType: 'UMA_ADDRESS',
        umaAddress: '$success.usd@sandbox.uma.test',
        currency: 'USD',
      },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
    }
    const key = { 'Idempotency-Key': 'the same' }
    const callers = [
      owner,
      await newCustomerClient(owner, firstCustomer.id),
      await newCustomerClient(owner, secondCustomer.id),
    ]
    const replies = []
    for (const caller of callers) replies.push(await caller.post('/quotes', body, key))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(3)
    // A quote that a customer funds belongs to the customer, even if the request names no owner.
    for (const [index, { id }] of [firstCustomer, secondCustomer].entries()) {
      const { transactionId } = replies[index + 1]!.body
      expect((await owner.get(`/transactions/${transactionId}`)).body.customerId).toBe(id)
    }
    // Two tokens of a customer count as the same caller.
    const repeated = await (await newCustomerClient(owner, firstCustomer.id)).post('/quotes', body, key)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(repeated.body.id).toBe(replies[1]!.body.id)
  })
})
