import { once } from 'node:events'
import type { Permission } from '@countersign/contract/core/endpoint'
import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../../src/edge/service/first-platform.ts'
import { buildPng, Client, newCustomer, type Reply } from '../../worlds/client.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { beginUpload, encodeForm, upload } from '../../worlds/records/onboarding.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let server: TestServer
let client: Client
let customer: string
const lines: string[] = []
beforeAll(async () => {
  server = await openServer({}, { showRequest: (line) => lines.push(JSON.stringify(line)) })
  client = await server.newPlatform()
  customer = (await newCustomer(client)).id
})
afterAll(() => server.close())

const newDocument = async (fileName = 'pass.png'): Promise<Reply['body']> =>
  (
    await upload(
      client,
      '/documents',
      { documentHolder: customer, documentType: 'PASSPORT', country: 'DE' },
      buildPng(),
      {
        fileName,
      },
    )
  ).body

const newLink = async (id: string): Promise<{ url: string; expiresAt: string }> => {
  const { status, body } = await client.post(`/documents/${id}/link`)
  expect(status).toBe(201)
  return body
}

const fetchStatus = async (url: string) => (await fetch(url)).status

test('anyone with a link gets the file, but only as a download', async () => {
  const { id } = await newDocument("Reisepaß 'neu'; 100%.png")
  const { url } = await newLink(id)
  const { status, headers } = await fetch(url)
  expect(status).toBe(200)
  // The token is a secret, so no log line may contain it.
  await expect.poll(() => lines.some((line) => line.includes('/files/{token}'))).toBe(true)
  expect(lines.join()).not.toContain(url.split('.').at(-1)!)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '2000',
    'content-disposition': `attachment; filename="Reisepa_ 'neu'; 100_.png"; filename*=UTF-8''Reisepa%C3%9F%20%27neu%27%3B%20100%25.png`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

test('reviewers and managers of a customer can read its documents, by token and in the console', async () => {
  const { id } = await newDocument()
  const path = `/documents/${id}/link`
  const reviewer = await newMember(client, MEMBER_ROLES.COMPLIANCE)
  const { status, body } = await reviewer.browser.post(path)
  expect(status).toBe(201)
  expect(await fetchStatus(body.url)).toBe(200)
  const [entry] = (await client.get('/audit-events?operation=document_link&limit=1')).body.data
  expect(entry).toMatchObject({ actor: { type: 'MEMBER', id: reviewer.id }, objectId: id })
  for (const permissions of [['REVIEW'], ['MANAGE'], ['VIEW', 'TRANSACT', 'APPROVE']]) {
    const { tokenId, clientSecret } = await createToken(
      server.app,
      client.credentials.platformId,
      'Reads',
      permissions as Permission[],
    )
    const caller = new Client({ ...client.credentials, tokenId, clientSecret }, client.baseUrl)
    const reply = await caller.post(path)
    if (permissions.length === 1) expect(reply.status).toBe(201)
    else
      expect(reply).toMatchObject({
        status: 403,
        body: { message: 'This token lacks the permission REVIEW or MANAGE.' },
      })
  }
})

test('a link is invalid after ten minutes, after its file is deleted, and if it is altered', async () => {
  const { id } = await newDocument()
  const link = await newLink(id)
  const [uuid, generation, mac] = link.url.split('/').at(-1)!.split('.')
  const otherLink = await newLink((await newDocument()).id)
  const [otherUuid] = otherLink.url.split('/').at(-1)!.split('.')
  const base = link.url.slice(0, link.url.lastIndexOf('/'))
  for (const token of [
    `${otherUuid}.${generation}.${mac}`,
    `${uuid}.${generation}.${mac!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `${uuid}.2.${mac}`,
    `${uuid}.0.${mac}`,
    `${uuid}.${generation}.`,
    `${uuid}`,
    '..%2f..%2fmaster.key',
    '%00',
  ])
    expect(await fetchStatus(`${base}/${token}`), token).toBe(404)
  expect(await fetchStatus(link.url)).toBe(200)
  await client.advance(599)
  await client.advance(2)
  expect(await fetchStatus(link.url)).toBe(404)
  const newerLink = await newLink(id)
  expect(new Date(newerLink.expiresAt).getTime()).toBeGreaterThan(new Date(link.expiresAt).getTime())
  expect(await fetchStatus(newerLink.url)).toBe(200)
  await client.send('DELETE', `/documents/${id}`)
  expect(await fetchStatus(newerLink.url)).toBe(404)
})

test('every link and every access is recorded permanently, with actor, time and document', async () => {
  const { id } = await newDocument()
  const { url } = await newLink(id)
  await fetchStatus(url)
  await fetchStatus(url)
  await fetchStatus(`${url}x`)
  const reads = await server.app.read
    .selectFrom('document_reads')
    .selectAll()
    .where('document_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const tokenId = client.credentials.tokenId
  expect(reads.map(({ kind, asked_by, link_id, address }) => [kind, asked_by, link_id, address])).toEqual([
    ['LINK', tokenId, null, null],
    ['READ', tokenId, reads[0]!.id, '127.0.0.1'],
    ['READ', tokenId, reads[0]!.id, '127.0.0.1'],
  ])
  await expect(server.app.db.query('DELETE FROM document_reads')).rejects.toThrow('never deleted')
})

test('a platform can have 128 uploads in progress per process, and the next one gets 503 with Retry-After', async () => {
  const form = encodeForm([{ name: 'file', fileName: 'a.png', value: buildPng() }])
  const sockets = Array.from({ length: 129 }, () => beginUpload(client, form.length, form.subarray(0, 500)))
  const response = await Promise.race(sockets.map(async (socket) => String((await once(socket, 'data'))[0])))
  expect(response).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*"code":"UNAVAILABLE"/is)
  for (const socket of sockets) socket.destroy()
  await expect
    .poll(
      async () =>
        (
          await upload(client, '/documents', {
            documentHolder: customer,
            documentType: 'OTHER',
            country: 'DE',
          })
        ).status,
    )
    .toBe(201)
})
