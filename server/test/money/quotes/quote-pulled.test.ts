import { describe, expect, test } from 'vitest'
import { type Client, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import {
  account,
  balancesOf,
  findOwnCustomerId,
  quoted,
  readQuoteTransaction,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'

const RECEIVED = 2500

/** A customer without money, with an external account that ends in `suffix` and a payee. */
async function createPayerAndPayee(suffix?: string) {
  const client = await newPlatform()
  const [customer, payee] = [await newCustomer(client), await newCustomer(client)]
  return { client, customer, payee, bank: await newBankAccount(client, customer.id, suffix) }
}

const listEventTypes = async (client: Client, id: string) =>
  (await client.events(`&objectId=${id}`)).map(({ type }: { type: string }) => type)

describe('a quote that is paid from an external account', () => {
  test('is pulled once, at execution, and continues as if it had been paid in', async () => {
    const { client, customer, payee, bank } = await createPayerAndPayee()
    const quote = await quoted(client, account(bank), to(payee.eur))
    expect(quote).toMatchObject({ status: 'PENDING', source: account(bank) })
    expect(quote).not.toHaveProperty('paymentInstructions')
    const execute = () => client.post(`/quotes/${quote.id}/execute`)
    const replies = await Promise.all(Array.from({ length: 10 }, execute))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(replies.find(({ status }) => status === 200)?.body.status).toBe('PROCESSING')
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
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
    const { client, customer, bank } = await createPayerAndPayee()
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
    'with the suffix %s fails because the bank refuses the pull, and credits no account',
    async (suffix, failureDetail, seconds) => {
      const { client, payee, bank } = await createPayerAndPayee(suffix)
      const quote = await quoted(client, account(bank), to(payee.usd), { immediatelyExecute: true })
      await client.advance(0)
      expect(await statusOf(client, quote)).toBe(seconds === 0 ? 'FAILED' : 'PROCESSING')
      await client.advance(seconds)
      const failed = await readQuoteTransaction(client, quote)
      expect(failed).toMatchObject({
        status: 'FAILED',
        failureReason: 'QUOTE_EXECUTION_FAILED',
        counterpartyInformation: { failureDetail },
      })
      expect(failed).not.toHaveProperty('refund')
      expect(await statusOf(client, quote)).toBe('FAILED')
      expect(await balancesOf(client, payee.id)).toEqual([0, 0])
      expect((await listEventTypes(client, failed.id)).at(-1)).toBe('OUTGOING_PAYMENT.FAILED')
    },
  )

  test('is refunded to the account it was pulled from if it is not delivered', async () => {
    const { client, customer, bank } = await createPayerAndPayee()
    const payees = ['002', '004', '007'].map((suffix) => newBankAccount(client, customer.id, suffix))
    const outcomes: string[] = []
    for (const payee of await Promise.all(payees)) {
      const quote = await quoted(client, account(bank), to(payee), { immediatelyExecute: true })
      await client.advance(0)
      const { status, refund } = await readQuoteTransaction(client, quote)
      outcomes.push(`${status} ${refund.status}`)
    }
    expect(outcomes).toEqual(['FAILED COMPLETED', 'FAILED COMPLETED', 'FAILED FAILED'])
    expect(await balancesOf(client, customer.id)).toEqual([0, 0])
  })

  test('stays delivered if the bank takes the money back later, which is reported once', async () => {
    const { client, payee, bank } = await createPayerAndPayee('006')
    const quote = await quoted(client, account(bank), to(payee.usd), { immediatelyExecute: true })
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    await client.advance(24 * 3600)
    const transaction = await readQuoteTransaction(client, quote)
    expect(transaction).toMatchObject({
      status: 'COMPLETED',
      counterpartyInformation: {
        fundingReturnDetail: 'The holder of the account disputed the debit',
        fundingReturnedAt: expect.any(String),
      },
    })
    expect(await balancesOf(client, payee.id)).toEqual([RECEIVED, RECEIVED])
    const events = await client.events(`&objectId=${transaction.id}`)
    const reports = events.filter(({ type }) => type === 'OUTGOING_PAYMENT.FUNDING_RETURNED')
    expect(reports).toMatchObject([{ data: { ...transaction, updatedAt: expect.any(String) } }])
  })

  test('is not refunded if the bank took the money back before the payment failed', async () => {
    const { client, customer, bank } = await createPayerAndPayee('006')
    // The bank takes the money back while both payments are in progress. The first arrives, the second is returned.
    const [slow, returned] = [
      await newBankAccount(client, customer.id, '003'),
      await newBankAccount(client, customer.id, '005'),
    ]
    const [arrives, comesBack] = [
      await quoted(client, account(bank), to(slow), { immediatelyExecute: true }),
      await quoted(client, account(bank), to(returned), { immediatelyExecute: true }),
    ]
    await client.advance(120)
    expect(await readQuoteTransaction(client, arrives)).toMatchObject({
      status: 'PROCESSING',
      counterpartyInformation: { fundingReturnDetail: expect.any(String) },
    })
    await client.advance(600)
    expect(await readQuoteTransaction(client, arrives)).toMatchObject({ status: 'COMPLETED' })
    const failed = await readQuoteTransaction(client, comesBack)
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
    const { client, customer, payee, bank } = await createPayerAndPayee()
    const createQuote = (source: object, destination: object) =>
      client.post('/quotes', {
        source,
        destination,
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 1000,
      })
    const createFieldError = (field: string) => ({ status: 400, body: { details: { field } } })
    const { body: clabe } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'MXN',
      accountInfo: {
        accountType: 'MXN_ACCOUNT',
        clabeNumber: '032180000118359719',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    expect(await createQuote(account(clabe.id), to(payee.usd))).toMatchObject(
      createFieldError('source.accountId'),
    )
    const otherCustomerSource = { ...account(bank), customerId: payee.id }
    expect(await createQuote(otherCustomerSource, to(payee.usd))).toMatchObject(
      createFieldError('source.customerId'),
    )
    expect(await createQuote(account(bank), to(bank))).toMatchObject({ body: { code: 'SELF_PAYMENT' } })
    const payeeBank = await newBankAccount(client, payee.id, '790')
    expect(await createQuote(account(bank), to(payeeBank))).toMatchObject({
      body: { code: 'ACCOUNT_NOT_FOUND' },
    })
    const stranger = await newPlatform()
    const { id } = await newCustomer(stranger)
    const foreignAccount = await newBankAccount(stranger, id)
    expect(await createQuote(account(foreignAccount), to(payee.usd))).toMatchObject({
      status: 404,
      body: { details: { field: 'source.accountId' } },
    })
    const { body: quote } = await createQuote(account(bank), to(payee.usd))
    await client.send('DELETE', `/customers/external-accounts/${bank}`)
    expect(await client.post(`/quotes/${quote.id}/execute`)).toMatchObject({ status: 404 })
    expect(await statusOf(client, quote)).toBe('PENDING')
  })

  test('belongs to the platform if the account is owned by the platform', async () => {
    const { client, payee } = await createPayerAndPayee()
    const { body: platformAccount } = await client.post('/customers/external-accounts', {
      currency: 'EUR',
      accountInfo: {
        accountType: 'EUR_ACCOUNT',
        iban: 'DE89370400440532013000',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Analytical Engines' },
      },
    })
    const quote = await quoted(client, account(platformAccount.id), to(payee.usd), {
      immediatelyExecute: true,
    })
    await client.advance(0)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'COMPLETED',
      customerId: await findOwnCustomerId(client),
    })
    expect(await balancesOf(client, payee.id)).toEqual([RECEIVED, RECEIVED])
  })

  test('also requires the permission to transfer in from an agent, and its summary names the source', async () => {
    const { client, customer, bank } = await createPayerAndPayee()
    const policy = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    const agent = await newAgent(client, customer.id, policy)
    const permissions = ['CREATE_QUOTES', 'EXECUTE_QUOTES']
    const agentWithoutPermission = await newAgent(client, customer.id, { permissions })
    const body = {
      source: account(bank),
      destination: to(customer.eur),
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: RECEIVED,
    }
    expect(await agentWithoutPermission.post('/agents/me/quotes', body)).toMatchObject({
      status: 403,
      body: { details: { rule: 'permission', subject: 'CREATE_TRANSFERS' } },
    })
    const { body: quote } = await agent.post('/agents/me/quotes', body)
    const pendingAction = await agent.post(`/agents/me/quotes/${quote.id}/execute`)
    expect(pendingAction).toMatchObject({ status: 200, body: { status: 'PENDING_APPROVAL' } })
    const [approvalEvent] = await client.events(`&objectId=${pendingAction.body.id}`)
    expect(approvalEvent.data.summary).toMatch(/pulled from .*Ada Lovelace.*123456789/)
    const approved = await client.post(`/agents/${agent.id}/actions/${pendingAction.body.id}/approve`)
    expect(approved).toMatchObject({ status: 200, body: { quote: { status: 'PROCESSING' } } })
    await client.advance(0)
    expect(await balancesOf(client, customer.id, 'EUR')).toEqual([RECEIVED, RECEIVED])
  })
})
