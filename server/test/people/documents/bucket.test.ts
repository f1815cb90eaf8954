import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPng, type Client, newCustomer } from '../../worlds/client.testing.ts'
import { outcomeOf, upload } from '../../worlds/records/onboarding.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { type Bucket, openBucket } from '../../worlds/simulators/bucket.testing.ts'

let bucket: Bucket
let server: TestServer
let client: Client
let fields: Record<string, string>
beforeAll(async () => {
  bucket = await openBucket()
  server = await openServer({ ...bucket.settings, DOCUMENTS_RETENTION_DAYS: '0' })
  client = await server.newPlatform()
  fields = { documentHolder: (await newCustomer(client)).id, documentType: 'PASSPORT', country: 'DE' }
})
afterAll(async () => {
  await server.close()
  await bucket.close()
})

test('documents are stored sealed in a bucket, by signed requests', async () => {
  const file = buildPng(200_000, 0x44)
  const { status, body } = await upload(client, '/documents', fields, file)
  expect(status).toBe(201)
  const [[key, sealed] = []] = [...bucket.objects]
  expect(key).toMatch(/^sealed\/[0-9a-f-]{36}$/)
  expect(sealed!.includes(file.subarray(16, 64))).toBe(false)
  const link = await client.post(`/documents/${body.id}/link`)
  const download = await fetch(link.body.url)
  expect(Buffer.from(await download.arrayBuffer()).equals(file)).toBe(true)
  bucket.objects.set(key!, sealed!.subarray(0, -1))
  expect(await outcomeOf(fetch(link.body.url))).not.toBe(200)
  await client.send('DELETE', `/documents/${body.id}`)
  await client.advance(0)
  expect(bucket.objects.size).toBe(0)
})

test('while the bucket fails, an upload returns 503 and changes nothing, and deletions are done later', async () => {
  const uploaded = await upload(client, '/documents', fields)
  expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201)
  bucket.fail(500)
  const reply = await upload(client, '/documents', fields)
  expect([reply.status, reply.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect((await client.get('/documents')).body.data).toHaveLength(1)
  expect((await client.send('DELETE', `/documents/${uploaded.body.id}`)).status).toBe(204)
  bucket.fail(undefined)
  await client.advance(2 * 3600)
  expect(bucket.objects.size).toBe(0)
})

test('with a retention of 0 days the documents of a customer are deleted with the customer', async () => {
  const holder = (await newCustomer(client)).id
  for (const fill of [1, 2])
    await upload(client, '/documents', { ...fields, documentHolder: holder }, buildPng(2_000, fill))
  expect(bucket.objects.size).toBe(2)
  await client.send('DELETE', `/customers/${holder}`)
  await client.advance(0)
  expect((await client.get(`/documents?documentHolder=${holder}`)).body.data).toEqual([])
  expect(bucket.objects.size).toBe(0)
})

test('bucket requests with another secret are refused', async () => {
  const otherServer = await openServer({ ...bucket.settings, DOCUMENTS_SECRET_ACCESS_KEY: 'another' })
  try {
    await expect(
      otherServer.app.fileStore.openAt('File:01900000-0000-7000-8000-000000000001', 0),
    ).rejects.toThrow('403')
  } finally {
    await otherServer.close()
  }
  expect(await server.app.fileStore.openAt('File:01900000-0000-7000-8000-000000000001', 0)).toBeUndefined()
})
