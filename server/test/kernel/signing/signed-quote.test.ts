import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  signIn,
} from '../../worlds/client.testing.ts'

const FUNDED = 100_000_000n

async function createFundedWallet() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.wallet, FUNDED)
  const bank = await newBankAccount(client, customer.id)
  const session = await signIn(client, customer.wallet)
  return { client, customer, bank, session }
}

async function createQuote(
  client: Client,
  source: string,
  bank: string,
  changes: Record<string, unknown> = {},
) {
  const reply = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: source },
    destination: { destinationType: 'ACCOUNT', accountId: bank },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
    ...changes,
  })
  expect(reply.status).toBe(201)
  return reply.body
}

const readBalances = async (client: Client, customerId: string, currency: string) => {
  const { body } = await client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  const [{ balance, totalBalance }] = body.data
  return { balance: BigInt(balance.amount), total: BigInt(totalBalance.amount) }
}

describe('a quote from an embedded wallet', () => {
  test('is held and then settled after its signed second call', async () => {
    const { client, customer, bank, session } = await createFundedWallet()
    const quote = await createQuote(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const challenge = await client.post(path)
    expect(challenge.status).toBe(202)
    const instruction = quote.paymentInstructions[0].accountOrWalletInfo
    expect(instruction).toEqual({
      accountType: 'EMBEDDED_WALLET',
      payloadToSign: challenge.body.payloadToSign,
    })
    expect(JSON.parse(challenge.body.payloadToSign)).toMatchObject({
      operation: 'quote_execute',
      account: customer.wallet,
      quote: quote.id,
      sends: { amount: quote.totalSendingAmount, currency: 'USDB' },
      delivers: { amount: 2500, currency: 'USD' },
      requestId: challenge.body.requestId,
      expiresAt: quote.expiresAt,
    })
    const reply = await client.post(path, undefined, {
      'Svc-Wallet-Signature': session.stamp(challenge.body.payloadToSign),
      'Request-Id': challenge.body.requestId,
    })
    expect(reply).toMatchObject({ status: 200, body: { id: quote.id, status: 'PROCESSING' } })
    const remaining = FUNDED - BigInt(quote.totalSendingAmount)
    expect((await readBalances(client, customer.id, 'USDB')).balance).toBe(remaining)
    await client.advance(0)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('COMPLETED')
    expect((await client.get(`/transactions/${quote.transactionId}`)).body).toMatchObject({
      status: 'COMPLETED',
      type: 'OUTGOING',
      direction: 'DEBIT',
      quoteId: quote.id,
      sentAmount: { amount: quote.totalSendingAmount, currency: { code: 'USDB', decimals: 6 } },
      receivedAmount: { amount: 2500, currency: { code: 'USD', decimals: 2 } },
      fees: quote.feesIncluded,
      settledAt: expect.any(String),
      reconciliationInstructions: { reference: expect.any(String) },
    })
    expect(await readBalances(client, customer.id, 'USDB')).toEqual({ balance: remaining, total: remaining })
  })

  test('is executed in one call by a signature over the payload in its payment instructions', async () => {
    const { client, customer, bank, session } = await createFundedWallet()
    const quote = await createQuote(client, customer.wallet, bank)
    const { payloadToSign } = quote.paymentInstructions[0].accountOrWalletInfo
    const headers = { 'Svc-Wallet-Signature': session.stamp(payloadToSign) }
    const path = `/quotes/${quote.id}/execute`
    expect((await client.post(path, undefined, headers)).body).toMatchObject({ status: 'PROCESSING' })
    expect((await client.post(path, undefined, headers)).body).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'Request already used',
    })
    expect((await client.post(path)).body).toMatchObject({ status: 409, code: 'QUOTE_ALREADY_EXECUTED' })
  })

  test('is refused with a code that names the fault in the signature', async () => {
    const { client, customer, bank, session } = await createFundedWallet()
    const [quote, otherQuote] = [
      await createQuote(client, customer.wallet, bank),
      await createQuote(client, customer.wallet, bank),
    ]
    const path = `/quotes/${quote.id}/execute`
    const { payloadToSign, requestId } = (await client.post(path)).body
    const stamp = session.stamp(payloadToSign)
    const sendSignature = async (signature: string | undefined, id: string | undefined, target = path) => {
      const { body } = await client.post(target, undefined, {
        ...(signature === undefined ? {} : { 'Svc-Wallet-Signature': signature }),
        ...(id === undefined ? {} : { 'Request-Id': id }),
      })
      return [body.status, body.code]
    }
    expect(await sendSignature(undefined, requestId)).toEqual([401, 'WALLET_SIGNATURE_MISSING'])
    expect(await sendSignature('no stamp', requestId)).toEqual([401, 'WALLET_SIGNATURE_MALFORMED'])
    expect(await sendSignature(stamp, `Request:${crypto.randomUUID()}`)).toEqual([401, 'UNAUTHORIZED'])
    expect(await sendSignature(stamp, 'nonsense')).toEqual([401, 'UNAUTHORIZED'])
    expect(await sendSignature(stamp, requestId, `/quotes/${otherQuote.id}/execute`)).toEqual([
      401,
      'WALLET_SIGNATURE_BODY_MISMATCH',
    ])
    expect(await sendSignature(session.stamp(`${payloadToSign} `), requestId)).toEqual([
      401,
      'WALLET_SIGNATURE_INVALID',
    ])
    expect(await sendSignature(makeStamp(generateKeyPair(), payloadToSign), requestId)).toEqual([
      401,
      'WALLET_SIGNATURE_INVALID',
    ])
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('PENDING')
    expect(await sendSignature(stamp, requestId)).toEqual(['PROCESSING', undefined])
  })

  test("is not executed by another wallet's session or by an expired session", async () => {
    const { client, customer, bank, session } = await createFundedWallet()
    const stranger = await newCustomer(client)
    const otherSession = await signIn(client, stranger.wallet)
    const quote = await createQuote(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const { payloadToSign, requestId } = (await client.post(path)).body
    const executeAs = (signer: typeof session) =>
      client.post(path, undefined, {
        'Svc-Wallet-Signature': signer.stamp(payloadToSign),
        'Request-Id': requestId,
      })
    expect((await executeAs(otherSession)).body.code).toBe('WALLET_SIGNATURE_INVALID')
    await client.advance(15 * 60 - 30)
    const lateQuote = await createQuote(client, customer.wallet, bank)
    await client.advance(31)
    const challenge = (await client.post(`/quotes/${lateQuote.id}/execute`)).body
    const reply = await client.post(`/quotes/${lateQuote.id}/execute`, undefined, {
      'Svc-Wallet-Signature': session.stamp(challenge.payloadToSign),
      'Request-Id': challenge.requestId,
    })
    expect(reply.body.code).toBe('WALLET_SIGNATURE_INVALID')
  })

  test('is expired by a job at its expiry, and cannot be executed from that second on', async () => {
    const { client, customer, bank } = await createFundedWallet()
    const quote = await createQuote(client, customer.wallet, bank)
    await client.post('/sandbox/clock/advance', { to: quote.expiresAt })
    expect((await client.post(`/quotes/${quote.id}/execute`)).body).toMatchObject({
      status: 400,
      code: 'QUOTE_EXPIRED',
    })
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('EXPIRED')
    expect((await client.get(`/transactions/${quote.transactionId}`)).body).toMatchObject({
      status: 'EXPIRED',
      failureReason: 'QUOTE_EXPIRED',
    })
  })

  test('is replayed if the signed call repeats the Idempotency-Key of the first call', async () => {
    const { client, customer, bank, session } = await createFundedWallet()
    const quote = await createQuote(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const key = { 'Idempotency-Key': 'pay-1' }
    const challenge = await client.post(path, undefined, key)
    expect([challenge.status, challenge.headers.get('Idempotency-Replayed')]).toEqual([202, null])
    const signedHeaders = {
      ...key,
      'Svc-Wallet-Signature': session.stamp(challenge.body.payloadToSign),
      'Request-Id': challenge.body.requestId,
    }
    const reply = await client.post(path, undefined, signedHeaders)
    const replay = await client.post(path, undefined, signedHeaders)
    expect([reply.status, replay.status, replay.headers.get('Idempotency-Replayed')]).toEqual([
      200,
      200,
      'true',
    ])
    expect(replay.body).toEqual(reply.body)
  })
})

describe('a quote from a managed account', () => {
  test('is executed without a signature, and is free within one currency', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 10_000)
    const quote = await createQuote(client, customer.usd, await newBankAccount(client, customer.id))
    expect(quote).toMatchObject({
      totalSendingAmount: 2500,
      totalReceivingAmount: 2500,
      feesIncluded: 0,
      exchangeRate: 1,
    })
    expect(quote).not.toHaveProperty('paymentInstructions')
    expect((await client.post(`/quotes/${quote.id}/execute`)).body.status).toBe('PROCESSING')
    await client.advance(0)
    expect(await readBalances(client, customer.id, 'USD')).toEqual({ balance: 7500n, total: 7500n })
  })

  test('executes immediately if requested, or shows the missing amount', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const bank = await newBankAccount(client, customer.id)
    const request = {
      source: { sourceType: 'ACCOUNT', accountId: customer.eur },
      destination: { destinationType: 'ACCOUNT', accountId: bank, paymentRail: 'RTP' },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 10_000,
      immediatelyExecute: true,
    }
    expect((await client.post('/quotes', request)).body).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      details: { available: 0, required: 10_000 },
    })
    expect((await client.get('/transactions')).body.data).toEqual([])
    await fund(client, customer.eur, 10_000)
    const { body } = await client.post('/quotes', request)
    expect(body).toMatchObject({ status: 'PROCESSING', totalSendingAmount: 10_000 })
    expect(Math.round(body.totalReceivingAmount * body.exchangeRate) + body.feesIncluded).toBe(10_000)
  })

  test('returns the money when the payment cannot be delivered', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 10_000)
    const quote = await createQuote(client, customer.usd, await newBankAccount(client, customer.id, '002'))
    await client.post(`/quotes/${quote.id}/execute`)
    await client.advance(0)
    expect((await client.get(`/transactions/${quote.transactionId}`)).body).toMatchObject({
      status: 'FAILED',
      failureReason: 'QUOTE_EXECUTION_FAILED',
    })
    expect(await readBalances(client, customer.id, 'USD')).toEqual({ balance: 10_000n, total: 10_000n })
  })

  test('succeeds in seven of fifty parallel executions with money for seven', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 7 * 2500)
    const bank = await newBankAccount(client, customer.id)
    const quotes = await Promise.all(
      Array.from({ length: 50 }, () => createQuote(client, customer.usd, bank)),
    )
    const replies = await Promise.all(quotes.map(({ id }) => client.post(`/quotes/${id}/execute`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
    for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe('INSUFFICIENT_BALANCE')
    await client.advance(0)
    expect(await readBalances(client, customer.id, 'USD')).toEqual({ balance: 0n, total: 0n })
  })
})
