import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { credentialOf, newCustomer, newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  callerOf,
  expectError,
  forEach,
  idsFor,
  newWorld,
  pathWith,
  validBody,
  WAITS_ABOVE,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { pendingChange } from '../worlds/records/account-changes.testing.ts'
import { begunVerification } from '../worlds/records/account-verifications.testing.ts'
import { newAgent } from '../worlds/records/agents.testing.ts'
import { used } from '../worlds/records/cards.testing.ts'
import { mandateOfNew } from '../worlds/records/mandates.testing.ts'
import {
  account,
  decided as decidedPayment,
  decision,
  quoted,
  report,
  to,
  waitingPayment,
} from '../worlds/records/payments.testing.ts'
import { heldPull, newOwnAccount } from '../worlds/records/payouts.testing.ts'
import { paidInByListed } from '../worlds/records/screenings.testing.ts'
import { newKey, newMovement } from '../worlds/records/treasury.testing.ts'

const ROWS = 5
let keys = 0

let world: World
/** Another platform's, whose lists grow as they are read. */
let growing: World
beforeAll(async () => {
  world = await newDecidedWorld()
  growing = await newDecidedWorld()
  await forEach(Array.from({ length: ROWS }), () => addRows(world))
  await forEach(Array.from({ length: ROWS }), () => addRows(growing))
})

/** A world whose transaction is a payment that was decided. */
async function newDecidedWorld(): Promise<World> {
  const found = await newWorld(await newPlatform())
  const { id } = await waitingPayment(found.client)
  await decidedPayment(found.client, id, decision('FAILED'))
  return { ...found, ids: { ...found.ids, Transaction: id } }
}

/** Each further decision is about a report that contradicts the ones before. */
async function decidedAgain({ client, ids }: World) {
  const { id } = await report(client, 'payment.delivered', ids.Transaction!)
  await decidedPayment(client, ids.Transaction!, decision('FAILED', { railEventId: id }))
}

/** A call that creates a record, under its own key. */
function createOne(name: EndpointName) {
  return async ({ client, ids }: World) => {
    const { path } = API[name] as Endpoint
    const key = { 'Idempotency-Key': `row ${++keys}` }
    expect((await client.post(path, validBody(name, ids), key)).status, name).toBe(201)
  }
}

async function newPerson({ client }: World) {
  const { id, wallet } = await newCustomer(client)
  expect((await client.post('/verifications', { customerId: id })).status).toBe(200)
  const credential = await credentialOf(client, wallet)
  expect((await client.post(`/auth/credentials/${credential}/challenge`)).status).toBe(200)
}

async function payOne({ client, customer }: World) {
  await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
  await client.advance(0)
}

async function waits({ agent, ids }: World) {
  const transfer = validBody('agent_me_transfer_out', ids) as object
  const { status } = await agent.post('/agents/me/transfer-out', { ...transfer, amount: WAITS_ABOVE + 1 })
  expect(status).toBe(201)
}

async function decided({ client, ids }: World) {
  const body = validBody('verification_decide', ids)
  expect((await client.post(`/verifications/${ids.Verification}/decision`, body)).status).toBe(200)
}

/** The call that adds a row to each list. */
const ROW_OF: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  '/customers': newPerson,
  '/customers/internal-accounts': newPerson,
  '/verifications': newPerson,
  '/sandbox/inbox': newPerson,
  '/customers/external-accounts': createOne('customer_external_account_create'),
  '/agents/me/external-accounts': createOne('customer_external_account_create'),
  '/platform/external-accounts': createOne('platform_external_account_create'),
  '/tokens': createOne('token_create'),
  '/cards': createOne('card_create'),
  '/cards/{id}/transactions': ({ client, ids }) => used(client, ids.Card!, 1),
  '/documents': createOne('document_create'),
  '/beneficial-owners': createOne('beneficial_owner_create'),
  '/verifications/{verificationId}/decisions': decided,
  '/stablecoin-provider-accounts': createOne('stablecoin_account_link'),
  '/transactions': payOne,
  '/transactions/{transactionId}/decisions': decidedAgain,
  '/platform/fees': payOne,
  '/quotes': createOne('quote_create'),
  '/members': createOne('member_invite'),
  '/member-roles': createOne('member_role_create'),
  '/approvals': waits,
  '/payouts/batches': createOne('payout_batch_create'),
  '/platform/own-accounts': newOwnAccount,
  '/platform/withdrawals': createOne('platform_withdrawal_create'),
  '/platform/treasury-movements': newMovement,
  '/platform/treasury-keys': newKey,
  '/payment-schedules': createOne('payment_schedule_create'),
  '/deposits': createOne('sandbox_deposit'),
  '/screenings': ({ client }) => paidInByListed(client),
  '/account-verifications': ({ client, ids }) => begunVerification(client, ids.Customer),
  '/account-changes': ({ client }) => pendingChange(client),
  '/mandates': ({ client, ids }) => mandateOfNew(client, ids),
  '/funds-holds': ({ client }) => heldPull(client),
  '/rail-events': createOne('sandbox_rail_event'),
  '/ledger/transfers': payOne,
  '/agents': ({ client, customer }) => newAgent(client, customer.id),
  '/agents/approvals': waits,
  '/agents/{agentId}/decisions': waits,
  '/agents/me/actions': waits,
  '/agents/me/transactions': waits,
  // One per currency: nothing adds one.
  '/agents/me/internal-accounts': newPerson,
}

