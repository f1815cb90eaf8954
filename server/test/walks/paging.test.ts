import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { findCredentialId, newCustomer, newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  APPROVAL_ABOVE,
  buildValidBody,
  expectError,
  forEach,
  idsFor,
  newWorld,
  pathWith,
  selectCaller,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS, type JsonSchema } from '../worlds/contract/schemas.testing.ts'
import { newAgent } from '../worlds/records/agents.testing.ts'
import { used } from '../worlds/records/cards.testing.ts'
import {
  beginNewVerification,
  newMandateWithAccount,
  newPendingChange,
} from '../worlds/records/external-accounts.testing.ts'
import {
  account,
  decided as decidePayment,
  decision,
  quoted,
  report,
  to,
  waitingPayment,
} from '../worlds/records/payments.testing.ts'
import { newHeldPull, newOwnAccount } from '../worlds/records/payouts.testing.ts'
import { payInFromListed } from '../worlds/records/screenings.testing.ts'
import { newKey, newMovement } from '../worlds/records/treasury.testing.ts'

const ROWS = 5
let keys = 0

let world: World
/** A world of another platform, whose lists grow while they are read. */
let growing: World
beforeAll(async () => {
  world = await newDecidedWorld()
  growing = await newDecidedWorld()
  await forEach(Array.from({ length: ROWS }), () => addRows(world))
  await forEach(Array.from({ length: ROWS }), () => addRows(growing))
})

/** Creates a world whose transaction is a payment with a decision. */
async function newDecidedWorld(): Promise<World> {
  const created = await newWorld(await newPlatform())
  const { id } = await waitingPayment(created.client)
  await decidePayment(created.client, id, decision('FAILED'))
  return { ...created, ids: { ...created.ids, Transaction: id } }
}

/** Adds a decision about a report that contradicts the decisions before it. */
async function decidePaymentAgain({ client, ids }: World) {
  const { id } = await report(client, 'payment.delivered', ids.Transaction!)
  await decidePayment(client, ids.Transaction!, decision('FAILED', { railEventId: id }))
}

/** Returns a function that creates a record under a new idempotency key. */
function createWith(name: EndpointName) {
  return async ({ client, ids }: World) => {
    const { path } = API[name] as Endpoint
    const key = { 'Idempotency-Key': `row ${++keys}` }
    expect((await client.post(path, buildValidBody(name, ids), key)).status, name).toBe(201)
  }
}

async function addCustomer({ client }: World) {
  const { id, wallet } = await newCustomer(client)
  expect((await client.post('/verifications', { customerId: id })).status).toBe(200)
  const credential = await findCredentialId(client, wallet)
  expect((await client.post(`/auth/credentials/${credential}/challenge`)).status).toBe(200)
}

async function payOne({ client, customer }: World) {
  await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
  await client.advance(0)
}

async function addApproval({ agent, ids }: World) {
  const transfer = buildValidBody('agent_me_transfer_out', ids) as object
  const { status } = await agent.post('/agents/me/transfer-out', { ...transfer, amount: APPROVAL_ABOVE + 1 })
  expect(status).toBe(201)
}

async function decideVerification({ client, ids }: World) {
  const body = buildValidBody('verification_decide', ids)
  expect((await client.post(`/verifications/${ids.Verification}/decision`, body)).status).toBe(200)
}

/** Adds a row to a list, by its path. */
const ROW_CREATORS: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  '/customers': addCustomer,
  '/customers/internal-accounts': addCustomer,
  '/verifications': addCustomer,
  '/sandbox/inbox': addCustomer,
  '/customers/external-accounts': createWith('customer_external_account_create'),
  '/agents/me/external-accounts': createWith('customer_external_account_create'),
  '/platform/external-accounts': createWith('platform_external_account_create'),
  '/tokens': createWith('token_create'),
  '/cards': createWith('card_create'),
  '/cards/{id}/transactions': ({ client, ids }) => used(client, ids.Card!, 1),
  '/documents': createWith('document_create'),
  '/beneficial-owners': createWith('beneficial_owner_create'),
  '/verifications/{verificationId}/decisions': decideVerification,
  '/stablecoin-provider-accounts': createWith('stablecoin_account_link'),
  '/transactions': payOne,
  '/transactions/{transactionId}/decisions': decidePaymentAgain,
  '/platform/fees': payOne,
  '/quotes': createWith('quote_create'),
  '/members': createWith('member_invite'),
  '/member-roles': createWith('member_role_create'),
  '/approvals': addApproval,
  '/payouts/batches': createWith('payout_batch_create'),
  '/platform/own-accounts': newOwnAccount,
  '/platform/withdrawals': createWith('platform_withdrawal_create'),
  '/platform/treasury-movements': newMovement,
  '/platform/treasury-keys': newKey,
  '/payment-schedules': createWith('payment_schedule_create'),
  '/deposits': createWith('sandbox_deposit'),
  '/screenings': ({ client }) => payInFromListed(client),
  '/account-verifications': ({ client, ids }) => beginNewVerification(client, ids.Customer),
  '/account-changes': ({ client }) => newPendingChange(client),
  '/mandates': ({ client, ids }) => newMandateWithAccount(client, ids),
  '/funds-holds': ({ client }) => newHeldPull(client),
  '/rail-events': createWith('sandbox_rail_event'),
  '/ledger/transfers': payOne,
  '/agents': ({ client, customer }) => newAgent(client, customer.id),
  '/agents/approvals': addApproval,
  '/agents/{agentId}/decisions': addApproval,
  '/agents/me/actions': addApproval,
  '/agents/me/transactions': addApproval,
  // This list has one row per currency, so no call adds one.
  '/agents/me/internal-accounts': addCustomer,
}

