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

const deleteCustomer = (client: Client, id: string) => client.send('DELETE', `/customers/${id}`)

/** The records that a refused deletion lists. */
function readBlockingRecords(reply: Reply) {
  expectError(reply, { code: 'CUSTOMER_NOT_EMPTY', field: 'customerId' })
  const { accounts, transactions, cardTransactions } = reply.body.details
  return { accounts, transactions, cardTransactions }
}

const NOTHING = { accounts: [], transactions: [], cardTransactions: [] }

/** Sends the whole balance of the account in USD to a bank. */
async function payOutBalance(client: Client, customerId: string, usd: string): Promise<void> {
  const bank = await newBankAccount(client, customerId)
  const body = { source: { accountId: usd }, destination: { accountId: bank } }
  expect((await client.post('/transfer-out', body)).status).toBe(201)
  await client.advance(0)
}

describe('a customer is not deleted', () => {
  test('while a wallet holds money, until the holder signs and moves it out', async () => {
    const { client, holder, session } = await newCardPlatform()
    await payOutBalance(client, holder.id, holder.usd)
    await fund(client, holder.wallet, 5_000_000)
    const [wallet, ...others] = readBlockingRecords(await deleteCustomer(client, holder.id)).accounts
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
    const execution = await sendSigned(client, session, 'POST', `/quotes/${quote.body.id}/execute`, undefined)
    expect(execution.status, toJson(execution.body)).toBe(200)
    await client.advance(0)
    expect((await deleteCustomer(client, holder.id)).body).toMatchObject({ isDeleted: true })
    expectError(await client.post(`/sandbox/internal-accounts/${holder.wallet}/fund`, { amount: 1 }), {
      code: 'CUSTOMER_DELETED',
      field: 'accountId',
    })
  })

  test('while a payment or a purchase is in progress, and the response names each', async () => {
    const { client, holder, card } = await newCardPlatform()
    const bank = await newBankAccount(client, holder.id, '005')
    const purchase = await used(client, card.id, 100_000)
    expect(readBlockingRecords(await deleteCustomer(client, holder.id))).toMatchObject({
      accounts: [{ id: holder.usd, balance: 0, totalBalance: 100_000 }],
      cardTransactions: [{ id: purchase.id, cardId: card.id, status: 'AUTHORIZED' }],
    })
    await clear(client, purchase, 0)
    const body = { source: { accountId: holder.usd }, destination: { accountId: bank } }
    const transfer = (await client.post('/transfer-out', body)).body
    expect(readBlockingRecords(await deleteCustomer(client, holder.id)).transactions).toEqual([
      { id: transfer.id, status: 'PENDING' },
    ])
    await client.advance(60)
    await payOutBalance(client, holder.id, holder.usd)
    const pull = { source: { accountId: bank }, destination: { accountId: holder.usd }, amount: 500 }
    const incoming = (await client.post('/transfer-in', pull)).body
    expect(readBlockingRecords(await deleteCustomer(client, holder.id))).toEqual({
      ...NOTHING,
      transactions: [{ id: incoming.id, status: 'PENDING' }],
    })
    await client.advance(60)
    expect((await deleteCustomer(client, holder.id)).status).toBe(200)
  })
})

describe('a customer who is deleted', () => {
  test('has no working card or delegated key from the same commit on', async () => {
    const { client, holder, card, session } = await newCardPlatform()
    await payOutBalance(client, holder.id, holder.usd)
    const walletCard = await newCard(client, holder.id, [holder.wallet])
    const pendingCard = await newCard(client, holder.id, [holder.usd], { platformCardId: 'my-card-005' })
    expect(pendingCard.state).toBe('PROCESSING')
    const keyRequest = { cardId: walletCard.id, internalAccountId: holder.wallet, nickname: 'Spending' }
    const key = await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)
    expect((await deleteCustomer(client, holder.id)).status).toBe(200)
    for (const { id } of [card, walletCard, pendingCard]) {
      const { body } = await client.get(`/cards/${id}`)
      expect(body).toMatchObject({ state: 'CLOSED', stateReason: 'CLOSED_BY_PLATFORM' })
      expectError(await use(client, id, 1), { code: 'CARD_CLOSED' })
      const events = await client.events(`&objectId=${id}`)
      expect(events.at(-1)).toMatchObject({ type: 'CARD.STATE_CHANGE', data: { state: 'CLOSED' } })
    }
    expect((await client.get(`/auth/delegated-keys/${key.body.id}`)).body.status).toBe('REVOKED')
    // The issuer created the card anyway, and gets the request to close it.
    await client.advance(30)
    expect(await readCard(client, pendingCard.id)).toMatchObject({
      state: 'CLOSED',
      last4: expect.any(String),
    })
  })

  test('gets no later refund from a merchant: their accounts stay empty', async () => {
    const { client, holder, card } = await newCardPlatform()
    const purchase = await used(client, card.id, 100_000)
    await clear(client, purchase, 100_000)
    expect((await deleteCustomer(client, holder.id)).status).toBe(200)
    expect((await giveBack(client, purchase, 40_000)).body).toMatchObject({
      status: 'SETTLED',
      refundSummary: { count: 1, totalAmount: 40_000 },
    })
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })

  test('gets no later return from a bank: the refund is FAILED, for the platform to handle', async () => {
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
    expect((await deleteCustomer(client, holder.id)).status).toBe(200)
    await client.advance(24 * 3600)
    const { body } = await client.get(`/transactions/${quote.body.transactionId}`)
    expect(body).toMatchObject({ status: 'FAILED', refund: { status: 'FAILED' } })
    expect(await balances(client, holder.id, holder.usd)).toEqual([0n, 0n])
  })
})

describe('fifty parallel calls', () => {
  test('that fund and delete a customer either fund it or delete it', async () => {
    const client = await newPlatform()
    const customers = await Promise.all(Array.from({ length: 5 }, () => newCustomer(client)))
    const calls = customers.flatMap((customer) =>
      Array.from({ length: 10 }, async (_, n) => {
        const reply =
          n % 2 === 1
            ? await deleteCustomer(client, customer.id)
            : await client.post(`/sandbox/internal-accounts/${customer.usd}/fund`, { amount: 7 })
        return { customer, isDelete: n % 2 === 1, reply }
      }),
    )
    const results = await Promise.all(calls)
    for (const customer of customers) {
      const attempts = results.filter((result) => result.customer === customer)
      const successes = attempts.filter(({ reply }) => reply.status === 200)
      const deletions = successes.filter(({ isDelete }) => isDelete).length
      expect(
        deletions === 1 ? successes.length : deletions,
        toJson(attempts.map(({ reply }) => reply.body)),
      ).toBe(deletions)
      for (const { reply } of attempts)
        if (reply.status !== 200)
          expect(['CUSTOMER_NOT_EMPTY', 'CUSTOMER_DELETED']).toContain(reply.body.code)
      const [spendable] = await balances(client, customer.id, customer.usd)
      expect(spendable).toBe(deletions === 1 ? 0n : BigInt(7 * successes.length))
    }
  })

  test('that use, issue, delegate and delete leave a deleted customer no working card and no held money', async () => {
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
        ...Array.from({ length: 5 }, () => deleteCustomer(client, holder.id)),
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