/** One more row for every list. */
async function addRows(world: World) {
  await Promise.all([...new Set(Object.values(ROW_OF))].map((add) => add(world)))
}

const PAGED = ENDPOINTS.filter(
  ([, { method, query }]) => method === 'GET' && (query as JsonSchema | undefined)?.properties?.cursor,
)
/**
 * Lists with separate tests.
 * - Other order: the feed of events (`webhooks-feed.test.ts`), accounts of the ledger
 *   (`ledger-books.test.ts`), client-money reports (`client-money.test.ts`), events that an endpoint has not received (`webhook-endpoints.test.ts`).
 * - Records made elsewhere: providers (`uma-providers.test.ts`), checkpoints (`proofs/verify.test.ts`),
 *   statements, which a sandbox does not have (`reconciliations.test.ts`, `matches.test.ts`), payments of a schedule
 *   (`payment-schedules.test.ts`).
 * - Changed by these tests themselves: the audit trail and the requests (`audit.test.ts`).
 * - Fixed: lines of a batch (`payout-batches.test.ts`).
 */
const OTHERS = [
  '/events',
  '/uma-providers',
  '/ledger/accounts',
  '/ledger/checkpoints',
  '/client-money-reports',
  '/reconciliations',
  '/reconciliation-matches',
  '/audit-events',
  '/requests',
  '/webhook-endpoints/{webhookEndpointId}/failures',
  '/payouts/batches/{payoutBatchId}/lines',
  '/payment-schedules/{paymentScheduleId}/occurrences',
]
const LISTS = PAGED.filter(([, { path }]) => !OTHERS.includes(path)).map(
  ([, endpoint]) => [endpoint.path, endpoint] as const,
)

/** Required query parameters of a list. */
const NEEDED: Readonly<Record<string, (ids: World['ids']) => string>> = {
  '/beneficial-owners': ({ Business }) => `customerId=${Business}`,
  '/ledger/transfers': ({ InternalAccount }) => `accountId=${InternalAccount}`,
}

/** A list with its caller and path in a world. */
function listOf(endpoint: Endpoint, world: World) {
  const ids = idsFor(endpoint, world)
  const path = pathWith(endpoint, (kind) => ids[kind]!)
  const caller = callerOf(endpoint, world)
  const needed = NEEDED[endpoint.path]?.(ids)
  const whole = (query: string) => (needed ? `${query}${query.includes('?') ? '&' : '?'}${needed}` : query)
  return { path, get: (query: string) => caller.send('GET', whole(query)) }
}

