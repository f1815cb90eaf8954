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
async function newHoldWorld(fundsHolds: readonly object[] = [TWO_DAYS]) {
  const client = await newPlatform()
  await setRules(client, { fundsHolds })
  const customer = await newCustomer(client)
  return { client, customer, bank: await newBankAccount(client, customer.id) }
}

type HoldWorld = Awaited<ReturnType<typeof newHoldWorld>>

/** Makes a transfer in, and returns its id once it has arrived. */
async function pullMoney({ client, customer, bank }: HoldWorld, amount = PULLED): Promise<string> {
  const { status, body } = await client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    amount,
  })
  expect(status).toBe(201)
  await client.advance(0)
  return body.id
}

const listHolds = async (client: Client, query = '') => (await client.get(`/funds-holds${query}`)).body.data

async function findOnlyHold(client: Client) {
  const holds = await listHolds(client)
  expect(holds).toHaveLength(1)
  return holds[0]
}

const pay = ({ client, customer, bank }: HoldWorld, amount: number) =>
  client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount,
  })

async function returnPull({ client }: HoldWorld, paymentId: string) {
  const report = { type: 'pull.returned', paymentId, message: 'R01' }
  expect((await client.post('/sandbox/rail-events', report)).status).toBe(201)
  await client.advance(0)
}

const readOwed = async (client: Client) => {
  const { data } = (await client.get('/ledger/accounts?name=receivables')).body
  return data[0]?.posted ?? 0
}

describe('pulled money that a rule holds', () => {
  test('is in the account but cannot be spent until its banking days are over', async () => {
    const world = await newHoldWorld()
    const { client, customer } = world
    const transactionId = await pullMoney(world)
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([0, PULLED])
    const hold = await findOnlyHold(client)
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
    expect(await pay(world, 1)).toMatchObject({ status: 400, body: { code: 'INSUFFICIENT_BALANCE' } })
    await client.advance(Math.floor(days) * DAY_SECONDS - DAY_SECONDS)
    expect((await findOnlyHold(client)).status).toBe('HELD')
    await client.advance(2 * DAY_SECONDS)
    expect(await findOnlyHold(client)).toMatchObject({ status: 'RELEASED', endedAt: expect.any(String) })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
    expect((await pay(world, PULLED)).status).toBe(201)
  })

  test('leaves other money of the account available, and includes only pulls that the rule names', async () => {
    const world = await newHoldWorld([{ ...TWO_DAYS, minAmount: PULLED }])
    const { client, customer } = world
    await fund(client, customer.usd, 700)
    await pullMoney(world)
    await pullMoney(world, PULLED - 1)
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED - 1 + 700, 2 * PULLED - 1 + 700])
    expect(await listHolds(client)).toHaveLength(1)
  })

  test('is held only for new customers if the rule says so', async () => {
    const world = await newHoldWorld([{ bankingDays: 2, customerAgeDaysMax: 5 }])
    const { client } = world
    await pullMoney(world)
    await client.advance(LONG_SECONDS)
    await pullMoney(world)
    expect((await findOnlyHold(client)).status).toBe('RELEASED')
  })

  test('is reported when it is held, and once when its hold is released, lifted or returned', async () => {
    const world = await newHoldWorld()
    const { client } = world
    const transactions = [await pullMoney(world), await pullMoney(world), await pullMoney(world)]
    const [released, lifted, returned] = await Promise.all(
      transactions.map(async (id) => (await listHolds(client, `?transactionId=${id}`))[0].id),
    )
    await client.post(`/funds-holds/${lifted}/lift`, { reason: 'Known' })
    await returnPull(world, transactions[2]!)
    await client.advance(LONG_SECONDS)
    const listEvents = async (id: string) =>
      (await client.events(`&objectId=${id}`)).map(({ type, data }) => [type, data])
    for (const [id, status] of [
      [released, 'RELEASED'],
      [lifted, 'LIFTED'],
      [returned, 'RETURNED'],
    ])
      expect(await listEvents(id)).toEqual([
        ['FUNDS_HOLD.HELD', expect.objectContaining({ id, status: 'HELD' })],
        [`FUNDS_HOLD.${status}`, (await client.get(`/funds-holds/${id}`)).body],
      ])
  })

  test('is taken from its hold if the bank returns the pull, and nothing is owed', async () => {
    const world = await newHoldWorld()
    const { client, customer } = world
    await fund(client, customer.usd, 700)
    await returnPull(world, await pullMoney(world))
    expect(await findOnlyHold(client)).toMatchObject({ status: 'RETURNED', endedAt: expect.any(String) })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([700, 700])
    expect(await readOwed(client)).toBe(0)
    await client.advance(LONG_SECONDS)
    expect((await findOnlyHold(client)).status).toBe('RETURNED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([700, 700])
  })

  test('is owed to the platform if it was lifted and spent before its return', async () => {
    const world = await newHoldWorld()
    const { client, customer } = world
    const transaction = await pullMoney(world)
    const { id } = await findOnlyHold(client)
    expect((await client.post(`/funds-holds/${id}/lift`, { reason: 'Known' })).status).toBe(200)
    expect((await pay(world, PULLED)).status).toBe(201)
    await client.advance(0)
    await returnPull(world, transaction)
    expect((await findOnlyHold(client)).status).toBe('LIFTED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([0, 0])
    expect(await readOwed(client)).toBe(PULLED)
  })

  test('cannot be pulled by a quote, which would spend it immediately', async () => {
    const { client, customer, bank } = await newHoldWorld([])
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
    const world = await newHoldWorld()
    const { client, customer } = world
    await pullMoney(world)
    const { id } = await findOnlyHold(client)
    const lift = () => client.post(`/funds-holds/${id}/lift`, { reason: 'A customer of many years' })
    const replies = await Promise.all(Array.from({ length: 10 }, lift))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await findOnlyHold(client)).toMatchObject({ status: 'LIFTED', note: 'A customer of many years' })
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
    const { data } = (await client.get(`/audit-events?objectId=${id}`)).body
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual(['funds_hold_lift'])
    await client.advance(LONG_SECONDS)
    expect((await findOnlyHold(client)).status).toBe('LIFTED')
    expect(await balancesOf(client, customer.id, 'USD')).toEqual([PULLED, PULLED])
  })

  test('requires a reason, and the votes of two members if the platform asks for them', async () => {
    const world = await newHoldWorld()
    const { client } = world
    const [first, second] = [
      await newMember(client, ['VIEW', 'APPROVE']),
      await newMember(client, ['VIEW', 'APPROVE']),
    ]
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    await pullMoney(world)
    const path = `/funds-holds/${(await findOnlyHold(client)).id}/lift`
    expectError(await client.post(path, {}), { code: 'INVALID_INPUT', field: 'reason' })
    expectError(await client.post(path, { reason: 'Known' }), { code: 'FORBIDDEN' })
    const lift = async (member: typeof first) =>
      (await member.browser.post(path, { reason: 'Known' })).body.status
    const listApprovals = async () => (await client.get('/approvals')).body.data
    const countApprovals = async () => (await client.get('/overview')).body.waiting.approvals
    expect([await listApprovals(), await countApprovals()]).toEqual([[], 0])
    expect(await lift(first)).toBe('HELD')
    expect(await listApprovals()).toMatchObject([
      {
        objectId: (await findOnlyHold(client)).id,
        kind: 'FUNDS_HOLD',
        amount: { amount: PULLED },
        votes: [{ memberId: first.id }],
        votesRequired: 2,
      },
    ])
    expect(await countApprovals()).toBe(1)
    expect(await lift(first)).toBe('HELD')
    expect(await lift(second)).toBe('LIFTED')
    expect([await listApprovals(), await countApprovals()]).toEqual([[], 0])
  })

  test('is refused for a hold of another platform as if it did not exist', async () => {
    const world = await newHoldWorld()
    await pullMoney(world)
    const path = `/funds-holds/${(await findOnlyHold(world.client)).id}`
    const stranger = await newPlatform()
    expectError(await stranger.get(path), { code: 'FUNDS_HOLD_NOT_FOUND' })
    expectError(await stranger.post(`${path}/lift`, { reason: 'Mine' }), { code: 'FUNDS_HOLD_NOT_FOUND' })
    expect(await listHolds(stranger)).toEqual([])
  })
})

