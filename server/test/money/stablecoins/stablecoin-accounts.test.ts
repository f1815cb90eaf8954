import { beforeAll, describe, expect, test } from 'vitest'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const PATH = '/stablecoin-provider-accounts'
const DAY = 24 * 3600
const SECRET = 'a secret that nobody may see 4711'

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

let keys = 0
const linkAccount = (apiClientId: string, more: object = {}, platformClient = client) =>
  platformClient.post(
    PATH,
    { provider: 'BRALE', apiClientId, apiClientSecret: SECRET, ...more },
    { 'Idempotency-Key': `link ${++keys}` },
  )
const readAccount = async (id: string, platformClient = client) =>
  (await platformClient.get(`${PATH}/${id}`)).body

describe('an account at a stablecoin provider', () => {
  test('is linked with credentials that are never shown again', async () => {
    const linked = await linkAccount('linked')
    expect(linked.status).toBe(201)
    expect(linked.body).toEqual({
      id: expect.stringMatching(/^StablecoinProviderAccount:/),
      provider: 'BRALE',
      providerAccountId: expect.stringMatching(/^sandbox_/),
      providerEnvironment: 'SANDBOX',
      status: 'ACTIVE',
      lastVerifiedAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await readAccount(linked.body.id)).toEqual(linked.body)
    expect((await client.get(PATH)).body.data).toContainEqual(linked.body)
    expectError(await client.get(`${PATH}/StablecoinProviderAccount:none`), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND',
      field: 'stablecoinProviderAccountId',
    })
  })

  test('requires an Idempotency-Key, and is linked once for any number of repeats', async () => {
    const body = { provider: 'BRALE', apiClientId: 'keyed', apiClientSecret: SECRET }
    expectError(await client.post(PATH, body), { code: 'INVALID_INPUT', field: 'Idempotency-Key' })
    const key = { 'Idempotency-Key': 'one and the same' }
    const replies = await Promise.all(Array.from({ length: 20 }, () => client.post(PATH, body, key)))
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') !== 'true')).toHaveLength(1)
    // Another secret is another request.
    expectError(await client.post(PATH, { ...body, apiClientSecret: 'other' }, key), {
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
  })

  test('is linked by one of fifty concurrent calls, and the others return a conflict', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => linkAccount('parallel')))
    const created = replies.filter(({ status }) => status === 201)
    expect(created).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expectError(reply, { code: 'STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED', field: 'apiClientId' })
      expect(reply.body.details.stablecoinProviderAccountId).toBe(created[0]!.body.id)
    }
    // Another platform may have the same account at the provider.
    expect((await linkAccount('parallel', {}, await newPlatform())).status).toBe(201)
  })

  test('is accepted or refused as its magic value says', async () => {
    const { data } = (await client.get('/sandbox/magic-values')).body
    const { values } = data.find(({ family }: { family: string }) => family === 'STABLECOIN_ACCOUNT')
    expect(values.map(({ suffix }: { suffix: string }) => suffix)).toEqual([
      '002',
      '003',
      '004',
      '005',
      '006',
      '007',
      '008',
    ])
    for (const { suffix, outcome } of values) {
      const reply = await linkAccount(`magic ${suffix}`)
      const [status, code] = outcome.split(' ')
      if (code === undefined) expect([reply.status, reply.body.status], suffix).toEqual([201, 'ACTIVE'])
      else {
        expectError(reply, { code, what: suffix })
        expect(String(reply.status)).toBe(status)
      }
    }
    expectError(await linkAccount('magic 002'), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      field: 'apiClientId',
    })
  })

  test('is selected by its id if the credentials match several', async () => {
    const selectionReply = await linkAccount('several 004')
    expectError(selectionReply, {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED',
      field: 'providerAccountId',
    })
    const { providerAccountIds } = selectionReply.body.details
    expect(providerAccountIds).toHaveLength(2)
    for (const providerAccountId of providerAccountIds)
      expect((await linkAccount('several 004', { providerAccountId })).body).toMatchObject({
        providerAccountId,
      })
    expectError(await linkAccount('several 004', { providerAccountId: 'another' }), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      field: 'providerAccountId',
    })
  })

  test('is refused with an error that names the invalid field, without its value', async () => {
    for (const [more, field] of [
      [{ provider: 'OTHER' }, 'provider'],
      [{ apiClientId: '' }, 'apiClientId'],
      [{ apiClientSecret: `${SECRET}\u0000` }, 'apiClientSecret'],
      [{ apiClientSecret: SECRET.repeat(100) }, 'apiClientSecret'],
    ] as const) {
      const reply = await linkAccount('wrong', more)
      expectError(reply, { code: 'INVALID_INPUT', field })
      expect(JSON.stringify(reply.body)).not.toContain(SECRET)
    }
  })
})

