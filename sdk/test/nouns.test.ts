import { describe, expect, expectTypeOf, inject, test } from 'vitest'
import type { ErrorOf } from '../src/client/calls.ts'
import { CountersignError, isCode, SignatureRequiredError } from '../src/client/errors.ts'
import { Countersign } from '../src/countersign.ts'
import { listAll, makeClient, makeFundedCustomer, makePlatform, makeQuote } from './platform.testing.ts'

/** Returns the client without types, as plain JavaScript sees it. */
function toUntyped(countersign: Countersign) {
  return countersign as unknown as Record<string, Record<string, (...given: unknown[]) => Promise<unknown>>>
}

const ADA = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' } as const

describe('nouns and verbs', () => {
  test('create, read, change and list records', async () => {
    const { customers } = await makeClient()
    const created = await customers.create(ADA, { idempotencyKey: 'ada' })
    expect(await customers.create(ADA, { idempotencyKey: 'ada' })).toEqual(created)
    const renamed = await customers.update(created.id, { customerType: 'INDIVIDUAL', fullName: 'Ada King' })
    expect(renamed).toMatchObject({ id: created.id, fullName: 'Ada King' })
    expect(await customers.get(created.id)).toEqual(renamed)
    await customers.create({ ...ADA, email: 'grace@example.com' })
    await customers.create({ ...ADA, email: 'mary@example.com' })
    const page = await customers.list({ limit: 2 })
    expect([page.data.length, page.hasMore]).toEqual([2, true])
    expect(await listAll(customers.list({ limit: 2 }))).toHaveLength(3)
    expect(await listAll(customers.list())).toHaveLength(3)
  })

  test('a list without pages can be iterated too, and sends no request before it is used', async () => {
    const { positions } = await makeClient()
    expect(await listAll(positions.list())).toEqual((await positions.list()).data)
    const unused = new Countersign({ baseUrl: 'http://127.0.0.1:1' }).positions.list()
    expect(String(unused)).toBe('[object Listing]')
  })

  test('a wallet payment takes a signer; without one, the error contains what has to be signed', async () => {
    const countersign = await makeClient()
    const customer = await makeFundedCustomer(countersign, { email: ADA.email, amount: 50_000_000n })
    const { id } = await makeQuote(countersign, {
      from: customer.walletId,
      to: customer.bankId,
      amount: 100n,
    })
    const session = await countersign
      .wallet(customer.walletId, { confirm: () => true })
      .email.signIn({ code: '000000' })
    const unsigned = await countersign.quotes.execute(id).catch((error: unknown) => error)
    if (!(unsigned instanceof SignatureRequiredError)) throw unsigned
    const { payloadToSign, requestId } = unsigned
    const call = { operation: 'quote_execute', target: `POST /quotes/${id}/execute` } as const
    const signature = await session.approve(payloadToSign, call)
    expect(await countersign.quotes.execute(id, { signature, requestId })).toMatchObject({
      status: 'PROCESSING',
    })
    const next = await makeQuote(countersign, { from: customer.walletId, to: customer.bankId, amount: 100n })
    const executed = await countersign.quotes.execute(next.id, { signer: session })
    expect(executed.totalReceivingAmount).toBe(100n)
    await countersign.waitForTransaction(executed.transactionId)
  })

  test('a refusal is recognized by its code', async () => {
    const { customers } = await makeClient()
    const error = await customers.get('Customer:none').catch((thrown: unknown) => thrown)
    expect(isCode(error, 'QUOTE_EXPIRED')).toBe(false)
    expect(isCode(new Error('USER_NOT_FOUND'), 'USER_NOT_FOUND')).toBe(false)
    if (!isCode(error, 'QUOTE_EXPIRED', 'USER_NOT_FOUND')) throw error
    expectTypeOf(error.code).toEqualTypeOf<'QUOTE_EXPIRED' | 'USER_NOT_FOUND'>()
    expectTypeOf<'USER_NOT_FOUND'>().toExtend<ErrorOf<'customer_get'>>()
    expect(error).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
  })

  test('a call can be aborted, and has its own timeout', async () => {
    const slow = new Countersign({
      baseUrl: 'http://127.0.0.1:1/v',
      fetch: (_url, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        }),
    })
    const controller = new AbortController()
    const aborted = slow.customers.create(ADA, { signal: controller.signal })
    controller.abort(new Error('not wanted'))
    await expect(aborted).rejects.toThrow('not wanted')
    const late = slow.call('sandbox_reset', { timeoutMs: 5 })
    await expect(late).rejects.toMatchObject({
      isTimeout: true,
      message: expect.stringContaining('within 5 ms'),
    })
  })
})

