import { describe, expect, test } from 'vitest'
import { newCustomer, sendSigned } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newCard, newCardPlatform, readCard, update, use } from '../../worlds/records/cards.testing.ts'

const buildIssueRequest = (cardholderId: string, fundingSources: readonly string[], more: object = {}) => ({
  cardholderId,
  form: 'VIRTUAL',
  fundingSources,
  ...more,
})

describe('a card is not issued', () => {
  test('to a customer who is not approved, or on accounts that cannot fund it, naming the index in the list', async () => {
    const { client, holder } = await newCardPlatform()
    const otherCustomer = await newCustomer(client)
    const rejected = await client.post('/customers', {
      customerType: 'INDIVIDUAL',
      fullName: 'Ada Lovelace002',
    })
    expectError(await client.post('/cards', buildIssueRequest(rejected.body.id, [holder.usd])), {
      code: 'CARDHOLDER_KYC_NOT_APPROVED',
      field: 'cardholderId',
    })
    const mxn = (await client.get(`/customers/internal-accounts?customerId=${holder.id}&currency=MXN`)).body
      .data[0]?.id
    const ineligible: readonly (readonly [readonly string[], string])[] = [
      [[otherCustomer.usd], 'fundingSources.0'],
      [[holder.usd, otherCustomer.usd], 'fundingSources.1'],
      [[holder.usd, holder.eur], 'fundingSources.1'],
      [[holder.wallet, holder.eur], 'fundingSources.1'],
      ...(mxn ? ([[[mxn], 'fundingSources.0']] as const) : []),
    ]
    for (const [sources, field] of ineligible)
      expectError(await client.post('/cards', buildIssueRequest(holder.id, sources)), {
        code: 'FUNDING_SOURCE_INELIGIBLE',
        field,
      })
    expectError(await client.post('/cards', buildIssueRequest(holder.id, [holder.usd, holder.usd])), {
      code: 'INVALID_INPUT',
      field: 'fundingSources.1',
    })
    expectError(await client.post('/cards', buildIssueRequest(holder.id, [])), {
      code: 'INVALID_INPUT',
      field: 'fundingSources',
    })
  })

  test('twice under one platformCardId', async () => {
    const { client, holder, card } = await newCardPlatform({ platformCardId: 'ours-ok' })
    expect(card.platformCardId).toBe('ours-ok')
    expectError(
      await client.post('/cards', buildIssueRequest(holder.id, [holder.usd], { platformCardId: 'ours-ok' })),
      {
        code: 'PLATFORM_CARD_ID_EXISTS',
        field: 'platformCardId',
      },
    )
  })

  test('if the issuer rejects it; one still in progress does not pay and cannot be frozen', async () => {
    const { client, holder } = await newCardPlatform()
    const rejected = await newCard(client, holder.id, [holder.usd], { platformCardId: 'card-002' })
    expect(rejected).toMatchObject({ state: 'CLOSED', stateReason: 'ISSUER_REJECTED' })
    const slowCard = await newCard(client, holder.id, [holder.usd], { platformCardId: 'card-005' })
    expect(slowCard.state).toBe('PROCESSING')
    expectError(await use(client, slowCard.id, 1), { code: 'CARD_NOT_ACTIVE' })
    expectError(await client.send('PATCH', `/cards/${slowCard.id}`, { state: 'FROZEN' }), {
      code: 'INVALID_STATE_TRANSITION',
      field: 'state',
    })
    await client.advance(30)
    expect(await readCard(client, slowCard.id)).toMatchObject({ state: 'ACTIVE', brand: 'VISA' })
  })
})

