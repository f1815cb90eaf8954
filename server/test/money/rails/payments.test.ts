import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import { numberOf } from '../../worlds/production/production.testing.ts'
import { newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'
import { world as openWorld, type Worlds } from '../../worlds/world.testing.ts'

let world: Worlds['production+bank']
beforeAll(async () => {
  world = await openWorld('production+bank')
})

const addEuroAccount = (customerId: string, suffix = '000') =>
  newEuroAccount(world.client, customerId, suffix)

/** Creates a customer whose money was paid in at the bank. */
async function newFundedCustomer(amount = '100000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, amount)
  await until(
    () => world.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`),
    ({ body }) => BigInt(body.data[0].balance.amount) === BigInt(amount),
  )
  return { customerId, account }
}

const readTransaction = (id: string) => world.client.get(`/transactions/${id}`)

const send = async (source: string, destination: string, amount: number) => {
  const transfer = await world.client.post('/transfer-out', {
    source: { accountId: source },
    destination: { accountId: destination },
    amount,
  })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  return transfer.body.id as string
}

const waitForStatus = (id: string, status: string) =>
  until(
    () => readTransaction(id),
    ({ body }) => body.status === status,
  )

const readAvailable = async (customerId: string, currency = 'EUR') => {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  return Number(body.data[0].balance.amount)
}

/** The bank's entries for a payment. */
const listEntries = async (id: string) =>
  (await world.callBank('GET', '/entries')).data.filter((entry: { id?: string }) => entry.id === id)

describe('in production', () => {
  test('a transfer out is paid once by the bank, with its complete details', async () => {
    const { customerId, account } = await newFundedCustomer()
    const id = await send(account.id, await addEuroAccount(customerId), 25_000)
    expect((await waitForStatus(id, 'COMPLETED')).body.type).toBe('OUTGOING')
    const { data } = await world.callBank('GET', '/payments')
    expect(data.filter((one: { id: string }) => one.id === id)).toHaveLength(1)
    expect((await listEntries(id)).map(({ amount }: { amount: string }) => amount)).toEqual(['-25000'])
    expect(await readAvailable(customerId)).toBe(75_000)
    expect(numberOf(account)).toMatch(/^DE/)
  })

  test('a payment that the bank refuses is refunded', async () => {
    const { customerId, account } = await newFundedCustomer()
    for (const suffix of ['101', '103']) {
      const id = await send(account.id, await addEuroAccount(customerId, suffix), 10_000)
      expect((await waitForStatus(id, 'FAILED')).body).toMatchObject({
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        counterpartyInformation: { failureDetail: 'The account is closed' },
      })
      expect(await listEntries(id)).toEqual([])
    }
    expect(await readAvailable(customerId)).toBe(100_000)
  })

  test('a payment returned after delivery is credited to its account by new entries', async () => {
    const { customerId, account } = await newFundedCustomer()
    const id = await send(account.id, await addEuroAccount(customerId, '104'), 30_000)
    const { body } = await waitForStatus(id, 'FAILED')
    expect(body).toMatchObject({ refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' } })
    expect(body.settledAt).toBeDefined()
    expect(await readAvailable(customerId)).toBe(100_000)
    const events = await world.client.events(`&objectId=${id}`)
    expect(events.map(({ type }) => type)).toEqual([
      'OUTGOING_PAYMENT.PENDING',
      'OUTGOING_PAYMENT.COMPLETED',
      'OUTGOING_PAYMENT.FAILED',
    ])
    const amounts = (await listEntries(id)).map(({ amount }: { amount: string }) => amount)
    expect(amounts).toEqual(['-30000', '30000'])
  })

  test('an event that arrives before the response to its call is applied', async () => {
    const { customerId, account } = await newFundedCustomer()
    await waitForStatus(await send(account.id, await addEuroAccount(customerId, '107'), 1_000), 'COMPLETED')
    expect(await readAvailable(customerId)).toBe(99_000)
  })

  test('pulled money can be spent, and its return is taken from the account, or owed to the platform', async () => {
    const { customerId, account } = await newFundedCustomer('1000')
    const externalAccount = await addEuroAccount(customerId)
    const pulled = await world.client.post('/transfer-in', {
      source: { accountId: externalAccount },
      destination: { accountId: account.id },
      amount: 5_000,
    })
    expect(pulled.status, JSON.stringify(pulled.body)).toBe(201)
    await until(
      () => readAvailable(customerId),
      (amount) => amount === 6_000,
    )
    await send(account.id, await addEuroAccount(customerId, '102'), 4_000)
    await world.callBank('POST', `/pulls/${encodeURIComponent(pulled.body.id)}/return`)
    const { body } = await waitForStatus(pulled.body.id, 'REFUNDED')
    expect(body.counterpartyInformation).toMatchObject({ shortfall: '3000' })
    expect(await readAvailable(customerId)).toBe(0)
    const events = await world.client.events(`&objectId=${pulled.body.id}`)
    expect(events.map(({ type }) => type)).toContain('INCOMING_PAYMENT.RETURNED')
  })

  test('a quote converts and pays out, and is refunded to its payer if it is returned', async () => {
    const { customerId, account } = await newFundedCustomer()
    const addUsdAccount = async (suffix: string) => {
      const created = await world.client.post('/customers/external-accounts', {
        customerId,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: `123456${suffix}`,
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
        },
      })
      return created.body.id as string
    }
    // The bank pays out only dollars that it has received.
    const dollarAccount = await world.accountOf(customerId, 'USD')
    await world.paidIn(dollarAccount, '500000')
    await until(
      () => readAvailable(customerId, 'USD'),
      (amount) => amount === 500_000,
    )
    const payQuote = async (suffix: string) => {
      const quote = await world.client.post('/quotes', {
        source: { sourceType: 'ACCOUNT', accountId: account.id },
        destination: { destinationType: 'ACCOUNT', accountId: await addUsdAccount(suffix) },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 20_000,
        immediatelyExecute: true,
      })
      expect(quote.status, JSON.stringify(quote.body)).toBe(201)
      return quote.body
    }
    const delivered = await payQuote('000')
    await waitForStatus(delivered.transactionId, 'COMPLETED')
    expect(await readAvailable(customerId)).toBe(80_000)
    const returned = await payQuote('104')
    const { body } = await until(
      () => readTransaction(returned.transactionId),
      (reply) => reply.body.refund?.status === 'COMPLETED',
    )
    expect(body).toMatchObject({ status: 'FAILED', refund: { status: 'COMPLETED' } })
    expect(await readAvailable(customerId)).toBe(80_000)
  })

  test('a payment that the bank has only accepted can be cancelled and refunded, unlike a delivered one', async () => {
    const { customerId, account } = await newFundedCustomer()
    const accepted = await send(account.id, await addEuroAccount(customerId, '105'), 10_000)
    expect(await readAvailable(customerId)).toBe(90_000)
    expect((await world.client.post(`/transactions/${accepted}/cancel`)).status).toBe(200)
    await waitForStatus(accepted, 'FAILED')
    expect(await readAvailable(customerId)).toBe(100_000)
    expect(await listEntries(accepted)).toEqual([])
    const delivered = await send(account.id, await addEuroAccount(customerId, '102'), 10_000)
    await waitForStatus(delivered, 'COMPLETED')
    const late = await world.client.post(`/transactions/${delivered}/cancel`)
    expect([late.status, late.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
  })

  test('the bank checks the holder name of a new account', async () => {
    const customerId = await world.newApproved()
    const statuses = await Promise.all(
      ['000', '111', '112', '113'].map(async (suffix) => {
        const id = await addEuroAccount(customerId, suffix)
        const checked = await until(
          () => world.client.get(`/customers/external-accounts/${id}`),
          ({ body }) => body.beneficiaryVerificationStatus !== 'PENDING',
        )
        return checked.body.beneficiaryVerificationStatus
      }),
    )
    expect(statuses).toEqual(['MATCHED', 'NOT_MATCHED', 'PARTIAL_MATCH', 'UNSUPPORTED'])
  })
})
