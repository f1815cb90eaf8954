import { describe, expect, test } from 'vitest'
import { fund, newPlatform } from '../../worlds/client.testing.ts'
import {
  AMOUNT,
  balances,
  eventTypesOf,
  FUNDED,
  findOnlyScreening,
  LISTED,
  listScreenings,
  newWallet,
  ready,
  sendPayment,
  statusOf,
  UNLISTED,
} from '../../worlds/records/screenings.testing.ts'

describe('an outgoing payment', () => {
  test('to an unlisted address proceeds, and its screening is stored', async () => {
    const { client, customer, usdc } = await ready()
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id, UNLISTED))
    expect(await statusOf(client, id)).toBe('COMPLETED')
    expect(await findOnlyScreening(client)).toMatchObject({
      status: 'CLEAR',
      direction: 'PAY',
      network: 'BASE',
      address: UNLISTED,
      transactionId: id,
      amount: { amount: AMOUNT, currency: { code: 'USDC' } },
    })
  })

  test('to a bank account is not screened', async () => {
    const { client, customer } = await ready()
    await fund(client, customer.usd, 10_000)
    const { body } = await client.post('/customers/external-accounts', {
      customerId: customer.id,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '123456bad0'.replace(/\D/g, ''),
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    const request = { source: { accountId: customer.usd }, destination: { accountId: body.id }, amount: 100 }
    const { body: transfer } = await client.post('/transfer-out', request)
    await client.advance(0)
    expect(await statusOf(client, transfer.id)).toBe('COMPLETED')
    expect(await listScreenings(client)).toEqual([])
  })

  test('to a listed address waits for a person without a deadline, and only the platform is notified', async () => {
    const { client, customer, usdc } = await ready()
    const upper = `0x${LISTED.slice(2).toUpperCase()}`
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id, upper))
    await client.advance(30 * 86_400)
    expect(await statusOf(client, id)).toBe('PENDING')
    expect(await balances(client, customer.id)).toEqual([FUNDED - AMOUNT, FUNDED])
    const screening = await findOnlyScreening(client)
    expect(screening).toMatchObject({ status: 'WAITING', list: 'sandbox', transactionId: id })
    expect((await client.get(`/screenings/${screening.id}`)).body).toEqual(screening)
    expect(await listScreenings(client, 'status=WAITING&direction=PAY')).toEqual([screening])
    expect(await listScreenings(client, 'status=CLEAR')).toEqual([])
    expect(await listScreenings(client, 'direction=CREDIT')).toEqual([])
    expect(await eventTypesOf(client, screening.id)).toEqual(['SCREENING.WAITING'])
    const { body: transaction } = await client.get(`/transactions/${id}`)
    expect(JSON.stringify(transaction)).not.toMatch(/screen|list/i)
  })

  test('is paid exactly once after one of fifty calls releases it', async () => {
    const { client, customer, usdc } = await ready()
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id: screening } = await findOnlyScreening(client)
    const releases = Array.from({ length: 50 }, () => client.post(`/screenings/${screening}/release`))
    const statuses = (await Promise.all(releases)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(49).fill(409)])
    await client.advance(0)
    expect(await statusOf(client, id)).toBe('COMPLETED')
    expect(await balances(client, customer.id)).toEqual([FUNDED - AMOUNT, FUNDED - AMOUNT])
    expect(await findOnlyScreening(client)).toMatchObject({
      status: 'RELEASED',
      decidedAt: expect.any(String),
    })
    expect(await eventTypesOf(client, screening)).toEqual(['SCREENING.DECIDED', 'SCREENING.WAITING'])
  })

  test('whose screening is rejected fails and is refunded, without mention of lists', async () => {
    const { client, customer, usdc } = await ready()
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id: screening } = await findOnlyScreening(client)
    const path = `/screenings/${screening}`
    const rejection = await client.post(`${path}/reject`, { note: 'Asked the addressProvider' })
    expect(rejection.body).toMatchObject({ status: 'REJECTED', note: 'Asked the addressProvider' })
    const laterRelease = await client.post(`${path}/release`)
    expect([laterRelease.status, laterRelease.body.code]).toEqual([409, 'INVALID_STATE_TRANSITION'])
    await client.advance(0)
    const { body } = await client.get(`/transactions/${id}`)
    expect(body).toMatchObject({ status: 'FAILED', failureReason: 'QUOTE_EXECUTION_FAILED' })
    expect(JSON.stringify(body)).not.toMatch(/screen|list/i)
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    expect((await client.get(path)).body.status).toBe('REJECTED')
  })

  test('that waits for its screening can be cancelled, and then not released', async () => {
    const { client, customer, usdc } = await ready()
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id: screening } = await findOnlyScreening(client)
    expect((await client.post(`/transactions/${id}/cancel`)).status).toBe(200)
    expect((await client.post(`/screenings/${screening}/release`)).status).toBe(409)
    await client.advance(0)
    expect(await statusOf(client, id)).toBe('FAILED')
    expect(await balances(client, customer.id)).toEqual([FUNDED, FUNDED])
    expect((await client.post(`/transactions/${id}/cancel`)).status).toBe(409)
  })

  test('is cancelled or released, whichever is first, and never both', async () => {
    const { client, customer, usdc } = await ready()
    const wallet = await newWallet(client, customer.id)
    for (let n = 0; n < 5; n++) {
      const id = await sendPayment(client, usdc, wallet)
      const [{ id: screening }] = await listScreenings(client, 'status=WAITING')
      const [released, cancelled] = await Promise.all([
        client.post(`/screenings/${screening}/release`),
        client.post(`/transactions/${id}/cancel`),
      ])
      expect([released.status, cancelled.status].sort()).toEqual([200, 409])
      await client.advance(0)
      expect(await statusOf(client, id)).toBe(released.status === 200 ? 'COMPLETED' : 'FAILED')
    }
  })
})

