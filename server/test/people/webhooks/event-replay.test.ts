import { expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

/** Creates a platform with delivered events from before and after the time `from`. */
async function newDeliveredPlatform() {
  const client = await newPlatform()
  const receiver = await Receiver.open()
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  const { usd } = await newCustomer(client)
  await client.advance(60)
  const { now: from } = (await client.get('/sandbox/clock')).body
  for (const amount of [1, 2, 3, 4]) await fund(client, usd, amount)
  await client.advance(1)
  // A replay sends only events that the feed already shows.
  await client.events()
  await waitForDeliveries(client)
  receiver.received.length = 0
  return { client, receiver, usd, from }
}

/** Runs due work until no delivery is pending. */
async function waitForDeliveries(client: Client): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.get('/overview')).body.webhooks.pending === 0) break
    await client.advance(0)
  }
}

/** The ids of the received balance events. `client.events()` causes other events. */
function listBalanceEvents({ received }: Receiver): string[] {
  return received.flatMap(({ event }) =>
    event.type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED' ? [event.id] : [],
  )
}

/** Runs due work until the receiver has this number of balance events. */
async function waitForReplay(client: Client, count: number, receiver: Receiver): Promise<void> {
  for (let tries = 0; tries < 200 && listBalanceEvents(receiver).length < count; tries++)
    await client.advance(0)
}

test('a replay delivers the events of a time range again, in the order of the feed and with the same ids', async () => {
  const { client, receiver, from } = await newDeliveredPlatform()
  const feed = (await client.get(`/events?limit=100&startDate=${from}`)).body.data
  const expectedEvents = feed.filter(({ objectId }: { objectId: string }) =>
    objectId.startsWith('InternalAccount'),
  )
  expect(expectedEvents.length).toBe(4)
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const reply = await client.post('/events/replay', { startDate: from, types })
  expect(reply).toMatchObject({ status: 202, body: { events: 4 } })
  await waitForReplay(client, 4, receiver)
  expect(listBalanceEvents(receiver)).toEqual(expectedEvents.map(({ id }: { id: string }) => id))
  const { body } = await client.get(`/events/${expectedEvents[0].id}`)
  expect(body).toMatchObject({ deliveryStatus: 'DELIVERED' })
  expect(body.deliveryAttempts).toHaveLength(2)
})

test('a replay that only counts sends nothing, returns the exact number, and works during another replay', async () => {
  const { client, receiver, from } = await newDeliveredPlatform()
  const range = { startDate: from, types: ['INTERNAL_ACCOUNT.BALANCE_UPDATED'] }
  const countEvents = () => client.post('/events/replay', { ...range, countOnly: true })
  expect(await countEvents()).toMatchObject({ status: 202, body: { events: 4 } })
  await client.advance(60)
  expect(receiver.received).toEqual([])
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = () => released.then(() => 200)
  expect(await client.post('/events/replay', range)).toMatchObject({ status: 202, body: { events: 4 } })
  expect(await countEvents()).toMatchObject({ status: 202, body: { events: 4 } })
  expectError(await client.post('/events/replay', range), { code: 'REPLAY_IN_PROGRESS' })
  release()
  receiver.answer = () => 200
  await waitForReplay(client, 4, receiver)
  expect(listBalanceEvents(receiver)).toHaveLength(4)
  const withoutEndpoint = await newPlatform()
  expectError(await withoutEndpoint.post('/events/replay', { ...range, countOnly: true }), {
    code: 'WEBHOOK_ENDPOINT_NOT_SET',
  })
})

test('a replayed event that is refused is retried, and does not delay the events of other objects', async () => {
  const { client, receiver, usd, from } = await newDeliveredPlatform()
  const { usd: otherUsd } = await newCustomer(client)
  await fund(client, otherUsd, 1)
  await client.advance(1)
  await client.events()
  await waitForDeliveries(client)
  receiver.received.length = 0
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const query = `type=${types[0]}&startDate=${from}`
  const { data } = (await client.get(`/events?${query}`)).body
  const listIds = (account: string) =>
    data.flatMap(({ id, objectId }: { id: string; objectId: string }) => (objectId === account ? [id] : []))
  const [first, ...otherIds] = listIds(usd)
  let isRefused = true
  receiver.answer = ({ event }) => (isRefused && event.id === first ? 500 : 200)
  await client.post('/events/replay', { startDate: from, types })
  await waitForReplay(client, 2, receiver)
  expect(new Set(listBalanceEvents(receiver))).toEqual(new Set([first, ...listIds(otherUsd)]))
  isRefused = false
  await client.advance(3_600)
  await waitForDeliveries(client)
  const receivedIds = listBalanceEvents(receiver).filter((id) => !listIds(otherUsd).includes(id))
  expect(receivedIds.slice(-4)).toEqual([first, ...otherIds])
  expect((await client.get(`/events?deliveryStatus=PENDING&${query}`)).body.data).toEqual([])
})

test('one replay runs at a time, a repeated call starts none, and a platform without an endpoint cannot replay', async () => {
  const { client, receiver, from } = await newDeliveredPlatform()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = async () => {
    await released
    return 200
  }
  const key = { 'Idempotency-Key': 'again' }
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const first = await client.post('/events/replay', { startDate: from, types }, key)
  expect(first.status).toBe(202)
  expect((await client.post('/events/replay', { startDate: from, types }, key)).body).toEqual(first.body)
  expectError(await client.post('/events/replay', { startDate: from }), { code: 'REPLAY_IN_PROGRESS' })
  release()
  await waitForReplay(client, first.body.events, receiver)
  expect(listBalanceEvents(receiver).length).toBe(first.body.events)
  const withoutEndpoint = await newPlatform()
  expectError(await withoutEndpoint.post('/events/replay', { startDate: from }), {
    code: 'WEBHOOK_ENDPOINT_NOT_SET',
    field: 'webhookEndpoint',
  })
})

test('fifty parallel calls start one replay', async () => {
  const { client, receiver, from } = await newDeliveredPlatform()
  receiver.answer = () => new Promise<number>(() => {})
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => client.post('/events/replay', { startDate: from })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([202, ...Array(49).fill(409)])
})

test('events can be listed by the status of their delivery', async () => {
  const client = await newPlatform()
  const customerBefore = await newCustomer(client)
  const receiver = await Receiver.open()
  receiver.answer = () => 500
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  const customerDuring = await newCustomer(client)
  await client.advance(0)
  await client.events()
  const listObjects = async (status: string) => {
    const { data } = (await client.get(`/events?limit=100&deliveryStatus=${status}`)).body
    expect(new Set(data.map((one: { deliveryStatus: string }) => one.deliveryStatus))).toEqual(
      new Set(data.length > 0 ? [status] : []),
    )
    return data.map(({ objectId }: { objectId: string }) => objectId)
  }
  expect(await listObjects('NONE')).toContain(customerBefore.id)
  expect(await listObjects('PENDING')).toContain(customerDuring.id)
  expect(await listObjects('DELIVERED')).toEqual([])
  expect(await listObjects('FAILED')).toHaveLength(1)
  const eventCount = (await client.get('/events?limit=100')).body.data.length
  expect((await listObjects('NONE')).length + (await listObjects('PENDING')).length + 1).toBe(eventCount)
  receiver.answer = () => 200
  await client.advance(86_400)
  expect(await listObjects('DELIVERED')).toContain(customerDuring.id)
})
