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

async function walletReady() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.wallet, FUNDED)
  const bank = await newBankAccount(client, customer.id)
  const session = await signIn(client, customer.wallet)
  return { client, customer, bank, session }
}

async function quoted(client: Client, source: string, bank: string, more: Record<string, unknown> = {}) {
  const reply = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: source },
    destination: { destinationType: 'ACCOUNT', accountId: bank },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
    ...more,
  })
  expect(reply.status).toBe(201)
  return reply.body
}

const balances = async (client: Client, customerId: string, currency: string) => {
  const { body } = await client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  const [{ balance, totalBalance }] = body.data
  return { balance: BigInt(balance.amount), total: BigInt(totalBalance.amount) }
}

describe('a quote from an embedded wallet', () => {
  test('is held, then settled, once it is signed on the second call', async () => {
    const { client, customer, bank, session } = await walletReady()
    const quote = await quoted(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const first = await client.post(path)
    expect(first.status).toBe(202)
    const instruction = quote.paymentInstructions[0].accountOrWalletInfo
    expect(instruction).toEqual({ accountType: 'EMBEDDED_WALLET', payloadToSign: first.body.payloadToSign })
    expect(JSON.parse(first.body.payloadToSign)).toMatchObject({
      operation: 'quote_execute',
      account: customer.wallet,
      quote: quote.id,
      sends: { amount: quote.totalSendingAmount, currency: 'USDB' },
      delivers: { amount: 2500, currency: 'USD' },
      requestId: first.body.requestId,
      expiresAt: quote.expiresAt,
    })
    const done = await client.post(path, undefined, {
      'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
      'Request-Id': first.body.requestId,
    })
    expect(done).toMatchObject({ status: 200, body: { id: quote.id, status: 'PROCESSING' } })
    const left = FUNDED - BigInt(quote.totalSendingAmount)
    expect((await balances(client, customer.id, 'USDB')).balance).toBe(left)
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
    expect(await balances(client, customer.id, 'USDB')).toEqual({ balance: left, total: left })
  })

  test('is executed in one call by a signature over the payload in its payment instructions', async () => {
    const { client, customer, bank, session } = await walletReady()
    const quote = await quoted(client, customer.wallet, bank)
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

  test('is refused with a code that names the fault of the signature', async () => {
    const { client, customer, bank, session } = await walletReady()
    const [quote, other] = [
      await quoted(client, customer.wallet, bank),
      await quoted(client, customer.wallet, bank),
    ]
    const path = `/quotes/${quote.id}/execute`
    const { payloadToSign, requestId } = (await client.post(path)).body
    const stamp = session.stamp(payloadToSign)
    const send = async (signature: string | undefined, id: string | undefined, at = path) => {
      const { body } = await client.post(at, undefined, {
        ...(signature === undefined ? {} : { 'Svc-Wallet-Signature': signature }),
        ...(id === undefined ? {} : { 'Request-Id': id }),
      })
      return [body.status, body.code]
    }
    expect(await send(undefined, requestId)).toEqual([401, 'WALLET_SIGNATURE_MISSING'])
    expect(await send('no stamp', requestId)).toEqual([401, 'WALLET_SIGNATURE_MALFORMED'])
    expect(await send(stamp, `Request:${crypto.randomUUID()}`)).toEqual([401, 'UNAUTHORIZED'])
    expect(await send(stamp, 'nonsense')).toEqual([401, 'UNAUTHORIZED'])
    expect(await send(stamp, requestId, `/quotes/${other.id}/execute`)).toEqual([
      401,
      'WALLET_SIGNATURE_BODY_MISMATCH',
    ])
    expect(await send(session.stamp(`${payloadToSign} `), requestId)).toEqual([
      401,
      'WALLET_SIGNATURE_INVALID',
    ])
    expect(await send(makeStamp(generateKeyPair(), payloadToSign), requestId)).toEqual([
      401,
      'WALLET_SIGNATURE_INVALID',
    ])
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('PENDING')
    expect(await send(stamp, requestId)).toEqual(['PROCESSING', undefined])
  })

  test("is not executed by another wallet's session, nor by one that has expired", async () => {
    const { client, customer, bank, session } = await walletReady()
    const stranger = await newCustomer(client)
    const strange = await signIn(client, stranger.wallet)
    const quote = await quoted(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const { payloadToSign, requestId } = (await client.post(path)).body
    const by = (signer: typeof session) =>
      client.post(path, undefined, {
        'Svc-Wallet-Signature': signer.stamp(payloadToSign),
        'Request-Id': requestId,
      })
    expect((await by(strange)).body.code).toBe('WALLET_SIGNATURE_INVALID')
    await client.advance(15 * 60 - 30)
    const late = await quoted(client, customer.wallet, bank)
    await client.advance(31)
    const challenge = (await client.post(`/quotes/${late.id}/execute`)).body
    const reply = await client.post(`/quotes/${late.id}/execute`, undefined, {
      'Svc-Wallet-Signature': session.stamp(challenge.payloadToSign),
      'Request-Id': challenge.requestId,
    })
    expect(reply.body.code).toBe('WALLET_SIGNATURE_INVALID')
  })

  test('expires at its time, by a job, and is not executable from that second on', async () => {
    const { client, customer, bank } = await walletReady()
    const quote = await quoted(client, customer.wallet, bank)
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

  test('the signed retry carries the same Idempotency-Key as the first call, and is replayed by it', async () => {
    const { client, customer, bank, session } = await walletReady()
    const quote = await quoted(client, customer.wallet, bank)
    const path = `/quotes/${quote.id}/execute`
    const key = { 'Idempotency-Key': 'pay-1' }
    const first = await client.post(path, undefined, key)
    expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([202, null])
    const signed = {
      ...key,
      'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
      'Request-Id': first.body.requestId,
    }
    const done = await client.post(path, undefined, signed)
    const again = await client.post(path, undefined, signed)
    expect([done.status, again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 200, 'true'])
    expect(again.body).toEqual(done.body)
  })
})

describe('a quote from a managed account', () => {
  test('is executed without a signature; within one currency it is free', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 10_000)
    const quote = await quoted(client, customer.usd, await newBankAccount(client, customer.id))
    expect(quote).toMatchObject({
      totalSendingAmount: 2500,
      totalReceivingAmount: 2500,
      feesIncluded: 0,
      exchangeRate: 1,
    })
    expect(quote).not.toHaveProperty('paymentInstructions')
    expect((await client.post(`/quotes/${quote.id}/execute`)).body.status).toBe('PROCESSING')
    await client.advance(0)
    expect(await balances(client, customer.id, 'USD')).toEqual({ balance: 7500n, total: 7500n })
  })

  test('executes immediately when requested, and shows the missing amount otherwise', async () => {
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
    const quote = await quoted(client, customer.usd, await newBankAccount(client, customer.id, '002'))
    await client.post(`/quotes/${quote.id}/execute`)
    await client.advance(0)
    expect((await client.get(`/transactions/${quote.transactionId}`)).body).toMatchObject({
      status: 'FAILED',
      failureReason: 'QUOTE_EXECUTION_FAILED',
    })
    expect(await balances(client, customer.id, 'USD')).toEqual({ balance: 10_000n, total: 10_000n })
  })

  test('of fifty quotes executed in parallel on money for seven, seven succeed', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    await fund(client, customer.usd, 7 * 2500)
    const bank = await newBankAccount(client, customer.id)
    const quotes = await Promise.all(Array.from({ length: 50 }, () => quoted(client, customer.usd, bank)))
    const replies = await Promise.all(quotes.map(({ id }) => client.post(`/quotes/${id}/execute`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(7)
    for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe('INSUFFICIENT_BALANCE')
    await client.advance(0)
    expect(await balances(client, customer.id, 'USD')).toEqual({ balance: 0n, total: 0n })
  })
})