describe('a quote to a listed address', () => {
  async function createScreenedQuote() {
    const { client, customer, usdc } = await ready()
    await fund(client, customer.usd, 100_000)
    const wallet = await newWallet(client, customer.id)
    const { status, body } = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: customer.usd },
      destination: { destinationType: 'ACCOUNT', accountId: wallet },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000,
      immediatelyExecute: true,
    })
    expect(status).toBe(201)
    await client.advance(0)
    return { client, customer, usdc, quote: body, screening: await findOnlyScreening(client) }
  }
  const readUsdBalances = async ({ client, customer }: Awaited<ReturnType<typeof createScreenedQuote>>) => {
    const path = `/customers/internal-accounts?customerId=${customer.id}&currency=USD`
    const [account] = (await client.get(path)).body.data
    return [account.balance.amount, account.totalBalance.amount]
  }

  test('is PROCESSING until a person releases it', async () => {
    const world = await createScreenedQuote()
    const { client, quote, screening } = world
    expect(screening).toMatchObject({ status: 'WAITING', transactionId: quote.transactionId })
    await client.advance(86_400)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('PROCESSING')
    expect((await readUsdBalances(world))[1]).toBe(100_000)
    await client.post(`/screenings/${screening.id}/release`)
    await client.advance(0)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('COMPLETED')
    expect((await readUsdBalances(world))[1]).toBeLessThan(100_000)
  })

  test('fails if a person rejects it, and nothing is paid', async () => {
    const world = await createScreenedQuote()
    const { client, quote, screening } = world
    await client.post(`/screenings/${screening.id}/reject`)
    await client.advance(0)
    expect((await client.get(`/quotes/${quote.id}`)).body.status).toBe('FAILED')
    expect(await readUsdBalances(world)).toEqual([100_000, 100_000])
  })
})

describe('the screening API', () => {
  test('refuses an invalid id, note or filter', async () => {
    const { client, customer, usdc } = await ready()
    await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id } = await findOnlyScreening(client)
    for (const path of [`/screenings/${id.replace(/.$/, '0')}`, '/screenings/Screening:x', '/screenings/x'])
      expect(await client.get(path)).toMatchObject({ status: 404, body: { code: 'SCREENING_NOT_FOUND' } })
    const long = await client.post(`/screenings/${id}/release`, { note: 'x'.repeat(501) })
    expect(long).toMatchObject({ status: 400, body: { details: { field: 'note' } } })
    expect((await client.post(`/screenings/${id}/reject`, { reason: 'x' })).status).toBe(400)
    expect((await client.get('/screenings?status=OPEN')).status).toBe(400)
    expect((await findOnlyScreening(client)).status).toBe('WAITING')
  })

  test('returns 404 for a screening of another platform', async () => {
    const { client, customer, usdc } = await ready()
    await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id } = await findOnlyScreening(client)
    const otherPlatform = await newPlatform()
    expect((await otherPlatform.get(`/screenings/${id}`)).status).toBe(404)
    expect((await otherPlatform.post(`/screenings/${id}/release`)).status).toBe(404)
    expect(await listScreenings(otherPlatform)).toEqual([])
  })

  test('replays the response to a decision that is repeated with its Idempotency-Key', async () => {
    const { client, customer, usdc } = await ready()
    const id = await sendPayment(client, usdc, await newWallet(client, customer.id))
    const { id: screening } = await findOnlyScreening(client)
    const key = { 'Idempotency-Key': `release-${screening}` }
    const first = await client.post(`/screenings/${screening}/release`, {}, key)
    const second = await client.post(`/screenings/${screening}/release`, {}, key)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
    await client.advance(0)
    expect(await statusOf(client, id)).toBe('COMPLETED')
  })
})
