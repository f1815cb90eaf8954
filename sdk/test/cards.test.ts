import { expect, test } from 'vitest'
import type { BodyInput } from '../src/client/calls.ts'
import { NotIssuedError } from '../src/waiting/wait-for-card.ts'
import { listAll, makeClient, makeFundedCustomer } from './platform.testing.ts'

/** Creates a signed-in customer with 1,000.00 USD, 50 USDB in a wallet, and an ACTIVE card on the USD. */
async function makeCard() {
  const countersign = await makeClient()
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 50_000_000n })
  const { usdId, walletId, customerId } = customer
  await countersign.call('sandbox_account_fund', {
    params: { accountId: usdId },
    body: { amount: 100_000n },
  })
  const create = () =>
    countersign.cards.create(
      { cardholderId: customerId, form: 'VIRTUAL', fundingSources: [usdId] },
      { idempotencyKey: 'once' },
    )
  const { id } = await create()
  expect((await create()).id).toBe(id)
  expect((await countersign.waitForCard(id)).state).toBe('ACTIVE')
  const session = await countersign.wallet(walletId).email.signIn({ code: '000000' })
  const use = (cardId: string, amount: bigint, code = 'USD') =>
    countersign.call('sandbox_card_authorization', {
      params: { id: cardId },
      body: { amount, currency: { code }, merchant: { descriptor: 'COFFEE SHOP' } },
    })
  return { countersign, customer, session, id, use }
}

test('a card is frozen, unfrozen, given other accounts and closed in one call each', async () => {
  const { countersign, customer, session, id, use } = await makeCard()
  const update = (body: BodyInput<'card_update'>) => countersign.cards.update(id, body, { signer: session })
  const purchases = [await use(id, 1_250n), await use(id, 300n)].map(({ body }) => body)
  expect(await listAll(countersign.cards.transactions(id, { limit: 1, sortOrder: 'asc' }))).toEqual(purchases)
  expect(await update({ state: 'FROZEN' })).toMatchObject({ id, state: 'FROZEN' })
  await expect(use(id, 1n)).rejects.toMatchObject({ status: 403, code: 'CARD_PAUSED' })
  await expect(update({ state: 'FROZEN' })).rejects.toMatchObject({
    status: 409,
    code: 'INVALID_STATE_TRANSITION',
  })
  expect((await update({ state: 'ACTIVE' })).state).toBe('ACTIVE')
  expect(await update({ state: 'FROZEN', fundingSources: [customer.usdId] })).toMatchObject({
    state: 'FROZEN',
    fundingSources: [customer.usdId],
  })
  expect((await update({ fundingSources: [customer.usdId] })).state).toBe('FROZEN')
  await expect(update({ fundingSources: ['InternalAccount:none'] })).rejects.toMatchObject({
    code: 'FUNDING_SOURCE_INELIGIBLE',
    details: { field: 'fundingSources.0' },
  })
  expect(await update({ state: 'CLOSED' })).toMatchObject({
    state: 'CLOSED',
    stateReason: 'CLOSED_BY_PLATFORM',
  })
  const query = { cardholderId: customer.customerId, state: 'CLOSED' } as const
  expect(await listAll(countersign.cards.list(query))).toEqual([await countersign.cards.get(id)])
})

test('a card is paid from an embedded wallet as long as its delegated key is ACTIVE', async () => {
  const { countersign, customer, session, use } = await makeCard()
  const { cards, delegatedKeys } = countersign
  const { customerId: cardholderId, walletId } = customer
  const created = await cards.create({ cardholderId, form: 'VIRTUAL', fundingSources: [walletId] })
  const { id: cardId } = await countersign.waitForCard(created.id)
  const keyRequest = { cardId, internalAccountId: walletId, nickname: 'Coffee' }
  const key = await delegatedKeys.create(keyRequest, { signer: session })
  expect(key).toMatchObject({ cardId, fundingSourceId: walletId, status: 'ACTIVE' })
  await expect(delegatedKeys.create(keyRequest, { signer: session })).rejects.toMatchObject({
    status: 409,
    code: 'DELEGATED_KEY_ALREADY_EXISTS',
  })
  expect((await use(cardId, 1_000n, 'USD')).body).toMatchObject({
    status: 'AUTHORIZED',
    accountId: walletId,
  })
  expect(await delegatedKeys.list({ accountId: walletId })).toEqual({
    data: [await delegatedKeys.get(key.id)],
  })
  await delegatedKeys.delete(key.id)
  await expect(use(cardId, 1n, 'USD')).rejects.toMatchObject({ code: 'CARD_INSUFFICIENT_FUNDS' })
  expect((await delegatedKeys.get(key.id)).status).toBe('REVOKED')
})

test('a wait for an issuer reports a missing decision and a rejection', async () => {
  const { countersign, customer } = await makeCard()
  const requestKey = async (platformCardId: string) =>
    countersign.cards.create({
      cardholderId: customer.customerId,
      form: 'VIRTUAL',
      fundingSources: [customer.usdId],
      platformCardId,
    })
  const [silent, rejected] = [await requestKey('silent-001'), await requestKey('rejected-002')]
  const soon = countersign.waitForCard(silent.id, { timeoutMs: 1 })
  await expect(soon).rejects.toBeInstanceOf(NotIssuedError)
  expect(await countersign.waitForCard(rejected.id)).toMatchObject({
    state: 'CLOSED',
    stateReason: 'ISSUER_REJECTED',
  })
})
