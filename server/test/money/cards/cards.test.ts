import { describe, expect, test } from 'vitest'
import { fund, sendSigned } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balances,
  clear,
  giveBack,
  newCard,
  newCardPlatform,
  now,
  update,
  use,
  used,
} from '../../worlds/records/cards.testing.ts'

describe('a purchase', () => {
  test('is held, claimed, pulled and returned in turn', async () => {
    const { client, holder, card } = await newCardPlatform()
    expect(card).toMatchObject({
      state: 'ACTIVE',
      stateReason: null,
      currency: 'USD',
      fundingSources: [holder.usd],
    })
    const page = await fetch(card.panEmbedUrl)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`0000 ${card.last4}`)])
    const purchase = await used(client, card.id, 2_000)
    expect(purchase).toMatchObject({
      status: 'AUTHORIZED',
      accountId: holder.usd,
      authorizedAmount: { amount: 2_000 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_000n, 100_000n])
    expect((await clear(client, purchase, 500)).body).toMatchObject({
      status: 'PARTIALLY_SETTLED',
      settledAmount: { amount: 500 },
      pullSummary: { count: 1, totalAmount: 500, pendingCount: 0 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_000n, 99_500n])
    expect((await clear(client, purchase, 1_500)).body).toMatchObject({ status: 'SETTLED' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_000n, 98_000n])
    expect((await giveBack(client, purchase, 700)).body).toMatchObject({ status: 'SETTLED' })
    expectError(await giveBack(client, purchase, 1_301), { code: 'AMOUNT_OUT_OF_RANGE', field: 'amount' })
    expect((await giveBack(client, purchase, 1_300)).body).toMatchObject({
      status: 'REFUNDED',
      refundSummary: { count: 2, totalAmount: 2_000 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([100_000n, 100_000n])
  })

  test("that is claimed above the authorization is pulled up to its merchant's cap; the rest is an exception", async () => {
    const { client, holder, card } = await newCardPlatform()
    const [tip, excessive] = [await used(client, card.id, 1_000), await used(client, card.id, 1_000)]
    expect((await clear(client, tip, 1_200)).status).toBe(200)
    expect(await now(client, tip)).toMatchObject({
      status: 'SETTLED',
      pullSummary: { count: 2, totalAmount: 1_200, pendingCount: 0 },
    })
    expect((await clear(client, excessive, 500_000)).status).toBe(200)
    // Restaurants may claim a fifth more.
    expect(await now(client, excessive)).toMatchObject({
      status: 'EXCEPTION',
      pullSummary: { count: 2, totalAmount: 1_200 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([97_600n, 97_600n])
    expect((await giveBack(client, excessive, 500_000)).body).toMatchObject({ status: 'REFUNDED' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_800n, 98_800n])
  })

  test('that is not claimed is released, by a claim of nothing or after seven days', async () => {
    const { client, holder, card } = await newCardPlatform()
    const [dropped, forgotten] = [await used(client, card.id, 1_000), await used(client, card.id, 2_000)]
    expect((await clear(client, dropped, 0)).body).toMatchObject({ status: 'SETTLED' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([98_000n, 100_000n])
    await client.advance(7 * 24 * 3600)
    expect(await now(client, forgotten)).toMatchObject({ status: 'SETTLED' })
    expect(await balances(client, holder.id, holder.usd)).toEqual([100_000n, 100_000n])
  })

  test('ends as its descriptor selects', async () => {
    const { client, holder, card } = await newCardPlatform()
    expectError(await use(client, card.id, 100, { descriptor: 'SHOP 002' }), {
      code: 'CARD_INSUFFICIENT_FUNDS',
    })
    expectError(await use(client, card.id, 100, { descriptor: 'SHOP 003' }), { code: 'CARD_PAUSED' })
    const slow = await used(client, card.id, 100, { descriptor: 'SHOP 005' })
    expect((await clear(client, slow, 100)).body).toMatchObject({
      status: 'SETTLED',
      pullSummary: { count: 0, pendingCount: 1 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([99_900n, 100_000n])
    await client.advance(30)
    expect(await now(client, slow)).toMatchObject({
      pullSummary: { count: 1, totalAmount: 100, pendingCount: 0 },
    })
    const failing = await used(client, card.id, 100, { descriptor: 'SHOP 006' })
    await clear(client, failing, 60)
    expect(await now(client, failing)).toMatchObject({
      status: 'EXCEPTION',
      pullSummary: { count: 0, pendingCount: 0 },
    })
  })
})

describe('a card', () => {
  test('is frozen, unfrozen and closed by the signature of its holder', async () => {
    const { client, card, session } = await newCardPlatform()
    const before = await used(client, card.id, 1_000)
    expect((await update(client, session, card.id, { state: 'FROZEN' })).body).toMatchObject({
      state: 'FROZEN',
      stateReason: null,
    })
    expectError(await use(client, card.id, 1), { code: 'CARD_PAUSED' })
    expectError(await client.send('PATCH', `/cards/${card.id}`, { state: 'FROZEN' }), {
      code: 'INVALID_STATE_TRANSITION',
    })
    expect((await update(client, session, card.id, { state: 'ACTIVE' })).body).toMatchObject({
      state: 'ACTIVE',
    })
    await used(client, card.id, 1)
    const closed = await update(client, session, card.id, { state: 'CLOSED' })
    expect(closed.body).toMatchObject({ state: 'CLOSED', stateReason: 'CLOSED_BY_PLATFORM' })
    expectError(await use(client, card.id, 1), { code: 'CARD_CLOSED' })
    expect((await clear(client, before, 1_000)).body).toMatchObject({ status: 'SETTLED' })
    expect((await giveBack(client, before, 1_000)).body).toMatchObject({ status: 'REFUNDED' })
    const data = await client.events(`&objectId=${card.id}`)
    expect(data.map(({ data: { state } }: { data: { state: string } }) => state)).toEqual([
      'ACTIVE',
      'FROZEN',
      'ACTIVE',
      'CLOSED',
    ])
  })

  test('is paid from a wallet by a key that its holder delegated', async () => {
    const { client, holder, session } = await newCardPlatform()
    await fund(client, holder.wallet, 50_000_000)
    const card = await newCard(client, holder.id, [holder.wallet])
    expectError(await use(client, card.id, 1), { code: 'CARD_INSUFFICIENT_FUNDS' })
    const keyRequest = { cardId: card.id, internalAccountId: holder.wallet, nickname: 'Spending' }
    const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)
    expect(key.status).toBe(201)
    const purchase = await used(client, card.id, 1_000)
    expect((await client.send('DELETE', `/auth/delegated-keys/${key.body.id}`)).status).toBe(204)
    expectError(await use(client, card.id, 1), { code: 'CARD_INSUFFICIENT_FUNDS' })
    // An earlier authorization is still pulled.
    expect((await clear(client, purchase, 1_000)).body).toMatchObject({ status: 'SETTLED' })
    expect(await balances(client, holder.id, holder.wallet)).toEqual([40_000_000n, 40_000_000n])
  })
})