describe('a card is not changed', () => {
  test('by a request with too few or too many fields, or with accounts that cannot fund it', async () => {
    const { client, holder, card } = await newCardPlatform()
    const otherCustomer = await newCustomer(client)
    const patch = (body: object) => client.send('PATCH', `/cards/${card.id}`, body)
    expectError(await patch({}), { code: 'INVALID_INPUT', field: 'state' })
    expectError(await patch({ fundingSources: [] }), { code: 'INVALID_INPUT', field: 'fundingSources' })
    expectError(await patch({ state: 'CLOSED', fundingSources: [holder.usd] }), {
      code: 'INVALID_INPUT',
      field: 'fundingSources',
    })
    expectError(await patch({ fundingSources: [holder.usd, holder.usd] }), {
      code: 'INVALID_INPUT',
      field: 'fundingSources.1',
    })
    for (const account of [otherCustomer.usd, holder.eur])
      expectError(await patch({ fundingSources: [account] }), {
        code: 'FUNDING_SOURCE_INELIGIBLE',
        field: 'fundingSources.0',
      })
    for (const state of ['ACTIVE', 'PROCESSING', 'PENDING_KYC'])
      expectError(await patch({ state }), {
        code: state === 'ACTIVE' ? 'INVALID_STATE_TRANSITION' : 'INVALID_INPUT',
        field: 'state',
      })
    expect(await readCard(client, card.id)).toEqual(card)
  })

  test('once it is closed, and its keys are revoked with it', async () => {
    const { client, holder, card, session } = await newCardPlatform()
    const wallet = await newCard(client, holder.id, [holder.wallet])
    const keyRequest = { cardId: wallet.id, internalAccountId: holder.wallet, nickname: 'Spending' }
    const key = (await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)).body
    expectError(await client.post('/auth/delegated-keys', keyRequest), {
      code: 'DELEGATED_KEY_ALREADY_EXISTS',
    })
    expectError(
      await client.post('/auth/delegated-keys', {
        ...keyRequest,
        cardId: card.id,
      }),
      { code: 'FUNDING_SOURCE_INELIGIBLE', field: 'internalAccountId' },
    )
    expect((await update(client, session, wallet.id, { state: 'CLOSED' })).status).toBe(200)
    expect((await client.get(`/auth/delegated-keys/${key.id}`)).body.status).toBe('REVOKED')
    for (const change of [
      { state: 'ACTIVE' },
      { state: 'FROZEN' },
      { state: 'CLOSED' },
      { fundingSources: [holder.wallet] },
    ])
      expectError(await client.send('PATCH', `/cards/${wallet.id}`, change), {
        code: 'INVALID_STATE_TRANSITION',
      })
  })

  test('by a request that was signed before the state of the card changed', async () => {
    const { client, card, session } = await newCardPlatform()
    const path = `/cards/${card.id}`
    const first = await client.send('PATCH', path, { state: 'FROZEN' })
    expect((await update(client, session, card.id, { state: 'CLOSED' })).status).toBe(200)
    const late = await client.send(
      'PATCH',
      path,
      { state: 'FROZEN' },
      {
        'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
        'Request-Id': first.body.requestId,
      },
    )
    expectError(late, { code: 'INVALID_STATE_TRANSITION', field: 'state' })
    expect((await readCard(client, card.id)).state).toBe('CLOSED')
  })
})

test('the state and the funding sources of a card change together, and both changes are reported in order', async () => {
  const { client, holder, card, session } = await newCardPlatform()
  const { body } = await update(client, session, card.id, { state: 'FROZEN', fundingSources: [holder.usd] })
  expect(body).toMatchObject({ state: 'FROZEN', fundingSources: [holder.usd] })
  const types = (await client.events(`&objectId=${card.id}`)).map(({ type }) => type)
  expect(types).toEqual(['CARD.STATE_CHANGE', 'CARD.STATE_CHANGE', 'CARD.FUNDING_SOURCE_CHANGE'])
})

test('cards are found by holder, account, state and the platform’s own id', async () => {
  const { client, holder, card } = await newCardPlatform({ platformCardId: 'mine-1' })
  const wallet = await newCard(client, holder.id, [holder.wallet])
  const listIds = async (query: string) =>
    (await client.get(`/cards?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await listIds(`cardholderId=${holder.id}`)).toEqual([wallet.id, card.id])
  expect(await listIds(`cardholderId=${holder.id}&sortOrder=asc`)).toEqual([card.id, wallet.id])
  expect(await listIds(`accountId=${holder.usd}`)).toEqual([card.id])
  expect(await listIds('platformCardId=mine-1')).toEqual([card.id])
  expect(await listIds('state=FROZEN')).toEqual([])
})
