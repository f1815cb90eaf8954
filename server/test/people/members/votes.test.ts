import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { waitingAction } from '../../worlds/records/agents.testing.ts'
import { type Browser, newMember } from '../../worlds/records/members.testing.ts'
import {
  newWallet,
  onlyScreening,
  ready,
  sendPayment,
  statusOf,
} from '../../worlds/records/screenings.testing.ts'
import { Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

type Member = Awaited<ReturnType<typeof newMember>>

/** A platform with this number of required approvals, and four members who may approve. */
async function withApprovers(client: Client, approvalsRequired: number) {
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
    members = await withApprovers(client, 2)
  })

  test("the second one executes an agent's action; a second vote of the first does nothing, and no token approves", async () => {
    const [one, other] = members
    const path = await waitingAction(client)
    const byToken = await client.post(`${path}/approve`)
    expectError(byToken, { code: 'FORBIDDEN' })
    expect(byToken.body.message).toContain('2 members')
    for (let count = 0; count < 3; count++)
      expect(await approve(one.browser, path)).toMatchObject({
        status: 200,
        body: { status: 'PENDING_APPROVAL' },
      })
    expect(await approve(other.browser, path)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
    expect(await approve(one.browser, path)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
  })

  test('of four who approve at the same moment two decide, however often it is tried', {
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

  test('one rejection decides', async () => {
    const [one, other] = members
    const path = await waitingAction(client)
    await approve(one.browser, path)
    const rejected = await other.browser.post(`${path}/reject`, { reason: 'No' })
    expect(rejected).toMatchObject({ status: 200, body: { status: 'REJECTED' } })
    expect((await approve(one.browser, path)).status).toBe(409)
  })

  test('a vote counts while its member is active and may approve', async () => {
    const [one, other] = members
    const path = await waitingAction(client)
    const [gone, demoted] = [await newMember(client, ['APPROVE']), await newMember(client, ['APPROVE'])]
    await approve(gone.browser, path)
    await client.send('DELETE', `/members/${gone.id}`)
    expect((await approve(demoted.browser, path)).body.status).toBe('PENDING_APPROVAL')
    await client.send('PATCH', `/members/${demoted.id}`, { permissions: ['VIEW'] })
    expect((await approve(one.browser, path)).body.status).toBe('PENDING_APPROVAL')
    expect((await approve(other.browser, path)).body.status).toBe('APPROVED')
  })

  test("an incoming payment waits for the second, whatever the webhook's response", {
    tags: 'long',
  }, async () => {
    const [one, other] = members
    const receiver = await Receiver.of(client)
    receiver.answer = () => 200
    const customer = await newCustomer(client)
    const paid = await client.post('/sandbox/uma/receive', {
      senderUmaAddress: '$sender@vasp.example',
      customerId: customer.id,
      receivingCurrencyCode: 'USD',
      receivingCurrencyAmount: 500,
    })
    expect(paid.status).toBe(200)
    await client.advance(1)
    const path = `/transactions/${paid.body.id}`
    expect(await statusOf(client, paid.body.id)).toBe('PENDING')
    expectError(await client.post(`${path}/approve`), { code: 'FORBIDDEN' })
    expect((await approve(one.browser, path)).body.status).toBe('PENDING')
    expect((await approve(other.browser, path)).body.status).not.toBe('PENDING')
    await client.advance(1)
    expect(await statusOf(client, paid.body.id)).toBe('COMPLETED')
  })
})

test('the release of a screening takes two votes, a rejection one, and lowering the number applies to pending ones', async () => {
  const { client, customer, usdc } = await ready()
  const [one, other] = await withApprovers(client, 2)
  const transfer = await sendPayment(client, usdc, await newWallet(client, customer.id))
  const { id } = await onlyScreening(client)
  const release = (browser: Browser) => browser.post(`/screenings/${id}/release`)
  expectError(await client.post(`/screenings/${id}/release`), { code: 'FORBIDDEN' })
  expect((await release(one.browser)).body.status).toBe('WAITING')
  await client.send('PATCH', '/config', { approvalsRequired: 3 })
  expect((await release(other.browser)).body.status).toBe('WAITING')
  await client.send('PATCH', '/config', { approvalsRequired: 2 })
  expect((await release(other.browser)).body.status).toBe('RELEASED')
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
