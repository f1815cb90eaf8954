import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balances,
  clear,
  giveBack,
  newCard,
  newCardPlatform,
  readCard,
  use,
  used,
} from '../../worlds/records/cards.testing.ts'

const remove = (client: Client, id: string) => client.send('DELETE', `/customers/${id}`)

/** The records that a refused deletion lists. */
function recordsNamed(reply: Reply) {
  expectError(reply, { code: 'CUSTOMER_NOT_EMPTY', field: 'customerId' })
  const { accounts, transactions, cardTransactions } = reply.body.details
  return { accounts, transactions, cardTransactions }
}

const NOTHING = { accounts: [], transactions: [], cardTransactions: [] }

/** Sends the whole balance of the account in USD to a bank. */
async function empty(client: Client, customerId: string, usd: string): Promise<void> {
  const bank = await newBankAccount(client, customerId)
  const body = { source: { accountId: usd }, destination: { accountId: bank } }
  expect((await client.post('/transfer-out', body)).status).toBe(201)
  await client.advance(0)
}

describe('a customer is not deleted', () => {
  test('while a wallet holds money: its holder still signs, moves it out, and then is deleted', async () => {
    const { client, holder, session } = await newCardPlatform()
    await empty(client, holder.id, holder.usd)
    await fund(client, holder.wallet, 5_000_000)
    const [wallet, ...others] = recordsNamed(await remove(client, holder.id)).accounts
    expect(others).toEqual([])
    expect(wallet).toMatchObject({
      id: holder.wallet,
      balance: 5_000_000,
      totalBalance: 5_000_000,
      currency: 'USDB',
    })
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: holder.wallet },
      destination: { destinationType: 'ACCOUNT', accountId: await newBankAccount(client, holder.id, '788') },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 5_000_000,
    })
    expect(quote.status, toJson(quote.body)).toBe(201)
    const paid = await sendSigned(client, session, 'POST', `/quotes/${quote.body.id}/execute`, undefined)
    expect(paid.status, toJson(paid.body)).toBe(200)
    await client.advance(0)
    expect((await remove(client, holder.id)).body).toMatchObject({ isDeleted: true })
    expectError(await client.post(`/sandbox/internal-accounts/${holder.wallet}/fund`, { amount: 1 }), {
      code: 'CUSTOMER_DELETED',
      field: 'accountId',
    })
  })

  test('while a payment or a purchase is in progress, and each is named', async () => {
    const { client, holder, card } = await newCardPlatform()
    const bank = await newBankAccount(client, holder.id, '005')
    const purchase = await used(client, card.id, 100_000)
    expect(recordsNamed(await remove(client, holder.id))).toMatchObject({
      accounts: [{ id: holder.usd, balance: 0, totalBalance: 100_000 }],
      cardTransactions: [{ id: purchase.id, cardId: card.id, status: 'AUTHORIZED' }],
    })
    await clear(client, purchase, 0)
    const body = { source: { accountId: holder.usd }, destination: { accountId: bank } }
    const out = (await client.post('/transfer-out', body)).body
    expect(recordsNamed(await remove(client, holder.id)).transactions).toEqual([
      { id: out.id, status: 'PENDING' },
    ])
    await client.advance(60)
    await empty(client, holder.id, holder.usd)
    const pull = { source: { accountId: bank }, destination: { accountId: holder.usd }, amount: 500 }
    const incoming = (await client.post('/transfer-in', pull)).body
    expect(recordsNamed(await remove(client, holder.id))).toEqual({
      ...NOTHING,
      transactions: [{ id: incoming.id, status: 'PENDING' }],
    })
    await client.advance(60)
    expect((await remove(client, holder.id)).status).toBe(200)
  })
})

