import { expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { buildValidBody, expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY_SECONDS = 86_400

async function payOut(client: Client, from: string, to: string, amount: number): Promise<string> {
  const reply = await client.post('/transfer-out', {
    source: { accountId: from },
    destination: { accountId: to },
    amount,
  })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body.id
}

test('the overview sums balances and counts pending records of one platform', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
  await fund(client, customer.eur, 700)
  const platformAccounts = (await client.get('/platform/internal-accounts')).body.data
  const platformUsd = platformAccounts.find(
    (row: { balance: { currency: { code: string } } }) => row.balance.currency.code === 'USD',
  )
  await fund(client, platformUsd.id, 5_000)
  const agent = await newAgent(client, customer.id, { approvalThresholds: { amount: 100 } })
  const external = await newBankAccount(client, customer.id)
  const agentPayment = await agent.post('/agents/me/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: external },
    amount: 101,
  })
  expect(agentPayment.body.status).toBe('PENDING_APPROVAL')
  const ids = { Customer: customer.id, InternalAccount: customer.usd }
  expect((await client.post('/sandbox/rail-events', buildValidBody('sandbox_rail_event', ids))).status).toBe(
    201,
  )
  const { status, body } = await client.get('/overview')
  expect(status).toBe(200)
  const balancesByCurrency = Object.fromEntries(
    body.balances.map(({ currency, customers, platform }: (typeof body.balances)[0]) => [
      currency.code,
      [customers, platform],
    ]),
  )
  expect(balancesByCurrency).toMatchObject({ USD: [100_000, 5_000], EUR: [700, 0] })
  expect(body.waiting).toMatchObject({ approvals: 1, railEvents: 1, screenings: 0, reconciliations: 0 })
  expect(body.webhooks).toEqual({ pending: 0, failed: 0 })
  expect(body.rails).toEqual([{ name: 'sandbox', kind: 'sandbox', isAvailable: true }])
  const stranger = (await (await newPlatform()).get('/overview')).body
  expect(stranger.waiting.approvals).toBe(0)
  expect(stranger.balances.filter((row: typeof body) => row.customers !== 0 || row.platform !== 0)).toEqual(
    [],
  )
})

test('the overview shows the state of webhook deliveries', async () => {
  const client = await newPlatform()
  const receiver = await Receiver.open()
  receiver.answer = () => 500
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  await newCustomer(client)
  await client.advance(0)
  const readWebhooks = async () => (await client.get('/overview')).body.webhooks
  const failingState = await readWebhooks()
  // The test webhook of a new endpoint is sent only once.
  expect(failingState).toMatchObject({ endpoint: receiver.url, failed: 1 })
  expect(failingState.pending).toBeGreaterThan(0)
  expect(failingState.lastDeliveredAt).toBeUndefined()
  receiver.answer = () => 200
  let currentState = failingState
  while (currentState.pending > 0) {
    await client.advance(DAY_SECONDS)
    currentState = await readWebhooks()
  }
  expect(currentState.lastDeliveredAt).toEqual(expect.any(String))
  await client.advance(8 * DAY_SECONDS)
  expect(await readWebhooks()).toMatchObject({ failed: 0 })
})

test('payments are counted by day, currency, type and status, with days in the named time zone', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const [workingBank, failingBank] = [
    await newBankAccount(client, customer.id),
    await newBankAccount(client, customer.id, '002'),
  ]
  await fund(client, customer.usd, 100_000)
  const start = (await client.get('/sandbox/clock')).body.now
  await payOut(client, customer.usd, workingBank, 100)
  await payOut(client, customer.usd, workingBank, 200)
  await payOut(client, customer.usd, failingBank, 50)
  await client.advance(2 * DAY_SECONDS)
  await payOut(client, customer.usd, workingBank, 1_000)
  await client.advance(60)
  const readStatistics = async (query: string) =>
    client.get(`/transaction-statistics?interval=DAY&startDate=${start}&${query}`)
  const { data } = (await readStatistics('')).body
  const transfers = (await client.get('/transactions?limit=100')).body.data
  const sumCounts = (list: readonly { count: number }[]) => list.reduce((sum, { count }) => sum + count, 0)
  expect(sumCounts(data)).toBe(transfers.length)
  const [first] = data
  expect(first.start).toMatch(/T00:00:00.000Z$/)
  expect(first.currency.code).toBe('USD')
  expect(new Set(data.map(({ start }: typeof first) => start)).size).toBe(2)
  const completedRows = data.filter(({ status }: typeof first) => status === 'COMPLETED')
  expect(completedRows.map(({ count, amount }: typeof first) => [count, amount])).toEqual([
    [2, 300],
    [1, 1_000],
  ])
  expect(sumCounts(data.filter(({ status }: typeof first) => status === 'FAILED'))).toBe(1)
  const zonedRows = (await readStatistics('timeZone=Asia/Kathmandu')).body.data
  expect(zonedRows[0].start).toMatch(/T18:15:00.000Z$/)
  const hours = (
    await client.get(`/transaction-statistics?interval=HOUR&startDate=${start}&endDate=${start}`)
  ).body
  expect(hours.data).toEqual([])
  expectError(await readStatistics('timeZone=Mars/Olympus'), { code: 'INVALID_INPUT', field: 'timeZone' })
  expectError(await readStatistics('endDate=2100-01-01T00:00:00Z'), {
    code: 'INVALID_INPUT',
    field: 'startDate',
  })
})
