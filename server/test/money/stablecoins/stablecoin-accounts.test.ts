import { beforeAll, describe, expect, test } from 'vitest'
import { createOp } from '../../../src/kernel/operation/app.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
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
const link = (apiClientId: string, more: object = {}, of = client) =>
  of.post(
    PATH,
    { provider: 'BRALE', apiClientId, apiClientSecret: SECRET, ...more },
    { 'Idempotency-Key': `link ${++keys}` },
  )
const read = async (id: string, of = client) => (await of.get(`${PATH}/${id}`)).body

describe('an account at a stablecoin provider', () => {
  test('is linked with credentials that are never shown again', async () => {
    const made = await link('linked')
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^StablecoinProviderAccount:/),
      provider: 'BRALE',
      providerAccountId: expect.stringMatching(/^sandbox_/),
      providerEnvironment: 'SANDBOX',
      status: 'ACTIVE',
      lastVerifiedAt: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await read(made.body.id)).toEqual(made.body)
    expect((await client.get(PATH)).body.data).toContainEqual(made.body)
    expectError(await client.get(`${PATH}/StablecoinProviderAccount:none`), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND',
      field: 'stablecoinProviderAccountId',
    })
  })

  test('needs an Idempotency-Key, and is linked once for any number of repeats', async () => {
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

  test('that is already linked is a conflict, and of fifty concurrent calls one links it', async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => link('parallel')))
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expectError(reply, { code: 'STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED', field: 'apiClientId' })
      expect(reply.body.details.stablecoinProviderAccountId).toBe(made[0]!.body.id)
    }
    // Another platform may have the same account at the provider.
    expect((await link('parallel', {}, await newPlatform())).status).toBe(201)
  })

  test('is refused according to the magic values', async () => {
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
      const reply = await link(`magic ${suffix}`)
      const [status, code] = outcome.split(' ')
      if (code === undefined) expect([reply.status, reply.body.status], suffix).toEqual([201, 'ACTIVE'])
      else {
        expectError(reply, { code, what: suffix })
        expect(String(reply.status)).toBe(status)
      }
    }
    expectError(await link('magic 002'), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      field: 'apiClientId',
    })
  })

  test('is chosen by its id if the credentials reach several', async () => {
    const asked = await link('several 004')
    expectError(asked, { code: 'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED', field: 'providerAccountId' })
    const { providerAccountIds } = asked.body.details
    expect(providerAccountIds).toHaveLength(2)
    for (const providerAccountId of providerAccountIds)
      expect((await link('several 004', { providerAccountId })).body).toMatchObject({ providerAccountId })
    expectError(await link('several 004', { providerAccountId: 'another' }), {
      code: 'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      field: 'providerAccountId',
    })
  })

  test('gets errors that name the wrong field, without its value', async () => {
    for (const [more, field] of [
      [{ provider: 'OTHER' }, 'provider'],
      [{ apiClientId: '' }, 'apiClientId'],
      [{ apiClientSecret: `${SECRET}\u0000` }, 'apiClientSecret'],
      [{ apiClientSecret: SECRET.repeat(100) }, 'apiClientSecret'],
    ] as const) {
      const reply = await link('wrong', more)
      expectError(reply, { code: 'INVALID_INPUT', field })
      expect(JSON.stringify(reply.body)).not.toContain(SECRET)
    }
  })
})

describe('the daily check', () => {
  test('keeps, refuses or withdraws an account, and a refused one can be linked again under its id', async () => {
    const own = await newPlatform()
    const of = async (id: string) => (await link(id, {}, own)).body
    const [good, refused, withdrawn, silent] = [
      await of('good'),
      await of('late 006'),
      await of('late 007'),
      await of('late 008'),
    ]
    await own.advance(DAY - 60)
    expect(await read(refused.id, own)).toEqual(refused)
    await own.advance(120)
    const status = async ({ id }: { id: string }) => (await read(id, own)).status
    expect(await Promise.all([good, refused, withdrawn, silent].map(status))).toEqual([
      'ACTIVE',
      'INVALID',
      'REVOKED',
      'ACTIVE',
    ])
    expect((await read(good.id, own)).lastVerifiedAt > good.lastVerifiedAt).toBe(true)
    for (const one of [refused, withdrawn, silent])
      expect((await read(one.id, own)).lastVerifiedAt).toBe(one.lastVerifiedAt)
    const list = async (query: string) =>
      (await own.get(`${PATH}?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await list('status=INVALID')).toEqual([refused.id])
    expect(await list('provider=BRALE&status=ACTIVE')).toEqual([silent.id, good.id])

    for (const [id, client] of [
      [refused.id, 'late 006'],
      [withdrawn.id, 'late 007'],
    ]) {
      const again = await link(client!, {}, own)
      expect([again.status, again.body.id, again.body.status]).toEqual([201, id, 'ACTIVE'])
      expectError(await link(client!, {}, own), { code: 'STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED' })
    }
    // Each is checked once a day, not twice, counted from when it was linked again.
    await own.advance(3 * DAY)
    expect(await Promise.all([good, refused, withdrawn].map(status))).toEqual([
      'ACTIVE',
      'INVALID',
      'REVOKED',
    ])
  })
})

describe('at rest', () => {
  let opened: SharedServer
  beforeAll(async () => {
    opened = await world('sandbox')
  })

  test('neither row, stored response nor job has the credentials, and each account has one job for its check', async () => {
    const { app, server } = opened
    const op = await opened.newOp()
    const { tokenId, clientSecret } = await newToken(opened, op)
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
    const rows = async (table: string) =>
      (
        await app.db.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t WHERE platform_id = $1`, [
          uuidOf(op.platform.id),
        ])
      ).rows
    for (const table of ['stablecoin_accounts', 'idempotency_keys', 'jobs', 'events']) {
      const text = JSON.stringify(await rows(table))
      expect(text, table).not.toContain(SECRET)
      expect(text, table).not.toContain(Buffer.from(SECRET).toString('hex'))
      expect(text, table).not.toContain('sealed 006')
    }
    expect(await rows('stablecoin_accounts')).toHaveLength(1)
    const checks = async () =>
      (await rows('jobs')).filter(({ row }) => row.includes('stablecoin-account.check'))
    expect(await checks()).toHaveLength(1)
    await app.advanceClock(op.platform.id, new Date(op.now.getTime() + 1.5 * DAY * 1000))
    expect(await checks()).toHaveLength(1)
    expect((await send()).statusCode).toBe(201)
    expect(await checks()).toHaveLength(1)
  })
})

/** A token of a platform that a test has created without HTTP. */
async function newToken({ app }: SharedServer, { platform }: { platform: Parameters<typeof createOp>[1] }) {
  const { makeApiToken } = await import('../../../src/people/tokens/tokens.ts')
  const op = createOp(app, platform, { kind: 'job', jobId: 'test' })
  const { row, clientSecret, write } = makeApiToken(op, platform.id, 'test', ['VIEW', 'TRANSACT', 'MANAGE'])
  await app.committer.commit([write])
  return { tokenId: row.id, clientSecret }
}