describe('a customer who is deleted', () => {
  test('has no card and no delegated key that works, from the same commit on', async () => {
    const { client, holder, card, session } = await newCardPlatform()
    await empty(client, holder.id, holder.usd)
    const paid = await newCard(client, holder.id, [holder.wallet])
    const making = await newCard(client, holder.id, [holder.usd], { platformCardId: 'my-card-005' })
    expect(making.state).toBe('PROCESSING')
    const asked = { cardId: paid.id, internalAccountId: holder.wallet, nickname: 'Spending' }
    const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', asked)
    expect((await remove(client, holder.id)).status).toBe(200)
    for (const { id } of [card, paid, making]) {
      const { body } = await client.get(`/cards/${id}`)
      expect(body).toMatchObject({ state: 'CLOSED', stateReason: 'CLOSED_BY_PLATFORM' })
      expectError(await use(client, id, 1), { code: 'CARD_CLOSED' })
      const events = await client.events(`&objectId=${id}`)
      expect(events.at(-1)).toMatchObject({ type: 'CARD.STATE_CHANGE', data: { state: 'CLOSED' } })
    }
    expect((await client.get(`/auth/delegated-keys/${key.body.id}`)).body.status).toBe('REVOKED')
    // The issuer created the card anyway, and gets the request to close it.
    await client.advance(30)
    expect(await readCard(client, making.id)).toMatchObject({ state: 'CLOSED', last4: expect.any(String) })
  })

  test('gets no later refund of a merchant: their accounts stay empty', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 100_000)
    await clear(client, purchase, 100_000)
    expect((await remove(client, holder.id)).status).toBe(200)
    expect((await giveBack(client, purchase, 40_000)).body).toMatchObject({
      status: 'SETTLED',
      refundSummary: { count: 1, totalAmount: 40_000 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })

  test('gets no later return of a bank: the refund is FAILED, for the platform to handle', async () => {
    const { client, holder } = await newCardPlatform()
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: holder.usd },
      destination: {
        destinationType: 'ACCOUNT',
        accountId: await newBankAccount(client, holder.id, '005'),
      },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100_000,
    })
    await client.post(`/quotes/${quote.body.id}/execute`)
    await client.advance(0)
    expect((await remove(client, holder.id)).status).toBe(200)
    await client.advance(24 * 3600)
    const { body } = await client.get(`/transactions/${quote.body.transactionId}`)
    expect(body).toMatchObject({ status: 'FAILED', refund: { status: 'FAILED' } })
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })
})

describe('fifty in parallel', () => {
  test('fund and delete: either there is money, or the customer is deleted', async () => {
    const client = await newPlatform()
    const customers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(client)))
    const calls = customers.flatMap((one) =>
      Array.from({ length: 10 }, async (_, n) => {
        const reply =
          n % 2 === 1
            ? await remove(client, one.id)
            : await client.post(`/sandbox/internal-accounts/${one.usd}/fund`, { amount: 7 })
        return { one, isDelete: n % 2 === 1, reply }
      }),
    )
    const done = await Promise.all(calls)
    for (const one of customers) {
      const of = done.filter((call) => call.one === one)
      const won = of.filter(({ reply }) => reply.status === 200)
      const deletions = won.filter(({ isDelete }) => isDelete).length
      expect(deletions === 1 ? won.length : deletions, toJson(of.map(({ reply }) => reply.body))).toBe(
        deletions,
      )
      for (const { reply } of of)
        if (reply.status !== 200)
          expect(['CUSTOMER_NOT_EMPTY', 'CUSTOMER_DELETED']).toContain(reply.body.code)
      const [spendable] = await balances(client, one.id, one.usd)
      expect(spendable).toBe(deletions === 1 ? 0n : BigInt(7 * won.length))
    }
  })

  test('use, issue, delegate and delete: nothing works for a deleted customer, nothing is held', async () => {
    const worlds = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const world = await newCardPlatform()
        const purchase = await used(world.client, world.card.id, 100_000)
        return { ...world, purchase }
      }),
    )
    await Promise.all(
      worlds.flatMap(({ client, holder, card, session, purchase }) => [
        // The claim empties the account; from then on it can be deleted.
        clear(client, purchase, 100_000),
        ...Array.from({ length: 5 }, () => remove(client, holder.id)),
        use(client, card.id, 1),
        fund(client, holder.usd, 1).then(
          () => use(client, card.id, 1),
          () => use(client, card.id, 1),
        ),
        client.post('/cards', { cardholderId: holder.id, form: 'VIRTUAL', fundingSources: [holder.wallet] }),
        sendSigned(client, session, 'POST', '/auth/delegated-keys', {
          cardId: card.id,
          internalAccountId: holder.wallet,
          nickname: 'Spending',
        }),
      ]),
    )
    for (const { client, holder, card } of worlds) {
      const { status } = await client.get(`/customers/${holder.id}`)
      const cards = (await client.get(`/cards?cardholderId=${holder.id}`)).body.data
      if (status !== 410) {
        expect((await client.get(`/cards/${card.id}`)).body.state).toBe('ACTIVE')
        continue
      }
      expect(cards.map(({ state }: { state: string }) => state)).toEqual(cards.map(() => 'CLOSED'))
      expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
      for (const { id } of cards) expectError(await use(client, id, 1), { code: 'CARD_CLOSED' })
    }
  })
})
