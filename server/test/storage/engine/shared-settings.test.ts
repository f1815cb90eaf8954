import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareSettings } from '../../../src/storage/engine/shared-settings.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let service: TestServer
beforeAll(async () => {
  service = await openServer()
})
afterAll(() => service.close())

test('a setting that differs from the last started server is named once', async () => {
  const { db } = service.app
  const startWith = (fees: string, added: Record<string, string> = {}) =>
    compareSettings(db, { COUNTERSIGN_FEES: fees, ...added })
  expect(await startWith('')).toEqual([])
  expect(await startWith('[1]')).toEqual(['COUNTERSIGN_FEES'])
  expect(await startWith('[1]')).toEqual([])
  // A setting that an older build did not store does not count as a difference.
  expect(await startWith('[1]', { ADDED: 'x' })).toEqual([])
  expect(await startWith('[2]', { ADDED: 'y' })).toEqual(['ADDED', 'COUNTERSIGN_FEES'])
})

test('GET /version returns the build, its API version and its schema', async () => {
  const client = await service.newPlatform()
  const response = await fetch(`${new URL(client.baseUrl).origin}/version`)
  expect(await response.json()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    apiVersion: '2025-10-13',
    schema: expect.stringMatching(/^\d{4}-/),
  })
})
