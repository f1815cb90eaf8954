import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import {
  type Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sealCode,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const ADVANCE = '/sandbox/clock/advance'
const DAY = 24 * 3600
const YEAR = 365 * DAY
/** Maximum time by which the clock advances on its own during a test. */
const SLACK_MS = timeLimit(60_000)

const readTime = async (client: Client) => Date.parse((await client.get('/sandbox/clock')).body.now)

/** Creates a quote from an internal account to an external one. */
async function createQuote(client: Client, from: string, to: string, immediatelyExecute: boolean) {
  const { status, body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: from },
    destination: { destinationType: 'ACCOUNT', accountId: to },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1000,
    immediatelyExecute,
  })
  expect(status).toBe(201)
  return body
}

/** Finds the time of an object's only event of this type. */
async function findEventTime(client: Client, objectId: string, type: string): Promise<number> {
  const events = await client.events(`&objectId=${objectId}&type=${type}`)
  expect(events, `${type} of ${objectId}`).toHaveLength(1)
  return Date.parse(events[0].timestamp)
}

function expectAt(time: number, expected: number, label: string) {
  expect(time, label).toBeGreaterThanOrEqual(expected)
  expect(time, label).toBeLessThan(expected + SLACK_MS)
}

describe('a sandbox clock', () => {
  test('starts at real time, keeps running, and advances by seconds or to a time, but never back', async () => {
    const client = await newPlatform()
    const { headers, body } = await client.get('/sandbox/clock')
    expect(Math.abs(Date.parse(body.now) - Date.parse(headers.get('Date')!))).toBeLessThan(SLACK_MS)
    expect(await readTime(client)).toBeGreaterThanOrEqual(Date.parse(body.now))
    const started = Date.parse(body.now)
    const advanced = await client.post(ADVANCE, { seconds: DAY })
    expectAt(Date.parse(advanced.body.now), started + DAY * 1000, 'by seconds')
    const target = new Date(started + 2 * DAY * 1000).toISOString()
    expectAt(
      Date.parse((await client.post(ADVANCE, { to: target })).body.now),
      Date.parse(target),
      'to a time',
    )

    const invalidBodies: [object, string][] = [
      [{ to: target }, 'to'],
      [{ to: '2020-01-01T00:00:00Z' }, 'to'],
      [{ to: '3000-01-01T00:00:00Z' }, 'to'],
      [{ seconds: -1 }, 'seconds'],
      [{ seconds: 1.5 }, 'seconds'],
      [{ seconds: 10 * YEAR + 1 }, 'seconds'],
      [{ seconds: 1, to: target }, 'seconds'],
      [{}, 'seconds'],
    ]
    for (const [advance, field] of invalidBodies)
      expectError(await client.post(ADVANCE, advance), {
        code: 'INVALID_INPUT',
        field,
        what: JSON.stringify(advance),
      })
    expectAt(await readTime(client), Date.parse(target), 'after what was refused')
  })

  test('that is advanced several times in parallel ends at the latest target', async () => {
    const client = await newPlatform()
    const { usd, id } = await newCustomer(client)
    await fund(client, usd, 100_000)
    const slowBank = await newBankAccount(client, id, '005')
    const transfer = await client.post('/transfer-out', {
      source: { accountId: usd },
      destination: { accountId: slowBank },
    })
    const started = await readTime(client)
    const hours = [1, 5, 3, 2, 4]
    const replies = await Promise.all(hours.map((hour) => client.post(ADVANCE, { seconds: hour * 3600 })))
    for (const [index, { status, body }] of replies.entries()) {
      expect(status).toBe(200)
      expect(Date.parse(body.now)).toBeGreaterThanOrEqual(started + hours[index]! * 3_600_000)
    }
    expectAt(await readTime(client), started + 5 * 3_600_000, 'the latest')
    const failedAt = await findEventTime(client, transfer.body.id, 'OUTGOING_PAYMENT.FAILED')
    expectAt(failedAt, Date.parse(transfer.body.createdAt) + 30_000, 'on the way of all of them')
  })
})

