import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import type { ProcessorEvent } from '../../../src/kernel/ports/card-processor.ts'
import { createSandboxCardProcessor, signEvent } from '../../../src/outside/sandbox/card-processor.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type FaultyServer, openFaultyServer } from '../../reliability/faults.testing.ts'
import { Client, fund, newCustomer, type Reply, signIn } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { describeCardProcessor } from '../../worlds/contract/suites.testing.ts'
import { balances, newCard, now, readCard, update } from '../../worlds/records/cards.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer
beforeAll(async () => {
  // A long deadline, so that a busy machine makes nothing late.
  service = await openServer({}, { cardResponseMsMax: 600_000 })
})
afterAll(() => service.close())

describeCardProcessor('of the sandbox', async () => ({
  processor: createSandboxCardProcessor(service.app.enclave),
  send: (event) => signEvent(service.app.enclave, event),
  active: { platformCardId: 'my-card-005' },
  rejected: { platformCardId: 'my-card-002' },
  wait: async () => {},
}))

test.each(['001', '002', '005'])(
  'a generated platformCardId selects no sandbox outcome, even if it ends in %s',
  async (end) => {
    const platformCardId = `01a1fd3e-d636-7f24-ae20-5cd2bb817${end}`
    const now = service.app.clock()
    const provision = (cardId: string) =>
      createSandboxCardProcessor(service.app.enclave).provision({
        cardId,
        platformCardId,
        currency: 'USD',
        requestedAt: now,
        now,
      })
    expect(await provision(`Card:${platformCardId}`)).toMatchObject({ outcome: 'active' })
    expect(await provision('Card:another')).not.toMatchObject({ outcome: 'active' })
  },
)

test('the descriptor of the merchant selects how the sandbox pulls a claim', () => {
  const { pullPlan } = createSandboxCardProcessor(service.app.enclave)
  const now = service.app.clock()
  const planPull = (descriptor: string) => pullPlan({ merchant: { descriptor } }, now)
  expect(planPull('SHOP')).toEqual({ at: now, fails: false })
  expect(planPull('SHOP 005')).toEqual({ at: new Date(now.getTime() + 30_000), fails: false })
  expect(planPull('SHOP 006')).toEqual({ at: now, fails: true })
})

const PATH = '/card-processor/events'
const APPROVED = { approved: true, cardTransactionId: expect.stringMatching(/^CardTransaction:/) }

/** A card with 1,000.00 behind it, and the processor that sends its events. */
async function newProcessorPlatform(of = service) {
  const client = await of.newPlatform()
  const holder = await newCustomer(client)
  await fund(client, holder.usd, 100_000)
  const card = await newCard(client, holder.id, [holder.usd])
  const purchase = (token: string) => ({ processorRef: card.processorRef as string, token })
  return {
    client,
    holder,
    card,
    authorization: (token: string, amount = 1_000n): ProcessorEvent => ({
      kind: 'authorization',
      ...purchase(token),
      amount,
      currency: 'USD',
      merchant: { descriptor: 'COFFEE SHOP', mcc: '5814' },
    }),
    clearing: (token: string, eventId: string, amount: bigint): ProcessorEvent => ({
      kind: 'clearing',
      ...purchase(token),
      eventId,
      amount,
    }),
    giveBack: (token: string, eventId: string, amount: bigint): ProcessorEvent => ({
      kind: 'return',
      ...purchase(token),
      eventId,
      amount,
    }),
    balances: () => balances(client, holder.id, holder.usd),
  }
}

/** Sends a signed body as the processor. It does not have to be a valid event. */
function sendEvent(event: unknown, of = service): Promise<Reply> {
  const { headers, body } = signEvent(of.app.enclave, event as ProcessorEvent)
  return postBody(body.toString(), headers, of)
}

function postBody(body: string, headers: Record<string, string>, of = service): Promise<Reply> {
  const nobody = { platformId: '', tokenId: '', clientSecret: '' }
  return new Client(nobody, of.app.origin()).post(PATH, body, { ...headers, Authorization: '' })
}

