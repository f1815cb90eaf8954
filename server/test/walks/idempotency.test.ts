import type { EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  callerOf,
  expectError,
  forEach,
  idsFor,
  newWorld,
  pathWith,
  stateOf,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import { PREPARED_RECORDS } from '../worlds/contract/examples.testing.ts'
import { ENDPOINTS } from '../worlds/contract/schemas.testing.ts'
import { newAgent } from '../worlds/records/agents.testing.ts'
import { clear, used } from '../worlds/records/cards.testing.ts'
import { waitingPayment } from '../worlds/records/payments.testing.ts'
import { checked, heldPull, sendLines, usAccount } from '../worlds/records/payouts.testing.ts'
import { newScreening } from '../worlds/records/screenings.testing.ts'
import { Receiver } from '../worlds/simulators/webhook-receiver.testing.ts'

let world: World
/** The first call to each endpoint, under one of the keys: one piece of code reads the key for all of them. */
const stored = new Map<
  EndpointName,
  { readonly call: FreshCall; readonly key: string; readonly first: Reply }
>()
beforeAll(async () => {
  world = await newWorld(await newPlatform())
  // Lets a meaningless member turn any body into a different one.
  await world.client.send('PATCH', '/config', { lenientInput: true })
  for (const [nth, [name]] of IDEMPOTENT.entries()) {
    const call = await freshCall(name, world)
    const key = KEYS[nth % KEYS.length]!
    stored.set(name, { call, key, first: await sendUnder(key, call) })
  }
})

let keys = 0
const newKey = () => `key ${++keys}`
const keyed = (key: string) => ({ 'Idempotency-Key': key })

const DAY_SECONDS = 24 * 3600
/** A sandbox has no statements: `matches.test.ts` repeats them. */
const OF_PRODUCTION: readonly EndpointName[] = ['reconciliation_match_create', 'reconciliation_match_undo']
const IDEMPOTENT = ENDPOINTS.filter(([name, { idempotent }]) => idempotent && !OF_PRODUCTION.includes(name))

/** They change records that other calls need, or the clock. */
const ALONE = /^treasury_key_|^card_freeze|^sandbox_treasury_return$/

const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true'

/** The prerequisites of each call: the ids that it is about. */
const PREPARED: Partial<Record<EndpointName, (world: World) => Promise<Partial<World['ids']>>>> = {
  quote_execute: ({ client, ids }) => newQuote(client, validBody('quote_create', ids)),
  agent_me_quote_execute: ({ agent, ids }) =>
    newQuote(agent, validBody('agent_me_quote_create', ids), '/agents/me/quotes'),
  sandbox_send: ({ client, ids }) =>
    newQuote(client, {
      ...(validBody('quote_create', ids) as object),
      source: { sourceType: 'REALTIME_FUNDING', currency: 'USD' },
    }),
  transaction_decide: async ({ client }) => ({ Transaction: (await waitingPayment(client)).id }),
  deposit_assign: newDeposit,
  deposit_return: newDeposit,
  deposit_split: newDeposit,
  deposit_write_off: newDeposit,
  payout_batch_execute: newPayoutBatch,
  payout_batch_cancel: newPayoutBatch,
  ...PREPARED_RECORDS,
  card_freeze_lift: async ({ client, ids }) => {
    await client.post(`/cards/${ids.Card}/freeze`, { reason: 'The phone was stolen' })
    return {}
  },
  funds_hold_lift: async ({ client }) => ({ FundsHold: await heldPull(client) }),
  screening_release: newScreening,
  screening_reject: newScreening,
  invitation_claim: newInvitation,
  invitation_cancel: newInvitation,
  // One that waits for its verification.
  kyc_link_create: async ({ client }) => {
    const { body } = await client.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada 001' })
    return { Customer: body.id as string }
  },
  event_redeliver: newReceiver,
  event_replay: newReceiver,
  sandbox_card_clearing: newPurchase,
  // A return is refused while money is pulled for the purchase: each one has a separate purchase, fully
  // pulled.
  sandbox_card_return: async (world) => {
    const prepared = await newPurchase(world)
    await clear(world.client, { id: prepared.CardTransaction, cardId: world.ids.Card! }, 500)
    await world.client.advance(0)
    return prepared
  },
}

const receivers = new WeakMap<Client, Promise<unknown>>()
const closings: (() => void)[] = []
afterAll(() => {
  for (const close of closings) close()
})

/** A working receiver, for a call that delivers. The replay before has ended by then. */
async function newReceiver({ client }: World) {
  const receiver = receivers.get(client) ?? Receiver.of(client, (close) => closings.push(close))
  receivers.set(client, receiver)
  await receiver
  await client.advance(0)
  return {}
}

async function newQuote(caller: Pick<Client, 'post'>, body: unknown, path = '/quotes') {
  return { Quote: (await caller.post(path, body)).body.id as string }
}

async function newDeposit({ client, ids }: World) {
  const { body } = await client.post('/sandbox/deposits', validBody('sandbox_deposit', ids))
  return { Deposit: body.id as string }
}

/** A checked batch of one payout of 1.00 USD. */
async function newPayoutBatch({ client }: World) {
  const { data } = (await client.get('/platform/internal-accounts?currency=USD')).body
  await fund(client, data[0].id, 100)
  const line = { accountInfo: usAccount('777000789'), currency: 'USD', amount: 100 }
  const { id } = await sendLines(client, [line])
  await checked(client, id)
  return { PayoutBatch: String(id) }
}

/** Of another customer than the one who claims it. */
async function newInvitation({ client }: World) {
  const { id } = await newCustomer(client)
  const { umaAddress } = (await client.get(`/customers/${id}`)).body
  const { body } = await client.post('/invitations', { inviterUma: umaAddress })
  return { InvitationCode: body.code as string }
}

async function newPurchase({ client, ids }: World) {
  return { CardTransaction: (await used(client, ids.Card!, 1000)).id as string }
}

type FreshCall = Awaited<ReturnType<typeof freshCall>>

function sendUnder(
  key: string,
  { caller, method, path, body }: Omit<FreshCall, 'body'> & { readonly body: unknown },
): Promise<Reply> {
  return caller.send(method, path, body, keyed(key))
}

/** A call with an effect at every execution. */
async function freshCall(name: EndpointName, world: World) {
  const endpoint = ENDPOINTS.find(([one]) => one === name)![1]
  const prepared = await PREPARED[name]?.(world)
  const own = idsFor(endpoint, world)
  const ids = { ...own, ...prepared }
  const path = pathWith(endpoint, (kind) => ids[kind]!)
  const caller = callerOf(endpoint, world)
  // A replay of everything that the other calls have caused would take a minute.
  const body = name === 'event_replay' ? { startDate: new Date().toISOString() } : validBody(name, ids)
  return { caller, method: endpoint.method, path, body }
}

const COUNTED = ['/customers', '/customers/external-accounts', '/transactions', '/documents'] as const

async function countsOf(client: Client): Promise<Record<string, number>> {
  const count = async (list: string) => [list, (await client.get(`${list}?limit=1`)).body.totalCount]
  return Object.fromEntries(await Promise.all(COUNTED.map(count)))
}

const PAYMENTS = new Map(Object.entries({ sandbox_example_bank: 6, account_verification_create: 2 }))

/** The list that a call adds to, if any. */
const MADE: Partial<Record<EndpointName, (typeof COUNTED)[number]>> = {
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

const holds = async ({ client, agent }: World) => toJson(await stateOf(client, agent))

const KEYS = ['a', 'a'.repeat(255), '~!@#$%^&*(){}[]|:;"<>,.?/ 0', "' OR 1=1 --"]

/** The status of a success that is not a request for a signature. */
function successOf({ responses, signed }: Endpoint): number {
  return Object.keys(responses)
    .map(Number)
    .find((status) => status !== 202 || !signed)!
}

describe('after the first call under a key, no later call does anything:', () => {
  let before: string
  beforeAll(async () => {
    // The jobs of the first calls run before the comparison.
    await world.client.advance(0)
    before = await holds(world)
  })
  // `-t` with the name of an endpoint tells which one did something.
  afterAll(async () => expect(await holds(world)).toBe(before))

  describe.each(IDEMPOTENT)('%s', (name, endpoint) => {
    const takesBody = endpoint.body !== undefined

    test('replays the stored response for the same key and body', async () => {
      const { call, key, first } = stored.get(name)!
      const { caller, method, path, body } = call
      expect(first.status, toJson(first.body)).toBe(successOf(endpoint))
      expect(isReplay(first)).toBe(false)
      const respelled = path.replaceAll(':', '%3A')
      const turned = body && toJson(Object.fromEntries(Object.entries(body).reverse()))
      for (const [address, again] of [
        [path, body],
        [path, body],
        [respelled, body],
        [path, turned],
      ] as const) {
        const reply = await caller.send(method, address, again, keyed(key))
        expect([reply.status, toJson(reply.body)]).toEqual([first.status, toJson(first.body)])
        expect(isReplay(reply)).toBe(true)
        expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'))
      }
    })

    test.runIf(takesBody)('refuses the same key with another body with 409', async () => {
      const { call, key } = stored.get(name)!
      for (const more of [1, 9007199254740993n]) {
        const body = { ...(call.body as object), more }
        expectError(await sendUnder(key, { ...call, body }), { code: 'IDEMPOTENCY_KEY_REUSED' })
      }
    })

    test('accepts a key of 1 to 255 printable ASCII characters only', async () => {
      const { call, key, first } = stored.get(name)!
      for (const bad of ['', 'a'.repeat(256), 'ä', '\u00a0', 'tab\tbed'])
        expectError(await sendUnder(bad, call), {
          code: 'INVALID_INPUT',
          field: 'Idempotency-Key',
          what: bad,
        })
      expect([first.status, isReplay(first)], key).toEqual([successOf(endpoint), false])
      const again = await sendUnder(key, call)
      expect([again.status, isReplay(again)], key).toEqual([successOf(endpoint), true])
    })
  })
})

test.each(IDEMPOTENT)(
  '%s sent fifty times in parallel under one key has one effect and one response',
  async (name, endpoint) => {
    const call = await freshCall(name, world)
    const before = await countsOf(world.client)
    const key = newKey()
    const replies = await Promise.all(Array.from({ length: 50 }, () => sendUnder(key, call)))
    expect(new Set(replies.map((reply) => `${reply.status} ${toJson(reply.body)}`)).size).toBe(1)
    expect(replies[0]!.status).toBe(successOf(endpoint))
    expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1)
    // A batch of payouts is paid after the response.
    await world.client.advance(0)
    const counts = await countsOf(world.client)
    const [list, made] = [MADE[name], PAYMENTS.get(name) ?? 1]
    expect(counts).toEqual({ ...before, ...(list ? { [list]: before[list]! + made } : {}) })
  },
)

test("every endpoint keeps the response for thirty days by the platform's clock, then the key is free", async () => {
  const own = await newWorld(await newPlatform())
  const sendFirst = async ([name, { body: takesBody }]: (typeof IDEMPOTENT)[number]) => {
    const call = await freshCall(name, own)
    const send = (body: unknown) => call.caller.send(call.method, call.path, body, headers)
    const headers = keyed(newKey())
    const first = await send(call.body)
    expect(first.status, name).toBeLessThan(300)
    return { name, takesBody, call, send, first }
  }
  const sent = await Promise.all(IDEMPOTENT.filter(([name]) => !ALONE.test(name)).map(sendFirst))
  for (const one of IDEMPOTENT.filter(([name]) => ALONE.test(name))) sent.push(await sendFirst(one))
  await own.client.advance(29 * DAY_SECONDS)
  for (const { name, call, send, first } of sent) {
    const kept = await send(call.body)
    expect([name, isReplay(kept), toJson(kept.body)]).toEqual([name, true, toJson(first.body)])
  }
  await own.client.advance(DAY_SECONDS + 1)
  for (const { name, takesBody, call, send, first } of sent) {
    const other = takesBody ? (await freshCall(name, own)).body : call.body
    const again = await send(other)
    expect([name, isReplay(again)]).toEqual([name, false])
    if (!HAPPENS_ONCE.test(name)) expect([name, again.status]).toEqual([name, first.status])
    const replayed = await send(other)
    expect([name, isReplay(replayed), toJson(replayed.body)]).toEqual([name, true, toJson(again.body)])
  }
})

describe('a key', () => {
  const fundPath = (account: string) => `/sandbox/internal-accounts/${account}/fund`

  test('counts for one path, one platform and one method only', { tags: 'smoke' }, async () => {
    const stranger = await newPlatform()
    const theirs = await newCustomer(stranger)
    const { customer, client } = world
    const headers = keyed(newKey())
    const body = { amount: 7 }
    const replies = [
      await client.post(fundPath(customer.usd), body, headers),
      await client.post(fundPath(customer.eur), body, headers),
      await stranger.post(fundPath(theirs.usd), body, headers),
      await client.post('/customers', { customerType: 'INDIVIDUAL' }, headers),
    ]
    expect(replies.map(isReplay)).toEqual([false, false, false, false])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 201])
  })

  test('of an agent counts for that agent only', async () => {
    const { client, customer, agent, ids } = world
    const body = validBody('agent_me_transfer_out', ids)
    const headers = keyed(newKey())
    const other = await newAgent(client, customer.id)
    const path = '/agents/me/transfer-out'
    const replies = [await agent.post(path, body, headers), await other.post(path, body, headers)]
    expect(replies.map(({ status }) => status)).toEqual([201, 201])
    expect(replies.map(isReplay)).toEqual([false, false])
    expect(isReplay(await client.post('/transfer-out', body, headers))).toBe(false)
    const refused = { ...(body as object), amount: 100_001 }
    const denied = keyed(newKey())
    expectError(await other.post(path, refused, denied), { code: 'VELOCITY_LIMIT_EXCEEDED' })
    const spendingLimits = { perTransactionLimit: 100_001 }
    await client.send('PATCH', `/agents/${other.id}/policy`, { spendingLimits })
    // A denial is not stored: what the policy then allows is done.
    expect((await other.post(path, refused, denied)).status).toBe(201)
  })

  test('is shared by all tokens of a platform with the permission', async () => {
    const { client, customer } = world
    const headers = keyed(newKey())
    const token = (await client.post('/tokens', { name: 'a', permissions: ['VIEW'] })).body
    const reader = {
      Authorization: `Basic ${Buffer.from(`${token.id}:${token.clientSecret}`).toString('base64')}`,
    }
    await client.post(fundPath(customer.usd), { amount: 7 }, headers)
    expect(isReplay(await client.post(fundPath(customer.usd), { amount: 7 }, headers))).toBe(true)
    const refused = await client.post(fundPath(customer.usd), { amount: 7 }, { ...headers, ...reader })
    expectError(refused, { code: 'FORBIDDEN' })
  })

  test('stores a refusal as well, and a retry gets it even when it would now succeed', async () => {
    const own = await newPlatform()
    const headers = keyed(newKey())
    const body = { customerType: 'INDIVIDUAL', platformCustomerId: 'taken' }
    const taken = await newCustomer(own, { platformCustomerId: 'taken' })
    const refused = await own.post('/customers', body, headers)
    expectError(refused, { code: 'PLATFORM_CUSTOMER_ID_EXISTS', field: 'platformCustomerId' })
    await own.send('DELETE', `/customers/${taken.id}`)
    const again = await own.post('/customers', body, headers)
    expect([again.status, toJson(again.body), isReplay(again)]).toEqual([409, toJson(refused.body), true])
    expect((await own.post('/customers', body, keyed(newKey()))).status).toBe(201)
  })

  test('is not consumed by a request that was refused at parsing or authentication', async () => {
    const { client, customer } = world
    const headers = keyed(newKey())
    const path = fundPath(customer.usd)
    const stranger = { ...headers, Authorization: 'Basic eDp5' }
    expect((await client.post(path, { amount: 5 }, stranger)).status).toBe(401)
    expect((await client.post(path, '{', headers)).status).toBe(400)
    expect((await client.post(path, { amount: -1 }, headers)).status).toBe(400)
    expect((await client.post(path, { amount: 5 }, headers)).status).toBe(200)
  })

  test('that is missing gives an effect each time', async () => {
    const client = await newPlatform()
    const { id, usd } = await newCustomer(client)
    await forEach([1, 2, 3], async () => void (await client.post(fundPath(usd), { amount: 1 })))
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
    expect(data[0].balance.amount).toBe(3)
  })
})
