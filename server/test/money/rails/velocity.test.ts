import { describe, expect, test } from 'vitest'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { account, balancesOf, to } from '../../worlds/records/payments.testing.ts'
import {
  checked,
  execute,
  newPayingPlatform,
  payout,
  sendLines,
  waitForBatch,
} from '../../worlds/records/payouts.testing.ts'

const FUNDED = 1_000_000
const DAY_SECONDS = 24 * 3600
const MONTH_SECONDS = 32 * DAY_SECONDS

interface Limit {
  readonly subject?: 'CUSTOMER' | 'PAYEE'
  readonly period?: 'DAY' | 'MONTH'
  readonly maxCount?: number
  readonly maxAmount?: number
}

async function setLimits(client: Client, ...limits: readonly Limit[]) {
  const velocityLimits = limits.map((limit) => ({
    subject: 'CUSTOMER',
    period: 'DAY',
    currency: 'USD',
    ...limit,
  }))
  const reply = await client.send('PATCH', '/config', { riskConfig: { velocityLimits } })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
}

async function newPayer(client: Client) {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  return { client, customer, bank: await newBankAccount(client, customer.id) }
}

async function newLimitedPayer(...limits: readonly Limit[]) {
  const client = await newPlatform()
  await setLimits(client, ...limits)
  return newPayer(client)
}

type Payer = Awaited<ReturnType<typeof newLimitedPayer>>

const pay = ({ client, customer, bank }: Payer, amount: number): Promise<Reply> =>
  client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount,
  })

const listStatuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort()

