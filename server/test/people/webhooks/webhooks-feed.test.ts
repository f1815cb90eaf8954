import { decode } from '@countersign/contract/core/decode'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import pg from 'pg'
import type { TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { parseJson, toCanonicalJson, toJson } from '../../../src/base/json/json.ts'
import { validator } from '../../../src/edge/http/request/validate.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { buildValidBody, expectError, newWorld } from '../../worlds/contract/calls.testing.ts'
import type { JsonSchema } from '../../worlds/contract/schemas.testing.ts'
import { testId } from '../../worlds/records/payments.testing.ts'

type Event = Reply['body']

/** Reads the feed page by page, from the beginning or after an event. */
async function readFeed(client: Client, after?: string, limit = 7): Promise<Event[]> {
  const events: Event[] = []
  let lastId = after
  for (;;) {
    const { status, body } = await client.get(`/events?limit=${limit}${lastId ? `&after=${lastId}` : ''}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    events.push(...body.data)
    if (!body.hasMore) return events
    lastId = events.at(-1).id
  }
}

/** Waits until the feed has a number of events, because the latest appear a moment later. */
async function waitForFeed(client: Client, count: number): Promise<Event[]> {
  for (let tries = 0; tries < 200; tries++) {
    const events = await readFeed(client)
    if (events.length >= count) return events
  }
  throw new Error(`There are no ${count} events`)
}

/** The sequence numbers of the events of each object. */
function groupSequences(events: readonly Event[]): Map<string, number[]> {
  const sequences = new Map<string, number[]>()
  for (const { objectId, sequence } of events)
    sequences.set(objectId, [...(sequences.get(objectId) ?? []), sequence])
  return sequences
}

test('a reader of a growing feed sees each event once, and the same events on a second read', async () => {
  const client = await newPlatform()
  const customers = [await newCustomer(client), await newCustomer(client)]
  const accounts = customers.flatMap(({ usd, eur }) => [usd, eur])
  const before = (await readFeed(client)).length
  let isFunding = true
  const readEvents: Event[] = []
  const reader = (async () => {
    while (isFunding) readEvents.push(...(await readFeed(client, readEvents.at(-1)?.id)))
  })()
  const fundings = Array.from({ length: 60 }, (_, index) => fund(client, accounts[index % 4]!, index + 1))
  await Promise.all(fundings)
  isFunding = false
  await reader
  const feed = await waitForFeed(client, before + 60)
  readEvents.push(...(await readFeed(client, readEvents.at(-1)?.id)))
  expect(readEvents.map(({ id }) => id)).toEqual(feed.map(({ id }) => id))
  expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length)
  for (const sequences of groupSequences(feed).values())
    expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, index) => index + 1))
})

// The embedded database has one connection, so it has no second open transaction.
test.skipIf(!process.env.DATABASE_URL)(
  'events of an open transaction come after all events shown before its end',
  async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    const shownEvents = await waitForFeed(client, 2)
    const { platformId } = client.credentials
    const database = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await database.connect()
    try {
      await database.query('BEGIN')
      await database.query(
        `INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
         VALUES ($1, $2, 'TEST', $1, 1, '{}', now())`,
        [extractUuid(testId('Event', platformId)), extractUuid(platformId)],
      )
      await fund(client, usd, 1)
      expect(await readFeed(client, shownEvents.at(-1).id)).toEqual([])
      await database.query('COMMIT')
    } finally {
      // An open transaction stops the feed of every platform.
      await database.end()
    }
    const feed = await waitForFeed(client, shownEvents.length + 2)
    expect(feed.slice(0, shownEvents.length)).toEqual(shownEvents)
    expect(feed.slice(shownEvents.length).map(({ type }) => type)).toEqual([
      'TEST',
      'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    ])
  },
)

/** Completes an outgoing payment, a transfer out and an incoming payment. */
async function runPayments(client: Client): Promise<void> {
  const { customer, ids } = await newWorld(client)
  await client.post(`/quotes/${ids.Quote}/execute`)
  await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: ids.ExternalAccount },
    amount: 100,
  })
  await client.post('/sandbox/uma/receive', buildValidBody('sandbox_uma_receive', ids))
  await client.send('PATCH', `/customers/${customer.id}`, {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada King',
  })
  await client.advance(0)
}

describe('the feed', () => {
  test('returns every event in the form that the API document specifies for its webhook', async () => {
    const client = await newPlatform()
    await runPayments(client)
    const events = await waitForFeed(client, 16)
    const types = new Set<string>()
    for (const { deliveryStatus: _, ...event } of events) {
      const webhook = Object.values(WEBHOOKS).find(({ body }) =>
        (body.properties.type as unknown as JsonSchema).enum!.includes(event.type),
      )
      expect(webhook, event.type).toBeDefined()
      // Exactly the fields of the schema.
      expect(toCanonicalJson(decode(webhook!.body, event))).toBe(toCanonicalJson(event))
      validator(webhook!.body as TObject, 'answer')(parseJson(toJson(event)))
      types.add(event.type)
    }
    expect([...types].sort()).toEqual([
      'AGENT_ACTION.PENDING_APPROVAL',
      'CARD.STATE_CHANGE',
      'CUSTOMER.KYB_PENDING',
      'CUSTOMER.KYC_APPROVED',
      'DEPOSIT.SUSPENDED',
      'EXTERNAL_ACCOUNT.CHANGE_REPORTED',
      'EXTERNAL_ACCOUNT.VERIFICATION_UPDATED',
      'FUNDS_HOLD.HELD',
      'INCOMING_PAYMENT.COMPLETED',
      'INTERNAL_ACCOUNT.BALANCE_UPDATED',
      'MEMBER_ROLE.CHANGED',
      'OUTGOING_PAYMENT.COMPLETED',
      'OUTGOING_PAYMENT.PENDING',
      'OUTGOING_PAYMENT.PROCESSING',
      'PAYOUT_BATCH.CHECKED',
      'PLATFORM_WITHDRAWAL.AWAITING_APPROVAL',
      'VERIFICATION.RESOLVE_ERRORS',
    ])
  })

  test('returns an event in the same form as a delivery and as a read by id', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const [event] = await waitForFeed(client, 1)
    const customer = (await client.get(`/customers/${id}`)).body
    expect(event).toEqual({
      id: expect.stringMatching(/^Event:/),
      type: 'CUSTOMER.KYC_APPROVED',
      timestamp: customer.createdAt,
      objectId: id,
      sequence: 1,
      data: customer,
      deliveryStatus: 'NONE',
    })
    expect((await client.get(`/events/${event.id}`)).body).toEqual({ ...event, deliveryAttempts: [] })
  })

  test('can be paged by cursor in both directions, and filtered by type, object and time', async () => {
    const client = await newPlatform()
    const { usd, eur } = await newCustomer(client)
    for (let index = 1; index <= 6; index++) {
      await fund(client, index % 2 ? usd : eur, index)
      await client.advance(60)
    }
    const feed = await waitForFeed(client, 7)
    const readPages = async (query: string) => {
      const pages: Event[] = []
      let cursor = ''
      do {
        const { body } = await client.get(`/events?limit=2${query}${cursor && `&cursor=${cursor}`}`)
        pages.push(...body.data)
        cursor = body.nextCursor ?? ''
      } while (cursor)
      return pages
    }
    expect(await readPages('')).toEqual(feed)
    expect(await readPages('&sortOrder=desc')).toEqual(feed.toReversed())
    expect(await readPages(`&objectId=${eur}`)).toEqual(feed.filter(({ objectId }) => objectId === eur))
    expect(await readPages('&type=CUSTOMER.KYC_APPROVED')).toEqual(feed.slice(0, 1))
    const [from, to] = [feed[2].timestamp, feed[4].timestamp]
    expect(await readPages(`&startDate=${from}&endDate=${to}`)).toEqual(feed.slice(2, 5))
    expect(await readPages(`&after=${feed[3].id}`)).toEqual(feed.slice(4))
    expect(await readPages(`&after=${feed[3].id}&objectId=${usd}`)).toEqual([feed[5]])

    const { nextCursor } = (await client.get('/events?limit=2')).body
    const otherPlatform = await newPlatform()
    for (const [caller, query] of [
      [client, 'limit=3'],
      [client, 'limit=2&sortOrder=desc'],
      [otherPlatform, 'limit=2'],
    ] as const)
      expectError(await caller.get(`/events?${query}&cursor=${nextCursor}`), {
        code: 'INVALID_INPUT',
        field: 'cursor',
      })
  })
})
