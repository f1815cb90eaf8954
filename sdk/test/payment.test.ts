import { beforeAll, describe, expect, test } from 'vitest'
import type { Countersign } from '../src/countersign.ts'
import type { Signer } from '../src/signing/signer.ts'
import type { Payment } from '../src/signing/statement.ts'
import type { Session } from '../src/wallet/session.ts'
import { makeClient, makeFundedCustomer, makeQuote } from './platform.testing.ts'

describe('a payment from an embedded wallet', () => {
  let countersign: Countersign
  let customer: Awaited<ReturnType<typeof makeFundedCustomer>>
  let session: Session
  const payments: Payment[] = []

  beforeAll(async () => {
    countersign = await makeClient()
    customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1_000_000_000n })
    const wallet = countersign.wallet(customer.walletId, { confirm: (payment) => payments.push(payment) > 0 })
    session = await wallet.email.signIn({ code: '000000' })
  })

  const quote = () => makeQuote(countersign, { from: customer.walletId, to: customer.bankId, amount: 2_500n })
  const balance = async () => {
    const { body } = await countersign.call('customer_internal_account_list', {
      query: { customerId: customer.customerId, type: 'EMBEDDED_WALLET' },
    })
    return body.data[0]!.balance.amount
  }

  test('is signed and settled in one call each, and takes the quoted amount', async () => {
    const before = await balance()
    const { id, transactionId, totalSendingAmount } = await quote()
    const { status, body } = await countersign.signed('quote_execute', { params: { quoteId: id } }, session)
    expect({ status, state: body.status }).toEqual({ status: 200, state: 'PROCESSING' })
    const transaction = await countersign.waitForTransaction(transactionId)
    expect(transaction.status).toBe('COMPLETED')
    expect(await balance()).toBe(before - totalSendingAmount)
  })

  test('can be signed over the payload of the quote, without a challenge', async () => {
    const quoteToSign = await quote()
    const { id } = quoteToSign
    const signature = await session.approveQuote(quoteToSign)
    const response = await countersign.call('quote_execute', { params: { quoteId: id }, signature })
    expect(response.status).toBe(200)
  })

  test('shows the signer the amount and the payee, in the types of the contract', async () => {
    const { id, totalSendingAmount, feesIncluded } = await quote()
    await countersign.signed('quote_execute', { params: { quoteId: id } }, session)
    const payment = payments.find(({ quote }) => quote === id)
    expect(payment?.summary).toContain('25.00 USD')
    expect(payment).toMatchObject({
      account: customer.walletId,
      sends: { amount: totalSendingAmount, currency: 'USDB' },
      feesIncluded,
      delivers: { amount: 2_500n, currency: 'USD' },
      destination: {
        destinationType: 'ACCOUNT',
        accountId: customer.bankId,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: '000123456789',
          routingNumber: '021000021',
        },
      },
    })
  })

  test('happens once, however often it is signed', async () => {
    const { id } = await quote()
    const before = await balance()
    const call = () => countersign.signed('quote_execute', { params: { quoteId: id } }, session)
    const outcomes = await Promise.allSettled([call(), call(), call(), call()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const after = await balance()
    expect(before - after).toBe(
      (await countersign.call('quote_get', { params: { quoteId: id } })).body.totalSendingAmount,
    )
  })

  test('is not signed by a session of another wallet', async () => {
    const other = await makeFundedCustomer(countersign, { email: 'grace@example.com', amount: 1n })
    const stranger = await countersign.wallet(other.walletId).email.signIn({ code: '000000' })
    const { id } = await quote()
    const pays = (signer: Signer) => countersign.signed('quote_execute', { params: { quoteId: id } }, signer)
    await expect(pays(stranger)).rejects.toMatchObject({ name: 'PayloadMismatchError', member: 'account' })
    // Even if the app does not check, the server refuses it.
    const careless = {
      accountId: customer.walletId,
      sign: ({ text }: { text: string }) => stranger.key.sign(text),
    }
    await expect(pays(careless)).rejects.toMatchObject({ status: 401, code: 'WALLET_SIGNATURE_INVALID' })
  })

  test('from a managed account needs no signature: the same call returns the response', async () => {
    await countersign.call('sandbox_account_fund', {
      params: { accountId: customer.usdId },
      body: { amount: 5_000n },
    })
    const { id } = await makeQuote(countersign, { from: customer.usdId, to: customer.bankId, amount: 100n })
    const never = { accountId: customer.usdId, sign: () => Promise.reject(new Error('nothing to sign')) }
    const { status } = await countersign.signed('quote_execute', { params: { quoteId: id } }, never)
    expect(status).toBe(200)
  })

  test('beyond the balance is refused with the amounts', async () => {
    const { id } = await makeQuote(countersign, {
      from: customer.walletId,
      to: customer.bankId,
      amount: 500_000n,
    })
    const refused = countersign.signed('quote_execute', { params: { quoteId: id } }, session)
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'INSUFFICIENT_BALANCE' })
  })
})

describe('a sign-in', () => {
  test('asks the customer for the code once it has been sent', async () => {
    const countersign = await makeClient()
    const { walletId } = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
    const prompts: string[] = []
    const session = await countersign.wallet(walletId).email.signIn({
      code: async () => {
        prompts.push('code')
        return '000000'
      },
    })
    expect(prompts).toEqual(['code'])
    expect(session).toMatchObject({ accountId: walletId })
    const { body } = await countersign.call('session_list', { query: { accountId: walletId } })
    expect(body.data.map(({ id }) => id)).toEqual([session.id])
  })

  test('with a wrong code is refused', async () => {
    const countersign = await makeClient()
    const { walletId } = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
    await expect(countersign.wallet(walletId).email.signIn({ code: '111111' })).rejects.toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      reason: 'Invalid OTP code',
    })
  })

  test('does not trust a server with another quorum key', async () => {
    const countersign = await makeClient()
    const { walletId } = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
    const quorumPublicKey = `04${'11'.repeat(64)}`
    await expect(
      countersign.wallet(walletId, { quorumPublicKey }).email.signIn({ code: '000000' }),
    ).rejects.toMatchObject({
      name: 'EnvelopeError',
    })
  })
})

describe('a list', () => {
  test('returns every record once, over all pages', async () => {
    const countersign = await makeClient()
    for (const n of [1, 2, 3, 4, 5])
      await countersign.call('customer_create', {
        body: { customerType: 'INDIVIDUAL', platformCustomerId: `c${n}` },
      })
    const seen = new Set<string>()
    for await (const { platformCustomerId } of countersign.paginate('customer_list', { query: { limit: 2 } }))
      seen.add(platformCustomerId)
    expect([...seen].sort()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5'])
  })
})
