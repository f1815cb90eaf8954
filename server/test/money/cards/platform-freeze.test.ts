import { expect, test } from 'vitest'
import { Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { clear, newCardPlatform, update, use, used } from '../../worlds/records/cards.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'

const STOLEN = { reason: 'The phone was stolen' }
const FOUND = { reason: 'The phone was found' }
const createFrozenCard = async () => {
  const world = await newCardPlatform()
  const path = `/cards/${world.card.id}`
  const reply = await world.client.post(`${path}/freeze`, STOLEN)
  expect(reply.status).toBe(200)
  return { ...world, path, reply }
}

test('a card that the platform freezes declines immediately, settles earlier purchases, and works again once the platform lifts the freeze', async () => {
  const { client, card } = await newCardPlatform()
  const before = await used(client, card.id, 1_000)
  const reply = await client.post(`/cards/${card.id}/freeze`, STOLEN)
  expect(reply.body).toMatchObject({
    state: 'FROZEN',
    stateReason: null,
    platformFreeze: { ...STOLEN, cardholderMayLift: false },
  })
  expectError(await use(client, card.id, 1), { code: 'CARD_PAUSED' })
  expect((await clear(client, before, 1_000)).body).toMatchObject({ status: 'SETTLED' })
  const lifted = await client.post(`/cards/${card.id}/freeze/lift`, FOUND)
  expect(lifted.body.state).toBe('ACTIVE')
  expect(lifted.body.platformFreeze).toBeUndefined()
  await used(client, card.id, 1)
  const events = (await client.get(`/events?type=CARD.STATE_CHANGE&objectId=${card.id}`)).body.data
  expect(events.slice(-2).map(({ data }: { data: { state: string } }) => data.state)).toEqual([
    'FROZEN',
    'ACTIVE',
  ])
  const audit = (await client.get('/audit-events?operation=card_freeze')).body.data
  expect(audit).toHaveLength(1)
})

test('the cardholder cannot lift a freeze by the platform unless it allows that, even with an earlier request', async () => {
  const { client, card, session } = await newCardPlatform()
  await update(client, session, card.id, { state: 'FROZEN' })
  const signingRequest = await client.send('PATCH', `/cards/${card.id}`, { state: 'ACTIVE' })
  expect(signingRequest.status).toBe(202)
  await client.post(`/cards/${card.id}/freeze`, STOLEN)
  const stamp = await session.stamp(signingRequest.body.payloadToSign)
  const late = await client.send(
    'PATCH',
    `/cards/${card.id}`,
    { state: 'ACTIVE' },
    {
      'Svc-Wallet-Signature': stamp,
      'Request-Id': signingRequest.body.requestId,
    },
  )
  expectError(late, { code: 'INVALID_STATE_TRANSITION', field: 'state' })
  expectError(await client.send('PATCH', `/cards/${card.id}`, { state: 'ACTIVE' }), {
    code: 'INVALID_STATE_TRANSITION',
    field: 'state',
  })
  // Under the other rule, the cardholder's signature lifts the freeze.
  const secondFreeze = await client.post(`/cards/${card.id}/freeze`, { ...STOLEN, cardholderMayLift: true })
  expect(secondFreeze.body.platformFreeze.cardholderMayLift).toBe(true)
  const unfrozen = await update(client, session, card.id, { state: 'ACTIVE' })
  expect(unfrozen.body).toMatchObject({ state: 'ACTIVE' })
  expect(unfrozen.body.platformFreeze).toBeUndefined()
  await used(client, card.id, 1)
})

test("the cardholder's freeze stays when the platform lifts its own", async () => {
  const { client, card, session } = await newCardPlatform()
  await update(client, session, card.id, { state: 'FROZEN' })
  await client.post(`/cards/${card.id}/freeze`, STOLEN)
  await client.post(`/cards/${card.id}/freeze`, { reason: 'Still missing' })
  const lifted = await client.post(`/cards/${card.id}/freeze/lift`, FOUND)
  expect(lifted.body.state).toBe('FROZEN')
  expect(lifted.body.platformFreeze).toBeUndefined()
  expectError(await use(client, card.id, 1), { code: 'CARD_PAUSED' })
  expect((await update(client, session, card.id, { state: 'ACTIVE' })).body.state).toBe('ACTIVE')
})

test('the cardholder can close a card that the platform has frozen, and then nobody can freeze it or lift the freeze', async () => {
  const { client, card, session, path } = await createFrozenCard()
  expect((await update(client, session, card.id, { state: 'CLOSED' })).body).toMatchObject({
    state: 'CLOSED',
  })
  for (const [action, body] of [
    ['freeze', STOLEN],
    ['freeze/lift', FOUND],
  ] as const)
    expectError(await client.post(`${path}/${action}`, body), {
      code: 'INVALID_STATE_TRANSITION',
      field: 'state',
    })
})

test('the last of fifty concurrent freezes and lifts decides whether the card pays', async () => {
  const { client, card } = await newCardPlatform()
  const path = `/cards/${card.id}`
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      index % 2 ? client.post(`${path}/freeze/lift`, FOUND) : client.post(`${path}/freeze`, STOLEN),
    ),
  )
  expect(replies.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const { state, platformFreeze } = (await client.get(path)).body
  expect(state).toBe(platformFreeze ? 'FROZEN' : 'ACTIVE')
  const purchase = await use(client, card.id, 1)
  expect(purchase.body).toMatchObject(state === 'ACTIVE' ? { status: 'AUTHORIZED' } : { code: 'CARD_PAUSED' })
})

test('only members and tokens that may approve can freeze a card: customers and other platforms cannot', async () => {
  const { client, card, holder, path } = await createFrozenCard()
  const viewer = await newMember(client, ['VIEW', 'MANAGE'])
  const approver = await newMember(client, ['VIEW', 'APPROVE'])
  const otherPlatform = await newPlatform()
  const token = await client.post('/customer-tokens', {
    customerId: holder.id,
    permissions: ['VIEW', 'TRANSACT'],
  })
  const headers = { Authorization: `Bearer ${token.body.accessToken}` }
  expect((await viewer.browser.post(`${path}/freeze`, STOLEN)).status).toBe(403)
  expect((await approver.browser.post(`${path}/freeze`, STOLEN)).status).toBe(200)
  expect((await otherPlatform.post(`${path}/freeze/lift`, FOUND)).status).toBe(404)
  const asCustomer = new Client(client.credentials, client.baseUrl)
  for (const action of ['freeze', 'freeze/lift'])
    expect((await asCustomer.send('POST', `${path}/${action}`, FOUND, headers)).status).toBe(403)
  // Customers see that the card is frozen, but not the reason.
  const cardForCustomer = (await asCustomer.send('GET', path, undefined, headers)).body
  expect(cardForCustomer.platformFreeze).toEqual({ frozenAt: expect.any(String), cardholderMayLift: false })
  expect((await client.get(`/cards/${card.id}`)).body.platformFreeze.reason).toBe(STOLEN.reason)
  expectError(await client.post(`${path}/freeze`, { reason: '' }), { code: 'INVALID_INPUT', field: 'reason' })
  expectError(await client.post(`${path}/freeze`, {}), { code: 'INVALID_INPUT', field: 'reason' })
})
