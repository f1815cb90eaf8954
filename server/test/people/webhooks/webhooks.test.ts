import { createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  newReceiverPlatform,
  Receiver,
  readLatestEvent,
  secretOf,
  sequences,
  waitForEventState,
} from '../../worlds/simulators/webhook-receiver.testing.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
const HALF_AN_HOUR = 1800
/** The maximum delay of an attempt on a busy machine, because real time passes too. */
const LATE_SECONDS = timeLimit(60_000) / 1000
/** Enough to reach the longest wait, and to see that waits differ. */
const RETRIES = 24
const DAY = 24 * 3600

describe('a delivery', () => {
  test('contains the event, signed by the key of the server and by the secret of the platform', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await fund(client, usd, 9007199254740993n / 100_000n)
    await receiver.until((all) => all.length === 1)
    const { headers, text, event, url } = receiver.received[0]!
    expect(url).toBe('/hook?from=test')
    const account = (await client.get('/customers/internal-accounts')).body.data.find(
      ({ id }: { id: string }) => id === usd,
    )
    expect(event).toEqual({
      id: expect.stringMatching(/^Event:/),
      type: BALANCE,
      timestamp: expect.any(String),
      objectId: usd,
      sequence: expect.any(Number),
      data: account,
    })
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'user-agent': expect.stringMatching(/^Countersign/),
      'webhook-id': event.id,
    })

    const { origin } = new URL(client.baseUrl)
    const { webhookPublicKey } = await (await fetch(`${origin}/.well-known/countersign.json`)).json()
    const point = Buffer.from(webhookPublicKey, 'hex')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
    const signature = JSON.parse(headers['x-svc-signature']!)
    expect(signature).toEqual({ v: '1', s: expect.any(String) })
    expect(verify('sha256', Buffer.from(text), key, Buffer.from(signature.s, 'base64'))).toBe(true)
    expect(verify('sha256', Buffer.from(`${text} `), key, Buffer.from(signature.s, 'base64'))).toBe(false)

    const webhook = new Webhook(await secretOf(client))
    expect(webhook.verify(text, headers)).toEqual(JSON.parse(text))
    expect(() => webhook.verify(`${text} `, headers)).toThrow()
    const stranger = new Webhook(await secretOf(await newPlatform()))
    expect(() => stranger.verify(text, headers)).toThrow()
  })

  test("has the real time in its signature, regardless of the platform's clock", async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await client.advance(400 * DAY)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { text, headers, event } = receiver.received[0]!
    // The library refuses timestamps that are five minutes off.
    new Webhook(await secretOf(client)).verify(text, headers)
    const platformNow = Date.parse((await client.get('/sandbox/clock')).body.now)
    expect(Math.abs(Date.parse(event.timestamp) - platformNow)).toBeLessThan(DAY * 1000)
  })

  test('carries two signatures while a replaced secret is valid, and never three', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    const { data: before } = (await client.get('/webhook-secrets')).body
    expect(before).toEqual([
      {
        id: expect.stringMatching(/^WebhookSecret:/),
        secret: before[0].secret,
        createdAt: expect.any(String),
      },
    ])
    expect(Buffer.from(before[0].secret.replace('whsec_', ''), 'base64')).toHaveLength(32)
    const rotate = async (formerValidSeconds: number) => {
      const reply = await client.post('/webhook-secrets', { formerValidSeconds })
      expect(reply.status).toBe(201)
      return reply.body.secret as string
    }
    /** Finds the secrets that sign the next delivery. */
    const findSigners = async (secrets: readonly string[]) => {
      const count = receiver.received.length
      await fund(client, usd, 1)
      await receiver.until((all) => all.length > count)
      const { text, headers } = receiver.received.at(-1)!
      expect(headers['webhook-signature']!.split(' ').length).toBeLessThanOrEqual(2)
      return secrets.filter((secret) => {
        try {
          new Webhook(secret).verify(text, headers)
          return true
        } catch {
          return false
        }
      })
    }
    const first: string = before[0].secret
    const second = await rotate(DAY)
    expect(await findSigners([first, second])).toEqual([first, second])
    const listed = (await client.get('/webhook-secrets')).body.data
    expect(listed.map(({ secret }: { secret: string }) => secret)).toEqual([second, first])
    expect(listed[0]).not.toHaveProperty('expiresAt')
    expect(listed[1].expiresAt).toEqual(expect.any(String))
    await client.advance(DAY + 1)
    expect(await findSigners([first, second])).toEqual([second])
    const third = await rotate(DAY)
    const fourth = await rotate(DAY)
    expect(await findSigners([first, second, third, fourth])).toEqual([third, fourth])
    const fifth = await rotate(0)
    expect(await findSigners([third, fourth, fifth])).toEqual([fifth])
    expect((await client.get('/webhook-secrets')).body.data).toHaveLength(1)
  })

  test('does not happen if the platform has no endpoint: the event is only in the feed', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    const event = await readLatestEvent(client, usd)
    expect(event.deliveryStatus).toBe('NONE')
    const redelivery = await client.post(`/events/${event.id}/redeliver`)
    expectError(redelivery, { code: 'WEBHOOK_ENDPOINT_NOT_SET', field: 'webhookEndpoint' })
    const receiver = await Receiver.of(client)
    await client.advance(DAY)
    expect(receiver.received).toEqual([])
    expect((await client.post(`/events/${event.id}/redeliver`)).status).toBe(200)
    await receiver.until((all) => all.length === 1)
    expect(receiver.received[0]!.event.id).toBe(event.id)
  })
})