describe('the daily check of linked accounts', () => {
  test('confirms, refuses or revokes an account, which can then be linked again under its id', async () => {
    const platform = await newPlatform()
    const linkNew = async (id: string) => (await linkAccount(id, {}, platform)).body
    const [good, refused, withdrawn, unavailable] = [
      await linkNew('good'),
      await linkNew('late 006'),
      await linkNew('late 007'),
      await linkNew('late 008'),
    ]
    await platform.advance(DAY - 60)
    expect(await readAccount(refused.id, platform)).toEqual(refused)
    await platform.advance(120)
    const readStatus = async ({ id }: { id: string }) => (await readAccount(id, platform)).status
    expect(await Promise.all([good, refused, withdrawn, unavailable].map(readStatus))).toEqual([
      'ACTIVE',
      'INVALID',
      'REVOKED',
      'ACTIVE',
    ])
    expect((await readAccount(good.id, platform)).lastVerifiedAt > good.lastVerifiedAt).toBe(true)
    for (const account of [refused, withdrawn, unavailable])
      expect((await readAccount(account.id, platform)).lastVerifiedAt).toBe(account.lastVerifiedAt)
    const listIds = async (query: string) =>
      (await platform.get(`${PATH}?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listIds('status=INVALID')).toEqual([refused.id])
    expect(await listIds('provider=BRALE&status=ACTIVE')).toEqual([unavailable.id, good.id])

    for (const [id, apiClientId] of [
      [refused.id, 'late 006'],
      [withdrawn.id, 'late 007'],
    ]) {
      const relinked = await linkAccount(apiClientId!, {}, platform)
      expect([relinked.status, relinked.body.id, relinked.body.status]).toEqual([201, id, 'ACTIVE'])
      expectError(await linkAccount(apiClientId!, {}, platform), {
        code: 'STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED',
      })
    }
    // Each account is checked once a day, starting from when it was linked again.
    await platform.advance(3 * DAY)
    expect(await Promise.all([good, refused, withdrawn].map(readStatus))).toEqual([
      'ACTIVE',
      'INVALID',
      'REVOKED',
    ])
  })
})

describe('the credentials of a linked account', () => {
  let sharedServer: SharedServer
  beforeAll(async () => {
    sharedServer = await world('sandbox')
  })

  test('are in no row, stored response or job, and one job checks them', async () => {
    const { app, server } = sharedServer
    const op = await sharedServer.newOp()
    const { tokenId, clientSecret } = await newToken(sharedServer, op)
    const body = { provider: 'BRALE', apiClientId: 'sealed 006', apiClientSecret: SECRET }
    const send = () =>
      server.inject({
        method: 'POST',
        url: `/2025-10-13${PATH}`,
        headers: {
          authorization: `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`,
          'content-type': 'application/json',
          'idempotency-key': `at rest ${++keys}`,
        },
        payload: JSON.stringify(body),
      })
    expect((await send()).statusCode).toBe(201)
    const listRows = async (table: string) =>
      (
        await app.db.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t WHERE platform_id = $1`, [
          extractUuid(op.platform.id),
        ])
      ).rows
    for (const table of ['stablecoin_accounts', 'idempotency_keys', 'jobs', 'events']) {
      const text = JSON.stringify(await listRows(table))
      expect(text, table).not.toContain(SECRET)
      expect(text, table).not.toContain(Buffer.from(SECRET).toString('hex'))
      expect(text, table).not.toContain('sealed 006')
    }
    expect(await listRows('stablecoin_accounts')).toHaveLength(1)
    const listCheckJobs = async () =>
      (await listRows('jobs')).filter(({ row }) => row.includes('stablecoin-account.check'))
    expect(await listCheckJobs()).toHaveLength(1)
    await app.advanceClock(op.platform.id, new Date(op.now.getTime() + 1.5 * DAY * 1000))
    expect(await listCheckJobs()).toHaveLength(1)
    expect((await send()).statusCode).toBe(201)
    expect(await listCheckJobs()).toHaveLength(1)
  })
})

/** Creates an API token for a platform that a test has created without HTTP. */
async function newToken({ app }: SharedServer, { platform }: { platform: Parameters<typeof createOp>[1] }) {
  const { makeApiToken } = await import('../../../src/people/tokens/tokens.ts')
  const op = createOp(app, platform, { kind: 'job', jobId: 'test' })
  const { row, clientSecret, write } = makeApiToken(op, platform.id, 'test', ['VIEW', 'TRANSACT', 'MANAGE'])
  await app.committer.commit([write])
  return { tokenId: row.id, clientSecret }
}
