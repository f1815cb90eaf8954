import { describe, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { account, balancesOf, to } from '../../worlds/records/payments.testing.ts'

const PULLED = 50_000
const DAY_SECONDS = 24 * 3600
/** More than any two banking days take, with a weekend and holidays between. */
const LONG_SECONDS = 8 * DAY_SECONDS

const TWO_DAYS = { bankingDays: 2, currency: 'USD', paymentRail: 'ACH' }

async function setRules(client: Client, riskConfig: object) {
  const reply = await client.send('PATCH', '/config', { riskConfig })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
}

/** A platform that holds pulls in USD for two banking days, and a customer without money. */
async function ready(fundsHolds: readonly object[] = [TWO_DAYS]) {
  const client = await newPlatform()
  await setRules(client, { fundsHolds })
  const customer = await newCustomer(client)
  return { client, customer, bank: await newBankAccount(client, customer.id) }
}

type Ready = Awaited<ReturnType<typeof ready>>

/** A transfer in that has arrived. */
async function pulled({ client, customer, bank }: Ready, amount = PULLED): Promise<string> {
  const { status, body } = await client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    amount,
  })
  expect(status).toBe(201)
  await client.advance(0)
  return body.id
}

const holdsOf = async (client: Client, query = '') => (await client.get(`/funds-holds${query}`)).body.data

async function onlyHold(client: Client) {
  const holds = await holdsOf(client)
  expect(holds).toHaveLength(1)
  return holds[0]
}

const pay = ({ client, customer, bank }: Ready, amount: number) =>
  client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount,
  })

async function returned({ client }: Ready, paymentId: string) {
  const report = { type: 'pull.returned', paymentId, message: 'R01' }
  expect((await client.post('/sandbox/rail-events', report)).status).toBe(201)
  await client.advance(0)
}

const owed = async (client: Client) => {
  const { data } = (await client.get('/ledger/accounts?name=receivables')).body
  return data[0]?.posted ?? 0
}