/** Adds a row to every list. */
async function addRows(world: World) {
  await Promise.all([...new Set(Object.values(ROW_CREATORS))].map((add) => add(world)))
}

const PAGED = ENDPOINTS.filter(
  ([, { method, query }]) => method === 'GET' && (query as JsonSchema | undefined)?.properties?.cursor,
)
/**
 * Lists with separate tests.
 * - Other order: the event feed (`webhooks-feed.test.ts`), ledger accounts
 *   (`ledger-books.test.ts`), client-money reports (`client-money.test.ts`), events that an endpoint missed (`webhook-endpoints.test.ts`).
 * - Records made elsewhere: providers (`uma-providers.test.ts`), checkpoints (`proofs/verify.test.ts`),
 *   statements, which a sandbox does not have (`reconciliations.test.ts`, `matches.test.ts`), payments of a schedule
 *   (`payment-schedules.test.ts`).
 * - Changed by these tests: the audit trail and the requests (`audit.test.ts`).
 * - Fixed: lines of a batch (`payout-batches.test.ts`).
 */
const LISTS_TESTED_ELSEWHERE = [
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
const LISTS = PAGED.filter(([, { path }]) => !LISTS_TESTED_ELSEWHERE.includes(path)).map(
  ([, endpoint]) => [endpoint.path, endpoint] as const,
)

/** Required query parameters of a list. */
const REQUIRED_PARAMETERS: Readonly<Record<string, (ids: World['ids']) => string>> = {
  '/beneficial-owners': ({ Business }) => `customerId=${Business}`,
  '/ledger/transfers': ({ InternalAccount }) => `accountId=${InternalAccount}`,
}

/** Returns the path of a list in a world, and a function that reads it. */
function openList(endpoint: Endpoint, world: World) {
  const ids = idsFor(endpoint, world)
  const path = pathWith(endpoint, (kind) => ids[kind]!)
  const caller = selectCaller(endpoint, world)
  const required = REQUIRED_PARAMETERS[endpoint.path]?.(ids)
  const addRequired = (query: string) =>
    required ? `${query}${query.includes('?') ? '&' : '?'}${required}` : query
  return { path, get: (query: string) => caller.send('GET', addRequired(query)) }
}

type Get = ReturnType<typeof openList>['get']

/** False for a customer's accounts: it has one per currency, and no call adds one. */
const canGrow = ({ path }: Endpoint) => path !== '/agents/me/internal-accounts'

interface Row {
  readonly id: string
  readonly createdAt?: string
}

/** Adds the id to a pending approval, which has the id of its record as `objectId`. */
function withId(row: Row & { readonly objectId?: string }): Row {
  return { ...row, id: row.id ?? row.objectId }
}

/** Reads every row of a list, page by page, and calls `afterPage` between two pages. */
async function readPages(get: Get, query: string, afterPage: () => Promise<void> = async () => {}) {
  const rows: Row[] = []
  const totals: (number | undefined)[] = []
  let cursor: string | undefined
  do {
    const { status, body } = await get(query + (cursor ? `&cursor=${cursor}` : ''))
    expect(status).toBe(200)
    rows.push(...body.data.map(withId))
    totals.push(body.totalCount)
    expect(body.hasMore).toBe(body.nextCursor !== undefined)
    cursor = body.nextCursor
    if (cursor) await afterPage()
  } while (cursor)
  return { rows, totals, ids: rows.map(({ id }) => id) }
}

describe.each(LISTS)('%s', (listPath, endpoint) => {
  const nth = LISTS.findIndex(([path]) => path === listPath)

  test('returns every row once for any page size, newest first, with the total count on every page', async () => {
    const { path, get } = openList(endpoint, world)
    const fullList = (await get(`${path}?limit=100`)).body
    const ids = fullList.data.map(withId).map(({ id }: Row) => id)
    expect(ids.length).toBeGreaterThanOrEqual(canGrow(endpoint) ? ROWS : 3)
    expect(fullList).toMatchObject({ hasMore: false, totalCount: ids.length })
    for (const limit of [ids.length > 20 ? 7 : 1, 4, ids.length - 1, ids.length]) {
      const pages = await readPages(get, `${path}?limit=${limit}`)
      expect(pages.ids, `limit ${limit}`).toEqual(ids)
      expect(new Set(pages.totals), `limit ${limit}`).toEqual(new Set([ids.length]))
    }
    const times = fullList.data.map(({ createdAt }: Row) => createdAt)
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('returns every existing row once while rows are added', async () => {
    const { path, get } = openList(endpoint, growing)
    const before = (await readPages(get, `${path}?limit=100`)).ids
    const limit = Math.min(100, Math.ceil(before.length / 3))
    let added = 0
    const pages = await readPages(get, `${path}?limit=${limit}`, async () => {
      added += 1
      await ROW_CREATORS[endpoint.path]!(growing)
    })
    expect(pages.ids).toEqual(before)
    expect(added).toBeGreaterThan(1)
  })

  test('returns twenty rows if no limit is given', async () => {
    expect((endpoint.query as unknown as JsonSchema).properties?.limit).toMatchObject({ default: 20 })
    const { path, get } = openList(endpoint, world)
    const { body } = await get(path)
    expect(body.data.length).toBe(Math.min(20, body.totalCount))
    if (path === '/customers/internal-accounts') expect(body.totalCount).toBeGreaterThan(20)
  })

  test('refuses a cursor that has a changed character, is cut short or is made up', async () => {
    const { path, get } = openList(endpoint, world)
    const cursor: string = (await get(`${path}?limit=2`)).body.nextCursor
    // Tests one twelfth with each list, because all lists share the code that reads cursors
    // (`paging.test.ts` of `kernel/operation`).
    const isInShare = (_: unknown, at: number) => at % 12 === nth % 12
    const changed = [...cursor]
      .map((c, at) => cursor.slice(0, at) + (c === 'A' ? 'B' : 'A') + cursor.slice(at + 1))
      .filter(isInShare)
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
    const malformed = [...cut, ...odd, ...unreadable].filter((_, at) => at % 5 === nth % 5)
    await forEach([...changed, ...malformed], async (badCursor) => {
      const reply = await get(`${path}?limit=2&cursor=${badCursor}`)
      expectError(reply, { code: 'INVALID_INPUT', field: 'cursor', what: badCursor })
    })
    expect((await get(`${path}?limit=2&cursor=${cursor}`)).status).toBe(200)
  })

  test('refuses a cursor of another query, another list or another platform', async () => {
    const { path, get } = openList(endpoint, world)
    const otherPlatform = openList(endpoint, growing)
    const { nextCursor } = (await get(`${path}?limit=1`)).body
    const otherLists = [1, 2].map((step) => openList(LISTS[(nth + step) % LISTS.length]![1], world))
    const replies: Reply[] = await Promise.all([
      get(`${path}?limit=2&cursor=${nextCursor}`),
      get(`${path}?cursor=${nextCursor}`),
      ...otherLists.map((list) => list.get(`${list.path}?limit=1&cursor=${nextCursor}`)),
      otherPlatform.get(`${otherPlatform.path}?limit=1&cursor=${nextCursor}`),
    ])
    for (const reply of replies) expectError(reply, { code: 'INVALID_INPUT', field: 'cursor' })
  })
})

describe('the list of transactions', () => {
  test('has two sort orders, and one is the reverse of the other', { tags: 'smoke' }, async () => {
    const { client } = world
    const newest = await readPages(client.get, '/transactions?limit=4&sortOrder=desc')
    const oldest = await readPages(client.get, '/transactions?limit=4&sortOrder=asc')
    expect(oldest.ids).toEqual(newest.ids.toReversed())
    expect(newest.ids.length).toBeGreaterThan(ROWS)
    const times = oldest.rows.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted())
  })

  test('includes rows that are added meanwhile if it is read from the oldest on', async () => {
    const addTransactions = () =>
      Promise.all([payOne, addApproval, createWith('quote_create')].map((addRow) => addRow(growing)))
    const { get } = growing.client
    const before = (await readPages(get, '/transactions?limit=100&sortOrder=asc')).ids
    let added = 0
    const pages = await readPages(get, '/transactions?limit=7&sortOrder=asc', async () => {
      if (added++ < 2) await addTransactions()
    })
    expect(new Set(pages.ids).size).toBe(pages.ids.length)
    expect(pages.ids.slice(0, before.length)).toEqual(before)
    // Each of the two calls adds two payments and a quote.
    expect(pages.ids).toHaveLength(before.length + 6)
  })

  test('refuses a cursor of the other sort order, but accepts it with the default order stated', async () => {
    const { client } = world
    const cursor = (await client.get('/transactions?limit=2&sortOrder=desc')).body.nextCursor
    const reversed = await client.get(`/transactions?limit=2&sortOrder=asc&cursor=${cursor}`)
    expectError(reversed, { code: 'INVALID_INPUT', field: 'cursor' })
    expect((await client.get(`/transactions?limit=2&cursor=${cursor}`)).status).toBe(200)
    expect((await client.get(`/transactions?cursor=${cursor}&sortOrder=desc&limit=2`)).status).toBe(200)
  })

  test('includes both bounds of a time range', async () => {
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