describe('the card processor', () => {
  test('requests authorizations, and reports claims and returns', { tags: 'smoke' }, async () => {
    const { client, card, authorization, clearing, giveBack, balances } = await newProcessorPlatform()
    const authorized = await sendEvent(authorization('one', 2_000n))
    expect([authorized.status, authorized.body]).toEqual([200, APPROVED])
    const { cardTransactionId } = authorized.body
    expect(await balances()).toEqual([98_000n, 100_000n])
    expect((await sendEvent(clearing('one', 'a', 500n))).body).toEqual({
      cardTransactionId,
      status: 'PARTIALLY_SETTLED',
    })
    expect((await sendEvent(clearing('one', 'b', 1_500n))).body).toEqual({
      cardTransactionId,
      status: 'SETTLED',
    })
    expect((await sendEvent(giveBack('one', 'a', 2_000n))).body).toEqual({
      cardTransactionId,
      status: 'REFUNDED',
    })
    expect(await balances()).toEqual([100_000n, 100_000n])
    expect(await now(client, { id: cardTransactionId, cardId: card.id })).toMatchObject({
      issuerTransactionToken: 'one',
      settlementSummary: { count: 2 },
    })
    const expectRefusal = async (event: ProcessorEvent, reason: string) =>
      expect((await sendEvent(event)).body).toEqual({ approved: false, reason })
    await expectRefusal(authorization('two', 100_001n), 'CARD_INSUFFICIENT_FUNDS')
    await expectRefusal(
      { ...authorization('three'), currency: 'EUR' } as ProcessorEvent,
      'CARD_CURRENCY_MISMATCH',
    )
    await expectRefusal(
      { ...authorization('four'), declined: 'CARD_PAUSED' } as ProcessorEvent,
      'CARD_PAUSED',
    )
    expectError(await sendEvent(giveBack('one', 'b', 1n)), { code: 'INVALID_STATE_TRANSITION' })
  })

  test('is authenticated only by its signature over the exact bytes', async () => {
    const { client, authorization, balances } = await newProcessorPlatform()
    const { headers, body } = signEvent(service.app.enclave, authorization('one'))
    const text = body.toString()
    const invalid = { code: 'INVALID_SIGNATURE', reason: 'Invalid signature' } as const
    expectError(await postBody(text, {}), invalid)
    expectError(await postBody(text.replace('1000', '1001'), headers), invalid)
    expectError(await postBody(`${text} `, headers), invalid)
    expectError(await postBody(text, { Authorization: client.authorization }), invalid)
    expectError(await postBody('', headers), invalid)
    const wrongSignature = Buffer.from(Object.values(headers)[0]!, 'hex').reverse().toString('hex')
    expectError(await postBody(text, { [Object.keys(headers)[0]!]: wrongSignature }), invalid)
    expect(await balances()).toEqual([100_000n, 100_000n])
    expect((await postBody(text, headers)).body).toEqual(APPROVED)
  })

  test('gets an error that names the field for a body that is not an event', async () => {
    const { authorization, clearing } = await newProcessorPlatform()
    const cases: readonly (readonly [unknown, string])[] = [
      [null, 'body'],
      [[], 'body'],
      [{}, 'kind'],
      [{ ...authorization('x'), kind: 'refund' }, 'kind'],
      [{ ...authorization('x'), amount: 0 }, 'amount'],
      [{ ...authorization('x'), amount: 1.5 }, 'amount'],
      [{ ...authorization('x'), amount: 2n ** 63n }, 'amount'],
      [{ ...authorization('x'), token: '' }, 'token'],
      [{ ...authorization('x'), token: 'a\u0000' }, 'token'],
      [{ ...authorization('x'), merchant: { descriptor: 'a', mcc: '1' } }, 'merchant.mcc'],
      [{ ...authorization('x'), declined: 'NO' }, 'declined'],
      [{ ...clearing('x', 'a', 1n), amount: -1 }, 'amount'],
      [{ ...clearing('x', 'a', 1n), eventId: undefined }, 'eventId'],
    ]
    for (const [event, field] of cases)
      expectError(await sendEvent(event), { code: 'INVALID_INPUT', field, what: toJson(event) })
    const notJson = Buffer.from('{"kind":')
    const [name] = Object.keys(signEvent(service.app.enclave, clearing('x', 'a', 1n)).headers)
    const signature = Buffer.from(service.app.enclave.mac('card', notJson, 1)).toString('hex')
    expectError(await postBody(notJson.toString(), { [name!]: signature }), {
      code: 'INVALID_INPUT',
      field: 'body',
    })
    expectError(await postBody('x'.repeat(64 * 1024 + 1), {}), { code: 'PAYLOAD_TOO_LARGE' })
  })

  test('may claim without an authorization: the network is paid, and nothing is pulled', async () => {
    const { client, card, authorization, clearing, giveBack, balances } = await newProcessorPlatform()
    const forced = (eventId: string, amount: bigint, more = {}) =>
      ({
        ...clearing('forced', eventId, amount),
        merchant: { descriptor: 'SHOP' },
        ...more,
      }) as ProcessorEvent
    expectError(await sendEvent(forced('a', 5_000n, { currency: 'EUR' })), {
      code: 'INVALID_INPUT',
      field: 'currency',
    })
    const claims = await Promise.all(Array.from({ length: 5 }, () => sendEvent(forced('a', 5_000n))))
    const [{ cardTransactionId }] = claims.map(({ body }) => body)
    for (const { body } of claims) expect(body).toEqual({ cardTransactionId, status: 'EXCEPTION' })
    expect((await sendEvent(forced('b', 1n, { currency: 'USD' }))).body.status).toBe('EXCEPTION')
    expect(await balances()).toEqual([100_000n, 100_000n])
    expect(await now(client, { id: cardTransactionId, cardId: card.id })).toMatchObject({
      authorizedAmount: { amount: 0 },
      settlementSummary: { count: 2, totalAmount: 5_001 },
      pullSummary: { count: 0, totalAmount: 0, pendingCount: 0 },
    })
    expectError(await sendEvent(authorization('forced')), { code: 'PROCESSOR_EVENT_REUSED', field: 'token' })
    // It was never the cardholder's money.
    expect((await sendEvent(giveBack('forced', 'a', 5_001n))).body.status).toBe('REFUNDED')
    expect(await balances()).toEqual([100_000n, 100_000n])
  })

  test('gets an error for an unknown card or purchase', async () => {
    const [{ authorization, clearing }, other] = await Promise.all([
      newProcessorPlatform(),
      newProcessorPlatform(),
    ])
    expectError(await sendEvent({ ...authorization('one'), processorRef: 'nobody' }), {
      code: 'CARD_NOT_FOUND',
      field: 'processorRef',
    })
    expectError(await sendEvent(clearing('one', 'a', 1n)), {
      code: 'CARD_TRANSACTION_NOT_FOUND',
      field: 'token',
    })
    await sendEvent(authorization('one'))
    // A token used for a card of another platform is a separate purchase.
    expectError(await sendEvent(other.clearing('one', 'a', 1n)), { code: 'CARD_TRANSACTION_NOT_FOUND' })
    expect((await sendEvent(other.authorization('one', 5n))).body).toEqual(APPROVED)
  })

  test('gets the same response to a repeated event, in sequence or fifty in parallel', async () => {
    const { client, holder, card, authorization, clearing, giveBack, balances } = await newProcessorPlatform()
    const sendFifty = (event: ProcessorEvent) =>
      Promise.all(Array.from({ length: 50 }, () => sendEvent(event)))
    const expectSame = (replies: readonly Reply[]) => {
      const distinctBodies = new Set(replies.map(({ status, body }) => `${status} ${toJson(body)}`))
      expect([...distinctBodies]).toHaveLength(1)
      return replies[0]!.body
    }
    const approved = expectSame(await sendFifty(authorization('one')))
    expect(approved).toEqual(APPROVED)
    expect(await balances()).toEqual([99_000n, 100_000n])
    const declined = expectSame(await sendFifty(authorization('much', 100_000n)))
    expect(declined).toEqual({ approved: false, reason: 'CARD_INSUFFICIENT_FUNDS' })
    expectSame(await sendFifty(clearing('one', 'a', 600n)))
    expectSame(await sendFifty(giveBack('one', 'a', 100n)))
    expect(await balances()).toEqual([99_100n, 99_500n])

    // Later changes do not affect the stored answer.
    await fund(client, holder.usd, 100_000)
    const session = await signIn(client, holder.wallet)
    await update(client, session, card.id, { state: 'FROZEN' })
    expect((await readCard(client, card.id)).state).toBe('FROZEN')
    expect((await sendEvent(authorization('one'))).body).toEqual(approved)
    expect((await sendEvent(authorization('much', 100_000n))).body).toEqual(declined)
    expect((await sendEvent(clearing('one', 'a', 600n))).body).toMatchObject({ status: 'PARTIALLY_SETTLED' })
    expect((await sendEvent(authorization('new'))).body).toEqual({ approved: false, reason: 'CARD_PAUSED' })
    expectError(await sendEvent(authorization('one', 999n)), {
      code: 'PROCESSOR_EVENT_REUSED',
      field: 'token',
    })
    expectError(await sendEvent(authorization('much', 1n)), {
      code: 'PROCESSOR_EVENT_REUSED',
      field: 'token',
    })
    expectError(await sendEvent(clearing('one', 'a', 601n)), {
      code: 'PROCESSOR_EVENT_REUSED',
      field: 'eventId',
    })
    expect(await balances()).toEqual([199_100n, 199_500n])
  })
})