type Get = ReturnType<typeof listOf>['get']

/** The accounts of one customer are as many as its currencies; all other lists grow. */
const grows = ({ path }: Endpoint) => path !== '/agents/me/internal-accounts'

interface Row {
  readonly id: string
  readonly createdAt?: string
}

/** A row with its id; pending approvals have the id of the record. */
function identified(row: Row & { readonly objectId?: string }): Row {
  return { ...row, id: row.id ?? row.objectId }
}

/** Every row of a list, page by page; `between` is done after each page. */
async function walk(get: Get, query: string, between: () => Promise<void> = async () => {}) {
  const rows: Row[] = []
  const totals: (number | undefined)[] = []
  let cursor: string | undefined
  do {
    const { status, body } = await get(query + (cursor ? `&cursor=${cursor}` : ''))
    expect(status).toBe(200)
    rows.push(...body.data.map(identified))
    totals.push(body.totalCount)
    expect(body.hasMore).toBe(body.nextCursor !== undefined)
    cursor = body.nextCursor
    if (cursor) await between()
  } while (cursor)
  return { rows, totals, ids: rows.map(({ id }) => id) }
}

describe.each(LISTS)('%s', (listPath, endpoint) => {
  const nth = LISTS.findIndex(([one]) => one === listPath)

  test('gives every row once, whatever the page size, newest first, with the total count on every page', async () => {
    const { path, get } = listOf(endpoint, world)
    const all = (await get(`${path}?limit=100`)).body
    const ids = all.data.map(identified).map(({ id }: Row) => id)
    expect(ids.length).toBeGreaterThanOrEqual(grows(endpoint) ? ROWS : 3)
    expect(all).toMatchObject({ hasMore: false, totalCount: ids.length })
    for (const limit of [ids.length > 20 ? 7 : 1, 4, ids.length - 1, ids.length]) {
      const walked = await walk(get, `${path}?limit=${limit}`)
      expect(walked.ids, `limit ${limit}`).toEqual(ids)
      expect(new Set(walked.totals), `limit ${limit}`).toEqual(new Set([ids.length]))
    }
    const times = all.data.map(({ createdAt }: Row) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('gives every existing row once while rows are added', async () => {
    const { path, get } = listOf(endpoint, growing)
    const before = (await walk(get, `${path}?limit=100`)).ids
    const limit = Math.min(100, Math.ceil(before.length / 3))
    let added = 0
    const walked = await walk(get, `${path}?limit=${limit}`, async () => {
      added += 1
      await ROW_OF[endpoint.path]!(growing)
    })
    expect(walked.ids).toEqual(before)
    expect(added).toBeGreaterThan(1)
  })

  test('without a limit gives twenty', async () => {
    expect((endpoint.query as unknown as JsonSchema).properties?.limit).toMatchObject({ default: 20 })
    const { path, get } = listOf(endpoint, world)
    const { body } = await get(path)
    expect(body.data.length).toBe(Math.min(20, body.totalCount))
    if (path === '/customers/internal-accounts') expect(body.totalCount).toBeGreaterThan(20)
  })

  test('refuses a cursor that was changed in any one character, cut or made up', async () => {
    const { path, get } = listOf(endpoint, world)
    const cursor: string = (await get(`${path}?limit=2`)).body.nextCursor
    // Some with each list: one piece of code reads the cursors of all (`paging.test.ts` of `kernel/operation`).
    const isTurn = (_: unknown, at: number) => at % 12 === nth % 12
    const changed = [...cursor]
      .map((c, at) => cursor.slice(0, at) + (c === 'A' ? 'B' : 'A') + cursor.slice(at + 1))
      .filter(isTurn)
    const cut = [1, 8, 20, 21, 22, 24].map((length) => cursor.slice(0, length))
    const odd = [
      '',
      'x',
      'null',
      '0',
      '-1',
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor + cursor,
    ]
    const unreadable = ['a%00b', '%F0%9F%92%A5', `${cursor}%0A`, `${cursor}&cursor=${cursor}`]
    const some = [...cut, ...odd, ...unreadable].filter((_, at) => at % 5 === nth % 5)
    await forEach([...changed, ...some], async (one) => {
      const reply = await get(`${path}?limit=2&cursor=${one}`)
      expectError(reply, { code: 'INVALID_INPUT', field: 'cursor', what: one })
    })
    expect((await get(`${path}?limit=2&cursor=${cursor}`)).status).toBe(200)
  })

  test('refuses a cursor of another query, another list or another platform', async () => {
    const { path, get } = listOf(endpoint, world)
    const other = listOf(endpoint, growing)
    const { nextCursor } = (await get(`${path}?limit=1`)).body
    const elsewhere = [1, 2].map((step) => listOf(LISTS[(nth + step) % LISTS.length]![1], world))
    const refused: Reply[] = await Promise.all([
      get(`${path}?limit=2&cursor=${nextCursor}`),
      get(`${path}?cursor=${nextCursor}`),
      ...elsewhere.map((list) => list.get(`${list.path}?limit=1&cursor=${nextCursor}`)),
      other.get(`${other.path}?limit=1&cursor=${nextCursor}`),
    ])
    for (const reply of refused) expectError(reply, { code: 'INVALID_INPUT', field: 'cursor' })
  })
})

describe('transactions', () => {
  test('are walked in both orders, one the reverse of the other', { tags: 'smoke' }, async () => {
    const { client } = world
    const newest = await walk(client.get, '/transactions?limit=4&sortOrder=desc')
    const oldest = await walk(client.get, '/transactions?limit=4&sortOrder=asc')
    expect(oldest.ids).toEqual(newest.ids.toReversed())
    expect(newest.ids.length).toBeGreaterThan(ROWS)
    const times = oldest.rows.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted())
  })

  test('from the oldest on include rows added in the meantime', async () => {
    const add = () => Promise.all([payOne, waits, createOne('quote_create')].map((row) => row(growing)))
    const { get } = growing.client
    const before = (await walk(get, '/transactions?limit=100&sortOrder=asc')).ids
    let added = 0
    const walked = await walk(get, '/transactions?limit=7&sortOrder=asc', async () => {
      if (added++ < 2) await add()
    })
    expect(new Set(walked.ids).size).toBe(walked.ids.length)
    expect(walked.ids.slice(0, before.length)).toEqual(before)
    // Two payments and a quote each time.
    expect(walked.ids).toHaveLength(before.length + 6)
  })

  test('a cursor belongs to one order, and stating the default changes nothing', async () => {
    const { client } = world
    const cursor = (await client.get('/transactions?limit=2&sortOrder=desc')).body.nextCursor
    const turned = await client.get(`/transactions?limit=2&sortOrder=asc&cursor=${cursor}`)
    expectError(turned, { code: 'INVALID_INPUT', field: 'cursor' })
    expect((await client.get(`/transactions?limit=2&cursor=${cursor}`)).status).toBe(200)
    expect((await client.get(`/transactions?cursor=${cursor}&sortOrder=desc&limit=2`)).status).toBe(200)
  })

  test('between two times include both bounds', async () => {
    const { client } = world
    const { data } = (await client.get('/transactions?limit=100&sortOrder=asc')).body
    const [first, last] = [data[0].createdAt, data.at(-1).createdAt]
    const count = async (query: string) =>
      (await client.get(`/transactions?limit=100&${query}`)).body.totalCount
    expect(await count(`startDate=${first}&endDate=${last}`)).toBe(data.length)
    expect(await count(`endDate=${first}`)).toBe(data.filter((row: Row) => row.createdAt === first).length)
    expect(await count(`startDate=${last}`)).toBe(data.filter((row: Row) => row.createdAt === last).length)
    expect(await count(`startDate=${last}&endDate=${first}`)).toBe(first === last ? data.length : 0)
  })
})
