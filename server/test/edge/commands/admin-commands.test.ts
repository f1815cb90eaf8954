import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../worlds/client.testing.ts'
import {
  ask,
  ensureServerBuilt,
  newPlace,
  onPostgres,
  run,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

test('operator commands create, list and revoke tokens of a running server, through a socket that only its owner can use', async () => {
  const basePlace = await newPlace()
  const place = { ...basePlace, env: { ...basePlace.env, PUBLIC_URL: 'https://pay.example.com' } }
  const server = await ServerProcess.ready(place)
  // On PostgreSQL the commands need no server.
  if (!onPostgres) expect((await stat(join(place.dataDir, 'admin.sock'))).mode & 0o777).toBe(0o600)
  const platform = await ask(place, 'platform', 'create', '--name', 'Acme')
  expect(platform.baseUrl).toBe('https://pay.example.com/2025-10-13')
  const client = new Client(platform, server.baseUrl)
  expect((await client.get('/config')).status).toBe(200)

  const { data: platforms } = await ask(place, 'platform', 'list')
  expect(platforms.map(({ name }: { name: string }) => name)).toEqual(['Sandbox', 'Acme'])
  const { data: tokens } = await ask(place, 'token', 'list', '--platform', platform.platformId)
  expect(tokens).toEqual([
    {
      id: platform.tokenId,
      name: 'First token',
      permissions: ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'],
      createdAt: expect.any(String),
    },
  ])
  expect(await ask(place, 'token', 'revoke', '--token', platform.tokenId)).toEqual({
    revoked: platform.tokenId,
  })
  expect((await client.get('/config')).status).toBe(401)
  const secondRevocation = await run(place, ['token', 'revoke', '--token', platform.tokenId])
  expect(secondRevocation).toMatchObject({
    code: 1,
    stderr: `countersign: Token ${platform.tokenId} not found.\n`,
  })
})