describe('an invalid argument', () => {
  test.each<[string, string, unknown[], string]>([
    ['quotes', 'execute', [], 'quotes.execute(quoteId, options): quoteId is missing.'],
    ['quotes', 'execute', [''], 'quoteId must be a non-empty string, not an empty one.'],
    [
      'quotes',
      'execute',
      [{ quoteId: 'Quote:a' }],
      'quoteId must be a non-empty string, not a value of type object.',
    ],
    ['customers', 'create', [], 'customers.create(body, options): body is missing.'],
    ['customers', 'create', ['Ada'], 'body must be an object, not a value of type string.'],
    ['customers', 'list', [[]], 'customers.list(query, options): query must be an object, not an array.'],
    [
      'customers',
      'get',
      ['Customer:a', { limit: 2 }],
      'unknown option "limit". The options are signal, timeoutMs, sandboxFault.',
    ],
    ['quotes', 'execute', ['Quote:a', { singer: 1 }], 'unknown option "singer". Did you mean "signer"?'],
    ['customers', 'get', ['Customer:a', {}, {}], 'received 1 additional arguments.'],
  ])('in %s.%s(%j) is named', async (noun, verb, given, message) => {
    const call = toUntyped(await makeClient())[noun]![verb]!(...given)
    await expect(call).rejects.toThrow(TypeError)
    await expect(call).rejects.toThrow(message)
  })

  test.each<[(countersign: ReturnType<typeof toUntyped>) => unknown, string]>([
    [(c) => c.customer!.create!(), 'countersign has no "customer". Did you mean "customers"?'],
    [(c) => c.external_accounts, 'Did you mean "externalAccounts"?'],
    [(c) => c.nonsense, 'It has accountChanges, accountVerifications, agents, '],
    [(c) => c.customers!.creat!(), 'countersign.customers has no "creat". Did you mean "create"?'],
    [(c) => c.customers!.nonsense!(), 'It has confirmEmail, confirmPhone, create, csv, delete'],
  ])('an unknown name suggests the right one', async (ask, message) => {
    const countersign = toUntyped(await makeClient())
    expect(() => ask(countersign)).toThrow(TypeError)
    expect(() => ask(countersign)).toThrow(new RegExp(message.replaceAll(/[?.]/g, '.')))
  })

  test('an unknown call and a missing path parameter are named in the error', async () => {
    const countersign = await makeClient()
    const call = countersign.call.bind(countersign) as unknown as (...given: unknown[]) => Promise<unknown>
    await expect(call('customer_creat')).rejects.toThrow(
      'Unknown call "customer_creat". Did you mean "customer_create"?',
    )
    await expect(call('customer_get', {})).rejects.toThrow('customer_get requires params.customerId')
  })

  test('a client can be awaited, printed and compared like any other object', async () => {
    const countersign = await makeClient()
    expect(await Promise.resolve(countersign)).toBe(countersign)
    expect(JSON.stringify(countersign.customers)).toBe('{}')
    expect(countersign).toEqual(countersign)
  })
})

describe('an access token from a function', () => {
  test('is requested once, and again after it was refused', async () => {
    const countersign = await makeClient()
    const { customerId } = await makeFundedCustomer(countersign, { email: ADA.email, amount: 1n })
    const policy = { permissions: ['VIEW_TRANSACTIONS'], defaultExecutionMode: 'AUTO' } as const
    const { agent, deviceCode } = await countersign.agents.create({
      name: 'Shopper',
      customerId,
      policy: {
        ...policy,
        permissions: [...policy.permissions],
        spendingLimits: { currency: 'USD', perTransactionLimit: 1n, dailyLimit: 1n, monthlyLimit: 1n },
      },
    })
    const { accessToken } = await countersign.agents.redeemDeviceCode(deviceCode.code)
    let requestCount = 0
    const own = new Countersign({
      baseUrl: inject('baseUrl'),
      accessToken: async () => (requestCount++ === 0 ? 'csa_of-yesterday' : accessToken),
    })
    const [one, two] = await Promise.all([own.me.get(), own.me.get()])
    expect([one.id, two.id, (await own.me.get()).id]).toEqual([agent.id, agent.id, agent.id])
    expect(requestCount).toBe(2)
  })

  test('is not requested again if a code inside the call was wrong', async () => {
    let requestCount = 0
    const refusing = new Countersign({
      baseUrl: 'http://127.0.0.1:1',
      accessToken: () => `token${requestCount++}`,
      fetch: async () =>
        Response.json(
          { status: 401, code: 'UNAUTHORIZED', message: 'x', reason: 'Invalid OTP code' },
          { status: 401 },
        ),
    })
    await expect(refusing.me.get()).rejects.toBeInstanceOf(CountersignError)
    expect(requestCount).toBe(1)
  })

  test('that is unavailable fails the call, and is requested again by the next one', async () => {
    const { tokenId, clientSecret, baseUrl } = await makePlatform()
    expect(() => new Countersign({ baseUrl, tokenId, clientSecret, accessToken: () => '' })).toThrow(
      TypeError,
    )
    let requestCount = 0
    const client = new Countersign({
      baseUrl,
      accessToken: () => {
        requestCount++
        throw new Error('signed out')
      },
    })
    await expect(client.me.get()).rejects.toThrow('signed out')
    await expect(client.me.get()).rejects.toThrow('signed out')
    expect(requestCount).toBe(2)
  })
})
