import { createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { expectError, missingId } from './calls.testing.ts'
import { type Client, fund, newCustomer, newPlatform, type Reply } from './client.testing.ts'
import { type Received, Receiver } from './webhook-receiver.testing.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
const HALF_AN_HOUR = 1800
const DAY = 24 * 3600

/** A platform with a receiver and an account to be funded: each funding is one event of that account. */
async function newWorld() {
  const client = await newPlatform()
  const { usd } = await newCustomer(client)
  const receiver = await Receiver.of(client)
  return { client, usd, receiver }
}

async function secretOf(client: Client): Promise<string> {
  return (await client.get('/webhook-secrets')).body.data[0].secret
}

const sequences = (received: readonly Received[]) => received.map(({ event }) => event.sequence)

/** An event as the API shows it, once that is as it should be. */
async function eventOnce(client: Client, id: string, is: (event: Reply['body']) => boolean) {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await client.get(`/events/${id}`)
    if (is(body)) return body
    await client.advance(0)
  }
  throw new Error(`${id} does not become what it should be`)
}

describe('a delivery', () => {
  test('is the event, signed by the key of the server and by the secret of the platform', async () => {
    const { client, usd, receiver } = await newWorld()
    await fund(client, usd, 9007199254740993n / 100_000n)
    await receiver.until((all) => all.length === 1)
    const { headers, text, event, url } = receiver.received[0]!
    expect(url).toBe('/hook?from=test')
    const now = (await client.get('/customers/internal-accounts')).body.data.find(
      ({ id }: { id: string }) => id === usd,
    )
    expect(event).toEqual({
      id: expect.stringMatching(/^Event:/),
      type: BALANCE,
      timestamp: expect.any(String),
      objectId: usd,
      sequence: expect.any(Number),
      data: now,
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

  test('says the real time in its signature, whatever the clock of the platform says', async () => {
    const { client, usd, receiver } = await newWorld()
    await client.advance(400 * DAY)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { text, headers, event } = receiver.received[0]!
    // The library refuses what is five minutes off.
    new Webhook(await secretOf(client)).verify(text, headers)
    const platformNow = Date.parse((await client.get('/sandbox/clock')).body.now)
    expect(Math.abs(Date.parse(event.timestamp) - platformNow)).toBeLessThan(DAY * 1000)
  })

  test('carries two signatures while a replaced secret is valid, and never three', async () => {
    const { client, usd, receiver } = await newWorld()
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
    /** Which of the secrets the next delivery is signed with. */
    const signers = async (secrets: readonly string[]) => {
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
    expect(await signers([first, second])).toEqual([first, second])
    const listed = (await client.get('/webhook-secrets')).body.data
    expect(listed.map(({ secret }: { secret: string }) => secret)).toEqual([second, first])
    expect(listed[0]).not.toHaveProperty('expiresAt')
    expect(listed[1].expiresAt).toEqual(expect.any(String))
    await client.advance(DAY + 1)
    expect(await signers([first, second])).toEqual([second])
    const third = await rotate(DAY)
    const fourth = await rotate(DAY)
    expect(await signers([first, second, third, fourth])).toEqual([third, fourth])
    const fifth = await rotate(0)
    expect(await signers([third, fourth, fifth])).toEqual([fifth])
    expect((await client.get('/webhook-secrets')).body.data).toHaveLength(1)
  })

  test('does not happen where the platform has no endpoint: the event is in the feed alone', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    const event = await eventOf(client, usd)
    expect(event.deliveryStatus).toBe('NONE')
    const again = await client.post(`/events/${event.id}/redeliver`)
    expectError(again, { code: 'CONFLICT', field: 'webhookEndpoint' })
    const receiver = await Receiver.of(client)
    await client.advance(DAY)
    expect(receiver.received).toEqual([])
    expect((await client.post(`/events/${event.id}/redeliver`)).status).toBe(200)
    await receiver.until((all) => all.length === 1)
    expect(receiver.received[0]!.event.id).toBe(event.id)
  })
})

/** The latest event of an object. */
async function eventOf(client: Client, objectId: string): Promise<Reply['body']> {
  for (let tries = 0; tries < 100; tries++) {
    const { data } = (await client.get(`/events?objectId=${objectId}&sortOrder=desc&limit=1`)).body
    if (data[0]) return data[0]
    await client.advance(0)
  }
  throw new Error(`Nothing happened to ${objectId}`)
}

describe('what is not received', () => {
  test('is sent again under the same id and in the same words, half an hour apart at most', async () => {
    const { client, usd, receiver } = await newWorld()
    receiver.answer = () => 500
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const [first] = receiver.received
    const { id } = first!.event
    const pending = await eventOnce(client, id, (event) => event.nextAttemptAt)
    expect(pending).toMatchObject({ deliveryStatus: 'PENDING', deliveryAttempts: [{ responseStatus: 500 }] })
    await client.advance(DAY / 2)
    expect(new Set(receiver.received.map(({ text }) => text))).toEqual(new Set([first!.text]))
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    const attempts: Reply['body'][] = (await client.get(`/events/${id}`)).body.deliveryAttempts
    expect(attempts.map(({ attempt }) => attempt)).toEqual(receiver.received.map((_, at) => at + 1))
    const times = attempts.map(({ startedAt }) => Date.parse(startedAt) / 1000)
    const waits = times.slice(1).map((time, at) => time - times[at]!)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(HALF_AN_HOUR + 1)
    for (const wait of waits.slice(10)) expect(wait).toBeGreaterThanOrEqual(HALF_AN_HOUR / 2)
    expect(new Set(waits.slice(10)).size).toBeGreaterThan(10)
  })

  test('is retried after seconds at first', async () => {
    const { client, usd, receiver } = await newWorld()
    receiver.answer = () => 503
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    let limit = 5
    for (let tries = 1; tries <= 5; tries++, limit *= 2) {
      const event = await eventOnce(client, id, ({ deliveryAttempts }) => deliveryAttempts.length === tries)
      const wait = Date.parse(event.nextAttemptAt) - Date.parse(event.deliveryAttempts.at(-1).startedAt)
      expect(wait).toBeGreaterThanOrEqual((limit / 2) * 1000)
      expect(wait).toBeLessThanOrEqual(limit * 1000)
      await client.post('/sandbox/clock/advance', { to: event.nextAttemptAt })
    }
  })

  test.each([200, 202, 204, 299, 409])('a %i ends it', async (status) => {
    const { client, usd, receiver } = await newWorld()
    receiver.answer = () => status
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await client.advance(DAY)
    expect(receiver.received).toHaveLength(1)
    const { id } = receiver.received[0]!.event
    expect(await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus !== 'PENDING')).toMatchObject({
      deliveryStatus: 'DELIVERED',
      deliveryAttempts: [
        { attempt: 1, url: receiver.url, responseStatus: status, durationMs: expect.any(Number) },
      ],
    })
  })

  test('a redirect is not followed, and is no receipt', async () => {
    const { client, usd, receiver } = await newWorld()
    const elsewhere = await Receiver.open()
    let tries = 0
    receiver.answer = () =>
      ++tries > 3 ? 200 : (response) => response.writeHead(300 + tries, { Location: elsewhere.url }).end()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    await client.advance(600)
    expect(receiver.received).toHaveLength(4)
    expect(elsewhere.received).toEqual([])
  })

  test('goes to the endpoint of the time of the try, and no answer at all is a try that failed', async () => {
    const { client, usd, receiver } = await newWorld()
    await client.send('PATCH', '/config', { webhookEndpoint: 'http://127.0.0.1:1/' })
    await fund(client, usd, 1)
    const { id } = await eventOf(client, usd)
    const event = await eventOnce(client, id, ({ deliveryAttempts }) => deliveryAttempts.length > 0)
    expect(event.deliveryAttempts[0]).toEqual({
      attempt: 1,
      url: 'http://127.0.0.1:1/',
      startedAt: expect.any(String),
      durationMs: expect.any(Number),
      error: 'ECONNREFUSED',
    })
    await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
    await client.advance(60)
    expect(receiver.received.map(({ event }) => event.id)).toEqual([id])
  })

  test('keeps the first KiB of an answer as text that can be stored', async () => {
    const { client, usd, receiver } = await newWorld()
    receiver.answer = () => (response) => response.writeHead(400).end(`a\u0000${'é'.repeat(2000)}`)
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    const event = await eventOnce(client, id, ({ deliveryAttempts }) => deliveryAttempts.length > 0)
    expect(event.deliveryAttempts[0].responseBody).toBe(`a\ufffd${'é'.repeat(511)}`)
  })
})

describe('events of one object', () => {
  test('come in their order, one waits for the one before, and those of other objects do not wait', async () => {
    const { client, usd, receiver } = await newWorld()
    const other = await newCustomer(client)
    let isDown = true
    receiver.answer = ({ event }) => (isDown && event.objectId === usd ? 500 : 200)
    const ofUsd = () => receiver.received.filter(({ event }) => event.objectId === usd)
    for (let index = 0; index < 8; index++) await fund(client, usd, 1)
    await fund(client, other.usd, 1)
    await receiver.until((all) => all.some(({ event }) => event.objectId === other.usd))
    await client.advance(3600)
    const [first] = sequences(ofUsd())
    expect(new Set(sequences(ofUsd()))).toEqual(new Set([first]))
    isDown = false
    await client.advance(HALF_AN_HOUR)
    const delivered = sequences(ofUsd()).slice(sequences(ofUsd()).lastIndexOf(first!))
    expect(delivered).toEqual(Array.from({ length: 8 }, (_, index) => first! + index))
  })

  test('come once each and in order when many are made at the same time', async () => {
    const { client, usd, receiver } = await newWorld()
    const other = await newCustomer(client)
    const accounts = [usd, other.usd, other.eur]
    await Promise.all(Array.from({ length: 36 }, (_, index) => fund(client, accounts[index % 3]!, 1)))
    await receiver.until(() => new Set(receiver.of(BALANCE).map(({ event }) => event.id)).size === 36)
    await client.advance(0)
    for (const account of accounts) {
      const seen = sequences(receiver.received.filter(({ event }) => event.objectId === account))
      expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => seen[0]! + index))
    }
    expect(receiver.of(BALANCE)).toHaveLength(36)
  })
})

describe('delivering again', () => {
  test('sends what was delivered once more, with the same id, retried from now on', async () => {
    const { client, usd, receiver } = await newWorld()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    await client.advance(30 * DAY)
    let tries = 0
    receiver.answer = () => (++tries < 3 ? 500 : 200)
    const reply = await client.post(`/events/${id}/redeliver`)
    expect(reply.body).toMatchObject({ id, deliveryStatus: 'PENDING' })
    await client.advance(60)
    expect(receiver.received.map(({ text }) => text)).toEqual(Array(4).fill(receiver.received[0]!.text))
    expect((await client.get(`/events/${id}`)).body).toMatchObject({
      deliveryStatus: 'DELIVERED',
      deliveryAttempts: [200, 500, 500, 200].map((responseStatus, at) => ({
        attempt: at + 1,
        responseStatus,
      })),
    })
  })

  test('tries what is being retried at once, in its turn', async () => {
    const { client, usd, receiver } = await newWorld()
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

  test('asked for many times at once, happens once', async () => {
    const { client, usd, receiver } = await newWorld()
    await fund(client, usd, 1)
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
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

  test('is only of events that there are', async () => {
    const client = await newPlatform()
    await Receiver.of(client)
    for (const [method, path] of [
      ['GET', `/events/${missingId('Event')}`],
      ['POST', `/events/${missingId('Event')}/redeliver`],
      ['GET', `/events?after=${missingId('Event')}`],
    ] as const)
      expectError(await client.send(method, path), { code: 'EVENT_NOT_FOUND' })
  })
})

describe('a test', () => {
  test('is sent at once, and the answer is told', async () => {
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

  test('is tried once, also when it is asked for again', async () => {
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

  test('says where there is no endpoint, and where nobody answers', async () => {
    const client = await newPlatform()
    expectError(await client.post('/sandbox/webhooks/test'), {
      code: 'INVALID_INPUT',
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
