import { OVER_CLAIM_RULES, overClaimRule } from '@countersign/contract/cards/over-claims'
import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { claimMax } from '../../../src/money/cards/claim-limit.ts'
import { type Client, fund, type SignedIn, sendSigned } from '../../worlds/client.testing.ts'
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

/** A card that an embedded wallet with 50,000 USDB pays. */
async function createWalletCard() {
  const world = await newCardPlatform()
  const { client, holder, session } = world
  await fund(client, holder.wallet, 50_000_000_000)
  const card = await newCard(client, holder.id, [holder.wallet])
  await delegateKey(client, session, card.id, holder.wallet)
  return { ...world, card, readWallet: () => balances(client, holder.id, holder.wallet) }
}

async function delegateKey(client: Client, session: SignedIn, cardId: string, wallet: string) {
  const keyRequest = { cardId, internalAccountId: wallet, nickname: 'Spending' }
  const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)
  expect(key.status, toJson(key.body)).toBe(201)
  return key.body
}

describe('a merchant who claims more than was authorized', () => {
  test('gets no more from a wallet than the cap, frozen or not: the rest is an exception', async () => {
    const { client, card, session, readWallet } = await createWalletCard()
    const [excessive, tip] = [
      await used(client, card.id, 100, { mcc: undefined }),
      await used(client, card.id, 200, { mcc: undefined }),
    ]
    expect((await update(client, session, card.id, { state: 'FROZEN' })).status).toBe(200)
    expect((await clear(client, excessive, 90_000_000)).body).toMatchObject({ status: 'EXCEPTION' })
    expect(await now(client, excessive)).toMatchObject({
      status: 'EXCEPTION',
      authorizedAmount: { amount: 100, currency: { code: 'USD' } },
      settlementSummary: { count: 1, totalAmount: 90_000_000 },
      // 1.50 USD, in USDB.
      pullSummary: { count: 2, totalAmount: 1_500_000, currency: { code: 'USDB' }, pendingCount: 0 },
    })
    expect(await readWallet()).toEqual([49_996_500_000n, 49_998_500_000n])
    // An authorization from before the closing is still pulled, within the cap.
    expect((await update(client, session, card.id, { state: 'CLOSED' })).status).toBe(200)
    await clear(client, tip, 300)
    expect(await now(client, tip)).toMatchObject({
      status: 'SETTLED',
      pullSummary: { count: 2, totalAmount: 3_000_000 },
    })
    expect(await readWallet()).toEqual([49_995_500_000n, 49_995_500_000n])
  })

  test('has one cap for all claims together, in any order and in parallel, whatever it returned', async () => {
    const { client, card, readWallet } = await createWalletCard()
    const purchase = await used(client, card.id, 1_000, { mcc: undefined })
    const claims = [700, 10, 440, 600]
    const replies = await Promise.all(claims.map((amount) => clear(client, purchase, amount)))
    for (const reply of replies) expect(reply.status, toJson(reply.body)).toBe(200)
    expect(await now(client, purchase)).toMatchObject({
      status: 'EXCEPTION',
      settlementSummary: { count: claims.length, totalAmount: 1_750 },
      pullSummary: { totalAmount: 15_000_000 },
    })
    // A return first cancels what was not pulled.
    expect((await giveBack(client, purchase, 1_000)).status).toBe(200)
    expect(await readWallet()).toEqual([49_992_500_000n, 49_992_500_000n])
    await clear(client, purchase, 1_000)
    expect(await now(client, purchase)).toMatchObject({ pullSummary: { totalAmount: 15_000_000 } })
    expect(await readWallet()).toEqual([49_992_500_000n, 49_992_500_000n])
  })

  test("has the cap of its category, else the platform's cap at the time of the authorization", async () => {
    const { client, holder, card } = await newCardPlatform()
    const setCapPercent = (percent: number) =>
      client.send('PATCH', '/config', { cardConfig: { overClaimPercentMax: percent } })
    expect((await client.get('/config')).body.cardConfig).toEqual({ overClaimPercentMax: 50 })
    const earlier = await used(client, card.id, 1_000, { mcc: '5411' })
    expect((await setCapPercent(10)).body.cardConfig).toEqual({ overClaimPercentMax: 10 })
    for (const percent of [-1, 101, 1.5])
      expectError(await setCapPercent(percent), {
        code: 'INVALID_INPUT',
        field: 'cardConfig.overClaimPercentMax',
      })
    const cases: readonly (readonly [string | undefined, number, number])[] = [
      ['5411', 1_000, 1_100],
      [undefined, 1_000, 1_100],
      ['5812', 1_000, 1_200],
      ['7011', 1_000, 1_150],
      ['3501', 1_000, 1_150],
      ['5542', 100, 17_500],
      ['5542', 20_000, 20_000],
    ]
    const expectPulled = async (purchase: Awaited<ReturnType<typeof used>>, most: number) => {
      await clear(client, purchase, 50_000_000)
      expect(await now(client, purchase)).toMatchObject({
        status: 'EXCEPTION',
        pullSummary: { totalAmount: most },
      })
    }
    for (const [mcc, authorized, most] of cases)
      await expectPulled(await used(client, card.id, authorized, { mcc }), most)
    await expectPulled(earlier, 1_500)
    const [available] = await balances(client, holder.id, holder.usd)
    expect(available).toBe(100_000n - cases.reduce((total, [, , most]) => total + BigInt(most), 1_500n))
  })

  test('is in at most one category of the table, and the cap is never less than the authorized amount', () => {
    for (const rule of OVER_CLAIM_RULES) {
      expect(rule.from <= rule.to).toBe(true)
      for (const mcc of [rule.from, rule.to]) {
        expect(OVER_CLAIM_RULES.filter(({ from, to }) => from <= mcc && mcc <= to)).toEqual([rule])
        expect(overClaimRule(mcc)).toBe(rule)
        for (const amount of [1n, 17_500n, 2n ** 63n - 1n]) {
          const max = claimMax({ amount, currency: 'USD', merchant: { mcc } }, 0)
          expect(max >= amount && max < 2n ** 63n).toBe(true)
        }
      }
    }
  })
})

