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

test("the operator's commands create, list and revoke a token immediately while a server runs, by a socket that only its owner can use", async () => {
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
  expect(again).toMatchObject({ code: 1, stderr: `countersign: Token ${made.tokenId} not found.\n` })
})
