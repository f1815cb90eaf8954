import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareSettings } from '../../../src/storage/engine/shared-settings.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

test("a setting that differs from the last started server's is named once", async () => {
  const { db } = service.app
  const started = (fees: string, added: Record<string, string> = {}) =>
    compareSettings(db, { COUNTERSIGN_FEES: fees, ...added })
  expect(await started('')).toEqual([])
  expect(await started('[1]')).toEqual(['COUNTERSIGN_FEES'])
  expect(await started('[1]')).toEqual([])
  // A setting that an older build did not store does not count as a difference.
  expect(await started('[1]', { ADDED: 'x' })).toEqual([])
  expect(await started('[2]', { ADDED: 'y' })).toEqual(['ADDED', 'COUNTERSIGN_FEES'])
})

test('GET /version returns the build, its API version and its schema', async () => {
  const client = await service.newPlatform()
  const answer = await fetch(`${new URL(client.baseUrl).origin}/version`)
  expect(await answer.json()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    apiVersion: '2025-10-13',
    schema: expect.stringMatching(/^\d{4}-/),
  })
})