describe('a card that a dollar stablecoin pays', () => {
  test('is in USD, pays one to one to the smallest unit, and gets exactly the returned amount back', async () => {
    const { client, card, readWallet } = await createWalletCard()
    expect(card.currency).toBe('USD')
    expectError(await use(client, card.id, 1, { currency: 'USDB' }), { code: 'CARD_CURRENCY_MISMATCH' })
    expectError(await use(client, card.id, 5_000_001), { code: 'CARD_INSUFFICIENT_FUNDS' })
    expectError(await use(client, card.id, 9_223_372_036_854_775_807n), { code: 'CARD_INSUFFICIENT_FUNDS' })
    const purchase = await used(client, card.id, 1_234)
    expect(purchase).toMatchObject({ authorizedAmount: { amount: 1_234, currency: { code: 'USD' } } })
    expect(await readWallet()).toEqual([49_987_660_000n, 50_000_000_000n])
    expect((await clear(client, purchase, 1_233)).body).toMatchObject({
      settledAmount: { amount: 1_233, currency: { code: 'USD' } },
      pullSummary: { count: 1, totalAmount: 12_330_000, currency: { code: 'USDB', decimals: 6 } },
    })
    expect((await giveBack(client, purchase, 1)).body).toMatchObject({
      refundedAmount: { amount: 1, currency: { code: 'USD' } },
      refundSummary: { totalAmount: 1 },
    })
    await clear(client, purchase, 0)
    expect(await readWallet()).toEqual([49_987_680_000n, 49_987_680_000n])
    expect((await giveBack(client, purchase, 1_232)).body).toMatchObject({ status: 'REFUNDED' })
    expect(await readWallet()).toEqual([50_000_000_000n, 50_000_000_000n])
  })

  test('shares its currency with an account in USD, and the first account that can pay in full pays', async () => {
    const { client, holder, session } = await newCardPlatform()
    await fund(client, holder.wallet, 5_000_000)
    const card = await newCard(client, holder.id, [holder.wallet, holder.usd])
    await delegateKey(client, session, card.id, holder.wallet)
    expect(card.currency).toBe('USD')
    expect(await used(client, card.id, 501)).toMatchObject({ accountId: holder.usd })
    expect(await used(client, card.id, 500)).toMatchObject({ accountId: holder.wallet })
  })
})