describe('an undelivered event', () => {
  test('is retried with the same id and body, at most half an hour apart', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 500
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const [first] = receiver.received
    const { id } = first!.event
    const pending = await waitForEventState(client, id, (event) => event.nextAttemptAt)
    expect(pending).toMatchObject({ deliveryStatus: 'PENDING', deliveryAttempts: [{ responseStatus: 500 }] })
    // Advances to one retry at a time, because one long advance waits only some seconds for webhooks.
    for (let tries = 1; tries <= RETRIES; tries++) {
      const event = await waitForEventState(
        client,
        id,
        ({ deliveryAttempts }) => deliveryAttempts.length >= tries,
      )
      await client.post('/sandbox/clock/advance', { to: event.nextAttemptAt })
    }
    await waitForEventState(client, id, ({ deliveryAttempts }) => deliveryAttempts.length > RETRIES)
    expect(new Set(receiver.received.map(({ text }) => text))).toEqual(new Set([first!.text]))
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    const attempts: Reply['body'][] = (await client.get(`/events/${id}`)).body.deliveryAttempts
    expect(attempts.map(({ attempt }) => attempt)).toEqual(receiver.received.map((_, index) => index + 1))
    const times = attempts.map(({ startedAt }) => Date.parse(startedAt) / 1000)
    const waits = times.slice(1).map((time, index) => time - times[index]!)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(HALF_AN_HOUR + LATE_SECONDS)
    for (const wait of waits.slice(10)) expect(wait).toBeGreaterThanOrEqual(HALF_AN_HOUR / 2)
    expect(new Set(waits.slice(10)).size).toBeGreaterThan(10)
  })

  test('is first retried after a few seconds', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 503
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    let limit = 5
    for (let tries = 1; tries <= 5; tries++, limit *= 2) {
      const event = await waitForEventState(
        client,
        id,
        ({ deliveryAttempts }) => deliveryAttempts.length === tries,
      )
      const wait = Date.parse(event.nextAttemptAt) - Date.parse(event.deliveryAttempts.at(-1).startedAt)
      expect(wait).toBeGreaterThanOrEqual((limit / 2) * 1000)
      expect(wait).toBeLessThanOrEqual(limit * 1000)
      await client.post('/sandbox/clock/advance', { to: event.nextAttemptAt })
    }
  })

  test.each([200, 202, 204, 299, 409])('counts as delivered if the response is %i', async (status) => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => status
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await client.advance(DAY)
    expect(receiver.received).toHaveLength(1)
    const { id } = receiver.received[0]!.event
    expect(
      await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus !== 'PENDING'),
    ).toMatchObject({
      deliveryStatus: 'DELIVERED',
      deliveryAttempts: [
        { attempt: 1, url: receiver.url, responseStatus: status, durationMs: expect.any(Number) },
      ],
    })
  })

  test('is retried after a redirect, which is not followed', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    const otherReceiver = await Receiver.open()
    let tries = 0
    receiver.answer = () =>
      ++tries > 3 ? 200 : (response) => response.writeHead(300 + tries, { Location: otherReceiver.url }).end()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await client.advance(600)
    expect(receiver.received).toHaveLength(4)
    expect(otherReceiver.received).toEqual([])
  })

  test('goes to the endpoint at the time of the attempt, and a missing response is a failed attempt', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await client.send('PATCH', '/config', { webhookEndpoint: 'http://127.0.0.1:1/' })
    await fund(client, usd, 1)
    const { id } = await readLatestEvent(client, usd)
    const event = await waitForEventState(client, id, ({ deliveryAttempts }) => deliveryAttempts.length > 0)
    expect(event.deliveryAttempts[0]).toEqual({
      attempt: 1,
      url: 'http://127.0.0.1:1/',
      startedAt: expect.any(String),
      durationMs: expect.any(Number),
      error: 'ECONNREFUSED',
    })
    await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
    await client.advance(60)
    expect(
      receiver.received.filter(({ event }) => event.type !== 'TEST').map(({ event }) => event.id),
    ).toEqual([id])
  })

  test('is preceded by a TEST for each new endpoint, and is not sent after the endpoint is removed', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
    const otherReceiver = await Receiver.open()
    await client.send('PATCH', '/config', { webhookEndpoint: otherReceiver.url })
    await otherReceiver.until((all) => all.length === 1)
    expect(otherReceiver.received[0]!.event).toMatchObject({ type: 'TEST', sequence: 1 })
    const { body } = await client.send('PATCH', '/config', { webhookEndpoint: null })
    expect(body).not.toHaveProperty('webhookEndpoint')
    await fund(client, usd, 1)
    expect(await readLatestEvent(client, usd)).toMatchObject({ deliveryStatus: 'NONE' })
    await client.advance(60)
    expect([otherReceiver.received.length, receiver.received.length]).toEqual([1, 0])
  })

  test('is kept while the endpoint is disabled by a 410, and sent once the endpoint is set again', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 410
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await client.advance(0)
    const disabled = (await client.get('/overview')).body.webhooks
    expect(disabled).toMatchObject({ endpoint: receiver.url, disabledReason: 'GONE' })
    await fund(client, usd, 1)
    await client.advance(3600)
    expect(receiver.received).toHaveLength(1)
    receiver.answer = () => 200
    await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
    await client.advance(3600)
    expect(
      receiver
        .of(BALANCE)
        .slice(-2)
        .map(({ event }) => event.sequence),
    ).toEqual([1, 2])
    expect(receiver.of('TEST')).toEqual([])
    expect((await client.get('/overview')).body.webhooks).not.toHaveProperty('disabledReason')
  })

  test('keeps the first KiB of each response as a valid string', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => (response) => response.writeHead(400).end(`a\u0000${'é'.repeat(2000)}`)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    const event = await waitForEventState(client, id, ({ deliveryAttempts }) => deliveryAttempts.length > 0)
    expect(event.deliveryAttempts[0].responseBody).toBe(`a\ufffd${'é'.repeat(511)}`)
  })
})

