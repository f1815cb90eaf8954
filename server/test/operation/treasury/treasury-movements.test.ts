import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  addAddress,
  coldStorage,
  MOVEMENTS,
  moved,
  movement,
  newColdStorage,
} from '../../worlds/records/treasury.testing.ts'

const FUNDED = 10_000
const RETURNS = '/sandbox/treasury-returns'

const readMovement = async (client: Client, id: string): Promise<Reply['body']> =>
  (await client.get(`${MOVEMENTS}/${id}`)).body

describe('a movement to cold storage in a sandbox', () => {
  test("is sent by a background job, and leaves the platform's balance unchanged", async () => {
    const client = await newPlatform()
    const account = await newColdStorage(client, FUNDED)
    const requestedMovement = await moved(client, account, 4000)
    expect(requestedMovement).toMatchObject({
      status: 'SENT',
      rail: 'sandbox',
      network: 'BASE',
      reason: 'More than a day needs',
    })
    await client.advance(60)
    const completedMovement = await readMovement(client, requestedMovement.id)
    expect(completedMovement).toMatchObject({
      status: 'COMPLETED',
      amount: { amount: 4000, currency: { code: 'USDC' } },
    })
    expect(completedMovement.transactionHash).toMatch(/^0x[0-9a-f]{64}$/)
    const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USDC')).body.data
    expect(platformAccount.balance.amount).toBe(FUNDED)
  })

  test('never takes more than the treasury has, even with fifty in parallel and while others are booked', async () => {
    const client = await newPlatform()
    const account = await newColdStorage(client, 1000)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => client.post(MOVEMENTS, movement(account, 100))),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, { code: 'INSUFFICIENT_BALANCE', field: 'amount' })
    const [, ...lateReplies] = await Promise.all([
      client.advance(60),
      ...Array.from({ length: 50 }, () => client.post(MOVEMENTS, movement(account, 1))),
    ])
    for (const reply of [...lateReplies, await client.post(MOVEMENTS, movement(account, 1))])
      expectError(reply, { code: 'INSUFFICIENT_BALANCE' })
  })

  test('fails for an address whose outcome is a failure, and leaves the money in the treasury', async () => {
    const client = await newPlatform()
    await newColdStorage(client, 1000)
    const { id } = await coldStorage(client, '0x9965507D1a55bcC2695C58ba16FB37d819B0A002')
    const requestedMovement = await moved(client, id, 1000)
    await client.advance(3600)
    expect(await readMovement(client, requestedMovement.id)).toMatchObject({
      status: 'FAILED',
      error: { code: 'UNAVAILABLE' },
    })
    await moved(client, id, 1000)
  })

  test('can be returned to the treasury without a deposit, but never more than cold storage has', async () => {
    const client = await newPlatform()
    const account = await newColdStorage(client, 1000)
    const { address } = (await client.get(`/platform/own-accounts/${account}`)).body
    await moved(client, account, 600)
    await client.advance(60)
    const returnMoney = (amount: number) => client.post(RETURNS, { ownAccountId: account, amount })
    expectError(await returnMoney(601), { code: 'INSUFFICIENT_BALANCE', field: 'amount' })
    const replies = await Promise.all(Array.from({ length: 50 }, () => returnMoney(200)))
    const acceptedReplies = replies.filter(({ status }) => status === 201)
    expect(acceptedReplies).toHaveLength(3)
    expect(acceptedReplies[0]?.body).toMatchObject({
      status: 'COMPLETED',
      direction: 'FROM_COLD_STORAGE',
      ownAccountId: account,
    })
    expect((await client.get('/deposits')).body.data).toEqual([])
    await moved(client, account, 1000)
    const deposit = { amount: 1, currency: 'USDC', sender: { accountIdentifier: address } }
    expectError(await client.post('/sandbox/deposits', deposit), {
      code: 'INVALID_INPUT',
      field: 'sender.accountIdentifier',
    })
  })

  test('goes only to active cold storage of the platform', async () => {
    const client = await newPlatform()
    const otherClient = await newPlatform()
    const account = await newColdStorage(client, 1000)
    expectError(await otherClient.post(MOVEMENTS, movement(account, 1)), { code: 'OWN_ACCOUNT_NOT_FOUND' })
    const { body } = await addAddress(client, '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65')
    const moneyAccount = await client.post('/platform/own-accounts', {
      externalAccountId: body.id,
      reason: 'Ours',
    })
    expectError(await client.post(MOVEMENTS, movement(moneyAccount.body.id, 1)), {
      code: 'INVALID_INPUT',
      field: 'ownAccountId',
    })
    await client.post(`/platform/own-accounts/${account}/remove`)
    expectError(await client.post(MOVEMENTS, movement(account, 1)), {
      code: 'INVALID_INPUT',
      field: 'ownAccountId',
    })
    expect((await client.get(MOVEMENTS)).body.data).toEqual([])
  })
})

describe('cold storage on a platform that requires two approvals', () => {
  let client: Client
  let members: Awaited<ReturnType<typeof newMember>>[]
  beforeAll(async () => {
    client = await newPlatform()
    await newColdStorage(client, 1000)
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
  })

  test('waits for two members, and so does each movement, whose full address both see', async () => {
    const [firstMember, secondMember] = members.map(({ browser }) => browser)
    const account = await coldStorage(client)
    expect(account.status).toBe('AWAITING_APPROVAL')
    expectError(await client.post(MOVEMENTS, movement(account.id, 100)), { code: 'INVALID_INPUT' })
    const approvePath = `/platform/own-accounts/${account.id}/approve`
    expectError(await client.post(approvePath), { code: 'FORBIDDEN' })
    for (const browser of [firstMember, firstMember, secondMember])
      expect((await browser!.post(approvePath)).status).toBe(200)

    const requestedMovement = await moved(client, account.id, 1000)
    expect(requestedMovement.status).toBe('AWAITING_APPROVAL')
    const canceled = await moved(client, account.id, 1000)
    const approvals = (await client.get('/approvals?kind=TREASURY_MOVEMENT')).body.data
    expect(approvals[0].policy.words).toContain(account.address)
    const path = `${MOVEMENTS}/${requestedMovement.id}/approve`
    expectError(await client.post(path), { code: 'FORBIDDEN' })
    expect((await firstMember!.post(path)).body.status).toBe('AWAITING_APPROVAL')
    const lastReplies = await Promise.all(Array.from({ length: 10 }, () => secondMember!.post(path)))
    expect(lastReplies.filter(({ status }) => status === 200)).toHaveLength(1)
    expectError(await firstMember!.post(`${MOVEMENTS}/${canceled.id}/approve`), {
      code: 'INSUFFICIENT_BALANCE',
    })
    expect((await client.post(`${MOVEMENTS}/${canceled.id}/cancel`)).body.status).toBe('CANCELED')
    await client.advance(60)
    expect((await readMovement(client, requestedMovement.id)).status).toBe('COMPLETED')
    expect((await readMovement(client, canceled.id)).status).toBe('CANCELED')
  })
})
