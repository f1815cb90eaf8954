import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../client.testing.ts'
import {
  ask,
  ensureServerBuilt,
  newPlace,
  onPostgres,
  run,
  ServerProcess,
} from '../server-process.testing.ts'
import { PERSON } from '../verifications.testing.ts'

beforeAll(ensureServerBuilt)

test("the operator's commands work while a server runs, by a socket that is its owner's alone: a token is made, listed and revoked at once", async () => {
  const own = await newPlace()
  const place = { ...own, env: { ...own.env, PUBLIC_URL: 'https://pay.example.com' } }
  const server = await ServerProcess.ready(place)
  // On PostgreSQL the commands need no server.
  if (!onPostgres) expect((await stat(join(place.dataDir, 'admin.sock'))).mode & 0o777).toBe(0o600)
  const made = await ask(place, 'platform', 'create', '--name', 'Acme')
  expect(made.baseUrl).toBe('https://pay.example.com/2025-10-13')
  const client = new Client(made, server.baseUrl)
  expect((await client.get('/config')).status).toBe(200)

  const { data: platforms } = await ask(place, 'platform', 'list')
  expect(platforms.map(({ name }: { name: string }) => name)).toEqual(['Sandbox', 'Acme'])
  const { data: tokens } = await ask(place, 'token', 'list', '--platform', made.platformId)
  expect(tokens).toEqual([
    {
      id: made.tokenId,
      name: 'First token',
      permissions: ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'],
      createdAt: expect.any(String),
    },
  ])
  expect(await ask(place, 'token', 'revoke', '--token', made.tokenId)).toEqual({ revoked: made.tokenId })
  expect((await client.get('/config')).status).toBe(401)
  const again = await run(place, ['token', 'revoke', '--token', made.tokenId])
  expect(again).toMatchObject({ code: 1, stderr: `countersign: There is no token ${made.tokenId}.\n` })
}, 60_000)

test.each([
  [['platform', 'create', '--name', 'Acme'], {}],
  [['master-key', 'rotate'], { COUNTERSIGN_NEW_MASTER_KEY: '11'.repeat(32) }],
])("a command that was called without the server's settings makes no database: %j", async (args, more) => {
  const place = await newPlace('unused')
  const { code, stderr } = await run(place, args, more)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `countersign: ${place.dataDir} has no database: call this with the settings of the server, such as DATABASE_URL, or start the server first\n`,
  })
  expect(await readdir(place.dataDir)).toEqual([])
})

test('the operator decides about customers, and reopens what was rejected', async () => {
  const place = await newPlace()
  const server = await ServerProcess.ready(place)
  const client = new Client(await ask(place, 'platform', 'create', '--name', 'Acme'), server.baseUrl)
  await client.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
  const { id: customerId } = (await client.post('/customers', PERSON)).body
  const { id } = (await client.post('/verifications', { customerId })).body
  expect((await ask(place, 'verification', 'list')).data).toMatchObject([
    {
      id,
      customerId,
      verificationStatus: 'PENDING_MANUAL_REVIEW',
      platformId: client.credentials.platformId,
    },
  ])
  const decide = ['verification', 'decide', '--verification', id, '--decision']
  const unreasoned = await run(place, [...decide, 'REJECT'])
  expect(unreasoned).toMatchObject({ code: 1, stderr: 'countersign: reason is required for REJECT\n' })
  const rejected = await ask(place, ...decide, 'REJECT', '--reason', 'No such person.')
  expect(rejected.verificationStatus).toBe('REJECTED')
  const again = ['--verification', id, '--reason', 'There is one.']
  const reopened = await ask(place, 'verification', 'reopen', ...again)
  expect(reopened).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW', errors: [] })
  expect((await client.get(`/customers/${customerId}`)).body.kycStatus).toBe('PENDING')
  expect((await ask(place, ...decide, 'APPROVE')).verificationStatus).toBe('APPROVED')
  const { data } = (await client.get(`/verifications/${id}/decisions`)).body
  expect(data.map((one: { decision: string; decidedBy: object }) => [one.decision, one.decidedBy])).toEqual([
    ['APPROVE', { type: 'OPERATOR' }],
    ['REOPEN', { type: 'OPERATOR' }],
    ['REJECT', { type: 'OPERATOR' }],
  ])
}, 60_000)
