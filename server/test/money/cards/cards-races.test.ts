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

const repeatInParallel = <T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)))
const listApproved = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 200)

/** Requests an update. Returns a function that sends its signed second request. */
async function prepareUpdate(client: Client, session: SignedIn, cardId: string, change: object) {
  const path = `/cards/${cardId}`
  const { status, body } = await client.send('PATCH', path, change)
  expect(status, toJson(body)).toBe(202)
  const headers = {
    'Svc-Wallet-Signature': session.stamp(body.payloadToSign),
    'Request-Id': body.requestId,
  }
  return () => client.send('PATCH', path, change, headers)
}

describe('parallel authorizations', () => {
  test('spend no money twice: of fifty with money for seven, seven are approved', async () => {
    const client = await newPlatform()
    const holder = await newCustomer(client)
    await fund(client, holder.usd, 7_000)
    // The two cards share an account and its money.
    const cards = [
      await newCard(client, holder.id, [holder.usd]),
      await newCard(client, holder.id, [holder.usd]),
    ]
    const replies = await repeatInParallel(50, (n) => use(client, cards[n % 2].id, 1_000))
    for (const reply of replies)
      if (reply.status !== 200) expectError(reply, { code: 'CARD_INSUFFICIENT_FUNDS' })
    expect(listApproved(replies)).toHaveLength(7)
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 7_000n])
    for (const { body } of listApproved(replies)) expect((await clear(client, body, 1_000)).status).toBe(200)
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })

  test('are declined after a freeze, and earlier approvals stand', async () => {
    const { client, holder, card, session } = await newCardPlatform()
    const freeze = await prepareUpdate(client, session, card.id, { state: 'FROZEN' })
    let isFrozen = false
    let approved = 0
    // Each shopper uses the card until it is declined.
    const shoppers = repeatInParallel(8, async () => {
      for (;;) {
        const startedFrozen = isFrozen
        const reply = await use(client, card.id, 1)
        if (reply.status !== 200) return expectError(reply, { code: 'CARD_PAUSED' })
        expect(startedFrozen, 'approved after the card was frozen').toBe(false)
        if (++approved === 20) void freezeOnce()
      }
    })
    let freezing: Promise<void> | undefined
    const freezeOnce = () => {
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

  test('with one Idempotency-Key create one purchase, and its claims with one key count once', async () => {
    const { client, holder, card } = await newCardPlatform()
    const authorization = {
      amount: 1_000,
      currency: { code: 'USD' },
      merchant: { descriptor: 'COFFEE SHOP' },
    }
    const path = `/sandbox/cards/${card.id}/simulate`
    const sendSimulation = (what: string, body: object) => (n: number) =>
      client.post(`${path}/${what}`, body, { 'Idempotency-Key': `${what} ${Math.floor(n / 20)}` })
    const replies = await repeatInParallel(20, sendSimulation('authorization', authorization))
    const ids = new Set(replies.map(({ body }) => body.id))
    expect([ids.size, listApproved(replies).length]).toEqual([1, 20])
    const [cardTransactionId] = ids
    const claims = await repeatInParallel(20, sendSimulation('clearing', { cardTransactionId, amount: 400 }))
    expect(listApproved(claims)).toHaveLength(20)
    const purchase = await now(client, { id: cardTransactionId, cardId: card.id })
    expect(purchase).toMatchObject({
      status: 'PARTIALLY_SETTLED',
      settlementSummary: { count: 1, totalAmount: 400 },
      pullSummary: { count: 1, totalAmount: 400 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([99_000n, 99_600n])
  })
})

describe('parallel signed updates', () => {
  test.each([
    // Both orders are valid if the second update is allowed after the first.
    [{ state: 'FROZEN' }, { state: 'FROZEN' }, ['FROZEN'], [1]],
    [{ state: 'FROZEN' }, { state: 'CLOSED' }, ['CLOSED'], [1, 2]],
    [{ state: 'CLOSED' }, { state: 'CLOSED' }, ['CLOSED'], [1]],
  ])(
    'to %j and %j run in order: the second is checked against the result of the first',
    async (first, second, finalStates, winCounts) => {
      const { client, card, session } = await newCardPlatform()
      const updates = [
        await prepareUpdate(client, session, card.id, first),
        await prepareUpdate(client, session, card.id, second),
      ]
      const replies = await Promise.all(updates.map((sendUpdate) => sendUpdate()))
      for (const reply of replies)
        if (reply.status !== 200) expectError(reply, { code: 'INVALID_STATE_TRANSITION', field: 'state' })
      expect(winCounts).toContain(listApproved(replies).length)
      expect(finalStates).toContain((await readCard(client, card.id)).state)
      const data = await client.events(`&objectId=${card.id}`)
      expect(data).toHaveLength(1 + listApproved(replies).length)
    },
  )

  test('that repeat one signature change the card once', async () => {
    const { client, card, session } = await newCardPlatform()
    const sendUpdate = await prepareUpdate(client, session, card.id, { state: 'FROZEN' })
    const replies = await repeatInParallel(10, sendUpdate)
    // A repeat is refused as already used, or because the card is frozen.
    for (const reply of replies) expect([200, 401, 409], toJson(reply.body)).toContain(reply.status)
    expect(listApproved(replies)).toHaveLength(1)
  })
})

describe('parallel claims and returns', () => {
  test('count each claim once, and capture the hold once', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    const replies = await repeatInParallel(4, () => clear(client, purchase, 300))
    expect(listApproved(replies)).toHaveLength(4)
    expect(await now(client, purchase)).toMatchObject({
      status: 'SETTLED',
      settlementSummary: { count: 4, totalAmount: 1_200 },
      // The last one is pulled from the hold and from the available balance.
      pullSummary: { count: 5, totalAmount: 1_200, pendingCount: 0 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_800n, 98_800n])
  })

  test('never return more than was claimed', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    await clear(client, purchase, 1_000)
    const largeReturns = await repeatInParallel(4, () => giveBack(client, purchase, 400))
    expect(listApproved(largeReturns)).toHaveLength(2)
    for (const reply of largeReturns)
      if (reply.status !== 200) expectError(reply, { code: 'AMOUNT_OUT_OF_RANGE', field: 'amount' })
    const smallReturns = await repeatInParallel(3, () => giveBack(client, purchase, 200))
    expect(listApproved(smallReturns)).toHaveLength(1)
    for (const reply of smallReturns)
      if (reply.status !== 200) expectError(reply, { code: 'INVALID_STATE_TRANSITION' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([100_000n, 100_000n])
  })

  test('leave nothing held if a claim meets its withdrawal, whichever is first', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 1_000)
    const [claim, withdrawal] = await Promise.all([clear(client, purchase, 600), clear(client, purchase, 0)])
    expect(claim!.status).toBe(200)
    expect(withdrawal!.status).toBe(200)
    expect(await now(client, purchase)).toMatchObject({ status: 'SETTLED', settledAmount: { amount: 600 } })
    expect(await balances(client, holder.id, holder.usd)).toEqual([99_400n, 99_400n])
  })
})