describe('an authorization that takes too long', () => {
  let busy: FaultyServer
  beforeAll(async () => {
    busy = await openFaultyServer({ cardResponseMsMax: 500 })
  })
  afterAll(() => busy.close())

  test.each([
    // By then the deadline is known to be over.
    ['to be decided', /./, 0],
    ['to be committed', /commit_/, 1],
  ])('%s is declined in time and permanently, and nothing stays held', async (_, statements, purchases) => {
    const { client, card, authorization, balances } = await newProcessorPlatform(busy)
    const resume = busy.faults.stall(statements)
    const slow = await sendEvent(authorization('slow'), busy)
    resume()
    const timedOut = { approved: false, reason: 'TIMEOUT' }
    expect([slow.status, slow.body]).toEqual([200, timedOut])
    const { id } = (await client.get('/config')).body
    await expect.poll(() => countStoredResponses(id, 'slow', busy)).toBe(BigInt(1 + purchases))
    const { data } = (await client.get(`/cards/${card.id}/transactions`)).body
    expect(data.map(({ status }: Reply['body']) => status)).toEqual(Array(purchases).fill('SETTLED'))
    expect(await balances()).toEqual([100_000n, 100_000n])
    expect((await sendEvent(authorization('slow'), busy)).body).toEqual(timedOut)
    expect(await balances()).toEqual([100_000n, 100_000n])
  })

  test('stays approved if a retry got the approval before it was undone', async () => {
    const { client, card, authorization, balances } = await newProcessorPlatform(busy)
    const resume = busy.faults.stall(/commit_/)
    const slow = await sendEvent(authorization('slow'), busy)
    const retries = Promise.all(Array.from({ length: 5 }, () => sendEvent(authorization('slow'), busy)))
    resume()
    const distinctBodies = new Set([slow, ...(await retries)].map(({ body }) => toJson(body)))
    const { id } = (await client.get('/config')).body
    const retryAndCount = async () => {
      await sendEvent(authorization('slow'), busy)
      return countStoredResponses(id, 'slow', busy)
    }
    await expect.poll(retryAndCount).toBe(2n)
    const { body: last } = await sendEvent(authorization('slow'), busy)
    const { data } = (await client.get(`/cards/${card.id}/transactions`)).body
    // A reported approval means that the purchase stands.
    expect(data.map(({ status }: Reply['body']) => status)).toEqual([
      last.approved ? 'AUTHORIZED' : 'SETTLED',
    ])
    expect(await balances()).toEqual([last.approved ? 99_000n : 100_000n, 100_000n])
    if (!last.approved) expect([...distinctBodies]).toEqual([toJson({ approved: false, reason: 'TIMEOUT' })])
  })
})

/** The number of answers stored under a token. */
async function countStoredResponses(
  platformId: string,
  token: string,
  { app: { db } }: TestServer,
): Promise<bigint> {
  const { rows } = await db.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM idempotency_keys WHERE platform_id = $1 AND key = $2',
    [extractUuid(platformId), token],
  )
  return rows[0]!.count
}
