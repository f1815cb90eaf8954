import { expect, test } from 'vitest'
import { createToken, revokeToken } from '../../../src/edge/service/first-platform.ts'
import { inviteAsOperator } from '../../../src/people/members/operator.ts'
import {
  type Client,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { changePolicy, newAgentPlatform } from '../../worlds/records/agents.testing.ts'
import { newCustomerClient, newMember } from '../../worlds/records/members.testing.ts'
import { openNewLink, PERSON } from '../../worlds/records/onboarding.testing.ts'
import { world } from '../../worlds/world.testing.ts'

async function listAuditEvents(client: Client, query = ''): Promise<Reply['body'][]> {
  return (await client.get(`/audit-events?limit=100${query}`)).body.data
}

test('the audit trail names the operator as the actor of its changes', async () => {
  const { app, newOp } = await world('sandbox+quiet')
  const { id } = (await newOp()).platform
  const { tokenId } = await createToken(app, id, 'Backend', ['VIEW'])
  await revokeToken(app, tokenId)
  await expect(revokeToken(app, tokenId)).rejects.toThrow('not found')
  const { member } = (await inviteAsOperator(app, id, {
    name: 'Grace Hopper',
    email: 'grace@example.com',
    permissions: ['VIEW'],
  })) as { member: { id: string } }
  const rows = await app.read
    .selectFrom('audit_events')
    .select(['operation', 'actor_type', 'object_id'])
    .where('platform_id', '=', id)
    .orderBy('id')
    .execute()
  expect(rows).toEqual([
    { operation: 'token_create', actor_type: 'OPERATOR', object_id: tokenId },
    { operation: 'token_delete', actor_type: 'OPERATOR', object_id: tokenId },
    { operation: 'member_invite', actor_type: 'OPERATOR', object_id: member.id },
  ])
})

test('the audit trail shows a member under its name at that time, from the accepted invitation on', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, ['VIEW', 'MANAGE'], 'Grace Hopper')
  expect((await browser.send('PATCH', `/members/${id}`, { name: 'Rear Admiral' })).status).toBe(200)
  const events = await listAuditEvents(client, `&actorId=${id}`)
  expect(events.map(({ operation }) => operation)).toEqual(['member_update', 'member_invitation_accept'])
  expect(events[0]).toMatchObject({
    actor: { type: 'MEMBER', id, name: 'Grace Hopper' },
    before: { name: 'Grace Hopper' },
    after: { name: 'Rear Admiral' },
  })
})

test('the audit trail shows agents, customers with tokens, and policy changes', async () => {
  const { client, payer, agent } = await newAgentPlatform()
  expect((await agent.quote(payer, 2_000)).status).toBe(201)
  expect((await listAuditEvents(client, `&actorId=${agent.id}`))[0]).toMatchObject({
    actor: { type: 'AGENT', id: agent.id, name: 'Shopper' },
    customerId: payer.id,
  })
  expect((await changePolicy(client, agent, { defaultExecutionMode: 'APPROVAL_REQUIRED' })).status).toBe(200)
  const [change] = await listAuditEvents(client, '&operation=agent_policy_update')
  expect(change.before.policy.defaultExecutionMode).toBe('AUTO')
  expect(change.after.policy.defaultExecutionMode).toBe('APPROVAL_REQUIRED')

  const { id } = await newCustomer(client)
  const customer = await newCustomerClient(client, id)
  const accountInfo = {
    accountType: 'USD_ACCOUNT',
    accountNumber: '123456789',
    routingNumber: '021000021',
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
  }
  const account = { customerId: id, currency: 'USD', accountInfo }
  const created = await customer.post('/customers/external-accounts', account)
  expect(created.status).toBe(201)
  const [entry] = await listAuditEvents(client, `&actorId=${id}`)
  expect(entry).toMatchObject({ actor: { type: 'CUSTOMER', id }, objectId: created.body.id, customerId: id })
})

test('the audit trail has a wallet-signed request once, with the session that signed it', async () => {
  const client = await newPlatform()
  const { id, wallet } = await newCustomer(client)
  const session = await signIn(client, wallet)
  const endedSession = await signIn(client, wallet)
  const path = `/auth/sessions/${endedSession.sessionId}`
  expect((await sendSigned(client, session, 'DELETE', path)).status).toBe(204)
  const [entry, ...others] = await listAuditEvents(client, '&operation=session_delete')
  expect(entry).toMatchObject({
    actor: { type: 'TOKEN', id: client.credentials.tokenId },
    objectId: endedSession.sessionId,
    walletSessionId: session.sessionId,
  })
  expect(others).toEqual([])
  const [unsigned] = await listAuditEvents(client, '&operation=customer_create')
  expect(unsigned.objectId).toBe(id)
  expect(unsigned).not.toHaveProperty('walletSessionId')
})

test('the audit trail shows that a customer opened its verification page', async () => {
  const client = await newPlatform()
  await client.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
  const { id } = (await client.post('/customers', PERSON)).body
  await openNewLink(client, id)
  const [entry] = await listAuditEvents(client, '&operation=kyc_link_open')
  expect(entry).toMatchObject({ actor: { type: 'CUSTOMER', id }, objectId: id, customerId: id })
  expect(entry.address).toMatch(/127\.0\.0\.1|::1/)
})

test('fifty concurrent retries of one idempotent request create one audit entry', async () => {
  const client = await newPlatform()
  const body = JSON.stringify({ customerType: 'INDIVIDUAL', fullName: 'Once' })
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => client.post('/customers', body, { 'Idempotency-Key': 'once' })),
  )
  expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1)
  expect(await listAuditEvents(client, '&operation=customer_create')).toHaveLength(1)
})

test('the request log has the code of a refusal, and the audit trail leaves out the refused request', async () => {
  const client = await newPlatform()
  const refusal = await client.post('/customers', { customerType: 'NOBODY' })
  expect(refusal.status).toBe(400)
  expect((await client.get(`/requests/${refusal.headers.get('X-Request-Id')}`)).body).toMatchObject({
    status: 400,
    code: 'INVALID_INPUT',
  })
  expect(await listAuditEvents(client, '&operation=customer_create')).toEqual([])
})

test('the request log has the duration of each request', async () => {
  const client = await newPlatform()
  const delayedReply = await client.send('GET', '/config', undefined, { 'Svc-Sandbox-Fault': 'delay=100' })
  const { durationMs } = (await client.get(`/requests/${delayedReply.headers.get('X-Request-Id')}`)).body
  expect(durationMs).toBeGreaterThanOrEqual(99)
})
