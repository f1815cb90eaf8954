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
import { expectError, missingId, stateOf } from '../../worlds/contract/calls.testing.ts'
import { CustomerClient, customerClient } from '../../worlds/records/members.testing.ts'

let owner: Client
let ada: Awaited<ReturnType<typeof newCustomer>>
beforeAll(async () => {
  owner = await newPlatform()
  ada = await newCustomer(owner)
})

const ALL = ['VIEW', 'TRANSACT', 'MANAGE']
const accounts = (caller: CustomerClient) => caller.get('/customers/internal-accounts')

describe("a customer's token", () => {
  test('is 256 random bits, shown once, and lives a quarter of an hour', async () => {
    const { token } = await customerClient(owner, ada.id)
    expect(token).toMatchObject({
      id: expect.stringMatching(/^CustomerToken:/),
      customerId: ada.id,
      permissions: ALL,
    })
    expect(Buffer.from(token.accessToken.slice('csc_'.length), 'base64url')).toHaveLength(32)
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(900_000)
    expect((await customerClient(owner, ada.id)).token.accessToken).not.toBe(token.accessToken)
    expect(toJson(await stateOf(owner))).not.toContain(token.accessToken)
  })

  test("expires by the platform's clock, after an hour at most", async () => {
    const own = await newPlatform()
    const { id } = await newCustomer(own)
    const now = Date.parse((await own.get('/sandbox/clock')).body.now)
    const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
    const asked = (expiresAt: string) =>
      own.post('/customer-tokens', { customerId: id, permissions: ALL, expiresAt })
    for (const wrong of [at(-1), at(3700)])
      expectError(await asked(wrong), { code: 'INVALID_INPUT', field: 'expiresAt' })
    const { body } = await asked(at(3500))
    expect(body.expiresAt).toBe(at(3500))
    const caller = new CustomerClient(own, body)
    expect((await accounts(caller)).status).toBe(200)
    await own.advance(3501)
    expectError(await accounts(caller), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
  })

  test('cannot have a permission that its maker lacks, nor decide about customers', async () => {
    const maker = await owner.post('/tokens', { name: 'teller', permissions: ['TRANSACT'] })
    const teller = new Client(
      { ...owner.credentials, tokenId: maker.body.id, clientSecret: maker.body.clientSecret },
      owner.baseUrl,
    )
    const ask = (permissions: string[]) =>
      teller.post('/customer-tokens', { customerId: ada.id, permissions })
    expectError(await ask(['VIEW', 'TRANSACT']), { code: 'FORBIDDEN', field: 'permissions' })
    expect((await ask(['TRANSACT'])).status).toBe(201)
    expectError(await ask(['REVIEW']), { code: 'INVALID_INPUT', field: 'permissions.0' })
    expectError(await ask([]), { code: 'INVALID_INPUT', field: 'permissions' })
  })

  test.each([
    ['VIEW', 200, 403, 403],
    ['TRANSACT', 403, 404, 403],
    ['MANAGE', 403, 403, 404],
  ])('with %s alone allows only the calls of that permission', async (permission, view, transact, manage) => {
    const caller = await customerClient(owner, ada.id, { permissions: [permission] })
    const external = `/customers/external-accounts/${missingId('ExternalAccount')}`
    expect((await accounts(caller)).status).toBe(view)
    expect((await caller.post(`/quotes/${missingId('Quote')}/execute`)).status).toBe(transact)
    expect((await caller.send('DELETE', external)).status).toBe(manage)
  })

  test('cannot be created for a customer of another platform, or a deleted one', async () => {
    const other = await newPlatform()
    const ask = (customerId: string) => owner.post('/customer-tokens', { customerId, permissions: ALL })
    expectError(await ask((await newCustomer(other)).id), { code: 'USER_NOT_FOUND', field: 'customerId' })
    const gone = await newCustomer(owner)
    await owner.send('DELETE', `/customers/${gone.id}`)
    expectError(await ask(gone.id), { code: 'CUSTOMER_DELETED', field: 'customerId' })
  })

  test('ends when it is deleted, and with the customer, the API token that made it, and the sandbox', async () => {
    const own = await newPlatform()
    const { id } = await newCustomer(own)
    const made = (await own.post('/tokens', { name: 'b', permissions: ALL })).body
    const backend = new Client(
      { ...own.credentials, tokenId: made.id, clientSecret: made.clientSecret },
      own.baseUrl,
    )
    const ended = async (caller: CustomerClient, end: () => Promise<{ status: number }>, status: number) => {
      expect((await accounts(caller)).status).toBe(200)
      expect((await end()).status).toBe(status)
      expectError(await accounts(caller), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    }
    const signedOut = await customerClient(own, id)
    const path = `/customer-tokens/${signedOut.token.id}`
    const elsewhere = await (await newPlatform()).send('DELETE', path)
    expectError(elsewhere, { code: 'TOKEN_NOT_FOUND', field: 'customerTokenId' })
    await ended(signedOut, () => own.send('DELETE', path), 204)
    expectError(await own.send('DELETE', path), { code: 'TOKEN_NOT_FOUND' })
    const ofBackend = await customerClient(backend, id)
    await ended(ofBackend, () => own.send('DELETE', `/tokens/${made.id}`), 204)
    const ofReset = await customerClient(own, (await newCustomer(own)).id)
    const ofDeleted = await customerClient(own, id)
    await ended(ofDeleted, () => own.send('DELETE', `/customers/${id}`), 200)
    await ended(ofReset, () => own.post('/sandbox/reset'), 200)
  })

  test('is not accepted as a credential of a backend or an agent', async () => {
    const { token } = await customerClient(owner, ada.id)
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

describe('with a token a customer', () => {
  test('signs in, pays out of the wallet by signature, and sees it settle', async () => {
    const { id, wallet } = await newCustomer(owner)
    await fund(owner, wallet, 100_000_000)
    const caller = await customerClient(owner, id)
    const bank = await caller.post('/customers/external-accounts', {
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    // Without customerId it is the customer's own, and not the platform's.
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
    const paid = await caller.get(`/transactions/${quote.body.transactionId}`)
    expect(paid.body).toMatchObject({ status: 'COMPLETED', customerId: id })
  })

  test("executes neither payments from the platform's account nor pulls", async () => {
    const { id, usd } = await newCustomer(owner)
    const caller = await customerClient(owner, id)
    const bank = await newBankAccount(owner, id)
    const { data } = (await owner.get('/platform/internal-accounts?currency=USD')).body
    await fund(owner, data[0].id, 10_000)
    const quoteOf = (accountId: string, to: string) => ({
      source: { sourceType: 'ACCOUNT', accountId, customerId: id },
      destination: { destinationType: 'ACCOUNT', accountId: to },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
    })
    for (const body of [quoteOf(data[0].id, bank), quoteOf(bank, usd)]) {
      const quote = await owner.post('/quotes', body)
      expect(quote.status).toBe(201)
      expectError(await caller.post(`/quotes/${quote.body.id}/execute`), {
        code: 'QUOTE_NOT_FOUND',
        field: 'quoteId',
      })
      expect((await owner.get(`/quotes/${quote.body.id}`)).body.status).toBe('PENDING')
    }
    expectError(await caller.post('/quotes', quoteOf(bank, usd)), {
      code: 'FORBIDDEN',
      field: 'source.accountId',
    })
  })

  test('gets no stored response of another customer or the backend under the same key', async () => {
    const [one, other] = [await newCustomer(owner), await newCustomer(owner)]
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
    const callers = [owner, await customerClient(owner, one.id), await customerClient(owner, other.id)]
    const replies = []
    for (const caller of callers) replies.push(await caller.post('/quotes', body, key))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(3)
    // Money that a customer funds belongs to the customer, also if the request names no owner.
    for (const [index, { id }] of [one, other].entries()) {
      const { transactionId } = replies[index + 1]!.body
      expect((await owner.get(`/transactions/${transactionId}`)).body.customerId).toBe(id)
    }
    // Two tokens of one customer are one caller.
    const again = await (await customerClient(owner, one.id)).post('/quotes', body, key)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body.id).toBe(replies[1]!.body.id)
  })
})