describe('pulled money that a rule holds', () => {
  test('is in the account but cannot be spent until its banking days are over', async () => {
    const place = await ready()
    const { client, customer } = place
    const transactionId = await pulled(place)
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([0, PULLED])
    const hold = await onlyHold(client)
    expect(hold).toMatchObject({
      status: 'HELD',
      accountId: customer.usd,
      customerId: customer.id,
      transactionId,
      amount: { amount: PULLED, currency: { code: 'USD' } },
      rule: TWO_DAYS,
      reason: 'Pulled money in USD by ACH is held for 2 banking days.',
    })
    expect(hold).not.toHaveProperty('endedAt')
    const days = (Date.parse(hold.releaseAt) - Date.parse(hold.createdAt)) / 1000 / DAY_SECONDS
    expect(days).toBeGreaterThan(2)
    expect(days).toBeLessThan(8)
    expect(await pay(place, 1)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
    await client.advance(Math.floor(days) * DAY_SECONDS - DAY_SECONDS)
    expect((await onlyHold(client)).status).toBe('HELD')
    await client.advance(2 * DAY_SECONDS)
    expect(await onlyHold(client)).toMatchObject({ status: 'RELEASED', endedAt: expect.any(String) })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
    expect((await pay(place, PULLED)).status).toBe(201)
  })

  test('does not hold other money of the account, and a rule holds only the money that it names', async () => {
    const place = await ready([{ ...TWO_DAYS, minAmount: PULLED }])
    const { client, customer } = place
    await fund(client, customer.usd, 700)
    await pulled(place)
    await pulled(place, PULLED - 1)
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED - 1 + 700, 2 * PULLED - 1 + 700])
    expect(await holdsOf(client)).toHaveLength(1)
  })

  test('is held only for a new customer if the rule says so', async () => {
    const place = await ready([{ bankingDays: 2, customerAgeDaysMax: 5 }])
    const { client } = place
    await pulled(place)
    await client.advance(LONG_SECONDS)
    await pulled(place)
    expect((await onlyHold(client)).status).toBe('RELEASED')
  })

  test('is reported when it is held, and once when its hold is released, lifted or returned', async () => {
    const place = await ready()
    const { client } = place
    const transactions = [await pulled(place), await pulled(place), await pulled(place)]
    const [released, lifted, taken] = await Promise.all(
      transactions.map(async (id) => (await holdsOf(client, `?transactionId=${id}`))[0].id),
    )
    await client.post(`/funds-holds/${lifted}/lift`, { reason: 'Known' })
    await returned(place, transactions[2]!)
    await client.advance(LONG_SECONDS)
    const eventsOf = async (id: string) =>
      (await client.events(`&objectId=${id}`)).map(({ type, data }) => [type, data])
    for (const [id, status] of [
      [released, 'RELEASED'],
      [lifted, 'LIFTED'],
      [taken, 'RETURNED'],
    ])
      expect(await eventsOf(id)).toEqual([
        ['FUNDS_HOLD.HELD', expect.objectContaining({ id, status: 'HELD' })],
        [`FUNDS_HOLD.${status}`, (await client.get(`/funds-holds/${id}`)).body],
      ])
  })

  test('goes back from its hold if the bank returns it, and nothing is owed', async () => {
    const place = await ready()
    const { client, customer } = place
    await fund(client, customer.usd, 700)
    await returned(place, await pulled(place))
    expect(await onlyHold(client)).toMatchObject({ status: 'RETURNED', endedAt: expect.any(String) })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([700, 700])
    expect(await owed(client)).toBe(0)
    await client.advance(LONG_SECONDS)
    expect((await onlyHold(client)).status).toBe('RETURNED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([700, 700])
  })

  test('is owed to the platform if it was lifted and spent before its return', async () => {
    const place = await ready()
    const { client, customer } = place
    const transaction = await pulled(place)
    const { id } = await onlyHold(client)
    expect((await client.post(`/funds-holds/${id}/lift`, { reason: 'Known' })).status).toBe(200)
    expect((await pay(place, PULLED)).status).toBe(201)
    await client.advance(0)
    await returned(place, transaction)
    expect((await onlyHold(client)).status).toBe('LIFTED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([0, 0])
    expect(await owed(client)).toBe(PULLED)
  })

  test('cannot be pulled by a quote, which would spend it immediately', async () => {
    const { client, customer, bank } = await ready([])
    const payee = await newCustomer(client)
    const body = {
      source: account(bank),
      destination: to(payee.usd),
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
    }
    const before = await client.post('/quotes', body)
    expect(before.status, JSON.stringify(before.body)).toBe(201)
    await setRules(client, { fundsHolds: [TWO_DAYS] })
    expectError(await client.post('/quotes', body), { code: 'PULL_NEEDS_HOLD' })
    expectError(await client.post('/quotes', { ...body, immediatelyExecute: true }), {
      code: 'PULL_NEEDS_HOLD',
    })
    expectError(await client.post(`/quotes/${before.body.id}/execute`), { code: 'PULL_NEEDS_HOLD' })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([0, 0])
  })
})

describe('lifting a hold', () => {
  test('makes the money available immediately, with its reason, and only once', async () => {
    const place = await ready()
    const { client, customer } = place
    await pulled(place)
    const { id } = await onlyHold(client)
    const lift = () => client.post(`/funds-holds/${id}/lift`, { reason: 'A customer of many years' })
    const replies = await Promise.all(Array.from({ length: 10 }, lift))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await onlyHold(client)).toMatchObject({ status: 'LIFTED', note: 'A customer of many years' })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
    const { data } = (await client.get(`/audit-events?objectId=${id}`)).body
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual(['funds_hold_lift'])
    await client.advance(LONG_SECONDS)
    expect((await onlyHold(client)).status).toBe('LIFTED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
  })

  test('takes the votes of two members if the platform asks for them, and a reason', async () => {
    const place = await ready()
    const { client } = place
    const [one, other] = [
      await newMember(client, ['VIEW', 'APPROVE']),
      await newMember(client, ['VIEW', 'APPROVE']),
    ]
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    await pulled(place)
    const path = `/funds-holds/${(await onlyHold(client)).id}/lift`
    expectError(await client.post(path, {}), { code: 'INVALID_INPUT', field: 'reason' })
    expectError(await client.post(path, { reason: 'Known' }), { code: 'FORBIDDEN' })
    const lift = async (member: typeof one) =>
      (await member.browser.post(path, { reason: 'Known' })).body.status
    const waiting = async () => (await client.get('/approvals')).body.data
    const waitingCount = async () => (await client.get('/overview')).body.waiting.approvals
    expect([await waiting(), await waitingCount()]).toEqual([[], 0])
    expect(await lift(one)).toBe('HELD')
    expect(await waiting()).toMatchObject([
      {
        objectId: (await onlyHold(client)).id,
        kind: 'FUNDS_HOLD',
        amount: { amount: PULLED },
        votes: [{ memberId: one.id }],
        votesRequired: 2,
      },
    ])
    expect(await waitingCount()).toBe(1)
    expect(await lift(one)).toBe('HELD')
    expect(await lift(other)).toBe('LIFTED')
    expect([await waiting(), await waitingCount()]).toEqual([[], 0])
  })

  test('of a hold of another platform is refused as if it did not exist', async () => {
    const place = await ready()
    await pulled(place)
    const path = `/funds-holds/${(await onlyHold(place.client)).id}`
    const stranger = await newPlatform()
    expectError(await stranger.get(path), { code: 'FUNDS_HOLD_NOT_FOUND' })
    expectError(await stranger.post(`${path}/lift`, { reason: 'Mine' }), { code: 'FUNDS_HOLD_NOT_FOUND' })
    expect(await holdsOf(stranger)).toEqual([])
  })
})

test('holds are found by account, customer, transfer and status', async () => {
  const place = await ready()
  const { client, customer } = place
  const other = await newCustomer(client)
  const transaction = await pulled(place)
  const found = async (query: string) => (await holdsOf(client, query)).length
  expect(await found(`?accountId=${customer.usd}&customerId=${customer.id}&status=HELD`)).toBe(1)
  expect(await found(`?transactionId=${transaction}`)).toBe(1)
  expect(await found(`?accountId=${other.usd}`)).toBe(0)
  expect(await found(`?customerId=${other.id}`)).toBe(0)
  expect(await found('?status=RELEASED')).toBe(0)
})

describe('the rules of a platform', () => {
  test('are none by default, and each list is replaced as a whole', async () => {
    const client = await newPlatform()
    const rules = async () => (await client.get('/config')).body.riskConfig
    expect(await rules()).toEqual({ fundsHolds: [], velocityLimits: [] })
    const limit = { subject: 'PAYEE', period: 'MONTH', currency: 'USD', maxAmount: 5_000_000 }
    await setRules(client, { velocityLimits: [limit] })
    await setRules(client, { fundsHolds: [{ ...TWO_DAYS, minAmount: 10 }] })
    expect(await rules()).toEqual({ fundsHolds: [{ ...TWO_DAYS, minAmount: 10 }], velocityLimits: [limit] })
    await setRules(client, { fundsHolds: [] })
    expect(await rules()).toEqual({ fundsHolds: [], velocityLimits: [limit] })
  })

  test.each([
    [{ fundsHolds: [{ bankingDays: 2, minAmount: 10 }] }, 'riskConfig.fundsHolds.0.currency'],
    [{ fundsHolds: [{ bankingDays: 2, paymentRail: 'WIRE' }] }, 'riskConfig.fundsHolds.0.paymentRail'],
    [
      { velocityLimits: [{ subject: 'PAYEE', period: 'DAY', currency: 'USD' }] },
      'riskConfig.velocityLimits.0.maxCount',
    ],
    [
      {
        velocityLimits: [1, 2].map((maxCount) => ({
          subject: 'PAYEE',
          period: 'DAY',
          currency: 'USD',
          maxCount,
        })),
      },
      'riskConfig.velocityLimits.1',
    ],
  ])('%j is refused', async (riskConfig, field) => {
    const client = await newPlatform()
    expectError(await client.send('PATCH', '/config', { riskConfig }), { code: 'INVALID_INPUT', field })
  })

  test('are changed only by those who may approve', async () => {
    const client = await newPlatform()
    const member = await newMember(client, ['VIEW', 'MANAGE'])
    const change = { riskConfig: { fundsHolds: [TWO_DAYS] } }
    expectError(await member.browser.send('PATCH', '/config', change), { code: 'FORBIDDEN' })
  })
})
