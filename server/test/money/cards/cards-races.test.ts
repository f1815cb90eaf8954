import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newCustomer,
  newPlatform,
  type Reply,
  type SignedIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balances,
  clear,
  giveBack,
  newCard,
  newCardPlatform,
  now,
  readCard,
  use,
  used,
} from '../../worlds/records/cards.testing.ts'

const times = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))
const approvedOf = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 200)

/** Makes the first leg of an update, and returns the second. */
async function prepare(client: Client, session: SignedIn, cardId: string, change: object) {
  const path = `/cards/${cardId}`
  const { status, body } = await client.send('PATCH', path, change)
  expect(status, toJson(body)).toBe(202)
  const headers = {
    'Svc-Wallet-Signature': session.stamp(body.payloadToSign),
    'Request-Id': body.requestId,
  }
  return () => client.send('PATCH', path, change, headers)
}

describe('authorizations in parallel', () => {
  test('fifty against money for seven: seven are approved, and nothing is spent twice', async () => {
    const client = await newPlatform()
    const holder = await newCustomer(client)
    await fund(client, holder.usd, 7_000)
    // Two cards on one account: what they share is only the money.
    const cards = [
      await newCard(client, holder.id, [holder.usd]),
      await newCard(client, holder.id, [holder.usd]),
    ]
    const replies = await times(50, (n) => use(client, cards[n % 2].id, 1_000))
    for (const reply of replies)
      if (reply.status !== 200) expectError(reply, { code: 'CARD_INSUFFICIENT_FUNDS' })
    expect(approvedOf(replies)).toHaveLength(7)
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 7_000n])
    for (const { body } of approvedOf(replies)) expect((await clear(client, body, 1_000)).status).toBe(200)
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })

  test('none after a freeze is approved; earlier approvals stand', async () => {
    const { client, holder, card, session } = await newCardPlatform()
    const freeze = await prepare(client, session, card.id, { state: 'FROZEN' })
    let isFrozen = false
    let approved = 0
    // Each uses the card until it is declined.
    const shoppers = times(8, async () => {
      for (;;) {
        const cameAfter = isFrozen
        const reply = await use(client, card.id, 1)
        if (reply.status !== 200) return expectError(reply, { code: 'CARD_PAUSED' })
        expect(cameAfter, 'approved after the card was frozen').toBe(false)
        if (++approved === 20) void frozen()
      }
    })
    let freezing: Promise<void> | undefined
    const frozen = () => {
      freezing ??= freeze().then((reply) => {
        expect(reply.status, toJson(reply.body)).toBe(200)
        isFrozen = true
      })
      return freezing
    }
    await shoppers
    await freezing
    expect(approved).toBeGreaterThanOrEqual(20)
    expect(await balances(client, holder.id, holder.usd)).toEqual([100_000n - BigInt(approved), 100_000n])
  })

  test('with one Idempotency-Key there is one purchase, and one claim', async () => {
    const { client, holder, card } = await newCardPlatform()
    const authorization = {
      amount: 1_000,
      currency: { code: 'USD' },
      merchant: { descriptor: 'COFFEE SHOP' },
    }
    const path = `/sandbox/cards/${card.id}/simulate`
    const send = (what: string, body: object) => (n: number) =>
      client.post(`${path}/${what}`, body, { 'Idempotency-Key': `${what} ${Math.floor(n / 20)}` })
    const replies = await times(20, send('authorization', authorization))
    const ids = new Set(replies.map(({ body }) => body.id))
    expect([ids.size, approvedOf(replies).length]).toEqual([1, 20])
    const [cardTransactionId] = ids
    const claims = await times(20, send('clearing', { cardTransactionId, amount: 400 }))
    expect(approvedOf(claims)).toHaveLength(20)
    const purchase = await now(client, { id: cardTransactionId, cardId: card.id })
    expect(purchase).toMatchObject({
      status: 'PARTIALLY_SETTLED',
      settlementSummary: { count: 1, totalAmount: 400 },
      pullSummary: { count: 1, totalAmount: 400 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([99_000n, 99_600n])
  })
})

describe('two signed updates in parallel', () => {
  test.each([
    // Either order is right where the second is allowed after the first.
    [{ state: 'FROZEN' }, { state: 'FROZEN' }, ['FROZEN'], [1]],
    [{ state: 'FROZEN' }, { state: 'CLOSED' }, ['CLOSED'], [1, 2]],
    [{ state: 'CLOSED' }, { state: 'CLOSED' }, ['CLOSED'], [1]],
  ])('%j and %j: the second is checked against the result of the first', async (one, other, ends, wins) => {
    const { client, card, session } = await newCardPlatform()
    const updates = [
      await prepare(client, session, card.id, one),
      await prepare(client, session, card.id, other),
    ]
    const replies = await Promise.all(updates.map((send) => send()))
    for (const reply of replies)
      if (reply.status !== 200) expectError(reply, { code: 'INVALID_STATE_TRANSITION', field: 'state' })
    expect(wins).toContain(approvedOf(replies).length)
    expect(ends).toContain((await readCard(client, card.id)).state)
    const data = await client.events(`&objectId=${card.id}`)
    expect(data).toHaveLength(1 + approvedOf(replies).length)
  })

  test('a retry that is sent several times in parallel changes the card once', async () => {
    const { client, card, session } = await newCardPlatform()
    const send = await prepare(client, session, card.id, { state: 'FROZEN' })
    const replies = await times(10, send)
    // Refused as already used, or by its own result.
    for (const reply of replies) expect([200, 401, 409], toJson(reply.body)).toContain(reply.status)
    expect(approvedOf(replies)).toHaveLength(1)
  })
})

describe('claims and returns in parallel', () => {
  test('each claim counts once, and the hold is captured once', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    const replies = await times(4, () => clear(client, purchase, 300))
    expect(approvedOf(replies)).toHaveLength(4)
    expect(await now(client, purchase)).toMatchObject({
      status: 'SETTLED',
      settlementSummary: { count: 4, totalAmount: 1_200 },
      // The last one is pulled from the hold and from the available balance.
      pullSummary: { count: 5, totalAmount: 1_200, pendingCount: 0 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_800n, 98_800n])
  })

  test('returns never exceed the claims', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    await clear(client, purchase, 1_000)
    const parts = await times(4, () => giveBack(client, purchase, 400))
    expect(approvedOf(parts)).toHaveLength(2)
    for (const reply of parts)
      if (reply.status !== 200) expectError(reply, { code: 'AMOUNT_OUT_OF_RANGE', field: 'amount' })
    const rests = await times(3, () => giveBack(client, purchase, 200))
    expect(approvedOf(rests)).toHaveLength(1)
    for (const reply of rests)
      if (reply.status !== 200) expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([100_000n, 100_000n])
  })

  test('a claim and its withdrawal leave nothing held, whichever is first', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    const [claim, nothing] = await Promise.all([clear(client, purchase, 600), clear(client, purchase, 0)])
    expect(claim!.status).toBe(200)
    expect(nothing!.status).toBe(200)
    expect(await now(client, purchase)).toMatchObject({ status: 'SETTLED', settledAmount: { amount: 600 } })
    expect(await balances(client, holder.id, holder.usd)).toEqual([99_400n, 99_400n])
  })
})
