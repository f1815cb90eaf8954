import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { job } from '../../../src/kernel/outbox/jobs.ts'
import { sandboxHandlers } from '../../../src/outside/sandbox/handlers.ts'
import {
  Client,
  findCredentialId,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { buildValidBody, expectError, newWorld, stateOf } from '../../worlds/contract/calls.testing.ts'
import { Authenticator } from '../../worlds/records/members.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const RESET = '/sandbox/reset'
/** Records that a reset keeps: the credentials of callers. */
const KEPT_KINDS: ReadonlySet<string> = new Set([
  'Token',
  'Member',
  'MemberRole',
  'MemberPasskey',
  'MemberSession',
])
const YEAR_SECONDS = 365 * 24 * 3600

/** Reads the settings without the fields that identify the platform. */
async function readSettings(client: Client) {
  const { id, createdAt, updatedAt, ...rest } = (await client.get('/config')).body
  return rest
}

async function readTime(client: Client): Promise<number> {
  return Date.parse((await client.get('/sandbox/clock')).body.now)
}

async function newToken(client: Client, permissions = ['VIEW']): Promise<Client> {
  const { body } = await client.post('/tokens', { name: permissions.join(), permissions })
  return new Client(
    { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    client.baseUrl,
  )
}

/** Lists the webhook secrets without their expiry, which moves with the clock. */
async function listSecrets(client: Client): Promise<object[]> {
  const { data } = (await client.get('/webhook-secrets')).body
  return data.map(({ expiresAt, ...rest }: { expiresAt?: string }) => ({
    ...rest,
    ends: expiresAt !== undefined,
  }))
}

test('a reset platform is empty and in real time but keeps its settings and tokens, and other platforms are unaffected', {
  tags: 'smoke',
}, async () => {
  const [client, other] = [await newPlatform(), await newPlatform()]
  await client.send('PATCH', '/config', {
    embeddedWalletConfig: { otpLength: 8 },
    supportedCurrencies: (await readSettings(client)).supportedCurrencies.slice(0, 2),
  })
  const secondToken = await newToken(client)
  const [{ ids }, otherCustomer] = await Promise.all([newWorld(client), newCustomer(other)])
  const key = { 'Idempotency-Key': 'one' }
  const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', platformCustomerId: 'ada' }
  await client.advance(YEAR_SECONDS)
  const created = await client.post('/customers', ada, key)
  await client.send('PATCH', '/config', { webhookEndpoint: 'http://127.0.0.1:9/nobody' })
  expect((await client.post('/webhook-secrets', { formerValidSeconds: 60 })).status).toBe(201)
  const before = {
    settings: await readSettings(client),
    tokens: (await client.get('/tokens')).body,
    secrets: await listSecrets(client),
    platform: (await client.get('/config')).body.id,
    other: await stateOf(other),
  }
  const timeBefore = await readTime(client)

  const reset = await client.post(RESET)
  expect(reset).toMatchObject({ status: 200, body: { platformId: expect.stringMatching(/^Platform:/) } })
  expect(reset.body.platformId).not.toBe(before.platform)
  expect((await client.get('/config')).body.id).toBe(reset.body.platformId)
  expect(await readSettings(client)).toEqual(before.settings)
  expect((await client.get('/tokens')).body).toEqual(before.tokens)
  expect(await listSecrets(client)).toEqual(before.secrets)
  expect((await secondToken.get('/config')).body.id).toBe(reset.body.platformId)

  expect(timeBefore - Date.parse(reset.body.now)).toBeGreaterThan((YEAR_SECONDS - 3600) * 1000)
  expect(timeBefore - (await readTime(client))).toBeGreaterThan((YEAR_SECONDS - 3600) * 1000)

  for (const list of ['/customers', '/transactions', '/customers/internal-accounts', '/sandbox/inbox'])
    expect((await client.get(list)).body, list).toEqual({ data: [], hasMore: false, totalCount: 0 })
  const accounts = (await client.get('/platform/internal-accounts')).body.data
  const balances = accounts.map((a: Reply['body']) => `${a.balance.amount} ${a.balance.currency.code}`)
  expect(balances.sort()).toEqual(['0 EUR', '0 USD'])
  const state = toJson(await stateOf(client))
  for (const [kind, id] of Object.entries(ids))
    if (!KEPT_KINDS.has(kind)) expect(state.includes(id!), kind).toBe(false)
  expect((await client.get(`/customers/${ids.Customer}`)).status).toBe(404)
  expect((await client.get(`/quotes/${ids.Quote}`)).status).toBe(404)
  expect((await client.get(`/transactions/${ids.Transaction}`)).status).toBe(404)
  expectError(await client.post(`/sandbox/internal-accounts/${ids.InternalAccount}/fund`, { amount: 1 }), {
    code: 'ACCOUNT_NOT_FOUND',
  })
  expect((await client.post('/quotes', buildValidBody('quote_create', ids))).status).toBe(404)

  // The customer's platform id and the idempotency key can be used again.
  const recreated = await client.post('/customers', ada, key)
  expect(recreated.status).toBe(201)
  expect(recreated.headers.get('Idempotency-Replayed')).toBeNull()
  expect(recreated.body.id).not.toBe(created.body.id)

  expect(await stateOf(other)).toEqual(before.other)
  expect((await client.get(`/customers/${otherCustomer.id}`)).status).toBe(404)
  expect((await client.post(RESET)).body.platformId).not.toBe(reset.body.platformId)
})

test('after a reset the same people can sign in again with the same email addresses and passkeys', async () => {
  const client = await newPlatform()
  const passkey = new Authenticator()
  const email = 'ada.again@example.com'
  for (let round = 0; round < 2; round++) {
    const { wallet } = await newCustomer(client, { email })
    const session = await signIn(client, wallet)
    const challenge = randomBytes(16).toString('base64url')
    const registered = await sendSigned(client, session, 'POST', '/auth/credentials', {
      type: 'PASSKEY',
      accountId: wallet,
      nickname: 'Phone',
      challenge,
      attestation: passkey.attest(challenge),
    })
    expect(registered.status).toBe(201)
    const credential = await findCredentialId(client, wallet)
    expect((await client.post(RESET)).status).toBe(200)
    expect((await client.post(`/auth/credentials/${credential}/challenge`)).status).toBe(404)
    expect((await client.send('DELETE', `/auth/sessions/${session.sessionId}`)).status).toBe(404)
  }
})

test('a reset neither revives an expired webhook secret nor extends another one', async () => {
  const client = await newPlatform()
  await client.advance(30 * 24 * 3600)
  await client.post('/webhook-secrets', { formerValidSeconds: 0 })
  expect((await client.post('/sandbox/reset')).status).toBe(200)
  expect((await client.get('/webhook-secrets')).body.data).toHaveLength(1)
  await client.advance(30 * 24 * 3600)
  await client.post('/webhook-secrets', { formerValidSeconds: 3600 })
  await client.post('/sandbox/reset')
  const { data } = (await client.get('/webhook-secrets')).body
  expect(data).toHaveLength(2)
  await client.advance(3600)
  expect((await client.get('/webhook-secrets')).body.data).toHaveLength(1)
})

test('only a token with MANAGE can reset a platform', async () => {
  const client = await newPlatform()
  const weak = await newToken(client, ['VIEW', 'TRANSACT'])
  const before = await stateOf(client)
  expectError(await weak.post(RESET), { code: 'FORBIDDEN' })
  expect(await stateOf(client)).toEqual(before)
})

test('only one of several parallel resets succeeds, and records created in the meantime exist completely or not at all', async () => {
  const client = await newPlatform()
  const { body: before } = await client.get('/config')
  const repeatCall = (count: number, call: () => ReturnType<Client['get']>) =>
    Array.from({ length: count }, call)
  const [resets, tokens, customers] = await Promise.all([
    Promise.all(repeatCall(6, () => client.post(RESET))),
    Promise.all(repeatCall(12, () => client.post('/tokens', { name: 'New', permissions: ['VIEW'] }))),
    Promise.all(repeatCall(12, () => client.post('/customers', { customerType: 'INDIVIDUAL' }))),
  ])
  const done = resets.filter(({ status }) => status === 200).map(({ body }) => body.platformId)
  for (const reply of resets.filter(({ status }) => status !== 200)) expectError(reply, { code: 'CONFLICT' })
  const { body: after } = await client.get('/config')
  expect(done).toContain(after.id)
  expect(new Set([...done, before.id]).size).toBe(done.length + 1)
  // An acknowledged token works, whichever platform it was created on.
  for (const { status, body } of tokens) {
    if (status === 503) continue
    expect(status).toBe(201)
    const token = new Client(
      { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
      client.baseUrl,
    )
    expect((await token.get('/config')).body.id).toBe(after.id)
  }
  const listedIds = new Set(
    (await client.get('/customers?limit=100')).body.data.map((c: { id: string }) => c.id),
  )
  for (const { status, body } of customers) {
    if (status === 503) continue
    expect(status).toBe(201)
    const read = await client.get(`/customers/${body.id}`)
    expect(read.status).toBe(listedIds.has(body.id) ? 200 : 404)
  }
})

describe('a job of a reset platform', () => {
  let service: SharedServer
  beforeAll(async () => {
    service = await world('sandbox')
  })

  const listJobs = (op: Op) =>
    op.read.selectFrom('jobs').select('id').where('platform_id', '=', op.platform.id).execute()
  const commitWrites = async (writes: Parameters<typeof service.app.committer.commit>[0]) =>
    expect(await service.app.committer.commit(writes)).toMatchObject({ done: true })

  test('never runs on any server', async () => {
    const [oldOp, currentOp] = [await service.newOp(), await service.newOp()]
    for (const op of [oldOp, currentOp])
      await commitWrites([job(op, 'accounts.backfill', { fromCustomerId: '' }, op.now)])
    const reset = await sandboxHandlers.sandbox_reset(oldOp, { params: {}, query: {}, body: undefined })
    await commitWrites(reset.writes!)
    service.app.wakeJobs()
    await expect.poll(() => listJobs(currentOp)).toEqual([])
    await service.app.advanceClock(oldOp.platform.id, new Date(oldOp.now.getTime() + 60_000))
    expect(await listJobs(oldOp)).toHaveLength(1)
    // A caller authenticated before the reset cannot reset the platform again.
    await expect(
      sandboxHandlers.sandbox_reset(oldOp, { params: {}, query: {}, body: undefined }),
    ).rejects.toThrow('has already reset this platform')
  })
})