describe('advancing a sandbox clock', () => {
  test('runs codes, sessions, quotes, holds, approvals and webhooks in order at the times when they are due', async () => {
    const client = await newPlatform()
    const { id, usd, wallet } = await newCustomer(client)
    await fund(client, usd, 100_000)
    const [bank, slowBank, longBank] = await Promise.all(
      ['789', '005', '003'].map((suffix) => newBankAccount(client, id, suffix)),
    )
    const session = await signIn(client, wallet)
    const credential = await findCredentialId(client, wallet)
    const challenge = (await client.post(`/auth/credentials/${credential}/challenge`)).body
    const receiver = await Receiver.of(client)
    let refusals = 0
    receiver.answer = ({ event }) => {
      if (event.type === 'INCOMING_PAYMENT.PENDING') return 202
      return event.type === 'OUTGOING_PAYMENT.PROCESSING' && refusals++ < 3 ? 503 : 200
    }

    const idleQuote = await createQuote(client, usd, bank!, false)
    const heldQuote = await createQuote(client, usd, longBank!, true)
    const transferOut = { source: { accountId: usd }, destination: { accountId: slowBank }, amount: 500 }
    const transfer = (await client.post('/transfer-out', transferOut)).body
    const incoming = (
      await client.post('/sandbox/uma/receive', {
        senderUmaAddress: '$grace@bank.example',
        customerId: id,
        receivingCurrencyCode: 'USD',
        receivingCurrencyAmount: 1250,
      })
    ).body
    expect((await client.post(ADVANCE, { seconds: DAY })).status).toBe(200)

    const readStart = (record: { createdAt: string }) => Date.parse(record.createdAt)
    const times = [
      [
        await findEventTime(client, transfer.id, 'OUTGOING_PAYMENT.FAILED'),
        readStart(transfer) + 30_000,
        'transfer',
      ],
      [
        await findEventTime(client, heldQuote.transactionId, 'OUTGOING_PAYMENT.COMPLETED'),
        readStart(heldQuote) + 360_000,
        'hold',
      ],
      [
        await findEventTime(client, idleQuote.transactionId, 'OUTGOING_PAYMENT.EXPIRED'),
        Date.parse(idleQuote.expiresAt),
        'quote',
      ],
      [
        await findEventTime(client, incoming.id, 'INCOMING_PAYMENT.FAILED'),
        readStart(incoming) + 900_000,
        'approval',
      ],
    ] as const
    for (const [time, expected, label] of times) expectAt(time, expected, label)
    expect((await client.get(`/transactions/${incoming.id}`)).body.failureReason).toBe(
      'PAYMENT_APPROVAL_TIMED_OUT',
    )
    const feed = (await client.get('/events?limit=100')).body.data.map(
      (event: Reply['body']) => event.timestamp,
    )
    expect(feed).toEqual([...feed].sort())

    const [processing] = await client.events(
      `&objectId=${heldQuote.transactionId}&type=OUTGOING_PAYMENT.PROCESSING`,
    )
    const event = (await client.get(`/events/${processing.id}`)).body
    expect(event.deliveryStatus).toBe('DELIVERED')
    const attemptTimes = event.deliveryAttempts.map((attempt: Reply['body']) => Date.parse(attempt.startedAt))
    expect(event.deliveryAttempts.map((attempt: Reply['body']) => attempt.responseStatus)).toEqual([
      503, 503, 503, 200,
    ])
    // Retries are 5, 10 and 20 seconds apart, or half of that, so they ran on the way and not at the end.
    expectAt(attemptTimes.at(-1), attemptTimes[0] + 17_500, 'webhook')

    const account = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
      .data[0]
    expect(account.balance).toEqual(account.totalBalance)
    expect(account.balance.amount).toBe(99_000)
    const lateCode = {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: sealCode(challenge.otpEncryptionTargetBundle, generateKeyPair()),
    }
    expectError(await client.post(`/auth/credentials/${credential}/verify`, lateCode), {
      code: 'UNAUTHORIZED',
    })
    const reply = await sendSigned(client, session, 'PATCH', `/internal-accounts/${wallet}`, {
      privateEnabled: true,
    })
    expectError(reply, { code: 'WALLET_SIGNATURE_INVALID' })
  })

  test('by years is not delayed by a webhook endpoint that is down, and everything else happens at its time', {
    tags: 'long',
  }, async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    await fund(client, usd, 100_000)
    const bank = await newBankAccount(client, id, '003')
    // The endpoint is down. Each event is retried for a week before the next event of its object.
    await client.send('PATCH', '/config', { webhookEndpoint: 'http://127.0.0.1:9/nobody' })
    const quotes = await Promise.all([0, 1, 2, 3].map((index) => createQuote(client, usd, bank, index > 0)))
    const started = await readTime(client)
    expect((await client.post(ADVANCE, { seconds: 10 * YEAR })).status).toBe(200)
    expectAt(await readTime(client), started + 10 * YEAR * 1000, 'ten years on')
    const [idleQuote, ...executed] = quotes
    expectAt(
      await findEventTime(client, idleQuote.transactionId, 'OUTGOING_PAYMENT.EXPIRED'),
      Date.parse(idleQuote.expiresAt),
      'expired',
    )
    for (const { transactionId, createdAt } of executed)
      expectAt(
        await findEventTime(client, transactionId, 'OUTGOING_PAYMENT.COMPLETED'),
        Date.parse(createdAt) + 360_000,
        'completed',
      )
  })
})
