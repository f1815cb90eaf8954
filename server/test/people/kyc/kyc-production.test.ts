import { beforeAll, expect, test } from 'vitest'
import { createToken } from '../../../src/edge/service/first-platform.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { buildPng, Client } from '../../worlds/client.testing.ts'
import { createKycLink, PageVisitor, PERSON, send } from '../../worlds/records/onboarding.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let service: SharedServer
let client: Client
let reviewer: Client
let origin: string
beforeAll(async () => {
  service = await world('production')
  origin = service.origin
  client = await service.newPlatform()
  const token = await createToken(service.app, client.credentials.platformId, 'Reviewer', ['VIEW', 'REVIEW'])
  reviewer = new Client(token, client.baseUrl)
})

test('in production a person submits the page behind a link, and a reviewer decides', async () => {
  const { id } = await send(
    client,
    'POST',
    '/customers',
    { customerType: 'INDIVIDUAL', fullName: 'Ada 002' },
    201,
  )
  const { kycUrl } = await createKycLink(client, id)
  expect(new URL(kycUrl).origin).toBe('https://pay.example')
  const visitor = new PageVisitor(origin)
  const linkPage = await visitor.go(new URL(kycUrl).pathname)
  expect(linkPage.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  expect(linkPage.headers.get('strict-transport-security')).toMatch(/max-age/)
  await visitor.submit(new URL(kycUrl).pathname)
  const { birthDate, nationality, address } = PERSON
  const addressFields = Object.entries(address).map(([name, value]) => [`address.${name}`, value])
  await visitor.submit('/details', {
    birthDate,
    nationality,
    ...Object.fromEntries(addressFields),
    'address.country': 'GB',
  })
  await visitor.sendFile({ documentType: 'PASSPORT', country: 'GB' }, buildPng(), 'passport-201.png')
  await visitor.submit('/review')
  const path = `/verifications?customerId=${id}`
  const [verification] = (await client.get(path)).body.data
  expect(verification).toMatchObject({ verificationStatus: 'PENDING_MANUAL_REVIEW', submission: 1 })
  expect((await client.get(`/customers/${id}`)).body.kycStatus).toBe('PENDING')
  await send(reviewer, 'POST', `/verifications/${verification.id}/decision`, { decision: 'APPROVE' }, 200)
  expect((await client.get(`/customers/${id}`)).body.kycStatus).toBe('APPROVED')
})

test('the secrets of links and pages are never stored in plain text', async () => {
  const { id } = await send(client, 'POST', '/customers', PERSON, 201)
  const headers = { 'Idempotency-Key': 'once' }
  const created = await client.post(`/customers/${id}/kyc-link`, {}, headers)
  expect((await client.post(`/customers/${id}/kyc-link`, {}, headers)).body).toEqual(created.body)
  const { pathname } = new URL(created.body.kycUrl)
  const visitor = new PageVisitor(origin)
  await visitor.go(pathname)
  await visitor.submit(pathname)
  const { rows } = await service.app.db.query<{ text: string }>(
    `SELECT k::text AS text FROM kyc_links k UNION ALL SELECT i::text FROM idempotency_keys i
     UNION ALL SELECT e::text FROM events e UNION ALL SELECT j::text FROM jobs j`,
  )
  const stored = rows.map(({ text }) => text).join('\n')
  expect(stored).toContain(pathname.slice('/verify/'.length).split('.')[0])
  expect(stored).not.toContain(pathname.split('.')[2])
  expect(stored).not.toContain('kycUrl')
  for (const secret of visitor.cookies.values()) expect(stored).not.toContain(secret)
})

test('a page accepts a hundred files and refuses more, even in parallel', async () => {
  const person = { ...PERSON, address: { ...PERSON.address, country: 'GB' } }
  const { id } = await send(client, 'POST', '/customers', person, 201)
  const { pathname } = new URL((await createKycLink(client, id)).kycUrl)
  const visitor = new PageVisitor(origin)
  await visitor.go(pathname)
  await visitor.submit(pathname)
  const { db } = service.app
  await db.query('UPDATE kyc_links SET uploads = 99 WHERE customer_id = $1', [extractUuid(id)])
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const twin = new PageVisitor(origin)
      for (const [name, value] of visitor.cookies) twin.cookies.set(name, value)
      // Each visitor has a separate form.
      await twin.go(`/verify/session/${pathname.slice('/verify/'.length).split('.')[0]}/documents`)
      return (await twin.sendFile({ documentType: 'PASSPORT', country: 'GB' }, buildPng())).status
    }),
  )
  expect(statuses.sort()).toEqual([200, 429, 429, 429, 429])
  expect((await client.get(`/documents?documentHolder=${id}`)).body.data).toHaveLength(1)
})

test('an address that tries a hundred unknown links gets 429, but can still open a valid link', async () => {
  const { id } = await send(client, 'POST', '/customers', PERSON, 201)
  const { pathname } = new URL((await createKycLink(client, id)).kycUrl)
  const visitor = new PageVisitor(origin)
  const statuses = await Promise.all(
    Array.from(
      { length: 101 },
      async (_, index) => (await visitor.go(`${pathname.slice(0, -3)}${100 + index}`)).status,
    ),
  )
  expect(new Set(statuses)).toEqual(new Set([404, 429]))
  expect((await visitor.go(pathname)).status).toBe(200)
})
