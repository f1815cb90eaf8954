import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { waitingAction } from '../../worlds/records/agents.testing.ts'
import { type Browser, newMember } from '../../worlds/records/members.testing.ts'
import {
  findOnlyScreening,
  newWallet,
  ready,
  sendPayment,
  statusOf,
} from '../../worlds/records/screenings.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

type Member = Awaited<ReturnType<typeof newMember>>

/** Sets the number of required approvals, and adds four members who may approve. */
async function addApprovers(client: Client, approvalsRequired: number) {
  expect((await client.send('PATCH', '/config', { approvalsRequired })).body.approvalsRequired).toBe(
    approvalsRequired,
  )
  return Promise.all(
    ['Ada', 'Grace', 'Katherine', 'Mary'].map((name) => newMember(client, ['VIEW', 'APPROVE'], name)),
  ) as Promise<[Member, Member, Member, Member]>
}

const approve = (browser: Browser, path: string) => browser.post(`${path}/approve`)

describe('if two members have to approve', () => {
  let client: Client
  let members: [Member, Member, Member, Member]
  beforeAll(async () => {
    client = await newPlatform()
    members = await addApprovers(client, 2)
  })

  test("the second approval executes an agent's action; a repeated vote has no effect, and no token can approve", async () => {
    const [ada, grace] = members
    const path = await waitingAction(client)
    const byToken = await client.post(`${path}/approve`)
    expectError(byToken, { code: 'FORBIDDEN' })
    expect(byToken.body.message).toContain('2 members')
    for (let count = 0; count < 3; count++)
      expect(await approve(ada.browser, path)).toMatchObject({
        status: 200,
        body: { status: 'PENDING_APPROVAL' },
      })
    expect(await approve(grace.browser, path)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
    expect(await approve(ada.browser, path)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
  })

  test('of four members who approve in parallel, the second decides', {
    tags: 'long',
  }, async () => {
    for (let round = 0; round < 5; round++) {
      const path = await waitingAction(client)
      const replies = await Promise.all(members.map(({ browser }) => approve(browser, path)))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const pending = replies.filter(({ body }) => body.status === 'PENDING_APPROVAL')
      expect(pending).toHaveLength(1)
    }
  })

  test('one rejection is enough', async () => {
    const [ada, grace] = members
    const path = await waitingAction(client)
    await approve(ada.browser, path)
    const rejected = await grace.browser.post(`${path}/reject`, { reason: 'No' })
    expect(rejected).toMatchObject({ status: 200, body: { status: 'REJECTED' } })
    expect((await approve(ada.browser, path)).status).toBe(409)
  })

  test('a vote counts while its member is active and may approve', async () => {
    const [ada, grace] = members
    const path = await waitingAction(client)
    const [removed, demoted] = [await newMember(client, ['APPROVE']), await newMember(client, ['APPROVE'])]
    await approve(removed.browser, path)
    await client.send('DELETE', `/members/${removed.id}`)
    expect((await approve(demoted.browser, path)).body.status).toBe('PENDING_APPROVAL')
    await client.send('PATCH', `/members/${demoted.id}`, { permissions: ['VIEW'] })
    expect((await approve(ada.browser, path)).body.status).toBe('PENDING_APPROVAL')
    expect((await approve(grace.browser, path)).body.status).toBe('APPROVED')
  })

  test('an incoming payment waits for the second approval, whatever the webhook responds', {
    tags: 'long',
  }, async () => {
    const [ada, grace] = members
    const receiver = await Receiver.of(client)
    receiver.answer = () => 200
    const customer = await newCustomer(client)
    const payment = await client.post('/sandbox/uma/receive', {
      senderUmaAddress: '$sender@vasp.example',
      customerId: customer.id,
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 500,
    })
    expect(payment.status).toBe(200)
    await client.advance(1)
    const path = `/transactions/${payment.body.id}`
    expect(await statusOf(client, payment.body.id)).toBe('PENDING')
    expectError(await client.post(`${path}/approve`), { code: 'FORBIDDEN' })
    expect((await approve(ada.browser, path)).body.status).toBe('PENDING')
    expect((await approve(grace.browser, path)).body.status).not.toBe('PENDING')
    await client.advance(1)
    expect(await statusOf(client, payment.body.id)).toBe('COMPLETED')
  })
})

test('the release of a screening takes two votes, and a change of that number applies to pending releases', async () => {
  const { client, customer, usdc } = await ready()
  const [ada, grace] = await addApprovers(client, 2)
  const transfer = await sendPayment(client, usdc, await newWallet(client, customer.id))
  const { id } = await findOnlyScreening(client)
  const release = (browser: Browser) => browser.post(`/screenings/${id}/release`)
  expectError(await client.post(`/screenings/${id}/release`), { code: 'FORBIDDEN' })
  expect((await release(ada.browser)).body.status).toBe('WAITING')
  await client.send('PATCH', '/config', { approvalsRequired: 3 })
  expect((await release(grace.browser)).body.status).toBe('WAITING')
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  expect((await release(grace.browser)).body.status).toBe('RELEASED')
  await client.advance(0)
  expect(await statusOf(client, transfer)).not.toBe('PENDING')
})

test('one approval is enough by default, and the platform may require one to five', async () => {
  const client = await newPlatform()
  expect((await client.get('/config')).body.approvalsRequired).toBe(1)
  for (const approvalsRequired of [0, 6, 1.5, null])
    expectError(await client.send('PATCH', '/config', { approvalsRequired }), {
      code: 'INVALID_INPUT',
      field: 'approvalsRequired',
    })
  const { browser } = await newMember(client, ['VIEW', 'APPROVE'])
  expect((await approve(browser, await waitingAction(client))).body.status).toBe('APPROVED')
  expect((await client.post(`${await waitingAction(client)}/approve`)).body.status).toBe('APPROVED')
})
