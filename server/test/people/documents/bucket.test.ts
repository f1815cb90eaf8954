import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newCustomer, pngOf } from '../../worlds/client.testing.ts'
import { outcomeOf, upload } from '../../worlds/records/onboarding.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { type Bucket, openBucket } from '../../worlds/simulators/bucket.testing.ts'

let bucket: Bucket
let opened: TestServer
let client: Client
let fields: Record<string, string>
beforeAll(async () => {
  bucket = await openBucket()
  opened = await openServer({ ...bucket.settings, DOCUMENTS_RETENTION_DAYS: '0' })
  client = await opened.newPlatform()
  fields = { documentHolder: (await newCustomer(client)).id, documentType: 'PASSPORT', country: 'DE' }
})
afterAll(async () => {
  await opened.close()
  await bucket.close()
})

test('documents are stored in a bucket, sealed, by signed requests', async () => {
  const file = pngOf(200_000, 0x44)
  const { status, body } = await upload(client, '/documents', fields, file)
  expect(status).toBe(201)
  const [[key, sealed] = []] = [...bucket.objects]
  expect(key).toMatch(/^sealed\/[0-9a-f-]{36}$/)
  expect(sealed!.includes(file.subarray(16, 64))).toBe(false)
  const link = await client.post(`/documents/${body.id}/link`)
  const read = await fetch(link.body.url)
  expect(Buffer.from(await read.arrayBuffer()).equals(file)).toBe(true)
  bucket.objects.set(key!, sealed!.subarray(0, -1))
  expect(await outcomeOf(fetch(link.body.url))).not.toBe(200)
  await client.send('DELETE', `/documents/${body.id}`)
  await client.advance(0)
  expect(bucket.objects.size).toBe(0)
})

test('while the bucket refuses, an upload returns 503 and changes nothing; removals are done later', async () => {
  const kept = await upload(client, '/documents', fields)
  expect(kept.status, JSON.stringify(kept.body)).toBe(201)
  bucket.fail(500)
  const reply = await upload(client, '/documents', fields)
  expect([reply.status, reply.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect((await client.get('/documents')).body.data).toHaveLength(1)
  expect((await client.send('DELETE', `/documents/${kept.body.id}`)).status).toBe(204)
  bucket.fail(undefined)
  await client.advance(2 * 3600)
  expect(bucket.objects.size).toBe(0)
})

test('with a retention of no days the documents of a customer are deleted with it', async () => {
  const holder = (await newCustomer(client)).id
  for (const fill of [1, 2])
    await upload(client, '/documents', { ...fields, documentHolder: holder }, pngOf(2_000, fill))
  expect(bucket.objects.size).toBe(2)
  await client.send('DELETE', `/customers/${holder}`)
  await client.advance(0)
  expect((await client.get(`/documents?documentHolder=${holder}`)).body.data).toEqual([])
  expect(bucket.objects.size).toBe(0)
})

test('requests with another secret are refused', async () => {
  const other = await openServer({ ...bucket.settings, DOCUMENTS_SECRET_ACCESS_KEY: 'another' })
  try {
    await expect(other.app.fileStore.openAt('File:01900000-0000-7000-8000-000000000001', 0)).rejects.toThrow(
      '403',
    )
  } finally {
    await other.close()
  }
  expect(await opened.app.fileStore.openAt('File:01900000-0000-7000-8000-000000000001', 0)).toBeUndefined()
})
