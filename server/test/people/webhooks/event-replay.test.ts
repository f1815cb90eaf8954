import { expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

/** A platform whose receiver has had some events, after a moment and before it. */
async function delivered() {
  const client = await newPlatform()
  const receiver = await Receiver.open()
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  const { usd } = await newCustomer(client)
  await client.advance(60)
  const { now: from } = (await client.get('/sandbox/clock')).body
  for (const amount of [1, 2, 3, 4]) await fund(client, usd, amount)
  await client.advance(1)
  // A replay has what the feed shows.
  await client.events()
  await settled(client)
  receiver.received.length = 0
  return { client, receiver, usd, from }
}

/** Runs what is due until nothing is to be delivered any more. */
async function settled(client: Client): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await client.get('/overview')).body.webhooks.pending === 0) break
    await client.advance(0)
  }
}

/** The received events of balances: what makes the feed wait for itself is an event too. */
function balancesOf({ received }: Receiver): string[] {
  return received.flatMap(({ event }) =>
    event.type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED' ? [event.id] : [],
  )
}

/** Runs a replay to its end. */
async function replayed(client: Client, count: number, receiver: Receiver): Promise<void> {
  for (let tries = 0; tries < 200 && balancesOf(receiver).length < count; tries++) await client.advance(0)
}

test('a replay delivers the events of a span again, in the order of the feed, under their own ids', async () => {
  const { client, receiver, from } = await delivered()
  const feed = (await client.get(`/events?limit=100&startDate=${from}`)).body.data
  const inSpan = feed.filter(({ objectId }: { objectId: string }) => objectId.startsWith('InternalAccount'))
  expect(inSpan.length).toBe(4)
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const asked = await client.post('/events/replay', { startDate: from, types })
  expect(asked).toMatchObject({ status: 202, body: { events: 4 } })
  await replayed(client, 4, receiver)
  expect(balancesOf(receiver)).toEqual(inSpan.map(({ id }: { id: string }) => id))
  const { body } = await client.get(`/events/${inSpan[0].id}`)
  expect(body).toMatchObject({ deliveryStatus: 'DELIVERED' })
  expect(body.deliveryAttempts).toHaveLength(2)
})

test('a replay that only counts sends nothing, is the number that a replay sends, and works during one', async () => {
  const { client, receiver, from } = await delivered()
  const span = { startDate: from, types: ['INTERNAL_ACCOUNT.BALANCE_UPDATED'] }
  const count = () => client.post('/events/replay', { ...span, countOnly: true })
  expect(await count()).toMatchObject({ status: 202, body: { events: 4 } })
  await client.advance(60)
  expect(receiver.received).toEqual([])
  let release = () => {}
  const waits = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = () => waits.then(() => 200)
  expect(await client.post('/events/replay', span)).toMatchObject({ status: 202, body: { events: 4 } })
  expect(await count()).toMatchObject({ status: 202, body: { events: 4 } })
  expectError(await client.post('/events/replay', span), { code: 'REPLAY_IN_PROGRESS' })
  release()
  receiver.answer = () => 200
  await replayed(client, 4, receiver)
  expect(balancesOf(receiver)).toHaveLength(4)
  const none = await newPlatform()
  expectError(await none.post('/events/replay', { ...span, countOnly: true }), {
    code: 'WEBHOOK_ENDPOINT_NOT_SET',
  })
})

test('an event that is refused is retried, and those of other objects do not wait for it', async () => {
  const { client, receiver, usd, from } = await delivered()
  const { usd: other } = await newCustomer(client)
  await fund(client, other, 1)
  await client.advance(1)
  await client.events()
  await settled(client)
  receiver.received.length = 0
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const query = `type=${types[0]}&startDate=${from}`
  const { data } = (await client.get(`/events?${query}`)).body
  const idsOf = (account: string) =>
    data.flatMap(({ id, objectId }: { id: string; objectId: string }) => (objectId === account ? [id] : []))
  const [first, ...later] = idsOf(usd)
  let isRefused = true
  receiver.answer = ({ event }) => (isRefused && event.id === first ? 500 : 200)
  await client.post('/events/replay', { startDate: from, types })
  await replayed(client, 2, receiver)
  expect(new Set(balancesOf(receiver))).toEqual(new Set([first, ...idsOf(other)]))
  isRefused = false
  await client.advance(3_600)
  await settled(client)
  const afterwards = balancesOf(receiver).filter((id) => !idsOf(other).includes(id))
  expect(afterwards.slice(-4)).toEqual([first, ...later])
  expect((await client.get(`/events?deliveryStatus=PENDING&${query}`)).body.data).toEqual([])
})

test('one replay runs at a time, repeated calls count once, and a platform without an endpoint cannot replay', async () => {
  const { client, receiver, from } = await delivered()
  let release = () => {}
  const waits = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = async () => {
    await waits
    return 200
  }
  const key = { 'Idempotency-Key': 'again' }
  const types = ['INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const first = await client.post('/events/replay', { startDate: from, types }, key)
  expect(first.status).toBe(202)
  expect((await client.post('/events/replay', { startDate: from, types }, key)).body).toEqual(first.body)
  expectError(await client.post('/events/replay', { startDate: from }), { code: 'REPLAY_IN_PROGRESS' })
  release()
  await replayed(client, first.body.events, receiver)
  expect(balancesOf(receiver).length).toBe(first.body.events)
  const quiet = await newPlatform()
  expectError(await quiet.post('/events/replay', { startDate: from }), {
    code: 'WEBHOOK_ENDPOINT_NOT_SET',
    field: 'webhookEndpoint',
  })
})

test('of fifty parallel calls for a replay one begins it', async () => {
  const { client, receiver, from } = await delivered()
  receiver.answer = () => new Promise<number>(() => {})
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => client.post('/events/replay', { startDate: from })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([202, ...Array(49).fill(409)])
})

test('events are listed by the status of their delivery', async () => {
  const client = await newPlatform()
  const before = await newCustomer(client)
  const receiver = await Receiver.open()
  receiver.answer = () => 500
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  const during = await newCustomer(client)
  await client.advance(0)
  await client.events()
  const listed = async (status: string) => {
    const { data } = (await client.get(`/events?limit=100&deliveryStatus=${status}`)).body
    expect(new Set(data.map((one: { deliveryStatus: string }) => one.deliveryStatus))).toEqual(
      new Set(data.length > 0 ? [status] : []),
    )
    return data.map(({ objectId }: { objectId: string }) => objectId)
  }
  expect(await listed('NONE')).toContain(before.id)
  expect(await listed('PENDING')).toContain(during.id)
  expect(await listed('DELIVERED')).toEqual([])
  expect(await listed('FAILED')).toHaveLength(1)
  const all = (await client.get('/events?limit=100')).body.data.length
  expect((await listed('NONE')).length + (await listed('PENDING')).length + 1).toBe(all)
  receiver.answer = () => 200
  await client.advance(86_400)
  expect(await listed('DELIVERED')).toContain(during.id)
})
