import type { WebhookEndpointCreateRequest } from '@countersign/contract/events/webhook-endpoints'
import { Webhook } from 'standardwebhooks'
import type { Static } from 'typebox'
import { describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Browser, secretOf } from '../../worlds/records/members.testing.ts'
import { hold, type Received, Receiver, sequences } from '../../worlds/simulators/webhook-receiver.testing.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
const DAY = 24 * 3600
/** The member that the console link of a sandbox signs in. */
const OWNER = 'owner@sandbox.example'

type Settings = Static<typeof WebhookEndpointCreateRequest>

type Endpoint = { readonly id: string }

const toParams = ({ id }: Endpoint) => ({ params: { webhookEndpointId: id } })

/** Creates a platform with a webhook endpoint and an account. Each funding causes one event of that account. */
async function newEndpoint(settings: Partial<Settings> = {}) {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const receiver = await Receiver.open()
  const endpoint = await addEndpoint(client, receiver, { eventTypes: [BALANCE], ...settings })
  return { client, usd, receiver, endpoint }
}

function addEndpoint(client: Client, { url }: Receiver, settings: Partial<Settings> = {}) {
  return client.call('webhook_endpoint_create', { body: { url, ...settings } })
}

const readEndpoint = (client: Client, endpoint: Endpoint) =>
  client.call('webhook_endpoint_get', toParams(endpoint))

const listFailures = async (client: Client, endpoint: Endpoint) =>
  (await client.call('webhook_endpoint_failure_list', toParams(endpoint))).data

const setStatus = (client: Client, endpoint: Endpoint, status: 'ENABLED' | 'PAUSED') =>
  client.call('webhook_endpoint_update', { ...toParams(endpoint), body: { status } })

function requireFirst({ received: [first] }: Receiver): Received {
  if (!first) throw new Error('Nothing was received')
  return first
}

describe('a webhook endpoint', () => {
  test('gets the events from its creation on, signed by its own secret', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    const receiver = await Receiver.open()
    const endpoint = await addEndpoint(client, receiver, { description: 'Books', eventTypes: [BALANCE] })
    expect(endpoint).toMatchObject({
      url: receiver.url,
      description: 'Books',
      eventTypes: [BALANCE],
      payload: 'FULL',
      latestBalanceOnly: false,
      status: 'ENABLED',
      health: { retrying: 0, failed: 0 },
    })
    await fund(client, usd, 2)
    await receiver.until((all) => all.length === 1)
    const { text, headers, event } = requireFirst(receiver)
    const { data } = (await client.get(`/events?objectId=${usd}&sortOrder=desc&limit=1`)).body
    const { deliveryStatus: _, ...latest } = data[0]
    expect(event).toEqual(latest)
    expect(new Webhook(endpoint.secret).verify(text, headers)).toEqual(JSON.parse(text))
    const [first] = (await client.call('webhook_secret_list')).data
    expect(() => new Webhook(first?.secret ?? '').verify(text, headers)).toThrow()
    const health = await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.lastDeliveredAt !== undefined && health.oldestUndeliveredAt === undefined,
    )
    expect(health.health).toMatchObject({ retrying: 0, failed: 0 })
  })

  test('gets only the requested types, while another endpoint gets all', async () => {
    const client = await newPlatform()
    const [filtered, unfiltered] = [await Receiver.open(), await Receiver.open()]
    await addEndpoint(client, filtered, { eventTypes: ['CUSTOMER.KYC_APPROVED'] })
    await addEndpoint(client, unfiltered)
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    await unfiltered.until((all) => all.some(({ event }) => event.type === BALANCE))
    await filtered.until((received) => received.length > 0)
    expect(new Set(filtered.received.map(({ event }) => event.type))).toEqual(
      new Set(['CUSTOMER.KYC_APPROVED']),
    )
  })

  test('gets the events of one object in order, one after the other', async () => {
    const { client, usd, receiver } = await newEndpoint()
    let concurrent = 0
    let concurrentMax = 0
    receiver.answer = () => (response) => {
      concurrent += 1
      concurrentMax = Math.max(concurrentMax, concurrent)
      setImmediate(() => {
        concurrent -= 1
        response.writeHead(200).end()
      })
    }
    for (let n = 0; n < 30; n++) await fund(client, usd, 1)
    await receiver.until((all) => all.length === 30)
    const [first = 0] = sequences(receiver.received)
    expect(sequences(receiver.received)).toEqual(Array.from({ length: 30 }, (_, n) => first + n))
    expect(concurrentMax).toBe(1)
  })

  test('without data gets only the id, the type and the object', async () => {
    const { client, usd, receiver } = await newEndpoint({ payload: 'THIN' })
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    expect(requireFirst(receiver).event).toEqual({
      id: expect.any(String),
      type: BALANCE,
      timestamp: expect.any(String),
      objectId: usd,
      sequence: expect.any(Number),
    })
  })

  test('that wants only the latest balance gets one of the waiting events', async () => {
    const { client, usd, receiver } = await newEndpoint({ latestBalanceOnly: true })
    const release = hold(receiver)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    for (let n = 0; n < 5; n++) await fund(client, usd, 1)
    const latest = (await client.get(`/events?objectId=${usd}&sortOrder=desc&limit=1`)).body.data[0]
    // The sender may read the waiting events before or after this response. The latest one arrives in any case.
    release()
    await receiver.until((all) => all.at(-1)?.event.id === latest.id)
    expect(receiver.received.length).toBeLessThanOrEqual(6)
  })

  test('that is paused gets nothing, and the missed events once it is enabled', async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    expect(await setStatus(client, endpoint, 'PAUSED')).toMatchObject({ status: 'PAUSED' })
    await fund(client, usd, 1)
    await fund(client, usd, 1)
    expect((await readEndpoint(client, endpoint)).health.oldestUndeliveredAt).toEqual(expect.any(String))
    expect(receiver.received).toEqual([])
    await setStatus(client, endpoint, 'ENABLED')
    await receiver.until((all) => all.length === 2)
    const [first = 0, second] = sequences(receiver.received)
    expect(second).toBe(first + 1)
  })

  test('that is replayed gets the events from that time on again, under the same ids', async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    const { now } = await client.call('sandbox_clock_get')
    await fund(client, usd, 1)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 2)
    await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.oldestUndeliveredAt === undefined,
    )
    await client.call('webhook_endpoint_replay', { ...toParams(endpoint), body: { startDate: now } })
    await receiver.until((all) => all.length >= 4)
    const ids = receiver.received.map(({ event }) => event.id)
    expect(ids.slice(2, 4)).toEqual(ids.slice(0, 2))
  })

  test('that was deleted gets nothing more and is not found', async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    await client.call('webhook_endpoint_delete', toParams(endpoint))
    const otherReceiver = await Receiver.open()
    await addEndpoint(client, otherReceiver)
    await fund(client, usd, 1)
    await otherReceiver.until((all) => all.length > 0)
    expect(receiver.received).toEqual([])
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { status: 'PAUSED' }],
      ['DELETE', ''],
      ['POST', '/replay', { startDate: new Date(0).toISOString() }],
      ['GET', '/failures'],
    ] as const)
      expectError(await client.send(method, `/webhook-endpoints/${endpoint.id}${path}`, body), {
        code: 'WEBHOOK_ENDPOINT_NOT_FOUND',
      })
    expect((await client.call('webhook_endpoint_list')).data).toHaveLength(1)
  })
})