describe('a limit for each customer', () => {
  test('refuses the first payment above its count, and names the limit', async () => {
    const payer = await newLimitedPayer({ maxCount: 2 })
    expect(listStatuses([await pay(payer, 100), await pay(payer, 100)])).toEqual([201, 201])
    const refused = await pay(payer, 100)
    expectError(refused, { code: 'VELOCITY_LIMIT_EXCEEDED' })
    expect(refused.body.message).toBe('The limit for payments by one customer in USD is 2 payments per day.')
    expect(refused.body.details).toMatchObject({
      rule: 'maxCount',
      subject: 'CUSTOMER',
      period: 'DAY',
      maxCount: 2,
      left: 0,
    })
    expect((await balancesOf(payer.client, payer.customer.id, 'USD'))[0]).toBe(FUNDED - 200)
    // Another customer has a separate count.
    expect((await pay(await newPayer(payer.client), 100)).status).toBe(201)
  })

  test('refuses an amount above the remaining limit, and accepts exactly the remaining limit', async () => {
    const payer = await newLimitedPayer({ maxAmount: 1000 })
    expect((await pay(payer, 600)).status).toBe(201)
    const refused = await pay(payer, 401)
    expectError(refused, { code: 'VELOCITY_LIMIT_EXCEEDED' })
    expect(refused.body.details).toMatchObject({ rule: 'maxAmount', asked: 401, left: 400, maxAmount: 1000 })
    expect((await pay(payer, 400)).status).toBe(201)
  })

  test('resets at the end of its day or month', async () => {
    const payer = await newLimitedPayer({ maxCount: 1 }, { period: 'MONTH', maxAmount: 1000 })
    const { client } = payer
    // Start on the first of a month, so that the next day is in the same month.
    const [today] = (await client.get('/sandbox/clock')).body.now.split('T')
    const [year, month] = today.split('-').map(Number)
    const first = Date.UTC(year, month, 1, 12) - Date.parse((await client.get('/sandbox/clock')).body.now)
    await client.advance(Math.floor(first / 1000))
    expect((await pay(payer, 700)).status).toBe(201)
    expectError(await pay(payer, 100), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    await client.advance(DAY_SECONDS)
    expectError(await pay(payer, 301), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    expect((await pay(payer, 300)).status).toBe(201)
    await client.advance(DAY_SECONDS)
    expectError(await pay(payer, 1), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    await client.advance(MONTH_SECONDS)
    expect((await pay(payer, 1000)).status).toBe(201)
  })

  test('is not exceeded by fifty concurrent payments', async () => {
    const payer = await newLimitedPayer({ maxCount: 7, maxAmount: 100_000 })
    const replies = await Promise.all(Array.from({ length: 50 }, () => pay(payer, 100)))
    expect(listStatuses(replies)).toEqual([...Array(7).fill(201), ...Array(43).fill(403)])
    expect((await balancesOf(payer.client, payer.customer.id, 'USD'))[0]).toBe(FUNDED - 700)
  })

  test('is not exceeded in amount by fifty concurrent quotes and transfers', async () => {
    const payer = await newLimitedPayer({ maxAmount: 1000 })
    const { client, customer } = payer
    const payee = await newCustomer(client)
    const createQuote = () =>
      client.post('/quotes', {
        source: account(customer.usd),
        destination: to(payee.usd),
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 300,
        immediatelyExecute: true,
      })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? createQuote() : pay(payer, 300))),
    )
    expect(listStatuses(replies)).toEqual([...Array(3).fill(201), ...Array(47).fill(403)])
    await client.advance(0)
    expect((await balancesOf(client, customer.id, 'USD'))[0]).toBe(FUNDED - 900)
  })

  test('refuses the execution of a quote and leaves the quote unchanged', async () => {
    const payer = await newLimitedPayer({ maxCount: 1 })
    const { client, customer } = payer
    const payee = await newCustomer(client)
    const { body } = await client.post('/quotes', {
      source: account(customer.usd),
      destination: to(payee.usd),
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 300,
    })
    expect((await pay(payer, 100)).status).toBe(201)
    expectError(await client.post(`/quotes/${body.id}/execute`), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    expect((await client.get(`/quotes/${body.id}`)).body.status).toBe('PENDING')
    await setLimits(client)
    expect((await client.post(`/quotes/${body.id}/execute`)).status).toBe(200)
  })

  test('also limits what an agent of the customer pays', async () => {
    const payer = await newLimitedPayer({ maxCount: 1 })
    const { client, customer, bank } = payer
    const agent = await newAgent(client, customer.id)
    const transfer = () =>
      agent.post('/agents/me/transfer-out', {
        source: { accountId: customer.usd },
        destination: { accountId: bank },
        amount: 100,
      })
    expect((await pay(payer, 100)).status).toBe(201)
    expectError(await transfer(), { code: 'VELOCITY_LIMIT_EXCEEDED' })
  })

  test('does not count a transfer in', async () => {
    const payer = await newLimitedPayer({ maxCount: 0 })
    const { client, customer, bank } = payer
    const pull = await client.post('/transfer-in', {
      source: { accountId: bank },
      destination: { accountId: customer.usd },
      amount: 500,
    })
    expect(pull.status).toBe(201)
    expectError(await pay(payer, 1), { code: 'VELOCITY_LIMIT_EXCEEDED' })
  })

  test('is not used up by a payment that was refused for another reason', async () => {
    const payer = await newLimitedPayer({ maxCount: 1 })
    expect((await pay(payer, FUNDED + 1)).status).toBe(400)
    expect((await pay(payer, 100)).status).toBe(201)
  })
})

describe('a limit for each payee', () => {
  test('counts the payments of all customers to one account, however often it is registered', async () => {
    const client = await newPlatform()
    await setLimits(client, { subject: 'PAYEE', maxAmount: 1000 })
    const [first, second] = [await newPayer(client), await newPayer(client)]
    expect((await pay(first, 600)).status).toBe(201)
    const refused = await pay(second, 500)
    expectError(refused, { code: 'VELOCITY_LIMIT_EXCEEDED' })
    expect(refused.body.details).toMatchObject({ subject: 'PAYEE', asked: 500, left: 400 })
    expect((await pay(second, 400)).status).toBe(201)
  })

  test('counts the lines of a batch that are paid in one run', async () => {
    const { client, payee } = await newPayingPlatform()
    await setLimits(client, { subject: 'PAYEE', maxCount: 2 })
    const lines = Array.from({ length: 4 }, () => payout(payee, 100))
    const batch = await checked(client, (await sendLines(client, lines)).id)
    expect(batch.progress).toMatchObject({ lines: 4, faulty: 0 })
    expect((await execute(client, batch)).status).toBe(200)
    await waitForBatch(client, batch.id, 'COMPLETED')
    const paidLines = (await client.get(`/payouts/batches/${batch.id}/lines`)).body.data
    expect(paidLines.map(({ status }: { status: string }) => status)).toEqual([
      'SENT',
      'SENT',
      'FAILED',
      'FAILED',
    ])
    expect(paidLines[3].error).toMatchObject({ code: 'VELOCITY_LIMIT_EXCEEDED' })
  })
})
