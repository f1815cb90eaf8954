import type { EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  buildValidBody,
  expectError,
  forEach,
  idsFor,
  newWorld,
  pathWith,
  selectCaller,
  stateOf,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { RECORD_PREPARATIONS } from '../worlds/contract/examples.testing.ts'
import { ENDPOINTS } from '../worlds/contract/schemas.testing.ts'
import { newAgent } from '../worlds/records/agents.testing.ts'
import { clear, used } from '../worlds/records/cards.testing.ts'
import { waitingPayment } from '../worlds/records/payments.testing.ts'
import { checked, newHeldPull, sendLines, usAccount } from '../worlds/records/payouts.testing.ts'
import { newScreening } from '../worlds/records/screenings.testing.ts'
import { Receiver } from '../worlds/simulators/webhook-receiver.testing.ts'

let world: World
/** The first call to each endpoint, under one of the keys. */
const stored = new Map<EndpointName, { call: FreshCall; key: string; first: Reply }>()
beforeAll(async () => {
  world = await newWorld(await newPlatform())
  // With lenient input, an unknown field turns any body into a different valid one.
  await world.client.send('PATCH', '/config', { lenientInput: true })
  for (const [nth, [name]] of IDEMPOTENT.entries()) {
    const call = await buildFreshCall(name, world)
    const key = KEYS[nth % KEYS.length]!
    stored.set(name, { call, key, first: await sendUnder(key, call) })
  }
})

let keys = 0
const newKey = () => `key ${++keys}`
const withKey = (key: string) => ({ 'Idempotency-Key': key })

const DAY_SECONDS = 24 * 3600
/** Calls that need bank statements, which a sandbox does not have: `matches.test.ts` tests their keys. */
const NOT_IN_SANDBOX: readonly EndpointName[] = ['reconciliation_match_create', 'reconciliation_match_undo']
const IDEMPOTENT = ENDPOINTS.filter(([name, { idempotent }]) => idempotent && !NOT_IN_SANDBOX.includes(name))

/** Calls that change the clock or records that other calls need, so they run one at a time. */
const SEQUENTIAL_CALLS = /^treasury_key_|^card_freeze|^sandbox_treasury_return$/

const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true'

/** Creates the records that a call needs, and returns their ids. */
const PREPARATIONS: Partial<Record<EndpointName, (world: World) => Promise<Partial<World['ids']>>>> = {
  quote_execute: ({ client, ids }) => newQuote(client, buildValidBody('quote_create', ids)),
  agent_me_quote_execute: ({ agent, ids }) =>
    newQuote(agent, buildValidBody('agent_me_quote_create', ids), '/agents/me/quotes'),
  sandbox_send: ({ client, ids }) =>
    newQuote(client, {
      ...(buildValidBody('quote_create', ids) as object),
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
    }),
  transaction_decide: async ({ client }) => ({ Transaction: (await waitingPayment(client)).id }),
  deposit_assign: newDeposit,
  deposit_return: newDeposit,
  deposit_split: newDeposit,
  deposit_write_off: newDeposit,
  payout_batch_execute: newPayoutBatch,
  payout_batch_cancel: newPayoutBatch,
  ...RECORD_PREPARATIONS,
  card_freeze_lift: async ({ client, ids }) => {
    await client.post(`/cards/${ids.Card}/freeze`, { reason: 'The phone was stolen' })
    return {}
  },
  funds_hold_lift: async ({ client }) => ({ FundsHold: await newHeldPull(client) }),
  screening_release: newScreening,
  screening_reject: newScreening,
  invitation_claim: newInvitation,
  invitation_cancel: newInvitation,
  // A customer whose verification is pending.
  kyc_link_create: async ({ client }) => {
    const { body } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' })
    return { Customer: body.id as string }
  },
  event_redeliver: openReceiver,
  event_replay: openReceiver,
  sandbox_card_clearing: newPurchase,
  // A return is refused while money is being pulled for its purchase, so the money is pulled first.
  sandbox_card_return: async (world) => {
    const prepared = await newPurchase(world)
    await clear(world.client, { id: prepared.CardTransaction, cardId: world.ids.Card! }, 500)
    await world.client.advance(0)
    return prepared
  },
}

const receiversByClient = new WeakMap<Client, Promise<unknown>>()
const closeCallbacks: (() => void)[] = []
afterAll(() => {
  for (const close of closeCallbacks) close()
})

/** Opens a webhook receiver once per platform, and completes deliveries in progress. */
async function openReceiver({ client }: World) {
  const receiver = receiversByClient.get(client) ?? Receiver.of(client, (close) => closeCallbacks.push(close))
  receiversByClient.set(client, receiver)
  await receiver
  await client.advance(0)
  return {}
}

async function newQuote(caller: Pick<Client, 'post'>, body: unknown, path = '/quotes') {
  return { Quote: (await caller.post(path, body)).body.id as string }
}

async function newDeposit({ client, ids }: World) {
  const { body } = await client.post('/sandbox/deposits', buildValidBody('sandbox_deposit', ids))
  return { Deposit: body.id as string }
}

/** Creates a checked batch with one payout of 1.00 USD. */
async function newPayoutBatch({ client }: World) {
  const { data } = (await client.get('/platform/internal-accounts?currency=USD')).body
  await fund(client, data[0].id, 100)
  const line = { accountInfo: usAccount('777000789'), currency: 'USD', amount: 100 }
  const { id } = await sendLines(client, [line])
  await checked(client, id)
  return { PayoutBatch: String(id) }
}

/** Creates an invitation from a customer other than the one who claims it. */
async function newInvitation({ client }: World) {
  const { id } = await newCustomer(client)
  const { umaAddress } = (await client.get(`/customers/${id}`)).body
  const { body } = await client.post('/invitations', { inviterUma: umaAddress })
  return { InvitationCode: body.code as string }
}

async function newPurchase({ client, ids }: World) {
  return { CardTransaction: (await used(client, ids.Card!, 1000)).id as string }
}

type FreshCall = Awaited<ReturnType<typeof buildFreshCall>>

function sendUnder(
  key: string,
  { caller, method, path, body }: Omit<FreshCall, 'body'> & { readonly body: unknown },
): Promise<Reply> {
  return caller.send(method, path, body, withKey(key))
}

/** Builds a call that has an effect each time it is executed. */
async function buildFreshCall(name: EndpointName, world: World) {
  const endpoint = ENDPOINTS.find(([endpointName]) => endpointName === name)![1]
  const prepared = await PREPARATIONS[name]?.(world)
  const ids = { ...idsFor(endpoint, world), ...prepared }
  const path = pathWith(endpoint, (kind) => ids[kind]!)
  const caller = selectCaller(endpoint, world)
  // Replaying the events of all other calls would take a minute.
  const body = name === 'event_replay' ? { startDate: new Date().toISOString() } : buildValidBody(name, ids)
  return { caller, method: endpoint.method, path, body }
}

const COUNTED_LISTS = ['/customers', '/customers/external-accounts', '/transactions', '/documents'] as const

async function countRows(client: Client): Promise<Record<string, number>> {
  const count = async (list: string) => [list, (await client.get(`${list}?limit=1`)).body.totalCount]
  return Object.fromEntries(await Promise.all(COUNTED_LISTS.map(count)))
}

/** The number of rows that a call adds, if it is not one. */
const ROWS_ADDED = new Map(Object.entries({ sandbox_example_bank: 6, account_verification_create: 2 }))

/** The list that a call adds rows to. */
const EXTENDED_LISTS: Partial<Record<EndpointName, (typeof COUNTED_LISTS)[number]>> = {
  customer_create: '/customers',
  customer_external_account_create: '/customers/external-accounts',
  agent_me_external_account_create: '/customers/external-accounts',
  document_create: '/documents',
  quote_create: '/transactions',
  agent_me_quote_create: '/transactions',
  deposit_assign: '/transactions',
  payout_batch_execute: '/transactions',
  platform_withdrawal_create: '/transactions',
  platform_withdrawal_approve: '/transactions',
  account_verification_create: '/transactions',
  transfer_in: '/transactions',
  transfer_out: '/transactions',
  agent_me_transfer_in: '/transactions',
  agent_me_transfer_out: '/transactions',
  sandbox_uma_receive: '/transactions',
  sandbox_example_bank: '/transactions',
}

/** Calls that succeed only once for the same record. */
const HAPPENS_ONCE =
  /quote_execute$|^transaction_decide$|^invitation_(claim|cancel)$|^deposit_(assign|return|split|write_off)$|^payout_batch_(execute|cancel)$|^payment_schedule_(approve|pause|resume|cancel)$|^own_account_|^(platform_withdrawal|treasury_movement|treasury_key)_(approve|cancel)$|^screening_(release|reject)$|^funds_hold_lift$|^card_freeze_lift$|^account_change_(apply|dismiss)$|^account_verification_confirm$|^mandate_(create|cancel)$/

const readState = async ({ client, agent }: World) => toJson(await stateOf(client, agent))

const KEYS = ['a', 'a'.repeat(255), '~!@#$%^&*(){}[]|:;"<>,.?/ 0', "' OR 1=1 --"]

/** Returns the success status other than the 202 of a signature request. */
function findSuccessStatus({ responses, signed }: Endpoint): number {
  return Object.keys(responses)
    .map(Number)
    .find((status) => status !== 202 || !signed)!
}

describe('after the first call under a key,', () => {
  let before: string
  beforeAll(async () => {
    // The jobs of the first calls run before the comparison.
    await world.client.advance(0)
    before = await readState(world)
  })
  // If a later call changed something, run with `-t` and an endpoint's name to find it.
  afterAll(async () => expect(await readState(world)).toBe(before))

  describe.each(IDEMPOTENT)('%s', (name, endpoint) => {
    const hasBody = endpoint.body !== undefined

    test('replays the stored response for the same key and body, without another effect', async () => {
      const { call, key, first } = stored.get(name)!
      const { caller, method, path, body } = call
      expect(first.status, toJson(first.body)).toBe(findSuccessStatus(endpoint))
      expect(isReplay(first)).toBe(false)
      const respelled = path.replaceAll(':', '%3A')
      const reordered = body && toJson(Object.fromEntries(Object.entries(body).reverse()))
      for (const [repeatedPath, repeatedBody] of [
        [path, body],
        [path, body],
        [respelled, body],
        [path, reordered],
      ] as const) {
        const reply = await caller.send(method, repeatedPath, repeatedBody, withKey(key))
        expect([reply.status, toJson(reply.body)]).toEqual([first.status, toJson(first.body)])
        expect(isReplay(reply)).toBe(true)
        expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'))
      }
    })

    test.runIf(hasBody)('returns 409 for the same key with another body', async () => {
      const { call, key } = stored.get(name)!
      for (const more of [1, 9007199254740993n]) {
        const body = { ...(call.body as object), more }
        expectError(await sendUnder(key, { ...call, body }), { code: 'IDEMPOTENCY_KEY_REUSED' })
      }
    })

    test('accepts only keys of 1 to 255 printable ASCII characters', async () => {
      const { call, key, first } = stored.get(name)!
      for (const bad of ['', 'a'.repeat(256), 'ä', '\u00a0', 'tab\tbed'])
        expectError(await sendUnder(bad, call), {
          code: 'INVALID_INPUT',
          field: 'Idempotency-Key',
          what: bad,
        })
      expect([first.status, isReplay(first)], key).toEqual([findSuccessStatus(endpoint), false])
      const again = await sendUnder(key, call)
      expect([again.status, isReplay(again)], key).toEqual([findSuccessStatus(endpoint), true])
    })
  })
})

test.each(IDEMPOTENT)(
  '%s has one effect and one response if it is sent fifty times in parallel under one key',
  async (name, endpoint) => {
    const call = await buildFreshCall(name, world)
    const before = await countRows(world.client)
    const key = newKey()
    const replies = await Promise.all(Array.from({ length: 50 }, () => sendUnder(key, call)))
    expect(new Set(replies.map((reply) => `${reply.status} ${toJson(reply.body)}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(findSuccessStatus(endpoint))
    expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1)
    // A payout batch is paid after its response.
    await world.client.advance(0)
    const counts = await countRows(world.client)
    const [list, added] = [EXTENDED_LISTS[name], ROWS_ADDED.get(name) ?? 1]
    expect(counts).toEqual({ ...before, ...(list ? { [list]: before[list]! + added } : {}) })
  },
)

test("every endpoint replays its response for thirty days by the platform's clock, and then accepts the key again", async () => {
  const ownWorld = await newWorld(await newPlatform())
  const sendFirst = async ([name, { body: bodySchema }]: (typeof IDEMPOTENT)[number]) => {
    const call = await buildFreshCall(name, ownWorld)
    const send = (body: unknown) => call.caller.send(call.method, call.path, body, headers)
    const headers = withKey(newKey())
    const first = await send(call.body)
    expect(first.status, name).toBeLessThan(300)
    return { name, bodySchema, call, send, first }
  }
  const firstCalls = await Promise.all(
    IDEMPOTENT.filter(([name]) => !SEQUENTIAL_CALLS.test(name)).map(sendFirst),
  )
  for (const entry of IDEMPOTENT.filter(([name]) => SEQUENTIAL_CALLS.test(name)))
    firstCalls.push(await sendFirst(entry))
  await ownWorld.client.advance(29 * DAY_SECONDS)
  for (const { name, call, send, first } of firstCalls) {
    const replay = await send(call.body)
    expect([name, isReplay(replay), toJson(replay.body)]).toEqual([name, true, toJson(first.body)])
  }
  await ownWorld.client.advance(DAY_SECONDS + 1)
  for (const { name, bodySchema, call, send, first } of firstCalls) {
    const newBody = bodySchema ? (await buildFreshCall(name, ownWorld)).body : call.body
    const again = await send(newBody)
    expect([name, isReplay(again)]).toEqual([name, false])
    if (!HAPPENS_ONCE.test(name)) expect([name, again.status]).toEqual([name, first.status])
    const replayed = await send(newBody)
    expect([name, isReplay(replayed), toJson(replayed.body)]).toEqual([name, true, toJson(again.body)])
  }
})

describe('an idempotency key', () => {
  const fundPath = (account: string) => `/sandbox/internal-accounts/${account}/fund`

  test('applies to one method and one path of one platform', { tags: 'smoke' }, async () => {
    const otherPlatform = await newPlatform()
    const otherCustomer = await newCustomer(otherPlatform)
    const { customer, client } = world
    const headers = withKey(newKey())
    const body = { amount: 7 }
    const replies = [
      await client.post(fundPath(customer.usd), body, headers),
      await client.post(fundPath(customer.eur), body, headers),
      await otherPlatform.post(fundPath(otherCustomer.usd), body, headers),
      await client.post('/customers', { customerType: 'INDIVIDUAL' }, headers),
    ]
    expect(replies.map(isReplay)).toEqual([false, false, false, false])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 201])
  })

  test('of an agent applies to that agent only', async () => {
    const { client, customer, agent, ids } = world
    const body = buildValidBody('agent_me_transfer_out', ids)
    const headers = withKey(newKey())
    const otherAgent = await newAgent(client, customer.id)
    const path = '/agents/me/transfer-out'
    const replies = [await agent.post(path, body, headers), await otherAgent.post(path, body, headers)]
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies.map(isReplay)).toEqual([false, false])
    expect(isReplay(await client.post('/transfer-out', body, headers))).toBe(false)
    const aboveLimit = { ...(body as object), amount: 100_001 }
    const denialHeaders = withKey(newKey())
    expectError(await otherAgent.post(path, aboveLimit, denialHeaders), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    const spendingLimits = { perTransactionLimit: 100_001 }
    await client.send('PATCH', `/agents/${otherAgent.id}/policy`, { spendingLimits })
    // A denial is not stored, so the call succeeds once the policy allows it.
    expect((await otherAgent.post(path, aboveLimit, denialHeaders)).status).toBe(201)
  })

  test('is shared by all tokens of a platform that have the permission', async () => {
    const { client, customer } = world
    const headers = withKey(newKey())
    const token = (await client.post('/tokens', { name: 'a', permissions: ['VIEW'] })).body
    const reader = {
      Authorization: `Basic ${Buffer.from(`${token.id}:${token.clientSecret}`).toString('base64')}`,
    }
    await client.post(fundPath(customer.usd), { amount: 7 }, headers)
    expect(isReplay(await client.post(fundPath(customer.usd), { amount: 7 }, headers))).toBe(true)
    const refused = await client.post(fundPath(customer.usd), { amount: 7 }, { ...headers, ...reader })
    expectError(refused, { code: 'FORBIDDEN' })
  })

  test('replays a stored refusal even if the call would now succeed', async () => {
    const client = await newPlatform()
    const headers = withKey(newKey())
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'taken' }
    const taken = await newCustomer(client, { platformCustomerId: 'taken' })
    const refused = await client.post('/customers', body, headers)
    expectError(refused, { code: 'PLATFORM_CUSTOMER_ID_EXISTS', field: 'platformCustomerId' })
    await client.send('DELETE', `/customers/${taken.id}`)
    const again = await client.post('/customers', body, headers)
    expect([again.status, toJson(again.body), isReplay(again)]).toEqual([409, toJson(refused.body), true])
    expect((await client.post('/customers', body, withKey(newKey()))).status).toBe(201)
  })

  test('is not consumed by a request that fails parsing or authentication', async () => {
    const { client, customer } = world
    const headers = withKey(newKey())
    const path = fundPath(customer.usd)
    const unauthorized = { ...headers, Authorization: 'Basic eDp5' }
    expect((await client.post(path, { amount: 5 }, unauthorized)).status).toBe(401)
    expect((await client.post(path, '{', headers)).status).toBe(400)
    expect((await client.post(path, { amount: -1 }, headers)).status).toBe(400)
    expect((await client.post(path, { amount: 5 }, headers)).status).toBe(200)
  })

  test('can be left out, and then each call has an effect', async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    await forEach([1, 2, 3], async () => void (await client.post(fundPath(usd), { amount: 1 })))
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
    expect(data[0].balance.amount).toBe(3)
  })
})