describe('an endpoint that fails', () => {
  test('gets the event again later, and then the next events of the object', async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    receiver.answer = () => 500
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await fund(client, usd, 1)
    const failing = await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.retrying === 2,
    )
    expect(failing.health).toMatchObject({ lastFailure: '500', failed: 0, failingSince: expect.any(String) })
    expect(await listFailures(client, endpoint)).toMatchObject([
      {
        status: 'RETRYING',
        attempts: 1,
        lastFailure: '500',
        objectId: usd,
        nextAttemptAt: expect.any(String),
      },
      { status: 'WAITING', attempts: 0, objectId: usd },
    ])
    receiver.answer = () => 200
    await client.advance(60)
    await receiver.until((all) => all.length === 3)
    const [first = 0, again, next] = sequences(receiver.received)
    expect([again, next]).toEqual([first, first + 1])
    const { health } = await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.retrying === 0,
    )
    expect(health).not.toHaveProperty('failingSince')
  })

  test('delays neither events of other objects nor other endpoints', async () => {
    const { client, usd, receiver } = await newEndpoint()
    const { usd: otherUsd } = await newCustomer(client)
    const healthyReceiver = await Receiver.open()
    await addEndpoint(client, healthyReceiver, { eventTypes: [BALANCE] })
    receiver.answer = ({ event }) => (event.objectId === usd ? 500 : 200)
    await fund(client, usd, 1)
    await fund(client, otherUsd, 1)
    await receiver.until((all) => all.some(({ event }) => event.objectId === otherUsd))
    await healthyReceiver.until((all) => all.length === 2)
  })

  test('gets no requests for a while after ten failures in a row, and every event once it receives one', {
    tags: 'long',
  }, async () => {
    const { client, receiver, endpoint } = await newEndpoint({ eventTypes: ['CUSTOMER.KYC_APPROVED'] })
    receiver.answer = () => 503
    for (let n = 0; n < 30; n++) await newCustomer(client)
    const { health } = await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.failingSince !== undefined && health.oldestUndeliveredAt !== undefined,
    )
    await receiver.until((all) => all.length >= 10)
    expect(health.lastFailure).toBe('503')
    receiver.answer = () => 200
    await client.advance(60)
    await receiver.until((all) => new Set(all.map(({ event }) => event.objectId)).size === 30)
    const repeated = receiver.received.length - 30
    expect(repeated).toBeLessThan(30)
  })

  test('is disabled when it responds 410, and the other endpoints and the members who may enable it are notified', {
    tags: 'long',
  }, async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    const otherReceiver = await Receiver.open()
    await addEndpoint(client, otherReceiver, { eventTypes: ['WEBHOOK_ENDPOINT.DISABLED'] })
    const { url } = await client.call('sandbox_console_link', {})
    await new Browser(client.baseUrl).post('/member-sessions', { type: 'LINK', token: secretOf(url) })
    receiver.answer = () => 410
    await fund(client, usd, 1)
    await otherReceiver.until((all) => all.length === 1)
    expect(requireFirst(otherReceiver).event).toMatchObject({
      objectId: endpoint.id,
      data: { id: endpoint.id, status: 'DISABLED', disabledReason: 'GONE' },
    })
    const disabled = await readEndpoint(client, endpoint)
    expect(disabled).toMatchObject({ status: 'DISABLED', disabledReason: 'GONE' })
    // A sandbox delivers e-mail into its inbox.
    const { data: inbox } = await client.call('sandbox_inbox_list', {})
    const { host } = new URL(receiver.url)
    expect(inbox).toMatchObject([{ recipient: OWNER, status: 'DELIVERED' }])
    const [{ subject, text } = { subject: undefined, text: undefined }] = inbox
    expect(subject).toContain(`Webhook endpoint disabled: ${host}`)
    expect(text).toContain(endpoint.id)
    expect(text).toContain('Last failure: 410')
    // The path of a URL may contain a secret.
    expect(text).not.toContain(receiver.url)
    await fund(client, usd, 1)
    receiver.answer = () => 200
    const enabled = await setStatus(client, endpoint, 'ENABLED')
    expect(enabled).not.toHaveProperty('disabledReason')
    await receiver.until((all) => all.length === 3)
  })

  test('is disabled after seven days without a success', { tags: 'long' }, async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    receiver.answer = () => 500
    await fund(client, usd, 1)
    await until(
      () => readEndpoint(client, endpoint),
      ({ health }) => health.failingSince !== undefined,
    )
    await client.advance(8 * DAY)
    const disabled = await until(
      () => readEndpoint(client, endpoint),
      ({ status }) => status === 'DISABLED',
    )
    expect(disabled).toMatchObject({ disabledReason: 'UNREACHABLE', health: { failed: 1, retrying: 0 } })
    expect(await listFailures(client, endpoint)).toMatchObject([
      { status: 'FAILED', attempts: expect.any(Number) },
    ])
  })
})

