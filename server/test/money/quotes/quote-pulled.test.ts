import { describe, expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import {
  account,
  balancesOf,
  ownCustomerId,
  quoted,
  statusOf,
  to,
  transactionOf,
} from '../../worlds/records/payments.testing.ts'

const RECEIVED = 2500

/** A customer without money, with an external account that ends in `suffix` and a payee. */
async function ready(suffix?: string) {
  const client = await newPlatform()
  const [customer, payee] = [await newCustomer(client), await newCustomer(client)]
  return { client, customer, payee, bank: await newBankAccount(client, customer.id, suffix) }
}

const eventsOf = async (client: Client, id: string) =>
  (await client.events(`&objectId=${id}`)).map(({ type }: { type: string }) => type)

describe('a quote that is paid from an external account', () => {
  test('is pulled once, at execution, and continues as if it had been paid in', async () => {
    const { client, customer, payee, bank } = await ready()
    const quote = await quoted(client, account(bank), to(payee.eur))
    expect(quote).toMatchObject({ status: 'PENDING', source: account(bank) })
    expect(quote).not.toHaveProperty('paymentInstructions')
    const execute = () => client.post(`/quotes/${quote.id}/execute`)
    const replies = await Promise.all(Array.from({ length: 10 }, execute))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(replies.find(({ status }) => status === 200)?.body.status).toBe('PROCESSING')
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({
      status: 'COMPLETED',
      customerId: customer.id,
      source: { sourceType: 'ACCOUNT', accountId: bank, currency: 'USD' },
      sentAmount: { amount: quote.totalSendingAmount },
    })
    expect(await balancesOf(client, payee.id, 'EUR')).toEqual([RECEIVED, RECEIVED])
    const { data } = (await client.get(`/transactions?customerId=${payee.id}`)).body
    expect(data).toMatchObject([{ type: 'INCOMING', status: 'COMPLETED', source: { accountId: bank } }])
    expect(await balancesOf(client, customer.id)).toEqual([0, 0])
  })

  test('can be executed by the call that creates it, and may pay an embedded wallet', async () => {
    const { client, customer, bank } = await ready()
    const quote = await quoted(client, account(bank), to(customer.wallet), { immediatelyExecute: true })
    expect(quote.status).toBe('PROCESSING')
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    expect(await balancesOf(client, customer.id, 'USDB')).toEqual([RECEIVED, RECEIVED])
  })

  test.each([
    ['002', 'Insufficient funds', 0],
    ['003', 'The account is closed or invalid', 0],
    ['004', 'The bank rejected the payment', 0],
    ['005', 'The bank did not process the payment', 30],
  ])(
    '%s fails if the bank refuses the pull, and credits no account',
    async (suffix, failureDetail, seconds) => {
      const { client, payee, bank } = await ready(suffix)
      const quote = await quoted(client, account(bank), to(payee.usd), { immediatelyExecute: true })
      await client.advance(0)
      expect(await statusOf(client, quote)).toBe(seconds === 0 ? 'FAILED' : 'PROCESSING')
      await client.advance(seconds)
      const failed = await transactionOf(client, quote)
      expect(failed).toMatchObject({
        status: 'FAILED',
        failureReason: 'QUOTE_EXECUTION_FAILED',
        counterpartyInformation: { failureDetail },
      })
      expect(failed).not.toHaveProperty('refund')
      expect(await statusOf(client, quote)).toBe('FAILED')
      expect(await balancesOf(client, payee.id)).toEqual([0, 0])
      expect((await eventsOf(client, failed.id)).at(-1)).toBe('OUTGOING_PAYMENT.FAILED')
    },
  )

  test('is refunded to where it was pulled from when it is not delivered', async () => {
    const { client, customer, bank } = await ready()
    const payees = ['002', '004', '007'].map((suffix) => newBankAccount(client, customer.id, suffix))
    const ended: string[] = []
    for (const payee of await Promise.all(payees)) {
      const quote = await quoted(client, account(bank), to(payee), { immediatelyExecute: true })
      await client.advance(0)
      const { status, refund } = await transactionOf(client, quote)
      ended.push(`${status} ${refund.status}`)
    }
    expect(ended).toEqual(['FAILED COMPLETED', 'FAILED COMPLETED', 'FAILED FAILED'])
    expect(await balancesOf(client, customer.id)).toEqual([0, 0])
  })

  test('stays delivered when the bank takes the money back later, and reports that once', async () => {
    const { client, payee, bank } = await ready('006')
    const quote = await quoted(client, account(bank), to(payee.usd), { immediatelyExecute: true })
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    await client.advance(24 * 3600)
    const transaction = await transactionOf(client, quote)
    expect(transaction).toMatchObject({
      status: 'COMPLETED',
      counterpartyInformation: {
        fundingReturnDetail: 'The holder of the account disputed the debit',
        fundingReturnedAt: expect.any(String),
      },
    })
    expect(await balancesOf(client, payee.id)).toEqual([RECEIVED, RECEIVED])
    const events = await client.events(`&objectId=${transaction.id}`)
    const told = events.filter(({ type }) => type === 'OUTGOING_PAYMENT.FUNDING_RETURNED')
    expect(told).toMatchObject([{ data: { ...transaction, updatedAt: expect.any(String) } }])
  })

  test('is not refunded when it was taken back before it failed', async () => {
    const { client, customer, bank } = await ready('006')
    // One is on its way when the bank takes its money back, and arrives; the other one is returned a little later.
    const [slow, returned] = [
      await newBankAccount(client, customer.id, '003'),
      await newBankAccount(client, customer.id, '005'),
    ]
    const [arrives, comesBack] = [
      await quoted(client, account(bank), to(slow), { immediatelyExecute: true }),
      await quoted(client, account(bank), to(returned), { immediatelyExecute: true }),
    ]
    await client.advance(120)
    expect(await transactionOf(client, arrives)).toMatchObject({
      status: 'PROCESSING',
      counterpartyInformation: { fundingReturnDetail: expect.any(String) },
    })
    await client.advance(600)
    expect(await transactionOf(client, arrives)).toMatchObject({ status: 'COMPLETED' })
    const failed = await transactionOf(client, comesBack)
    expect(failed).toMatchObject({
      status: 'FAILED',
      failureReason: 'COUNTERPARTY_POST_TX_FAILED',
      counterpartyInformation: {
        failureDetail: 'The receiving bank returned the payment',
        fundingReturnDetail: expect.any(String),
      },
    })
    expect(failed).not.toHaveProperty('refund')
  })

  test('belongs to the owner of the account, which must exist and support pulls', async () => {
    const { client, customer, payee, bank } = await ready()
    const ask = (source: object, destination: object) =>
      client.post('/quotes', {
        source,
        destination,
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1000,
      })
    const refused = (field: string) => ({ status: 400, body: { details: { field } } })
    const { body: clabe } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'MXN',
      accountInfo: {
        accountType: 'MXN_ACCOUNT',
        clabeNumber: '032180000118359719',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    expect(await ask(account(clabe.id), to(payee.usd))).toMatchObject(refused('source.accountId'))
    const ofOther = { ...account(bank), customerId: payee.id }
    expect(await ask(ofOther, to(payee.usd))).toMatchObject(refused('source.customerId'))
    expect(await ask(account(bank), to(bank))).toMatchObject({ body: { code: 'SELF_PAYMENT' } })
    const theirs = await newBankAccount(client, payee.id, '790')
    expect(await ask(account(bank), to(theirs))).toMatchObject({ body: { code: 'ACCOUNT_NOT_FOUND' } })
    const stranger = await newPlatform()
    const { id } = await newCustomer(stranger)
    const foreign = await newBankAccount(stranger, id)
    expect(await ask(account(foreign), to(payee.usd))).toMatchObject({
      status: 404,
      body: { details: { field: 'source.accountId' } },
    })
    const { body: quote } = await ask(account(bank), to(payee.usd))
    await client.send('DELETE', `/customers/external-accounts/${bank}`)
    expect(await client.post(`/quotes/${quote.id}/execute`)).toMatchObject({ status: 404 })
    expect(await statusOf(client, quote)).toBe('PENDING')
  })

  test('of the platform itself is paid by the platform', async () => {
    const { client, payee } = await ready()
    const { body: own } = await client.post('/customers/external-accounts', {
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: 'DE89370400440532013000',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Analytical Engines' },
      },
    })
    const quote = await quoted(client, account(own.id), to(payee.usd), { immediatelyExecute: true })
    await client.advance(0)
    expect(await transactionOf(client, quote)).toMatchObject({
      status: 'COMPLETED',
      customerId: await ownCustomerId(client),
    })
    expect(await balancesOf(client, payee.id)).toEqual([RECEIVED, RECEIVED])
  })

  test('by an agent also needs the permission to transfer in, and is described with its source', async () => {
    const { client, customer, bank } = await ready()
    const policy = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    const agent = await newAgent(client, customer.id, policy)
    const quotes = ['CREATE_QUOTES', 'EXECUTE_QUOTES']
    const lacking = await newAgent(client, customer.id, { permissions: quotes })
    const body = {
      source: account(bank),
      destination: to(customer.eur),
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: RECEIVED,
    }
    expect(await lacking.post('/agents/me/quotes', body)).toMatchObject({
      status: 403,
      body: { details: { rule: 'permission', subject: 'CREATE_TRANSFERS' } },
    })
    const { body: quote } = await agent.post('/agents/me/quotes', body)
    const waiting = await agent.post(`/agents/me/quotes/${quote.id}/execute`)
    expect(waiting).toMatchObject({ status: 200, body: { status: 'PENDING_APPROVAL' } })
    const [asked] = await client.events(`&objectId=${waiting.body.id}`)
    expect(asked.data.summary).toMatch(/pulled from .*Ada Lovelace.*123456789/)
    const approved = await client.post(`/agents/${agent.id}/actions/${waiting.body.id}/approve`)
    expect(approved).toMatchObject({ status: 200, body: { quote: { status: 'PROCESSING' } } })
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([RECEIVED, RECEIVED])
  })
})
