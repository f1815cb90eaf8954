import { expect, test } from 'vitest'
import { Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { clear, newCardPlatform, update, use, used } from '../../worlds/records/cards.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'

const STOLEN = { reason: 'The phone was stolen' }
const FOUND = { reason: 'The phone was found' }
const frozen = async () => {
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

test('the cardholder cannot lift a freeze by the platform unless its rule says so, even with a request from before', async () => {
  const { client, card, session } = await newCardPlatform()
  await update(client, session, card.id, { state: 'FROZEN' })
  const asked = await client.send('PATCH', `/cards/${card.id}`, { state: 'ACTIVE' })
  expect(asked.status).toBe(202)
  await client.post(`/cards/${card.id}/freeze`, STOLEN)
  const stamp = await session.stamp(asked.body.payloadToSign)
  const late = await client.send(
    'PATCH',
    `/cards/${card.id}`,
    { state: 'ACTIVE' },
    {
      'Svc-Wallet-Signature': stamp,
      'Request-Id': asked.body.requestId,
    },
  )
  expectError(late, { code: 'INVALID_STATE_TRANSITION', field: 'state' })
  expectError(await client.send('PATCH', `/cards/${card.id}`, { state: 'ACTIVE' }), {
    code: 'INVALID_STATE_TRANSITION',
    field: 'state',
  })
  // Another rule, and the same signed path.
  const ruled = await client.post(`/cards/${card.id}/freeze`, { ...STOLEN, cardholderMayLift: true })
  expect(ruled.body.platformFreeze.cardholderMayLift).toBe(true)
  const own = await update(client, session, card.id, { state: 'ACTIVE' })
  expect(own.body).toMatchObject({ state: 'ACTIVE' })
  expect(own.body.platformFreeze).toBeUndefined()
  await used(client, card.id, 1)
})

test("the cardholder's own freeze stays when the platform lifts its own", async () => {
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

test('the cardholder can close a card that the platform has frozen, and then nobody freezes or lifts it', async () => {
  const { client, card, session, path } = await frozen()
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

test('of fifty freezes and lifts at the same time, the last one says whether the card pays', async () => {
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
  const bought = await use(client, card.id, 1)
  expect(bought.body).toMatchObject(state === 'ACTIVE' ? { status: 'AUTHORIZED' } : { code: 'CARD_PAUSED' })
})

test('only people and tokens that may approve freeze a card, no customer, no agent and no other platform', async () => {
  const { client, card, holder, path } = await frozen()
  const viewer = await newMember(client, ['VIEW', 'MANAGE'])
  const approver = await newMember(client, ['VIEW', 'APPROVE'])
  const other = await newPlatform()
  const token = await client.post('/customer-tokens', {
    customerId: holder.id,
    permissions: ['VIEW', 'TRANSACT'],
  })
  const headers = { Authorization: `Bearer ${token.body.accessToken}` }
  expect((await viewer.browser.post(`${path}/freeze`, STOLEN)).status).toBe(403)
  expect((await approver.browser.post(`${path}/freeze`, STOLEN)).status).toBe(200)
  expect((await other.post(`${path}/freeze/lift`, FOUND)).status).toBe(404)
  const asCustomer = new Client(client.credentials, client.baseUrl)
  for (const action of ['freeze', 'freeze/lift'])
    expect((await asCustomer.send('POST', `${path}/${action}`, FOUND, headers)).status).toBe(403)
  // The customer learns that it is frozen, not why.
  const seen = (await asCustomer.send('GET', path, undefined, headers)).body
  expect(seen.platformFreeze).toEqual({ frozenAt: expect.any(String), cardholderMayLift: false })
  expect((await client.get(`/cards/${card.id}`)).body.platformFreeze.reason).toBe(STOLEN.reason)
  expectError(await client.post(`${path}/freeze`, { reason: '' }), { code: 'INVALID_INPUT', field: 'reason' })
  expectError(await client.post(`${path}/freeze`, {}), { code: 'INVALID_INPUT', field: 'reason' })
})
