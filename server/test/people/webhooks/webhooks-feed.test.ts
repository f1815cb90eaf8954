import { decode } from '@countersign/contract/core/decode'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import pg from 'pg'
import type { TObject } from 'typebox'
import { describe, expect, test } from 'vitest'
import { parseJson, toCanonicalJson, toJson } from '../../../src/base/json/json.ts'
import { validator } from '../../../src/edge/http/request/validate.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError, newWorld, validBody } from '../../worlds/contract/calls.testing.ts'
import type { JsonSchema } from '../../worlds/contract/schemas.testing.ts'
import { testId } from '../../worlds/records/payments.testing.ts'

type Event = Reply['body']

/** The feed after an event, or from the beginning, page by page. */
async function follow(client: Client, after?: string, limit = 7): Promise<Event[]> {
  const found: Event[] = []
  let last = after
  for (;;) {
    const { status, body } = await client.get(`/events?limit=${limit}${last ? `&after=${last}` : ''}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    found.push(...body.data)
    if (!body.hasMore) return found
    last = found.at(-1).id
  }
}

/** The feed once it has a number of events, because the latest appear a moment later. */
async function feedOf(client: Client, count: number): Promise<Event[]> {
  for (let tries = 0; tries < 200; tries++) {
    const events = await follow(client)
    if (events.length >= count) return events
  }
  throw new Error(`There are no ${count} events`)
}

/** The sequence numbers of each object's events. */
function sequencesOf(events: readonly Event[]): Map<string, number[]> {
  const sequences = new Map<string, number[]>()
  for (const { objectId, sequence } of events)
    sequences.set(objectId, [...(sequences.get(objectId) ?? []), sequence])
  return sequences
}

test('a reader of the feed sees each event once, whatever happens in the meantime, and the same events on a second read', async () => {
  const client = await newPlatform()
  const customers = [await newCustomer(client), await newCustomer(client)]
  const accounts = customers.flatMap(({ usd, eur }) => [usd, eur])
  const before = (await follow(client)).length
  let isMaking = true
  const seen: Event[] = []
  const reader = (async () => {
    while (isMaking) seen.push(...(await follow(client, seen.at(-1)?.id)))
  })()
  const makers = Array.from({ length: 60 }, (_, index) => fund(client, accounts[index % 4]!, index + 1))
  await Promise.all(makers)
  isMaking = false
  await reader
  const all = await feedOf(client, before + 60)
  seen.push(...(await follow(client, seen.at(-1)?.id)))
  expect(seen.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const sequences of sequencesOf(all).values())
    expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, at) => at + 1))
})

// The embedded database has one connection: no second transaction can be open.
test.skipIf(!process.env.DATABASE_URL)(
  'events of an open transaction come after all events shown before its end',
  async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    await fund(client, usd, 1)
    const shown = await feedOf(client, 2)
    const { platformId } = client.credentials
    const database = new pg.Client({ connectionString: process.env.DATABASE_URL })
    await database.connect()
    try {
      await database.query('BEGIN')
      await database.query(
        `INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
         VALUES ($1, $2, 'TEST', $1, 1, '{}', now())`,
        [uuidOf(testId('Event', platformId)), uuidOf(platformId)],
      )
      await fund(client, usd, 1)
      expect(await follow(client, shown.at(-1).id)).toEqual([])
      await database.query('COMMIT')
    } finally {
      // An open transaction stops the feed of every platform.
      await database.end()
    }
    const all = await feedOf(client, shown.length + 2)
    expect(all.slice(0, shown.length)).toEqual(shown)
    expect(all.slice(shown.length).map(({ type }) => type)).toEqual([
      'TEST',
      'INTERNAL_ACCOUNT.BALANCE_UPDATED',
    ])
  },
)

/** A payment out, a transfer out and a payment in, each to its end. */
async function move(client: Client): Promise<void> {
  const { customer, ids } = await newWorld(client)
  await client.post(`/quotes/${ids.Quote}/execute`)
  await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: ids.ExternalAccount },
    amount: 100,
  })
  await client.post('/sandbox/uma/receive', validBody('sandbox_uma_receive', ids))
  await client.send('PATCH', `/customers/${customer.id}`, {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada King',
  })
  await client.advance(0)
}

describe('the feed', () => {
  test('has every event in the form that the document of the API gives its webhook', async () => {
    const client = await newPlatform()
    await move(client)
    const events = await feedOf(client, 16)
    const seen = new Set<string>()
    for (const { deliveryStatus: _, ...event } of events) {
      const known = Object.values(WEBHOOKS).find(({ body }) =>
        (body.properties.type as unknown as JsonSchema).enum!.includes(event.type),
      )
      expect(known, event.type).toBeDefined()
      // Exactly the fields of the schema.
      expect(toCanonicalJson(decode(known!.body, event))).toBe(toCanonicalJson(event))
      validator(known!.body as TObject, 'answer')(parseJson(toJson(event)))
      seen.add(event.type)
    }
    expect([...seen].sort()).toEqual([
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

  test('shows an event as delivered, and as read by its id', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const [event] = await feedOf(client, 1)
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

  test('is walked by its cursor in both directions, and narrowed by type, object and time', async () => {
    const client = await newPlatform()
    const { usd, eur } = await newCustomer(client)
    for (let index = 1; index <= 6; index++) {
      await fund(client, index % 2 ? usd : eur, index)
      await client.advance(60)
    }
    const all = await feedOf(client, 7)
    const walk = async (query: string) => {
      const found: Event[] = []
      let cursor = ''
      do {
        const { body } = await client.get(`/events?limit=2${query}${cursor && `&cursor=${cursor}`}`)
        found.push(...body.data)
        cursor = body.nextCursor ?? ''
      } while (cursor)
      return found
    }
    expect(await walk('')).toEqual(all)
    expect(await walk('&sortOrder=desc')).toEqual(all.toReversed())
    expect(await walk(`&objectId=${eur}`)).toEqual(all.filter(({ objectId }) => objectId === eur))
    expect(await walk('&type=CUSTOMER.KYC_APPROVED')).toEqual(all.slice(0, 1))
    const [from, to] = [all[2].timestamp, all[4].timestamp]
    expect(await walk(`&startDate=${from}&endDate=${to}`)).toEqual(all.slice(2, 5))
    expect(await walk(`&after=${all[3].id}`)).toEqual(all.slice(4))
    expect(await walk(`&after=${all[3].id}&objectId=${usd}`)).toEqual([all[5]])

    const { nextCursor } = (await client.get('/events?limit=2')).body
    const other = await newPlatform()
    for (const [asked, query] of [
      [client, 'limit=3'],
      [client, 'limit=2&sortOrder=desc'],
      [other, 'limit=2'],
    ] as const)
      expectError(await asked.get(`/events?${query}&cursor=${nextCursor}`), {
        code: 'INVALID_INPUT',
        field: 'cursor',
      })
  })
})