describe('a platform', () => {
  test('finds only its own webhook endpoints', async () => {
    const { endpoint } = await newEndpoint()
    const stranger = await newPlatform()
    const path = `/webhook-endpoints/${endpoint.id}`
    expectError(await stranger.get(path), { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expectError(await stranger.send('PATCH', path, { status: 'PAUSED' }), {
      code: 'WEBHOOK_ENDPOINT_NOT_FOUND',
    })
    expectError(await stranger.send('DELETE', path), { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expectError(await stranger.get(`${path}/failures`), { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    const secrets = `/webhook-secrets?webhookEndpointId=${endpoint.id}`
    expectError(await stranger.get(secrets), { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' })
    expect((await stranger.call('webhook_endpoint_list')).data).toEqual([])
  })

  test('can create twenty webhook endpoints, also in parallel', async () => {
    const client = await newPlatform()
    const url = 'https://example.com/hook'
    const replies = await Promise.all(
      Array.from({ length: 23 }, () => client.post('/webhook-endpoints', { url })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, { code: 'WEBHOOK_ENDPOINT_LIMIT_REACHED' })
  })

  test.each([
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://example.com', eventTypes: [] }, 'eventTypes'],
    [{ url: 'https://example.com', eventTypes: ['NOTHING'] }, 'eventTypes.0'],
    [{ url: 'https://example.com', payload: 'HALF' }, 'payload'],
    [{}, 'url'],
  ])('gets the name of the invalid field of %o', async (body, field) => {
    const client = await newPlatform()
    expectError(await client.post('/webhook-endpoints', body), { code: 'INVALID_INPUT', field })
  })

  test('can replace the secret of one webhook endpoint without changing the others', async () => {
    const { client, usd, receiver, endpoint } = await newEndpoint()
    const former = (await client.call('webhook_secret_list')).data[0]
    const next = await client.call('webhook_secret_create', {
      body: { webhookEndpointId: endpoint.id, formerValidSeconds: 0 },
    })
    expect(next.webhookEndpointId).toBe(endpoint.id)
    const { data } = await client.call('webhook_secret_list', { query: { webhookEndpointId: endpoint.id } })
    expect(data).toEqual([next])
    expect((await client.call('webhook_secret_list')).data).toEqual([former])
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { text, headers } = requireFirst(receiver)
    expect(new Webhook(next.secret).verify(text, headers)).toEqual(JSON.parse(text))
    expect(() => new Webhook(endpoint.secret).verify(text, headers)).toThrow()
  })

  test('keeps its webhook endpoints over a reset of the sandbox, and they get the events that follow', async () => {
    const { client, receiver, endpoint } = await newEndpoint()
    await client.call('sandbox_reset')
    expect(await readEndpoint(client, endpoint)).toMatchObject({ status: 'ENABLED' })
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    await receiver.until((all) => all.some(({ event }) => event.objectId === usd))
  })
})