test('holds are filtered by account, customer, transfer and status', async () => {
  const world = await newHoldWorld()
  const { client, customer } = world
  const otherCustomer = await newCustomer(client)
  const transaction = await pullMoney(world)
  const countHolds = async (query: string) => (await listHolds(client, query)).length
  expect(await countHolds(`?accountId=${customer.usd}&customerId=${customer.id}&status=HELD`)).toBe(1)
  expect(await countHolds(`?transactionId=${transaction}`)).toBe(1)
  expect(await countHolds(`?accountId=${otherCustomer.usd}`)).toBe(0)
  expect(await countHolds(`?customerId=${otherCustomer.id}`)).toBe(0)
  expect(await countHolds('?status=RELEASED')).toBe(0)
})

describe('the rules of a platform', () => {
  test('are empty by default, and each list is replaced as a whole', async () => {
    const client = await newPlatform()
    const readRules = async () => (await client.get('/config')).body.riskConfig
    expect(await readRules()).toEqual({ fundsHolds: [], velocityLimits: [] })
    const limit = { subject: 'PAYEE', period: 'MONTH', currency: 'USD', maxAmount: 5_000_000 }
    await setRules(client, { velocityLimits: [limit] })
    await setRules(client, { fundsHolds: [{ ...TWO_DAYS, minAmount: 10 }] })
    expect(await readRules()).toEqual({
      fundsHolds: [{ ...TWO_DAYS, minAmount: 10 }],
      velocityLimits: [limit],
    })
    await setRules(client, { fundsHolds: [] })
    expect(await readRules()).toEqual({ fundsHolds: [], velocityLimits: [limit] })
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
  ])('cannot be %j', async (riskConfig, field) => {
    const client = await newPlatform()
    expectError(await client.send('PATCH', '/config', { riskConfig }), { code: 'INVALID_INPUT', field })
  })

  test('can be changed only by members who may approve', async () => {
    const client = await newPlatform()
    const member = await newMember(client, ['VIEW', 'MANAGE'])
    const change = { riskConfig: { fundsHolds: [TWO_DAYS] } }
    expectError(await member.browser.send('PATCH', '/config', change), { code: 'FORBIDDEN' })
  })
})
