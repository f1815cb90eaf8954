import { exampleAccounts } from '@countersign/contract/accounts/account-types'
import { describe, expect, test } from 'vitest'
import { newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balancesOf,
  FUNDED,
  ownCustomerId,
  quoted,
  ready,
  statusOf,
  to,
  transactionOf,
} from '../../worlds/records/payments.testing.ts'

const funding = (currency: string, more: object = {}) => ({
  sourceType: 'REALTIME_FUNDING',
  currency,
  ...more,
})

/** A customer without money, who can be deleted. */
async function withoutMoney() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  return { client, customer, bank: await newBankAccount(client, customer.id) }
}

describe('a quote with real-time funding', () => {
  test('shows deposit details with its own reference, and is executed by the payment', async () => {
    const { client, customer, bank } = await ready()
    const [quote, other] = [
      await quoted(client, funding('USD'), to(bank)),
      await quoted(client, funding('USD'), to(bank)),
    ]
    const reference = (one: { paymentInstructions: { accountOrWalletInfo: { reference: string } }[] }) =>
      one.paymentInstructions[0]!.accountOrWalletInfo.reference
    expect(reference(quote)).not.toBe(reference(other))
    expect((await client.get(`/quotes/${quote.id}`)).body).toEqual(quote)
    const execute = await client.post(`/quotes/${quote.id}/execute`)
    expect(execute).toMatchObject({ status: 400, body: { details: { field: 'quoteId' } } })
    const sent = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
    expect(sent).toMatchObject({
      status: 200,
      body: {
        status: 'PROCESSING',
        source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
        reconciliationInstructions: { reference: reference(quote) },
      },
    })
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({ status: 'COMPLETED', customerId: customer.id })
    const again = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
    expect(again).toMatchObject({ status: 409 })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('pays an internal account, converted', async () => {
    const { client, customer } = await ready()
    const quote = await quoted(client, funding('GBP'), to(customer.eur), { lockedCurrencyAmount: 5000 })
    expect(quote.source).toEqual({ sourceType: 'REALTIME_FUNDING', currency: 'GBP' })
    await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'GBP' })
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([5000, 5000])
  })

  test('fails when another amount arrives, and refunds it', async () => {
    const { client, bank } = await ready()
    const quote = await quoted(client, funding('USD'), to(bank))
    const body = { quoteId: quote.id, currencyCode: 'USD', currencyAmount: 2499 }
    expect((await client.post('/sandbox/send', body)).body).toMatchObject({
      status: 'FAILED',
      failureReason: 'FUNDING_AMOUNT_MISMATCH',
      refund: { status: 'PENDING' },
    })
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({ refund: { status: 'COMPLETED' } })
    expect(await statusOf(client, quote)).toBe('FAILED')
  })

  test('whose payment never left refunds it, whatever the scenario of the external account', async () => {
    const { client, bank } = await ready('007')
    const quote = await quoted(client, funding('USD'), to(bank))
    await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD', currencyAmount: 2499 })
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({ refund: { status: 'COMPLETED' } })
  })

  test.each(['the receiving account', 'the receiving customer', 'the paying customer'])(
    'refunds its payment if %s was deleted in the meantime',
    async (whose) => {
      const { client, customer, bank } = await withoutMoney()
      const other = await newCustomer(client)
      const destination = to(whose === 'the receiving customer' ? other.usd : bank)
      const quote = await quoted(client, funding('USD', { customerId: customer.id }), destination)
      const deleted = {
        'the receiving account': `/customers/external-accounts/${bank}`,
        'the receiving customer': `/customers/${other.id}`,
        'the paying customer': `/customers/${customer.id}`,
      }[whose]!
      await client.send('DELETE', deleted)
      const paid = await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
      const failed = { status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' }
      expect(paid).toMatchObject({ status: 200, body: failed })
      await client.advance(0)
      expect(await transactionOf(client, quote)).toMatchObject({ ...failed, refund: { status: 'COMPLETED' } })
    },
  )

  test('refunds its payment if a balance would be too large', async () => {
    const { client, customer } = await ready()
    const newAccount = async (more: object) => {
      const accountInfo = { ...exampleAccounts('VND_ACCOUNT')[0], ...more }
      const body = { customerId: customer.id, currency: 'VND', accountInfo }
      return (await client.post('/customers/external-accounts', body)).body.id
    }
    const account = await newAccount({})
    // The account's scenario does not matter where no payment was sent to it.
    const unpaying = await newAccount({ accountNumber: '0123456789007' })
    const huge = { lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 9_000_000_000_000_000 }
    const ended: object[] = []
    for (const payee of [account, account, account, unpaying]) {
      const quote = await quoted(client, funding('GBP'), to(payee), huge)
      await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'GBP' })
      await client.advance(0)
      const { status, refund } = await transactionOf(client, quote)
      ended.push({ status, refund: refund?.status })
    }
    const delivered = { status: 'COMPLETED', refund: undefined }
    const back = { status: 'FAILED', refund: 'COMPLETED' }
    expect(ended).toEqual([delivered, delivered, back, back])
  })

  test('is paid once, by its own currency, before it expires', async () => {
    const { client, bank } = await ready()
    const quote = await quoted(client, funding('USD'), to(bank))
    const send = (currencyCode: string) => client.post('/sandbox/send', { quoteId: quote.id, currencyCode })
    expect(await send('EUR')).toMatchObject({ status: 400, body: { details: { field: 'currencyCode' } } })
    const replies = await Promise.all(Array.from({ length: 10 }, () => send('USD')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const late = await quoted(client, funding('USD'), to(bank))
    await client.advance(15 * 60)
    const body = { quoteId: late.id, currencyCode: 'USD' }
    expect(await client.post('/sandbox/send', body)).toMatchObject({ body: { code: 'QUOTE_EXPIRED' } })
    expect(await transactionOf(client, late)).toMatchObject({
      status: 'EXPIRED',
      failureReason: 'QUOTE_EXPIRED',
    })
  })

  test('is paid by the reference that a payer states, and an unknown reference is refused', async () => {
    const { client, customer, bank } = await ready()
    const quote = await quoted(client, funding('USD', { customerId: customer.id }), to(bank))
    const { reference } = (await transactionOf(client, quote)).reconciliationInstructions
    const body = { amount: quote.totalSendingAmount, currency: 'USD' }
    const deposits = async () => (await client.get('/deposits')).body.data
    for (const other of ['CS000000000000', 'rent', reference.slice(0, -1)]) {
      const refused = await client.post('/sandbox/deposits', { ...body, reference: other })
      expectError(refused, { code: 'REFERENCE_NOT_FOUND', field: 'reference' })
    }
    const elsewhere = await (await newPlatform()).post('/sandbox/deposits', { ...body, reference })
    expectError(elsewhere, { code: 'REFERENCE_NOT_FOUND', field: 'reference' })
    expect(await deposits()).toEqual([])
    const paid = await client.post('/sandbox/deposits', { ...body, reference, remittanceInformation: 'rent' })
    expect(paid).toMatchObject({ status: 201, body: { remittanceInformation: `${reference} rent` } })
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({ status: 'COMPLETED' })
    // In words only, a reference that names nothing is for a person to look at.
    const lost = await client.post('/sandbox/deposits', { ...body, remittanceInformation: 'CS000000000000' })
    expect(lost.status).toBe(201)
  })

  test('belongs to the platform at an UMA address without a customer, and cannot be executed by a call', async () => {
    const { client, customer, bank } = await ready()
    const ask = (source: object, destination: object, more: object = {}) =>
      client.post('/quotes', {
        source,
        destination,
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1000,
        ...more,
      })
    const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.test' }
    const { umaAddress } = (await client.get(`/customers/${customer.id}`)).body
    const payers: string[] = []
    for (const [source, payee] of [
      [funding('USD'), uma],
      [funding('USD'), { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' }],
      [funding('USD', { customerId: customer.id }), uma],
      [funding('USD'), to(bank)],
    ] as const) {
      const { body: quote } = await ask(source, payee, { immediatelyExecute: true })
      expect(quote).toMatchObject({ status: 'PENDING', source })
      await client.post('/sandbox/send', { quoteId: quote.id, currencyCode: 'USD' })
      await client.advance(0)
      const { status, customerId } = await transactionOf(client, quote)
      expect(status).toBe('COMPLETED')
      payers.push(customerId)
    }
    const self = await ownCustomerId(client)
    expect(payers).toEqual([self, self, customer.id, customer.id])
    expect(await ask(funding('XYZ'), to(bank))).toMatchObject({ body: { code: 'INVALID_CURRENCY' } })
  })
})
