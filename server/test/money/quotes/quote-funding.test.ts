import { getExampleAccounts } from '@countersign/contract/accounts/account-types'
import { describe, expect, test } from 'vitest'
import { newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balancesOf,
  FUNDED,
  findOwnCustomerId,
  quoted,
  readQuoteTransaction,
  ready,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'

const fundingSource = (currency: string, more: object = {}) => ({
  sourceType: 'REALTIME_FUNDING',
  currency,
  ...more,
})

/** A customer without money, who can be deleted. */
async function createUnfundedCustomer() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  return { client, customer, bank: await newBankAccount(client, customer.id) }
}

describe('a quote with real-time funding', () => {
  test('shows deposit details with its own reference, and is executed by the payment', async () => {
    const { client, customer, bank } = await ready()
    const [quote, secondQuote] = [
      await quoted(client, fundingSource('USD'), to(bank)),
      await quoted(client, fundingSource('USD'), to(bank)),
    ]
    const readReference = (shownQuote: {
      paymentInstructions: { accountOrWalletInfo: { reference: string } }[]
    }) => shownQuote.paymentInstructions[0]!.accountOrWalletInfo.reference
    expect(readReference(quote)).not.toBe(readReference(secondQuote))
    expect((await client.get(`/quotes/${quote.id}`)).body).toEqual(quote)
    const execute = await client.post(`/quotes/${quote.id}/execute`)
    expect(execute).toMatchObject({ status: 400, body: { details: { field: 'quoteId' } } })
    const payment = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
    expect(payment).toMatchObject({
      status: 200,
      body: {
        status: 'PROCESSING',
        source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
        reconciliationInstructions: { reference: readReference(quote) },
      },
    })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'COMPLETED',
      customerId: customer.id,
    })
    const secondPayment = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
    expect(secondPayment).toMatchObject({ status: 409 })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('converts the money if it pays an internal account in another currency', async () => {
    const { client, customer } = await ready()
    const quote = await quoted(client, fundingSource('GBP'), to(customer.eur), { lockedCurrencyAmount: 5000 })
    expect(quote.source).toEqual({ sourceType: 'REALTIME_FUNDING', currency: 'GBP' })
    await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'GBP' })
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([5000, 5000])
  })

  test('fails if another amount arrives, and refunds that amount', async () => {
    const { client, bank } = await ready()
    const quote = await quoted(client, fundingSource('USD'), to(bank))
    const body = { quoteId: quote.id, currencyCode: 'USD', currencyAmount: 2499 }
    expect((await client.post('/sandbox/send', body)).body).toMatchObject({
      status: 'FAILED',
      failureReason: 'FUNDING_AMOUNT_MISMATCH',
      refund: { status: 'PENDING' },
    })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ refund: { status: 'COMPLETED' } })
    expect(await statusOf(client, quote)).toBe('FAILED')
  })

  test('refunds a payment of another amount, whatever the scenario of its external account', async () => {
    const { client, bank } = await ready('007')
    const quote = await quoted(client, fundingSource('USD'), to(bank))
    await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD', currencyAmount: 2499 })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ refund: { status: 'COMPLETED' } })
  })

  test.each(['the receiving account', 'the receiving customer', 'the paying customer'])(
    'refunds its payment if %s was deleted in the meantime',
    async (deletedParty) => {
      const { client, customer, bank } = await createUnfundedCustomer()
      const payee = await newCustomer(client)
      const destination = to(deletedParty === 'the receiving customer' ? payee.usd : bank)
      const quote = await quoted(client, fundingSource('USD', { customerId: customer.id }), destination)
      const deletedPath = {
        'the receiving account': `/customers/external-accounts/${bank}`,
        'the receiving customer': `/customers/${payee.id}`,
        'the paying customer': `/customers/${customer.id}`,
      }[deletedParty]!
      await client.send('DELETE', deletedPath)
      const payment = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
      const failed = { status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' }
      expect(payment).toMatchObject({ status: 200, body: failed })
      await client.advance(0)
      expect(await readQuoteTransaction(client, quote)).toMatchObject({
        ...failed,
        refund: { status: 'COMPLETED' },
      })
    },
  )

  test('refunds its payment if a ledger balance would be too large', async () => {
    const { client, customer } = await ready()
    const newAccount = async (more: object) => {
      const accountInfo = { ...getExampleAccounts('VND_ACCOUNT')[0], ...more }
      const body = { customerId: customer.id, currency: 'VND', accountInfo }
      return (await client.post('/customers/external-accounts', body)).body.id
    }
    const account = await newAccount({})
    // The account's scenario does not matter if no payment was sent to it.
    const failingAccount = await newAccount({ accountNumber: '0123456789007' })
    const huge = { lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 9_000_000_000_000_000 }
    const outcomes: object[] = []
    for (const payee of [account, account, account, failingAccount]) {
      const quote = await quoted(client, fundingSource('GBP'), to(payee), huge)
      await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'GBP' })
      await client.advance(0)
      const { status, refund } = await readQuoteTransaction(client, quote)
      outcomes.push({ status, refund: refund?.status })
    }
    const delivered = { status: 'COMPLETED', refund: undefined }
    const refunded = { status: 'FAILED', refund: 'COMPLETED' }
    expect(outcomes).toEqual([delivered, delivered, refunded, refunded])
  })

  test('can be paid once, in its own currency, before it expires', async () => {
    const { client, bank } = await ready()
    const quote = await quoted(client, fundingSource('USD'), to(bank))
    const send = (currencyCode: string) => client.post('/sandbox/send', { quoteId: quote.id, currencyCode })
    expect(await send('EUR')).toMatchObject({ status: 400, body: { details: { field: 'currencyCode' } } })
    const replies = await Promise.all(Array.from({ length: 10 }, () => send('USD')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const lateQuote = await quoted(client, fundingSource('USD'), to(bank))
    await client.advance(15 * 60)
    const body = { quoteId: lateQuote.id, currencyCode: 'USD' }
    expect(await client.post('/sandbox/send', body)).toMatchObject({ body: { code: 'QUOTE_EXPIRED' } })
    expect(await readQuoteTransaction(client, lateQuote)).toMatchObject({
      status: 'EXPIRED',
      failureReason: 'QUOTE_EXPIRED',
    })
  })

  test('is paid by a deposit that states its reference, and an unknown reference is refused', async () => {
    const { client, customer, bank } = await ready()
    const quote = await quoted(client, fundingSource('USD', { customerId: customer.id }), to(bank))
    const { reference } = (await readQuoteTransaction(client, quote)).reconciliationInstructions
    const body = { amount: quote.totalSendingAmount, currency: 'USD' }
    const listDeposits = async () => (await client.get('/deposits')).body.data
    for (const unknown of ['CS000000000000', 'rent', reference.slice(0, -1)]) {
      const refused = await client.post('/sandbox/deposits', { ...body, reference: unknown })
      expectError(refused, { code: 'REFERENCE_NOT_FOUND', field: 'reference' })
    }
    const otherPlatformReply = await (await newPlatform()).post('/sandbox/deposits', { ...body, reference })
    expectError(otherPlatformReply, { code: 'REFERENCE_NOT_FOUND', field: 'reference' })
    expect(await listDeposits()).toEqual([])
    const payment = await client.post('/sandbox/deposits', {
      ...body,
      reference,
      remittanceInformation: 'rent',
    })
    expect(payment).toMatchObject({ status: 201, body: { remittanceInformation: `${reference} rent` } })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ status: 'COMPLETED' })
    // An unknown reference in free text is left for a person to review.
    const unmatched = await client.post('/sandbox/deposits', {
      ...body,
      remittanceInformation: 'CS000000000000',
    })
    expect(unmatched.status).toBe(201)
  })

  test('belongs to the platform if it pays a UMA address for no customer, and cannot be executed by a call', async () => {
    const { client, customer, bank } = await ready()
    const createQuote = (source: object, destination: object, more: object = {}) =>
      client.post('/quotes', {
        source,
        destination,
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1000,
        ...more,
      })
    const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.test' }
    const { umaAddress } = (await client.get(`/customers/${customer.id}`)).body
    const customerIds: string[] = []
    for (const [source, payee] of [
      [fundingSource('USD'), uma],
      [fundingSource('USD'), { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' }],
      [fundingSource('USD', { customerId: customer.id }), uma],
      [fundingSource('USD'), to(bank)],
    ] as const) {
      const { body: quote } = await createQuote(source, payee, { immediatelyExecute: true })
      expect(quote).toMatchObject({ status: 'PENDING', source })
      await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
      await client.advance(0)
      const { status, customerId } = await readQuoteTransaction(client, quote)
      expect(status).toBe('COMPLETED')
      customerIds.push(customerId)
    }
    const platformCustomerId = await findOwnCustomerId(client)
    expect(customerIds).toEqual([platformCustomerId, platformCustomerId, customer.id, customer.id])
    expect(await createQuote(fundingSource('XYZ'), to(bank))).toMatchObject({
      body: { code: 'INVALID_CURRENCY' },
    })
  })
})
