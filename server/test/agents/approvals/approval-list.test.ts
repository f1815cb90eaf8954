import { expect, test } from 'vitest'
import {
  type Client,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import { buildValidBody, expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

async function createRecord(
  client: Pick<Client, 'post'>,
  path: string,
  body: unknown,
): Promise<Reply['body']> {
  const reply = await client.post(path, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** Creates a platform with pending approvals of several kinds. */
async function createPlatformWithApprovals() {
  const client = await newPlatform()
  const receiver = await Receiver.open()
  // Every payment to a customer waits for the decision of the platform.
  receiver.answer = () => 202
  await client.send('PATCH', '/config', { webhookEndpoint: receiver.url })
  const customer = await newCustomer(client, { fullName: 'Grace <i>Hopper</i>' })
  await fund(client, customer.usd, 100_000)
  const external = await newBankAccount(client, customer.id)
  const agent = await newAgent(client, customer.id, {
    spendingLimits: { currency: 'USD', perTransactionLimit: 9_000, dailyLimit: 10_000, monthlyLimit: null },
    approvalThresholds: { amount: 5_000 },
  })
  const action = await createRecord(agent, '/agents/me/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: external },
    amount: 6_000,
  })
  const ids = { Customer: customer.id, InternalAccount: customer.usd, ExternalAccount: external }
  const railEvent = await createRecord(
    client,
    '/sandbox/rail-events',
    buildValidBody('sandbox_rail_event', ids),
  )
  const deposit = await createRecord(client, '/sandbox/deposits', {
    currency: 'USD',
    amount: 700,
    remittanceInformation: 'for nobody',
    sender: { name: 'Stranger Ltd' },
  })
  return { client, customer, agent, action, railEvent, deposit }
}

async function listApprovals(client: Client, query = ''): Promise<Reply['body'][]> {
  const { status, body } = await client.get(`/approvals?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

test('one list shows all pending approvals with requester, customer, payee, amount and reason', async () => {
  const { client, customer, agent, action, railEvent, deposit } = await createPlatformWithApprovals()
  const approvals = await listApprovals(client)
  expect(approvals.map(({ kind, objectId }) => [kind, objectId])).toEqual([
    ['DEPOSIT', deposit.id],
    ['RAIL_EVENT', railEvent.id],
    ['AGENT_ACTION', action.id],
  ])
  expect(approvals[2]).toEqual({
    kind: 'AGENT_ACTION',
    objectId: action.id,
    createdAt: action.createdAt,
    expiresAt: expect.any(String),
    customerId: customer.id,
    customerName: 'Grace <i>Hopper</i>',
    requestedBy: { type: 'AGENT', id: agent.id, name: expect.any(String) },
    payee: { name: 'Ada Lovelace', account: 'USD account •••• 6789' },
    amount: { amount: 6_000, currency: expect.objectContaining({ code: 'USD' }) },
    policy: {
      rule: 'approvalThreshold',
      words: 'More than 50.00 USD needs approval.',
      remaining: [
        { limit: 'DAILY', amount: { amount: 4_000, currency: expect.objectContaining({ code: 'USD' }) } },
      ],
    },
    votes: [],
    votesRequired: 1,
  })
  expect(approvals[0]).toMatchObject({
    requestedBy: { type: 'SENDER', name: 'Stranger Ltd' },
    amount: { amount: 700 },
    policy: { rule: 'NO_MATCH', words: 'It names no account. The payer stated: for nobody' },
  })
  expect(approvals[1]).toMatchObject({ requestedBy: { type: 'RAIL' } })
  // The list can be filtered by kind and customer, and is paginated.
  expect((await listApprovals(client, 'kind=DEPOSIT')).map(({ objectId }) => objectId)).toEqual([deposit.id])
  expect((await listApprovals(client, `customerId=${customer.id}`)).map(({ objectId }) => objectId)).toEqual([
    action.id,
  ])
  const first = (await client.get('/approvals?limit=2')).body
  expect(first).toMatchObject({ hasMore: true, totalCount: 3 })
  expect(await listApprovals(client, `limit=2&cursor=${first.nextCursor}`)).toEqual([approvals[2]])
  const oldest = (await client.get('/approvals?limit=2&sortOrder=asc')).body
  expect(oldest.data).toEqual([approvals[2], approvals[1]])
  expect(await listApprovals(client, `limit=2&sortOrder=asc&cursor=${oldest.nextCursor}`)).toEqual([
    approvals[0],
  ])
  expect(await listApprovals(await newPlatform())).toEqual([])
  expectError(await client.get('/approvals?kind=OTHER'), { code: 'INVALID_INPUT', field: 'kind' })
})

test('a decided approval leaves the list', async () => {
  const { client, agent, action, railEvent, deposit } = await createPlatformWithApprovals()
  expect((await client.post(`/agents/${agent.id}/actions/${action.id}/reject`)).status).toBe(200)
  const note = { note: 'Looked at' }
  expect((await client.post(`/rail-events/${railEvent.id}/resolve`, note)).status).toBe(200)
  expect((await client.post(`/deposits/${deposit.id}/return`, note)).status).toBe(200)
  expect(await listApprovals(client)).toEqual([])
})

test('a payment to a customer waits until the platform decides or its deadline passes', async () => {
  const { client, customer } = await createPlatformWithApprovals()
  const uma = (await client.get(`/customers/${customer.id}`)).body.umaAddress
  const pay = async () =>
    client.post('/sandbox/uma/receive', {
      receiverUmaAddress: uma,
      senderUmaAddress: '$sender@other.example',
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 1_234,
    })
  const first = await pay()
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  await pay()
  const waiting = await listApprovals(client, 'kind=INCOMING_PAYMENT')
  expect(waiting).toHaveLength(2)
  expect(waiting[0]).toMatchObject({
    customerId: customer.id,
    requestedBy: { type: 'SENDER', name: '$sender@other.example' },
    amount: { amount: 1_234 },
  })
  expect((await client.post(`/transactions/${waiting[0].objectId}/approve`)).status).toBe(200)
  expect((await listApprovals(client, 'kind=INCOMING_PAYMENT')).map(({ objectId }) => objectId)).toEqual([
    waiting[1].objectId,
  ])
  await client.advance(7 * 86_400)
  expect(await listApprovals(client, 'kind=INCOMING_PAYMENT')).toEqual([])
})

test('an approval by several members lists the votes so far, with their times', async () => {
  const { client, agent, action, railEvent } = await createPlatformWithApprovals()
  await client.send('PATCH', '/config', { approvalsRequired: 3 })
  const members = [await newMember(client, ['APPROVE'], 'Ada'), await newMember(client, ['APPROVE'], 'Grace')]
  for (const { browser } of [...members, members[0]!])
    expect((await browser.post(`/agents/${agent.id}/actions/${action.id}/approve`)).status).toBe(200)
  const approvals = await listApprovals(client)
  const { votes, votesRequired } = approvals.find(({ objectId }) => objectId === action.id)
  expect(votesRequired).toBe(3)
  expect(votes).toEqual([
    { memberId: members[0]!.id, memberName: 'Ada', at: expect.any(String) },
    { memberId: members[1]!.id, memberName: 'Grace', at: expect.any(String) },
  ])
  // A rail event needs no votes.
  expect(approvals.find(({ objectId }) => objectId === railEvent.id)).toMatchObject({
    votes: [],
    votesRequired: 1,
  })
})

test('votes on a deposit name their choice, and the first choice with enough votes is applied', async () => {
  const { client, customer, deposit } = await createPlatformWithApprovals()
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  const [ada, grace] = [
    await newMember(client, ['APPROVE'], 'Ada'),
    await newMember(client, ['APPROVE'], 'Grace'),
  ]
  const path = `/deposits/${deposit.id}`
  const listDepositApprovals = async () => listApprovals(client, `objectId=${deposit.id}`)
  const vote = async (member: typeof ada, action: string, body: object) =>
    expect((await member.browser.post(`${path}/${action}`, body)).status).toBe(200)
  await vote(ada, 'split', { amounts: [300, 400], reason: 'Two invoices' })
  await vote(ada, 'assign', { accountId: customer.usd })
  await vote(grace, 'return', {})
  expect(await listDepositApprovals()).toMatchObject([{ votesRequired: 2 }])
  expect((await listDepositApprovals())[0].votes).toEqual([
    {
      memberId: ada.id,
      memberName: 'Ada',
      at: expect.any(String),
      choice: { decision: 'SPLIT', amounts: [300, 400] },
    },
    {
      memberId: ada.id,
      memberName: 'Ada',
      at: expect.any(String),
      choice: { decision: 'ASSIGN', accountId: customer.usd },
    },
    { memberId: grace.id, memberName: 'Grace', at: expect.any(String), choice: { decision: 'RETURN' } },
  ])
  // Grace joins the choice of Ada.
  await vote(grace, 'assign', { accountId: customer.usd })
  expect(await listDepositApprovals()).toEqual([])
  expect((await client.get(path)).body).toMatchObject({ status: 'CREDITED', accountId: customer.usd })
})

test('a pending approval can be found by its id, but only on its own platform', async () => {
  const { client, action, deposit } = await createPlatformWithApprovals()
  expect((await listApprovals(client, `objectId=${action.id}`)).map(({ objectId }) => objectId)).toEqual([
    action.id,
  ])
  expect(await listApprovals(client, `objectId=${deposit.id}&kind=RAIL_EVENT`)).toEqual([])
  expect(await listApprovals(await newPlatform(), `objectId=${action.id}`)).toEqual([])
  expectError(await client.get('/approvals?objectId=nothing'), { code: 'INVALID_INPUT', field: 'objectId' })
})
