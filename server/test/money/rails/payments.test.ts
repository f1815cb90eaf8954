import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../worlds/client.testing.ts'
import { newEuroAccount, numberOf } from '../../worlds/production/production.testing.ts'
import { world as openWorld, type Worlds } from '../../worlds/world.testing.ts'

let world: Worlds['production+bank']
beforeAll(async () => {
  world = await openWorld('production+bank')
})

const euroAccount = (customerId: string, suffix?: string) => newEuroAccount(world.client, customerId, suffix)

/** A funded customer: the money came in by the bank. */
async function funded(amount = '100000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, amount)
  await until(
    () => world.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`),
    ({ body }) => BigInt(body.data[0].balance.amount) === BigInt(amount),
  )
  return { customerId, account }
}

const statusOf = (id: string) => world.client.get(`/transactions/${id}`)

const send = async (source: string, destination: string, amount: number) => {
  const sent = await world.client.post('/transfer-out', {
    source: { accountId: source },
    destination: { accountId: destination },
    amount,
  })
  expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  return sent.body.id as string
}

const ended = (id: string, status: string) =>
  until(
    () => statusOf(id),
    ({ body }) => body.status === status,
  )

const available = async (customerId: string, currency = 'EUR') => {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  return Number(body.data[0].balance.amount)
}

/** The bank's entries for a payment. */
const entriesOf = async (id: string) =>
  (await world.callBank('GET', '/entries')).data.filter((entry: { id?: string }) => entry.id === id)

describe('in production', () => {
  test('a transfer out is paid once by the bank, by its complete details', async () => {
    const { customerId, account } = await funded()
    const id = await send(account.id, await euroAccount(customerId), 25_000)
    expect((await ended(id, 'COMPLETED')).body.type).toBe('OUTGOING')
    const { data } = await world.callBank('GET', '/payments')
    expect(data.filter((one: { id: string }) => one.id === id)).toHaveLength(1)
    expect((await entriesOf(id)).map(({ amount }: { amount: string }) => amount)).toEqual(['-25000'])
    expect(await available(customerId)).toBe(75_000)
    expect(numberOf(account)).toMatch(/^DE/)
  })

  test('a payment that the bank refuses is refunded', async () => {
    const { customerId, account } = await funded()
    for (const suffix of ['101', '103']) {
      const id = await send(account.id, await euroAccount(customerId, suffix), 10_000)
      expect((await ended(id, 'FAILED')).body).toMatchObject({
        failureReason: 'COUNTERPARTY_POST_TX_FAILED',
        counterpartyInformation: { failureDetail: 'The account is closed' },
      })
      expect(await entriesOf(id)).toEqual([])
    }
    expect(await available(customerId)).toBe(100_000)
  })

  test('a payment returned after delivery is on the account again, by new entries', async () => {
    const { customerId, account } = await funded()
    const id = await send(account.id, await euroAccount(customerId, '104'), 30_000)
    const { body } = await ended(id, 'FAILED')
    expect(body).toMatchObject({ refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' } })
    expect(body.settledAt).toBeDefined()
    expect(await available(customerId)).toBe(100_000)
    const events = await world.client.events(`&objectId=${id}`)
    expect(events.map(({ type }) => type)).toEqual([
      'OUTGOING_PAYMENT.PENDING',
      'OUTGOING_PAYMENT.COMPLETED',
      'OUTGOING_PAYMENT.FAILED',
    ])
    const amounts = (await entriesOf(id)).map(({ amount }: { amount: string }) => amount)
    expect(amounts).toEqual(['-30000', '30000'])
  })

  test('an event that comes before the response to the call works', async () => {
    const { customerId, account } = await funded()
    await ended(await send(account.id, await euroAccount(customerId, '107'), 1_000), 'COMPLETED')
    expect(await available(customerId)).toBe(99_000)
  })

  test('pulled money can be spent, and its return is taken from the account, or owed to the platform', async () => {
    const { customerId, account } = await funded('1000')
    const other = await euroAccount(customerId)
    const pulled = await world.client.post('/transfer-in', {
      source: { accountId: other },
      destination: { accountId: account.id },
      amount: 5_000,
    })
    expect(pulled.status, JSON.stringify(pulled.body)).toBe(201)
    await until(
      () => available(customerId),
      (amount) => amount === 6_000,
    )
    await send(account.id, await euroAccount(customerId, '102'), 4_000)
    await world.callBank('POST', `/pulls/${encodeURIComponent(pulled.body.id)}/return`)
    const { body } = await ended(pulled.body.id, 'REFUNDED')
    expect(body.counterpartyInformation).toMatchObject({ shortfall: '3000' })
    expect(await available(customerId)).toBe(0)
    const events = await world.client.events(`&objectId=${pulled.body.id}`)
    expect(events.map(({ type }) => type)).toContain('INCOMING_PAYMENT.RETURNED')
  })

  test('a quote converts and pays out; a returned one is refunded to its payer', async () => {
    const { customerId, account } = await funded()
    const usd = async (suffix: string) => {
      const made = await world.client.post('/customers/external-accounts', {
        customerId,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: `123456${suffix}`,
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
        },
      })
      return made.body.id as string
    }
    // The bank pays out what it has in dollars.
    const platform = await world.accountOf(customerId, 'USD')
    await world.paidIn(platform, '500000')
    await until(
      () => available(customerId, 'USD'),
      (amount) => amount === 500_000,
    )
    const pay = async (suffix: string) => {
      const quote = await world.client.post('/quotes', {
        source: { sourceType: 'ACCOUNT', accountId: account.id },
        destination: { destinationType: 'ACCOUNT', accountId: await usd(suffix) },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 20_000,
        immediatelyExecute: true,
      })
      expect(quote.status, JSON.stringify(quote.body)).toBe(201)
      return quote.body
    }
    const paid = await pay('000')
    await ended(paid.transactionId, 'COMPLETED')
    expect(await available(customerId)).toBe(80_000)
    const back = await pay('104')
    const { body } = await until(
      () => statusOf(back.transactionId),
      (answer) => answer.body.refund?.status === 'COMPLETED',
    )
    expect(body).toMatchObject({ status: 'FAILED', refund: { status: 'COMPLETED' } })
    expect(await available(customerId)).toBe(80_000)
  })

  test('a payment that the bank has only accepted is cancelled and refunded, unlike a delivered one', async () => {
    const { customerId, account } = await funded()
    const waits = await send(account.id, await euroAccount(customerId, '105'), 10_000)
    expect(await available(customerId)).toBe(90_000)
    expect((await world.client.post(`/transactions/${waits}/cancel`)).status).toBe(200)
    await ended(waits, 'FAILED')
    expect(await available(customerId)).toBe(100_000)
    expect(await entriesOf(waits)).toEqual([])
    const paid = await send(account.id, await euroAccount(customerId, '102'), 10_000)
    await ended(paid, 'COMPLETED')
    const late = await world.client.post(`/transactions/${paid}/cancel`)
    expect([late.status, late.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
  })

  test('the bank checks the name of the holder of a new account', async () => {
    const customerId = await world.newApproved()
    const statuses = await Promise.all(
      ['000', '111', '112', '113'].map(async (suffix) => {
        const id = await euroAccount(customerId, suffix)
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
