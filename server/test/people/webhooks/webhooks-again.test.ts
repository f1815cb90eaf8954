import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { fund, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'
import {
  newReceiverPlatform,
  Receiver,
  secretOf,
  sequences,
  waitForEventState,
} from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY = 24 * 3600

describe('a redelivery', () => {
  test('sends a delivered event again, with the same id and with new retries', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    await client.advance(30 * DAY)
    let tries = 0
    receiver.answer = () => (++tries < 3 ? 500 : 200)
    const reply = await client.post(`/events/${id}/redeliver`)
    expect(reply.body).toMatchObject({ id, deliveryStatus: 'PENDING' })
    await client.advance(60)
    expect(receiver.received.map(({ text }) => text)).toEqual(Array(4).fill(receiver.received[0]!.text))
    expect((await client.get(`/events/${id}`)).body).toMatchObject({
      deliveryStatus: 'DELIVERED',
      deliveryAttempts: [200, 500, 500, 200].map((responseStatus, index) => ({
        attempt: index + 1,
        responseStatus,
      })),
    })
  })

  test('immediately attempts an event that is being retried, in order', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 500
    await fund(client, usd, 1)
    await fund(client, usd, 1)
    await client.advance(3600)
    const { id } = receiver.received[0]!.event
    const count = receiver.received.length
    receiver.answer = () => 200
    expect((await client.post(`/events/${id}/redeliver`)).status).toBe(200)
    await receiver.until((all) => all.length === count + 2)
    const first = receiver.received[0]!.event.sequence
    expect(sequences(receiver.received.slice(count))).toEqual([first, first + 1])
  })

  test('that is requested many times in parallel happens once', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    let release: (status: number) => void = () => {}
    const released = new Promise<number>((resolve) => {
      release = resolve
    })
    receiver.answer = () => released
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => client.post(`/events/${id}/redeliver`)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    release(200)
    await client.advance(0)
    expect(receiver.received).toHaveLength(2)
  })

  test('is refused for an unknown event', async () => {
    const client = await newPlatform()
    await Receiver.of(client)
    for (const [method, path] of [
      ['GET', `/events/${buildMissingId('Event')}`],
      ['POST', `/events/${buildMissingId('Event')}/redeliver`],
      ['GET', `/events?after=${buildMissingId('Event')}`],
    ] as const)
      expectError(await client.send(method, path), { code: 'EVENT_NOT_FOUND' })
  })
})

describe('a test event', () => {
  test('is sent immediately, and its result is returned', async () => {
    const client = await newPlatform()
    const receiver = await Receiver.of(client)
    receiver.answer = () => (response) => response.writeHead(201).end('thank you')
    const reply = await client.post('/sandbox/webhooks/test')
    const { event, text, headers } = receiver.received[0]!
    expect(reply).toMatchObject({
      status: 200,
      body: { url: receiver.url, response_status: 201, response_body: 'thank you', event_id: event.id },
    })
    expect(event).toEqual({
      id: event.id,
      type: 'TEST',
      timestamp: expect.any(String),
      objectId: event.id,
      sequence: 1,
    })
    new Webhook(await secretOf(client)).verify(text, headers)
    expect((await client.get(`/events/${event.id}`)).body).toMatchObject({
      ...event,
      deliveryStatus: 'DELIVERED',
      deliveryAttempts: [{ attempt: 1, responseStatus: 201, responseBody: 'thank you' }],
    })
  })

  test('is attempted once, also by a redelivery', async () => {
    const client = await newPlatform()
    const receiver = await Receiver.of(client)
    receiver.answer = () => 500
    const { body } = await client.post('/sandbox/webhooks/test')
    expect(body.response_status).toBe(500)
    await client.advance(DAY)
    expect(receiver.received).toHaveLength(1)
    expect((await client.post(`/events/${body.event_id}/redeliver`)).status).toBe(200)
    await client.advance(DAY)
    expect(receiver.received).toHaveLength(2)
    expect((await client.get(`/events/${body.event_id}`)).body.deliveryStatus).toBe('FAILED')
  })

  test('reports a missing endpoint and a missing response', async () => {
    const client = await newPlatform()
    expectError(await client.post('/sandbox/webhooks/test'), {
      code: 'WEBHOOK_ENDPOINT_NOT_SET',
      field: 'webhookEndpoint',
    })
    await client.send('PATCH', '/config', { webhookEndpoint: 'http://127.0.0.1:1/' })
    const { status, body } = await client.post('/sandbox/webhooks/test')
    expect(status).toBe(200)
    expect(body).toEqual({
      url: 'http://127.0.0.1:1/',
      response_status: 0,
      error: 'ECONNREFUSED',
      event_id: expect.any(String),
    })
  })
})