describe('events of one object', () => {
  test('arrive in order, each after the previous one; events of other objects do not wait', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    const otherCustomer = await newCustomer(client)
    let isDown = true
    receiver.answer = ({ event }) => (isDown && event.objectId === usd ? 500 : 200)
    const listUsdEvents = () => receiver.received.filter(({ event }) => event.objectId === usd)
    for (let index = 0; index < 8; index++) await fund(client, usd, 1)
    await fund(client, otherCustomer.usd, 1)
    await receiver.until((all) => all.some(({ event }) => event.objectId === otherCustomer.usd))
    await client.advance(3600)
    const [first] = sequences(listUsdEvents())
    expect(new Set(sequences(listUsdEvents()))).toEqual(new Set([first]))
    isDown = false
    await client.advance(HALF_AN_HOUR)
    const delivered = sequences(listUsdEvents()).slice(sequences(listUsdEvents()).lastIndexOf(first!))
    expect(delivered).toEqual(Array.from({ length: 8 }, (_, index) => first! + index))
  })

  test('arrive once each and in order when many happen at the same time', { tags: 'long' }, async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    const otherCustomer = await newCustomer(client)
    const accounts = [usd, otherCustomer.usd, otherCustomer.eur]
    await Promise.all(Array.from({ length: 36 }, (_, index) => fund(client, accounts[index % 3]!, 1)))
    await receiver.until(() => new Set(receiver.of(BALANCE).map(({ event }) => event.id)).size === 36)
    await client.advance(0)
    for (const account of accounts) {
      const numbers = sequences(receiver.received.filter(({ event }) => event.objectId === account))
      expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => numbers[0]! + index))
    }
    expect(receiver.of(BALANCE)).toHaveLength(36)
  })
})
