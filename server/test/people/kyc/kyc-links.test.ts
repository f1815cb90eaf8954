import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  createKycLink,
  newManualPlatform,
  opened,
  openNewLink,
  PageVisitor,
  PERSON,
  readSessionPath,
  send,
} from '../../worlds/records/onboarding.testing.ts'
import { buildUnknownId } from '../../worlds/records/payments.testing.ts'

let client: Client
beforeAll(async () => {
  client = await newManualPlatform()
})

const createCustomer = (body: object = PERSON): Promise<Reply['body']> =>
  send(client, 'POST', '/customers', body, 201)
const toPath = (kycUrl: string) => new URL(kycUrl).pathname
const newVisitor = (kycUrl: string) => new PageVisitor(new URL(kycUrl).origin)
const toSessionPath = (kycUrl: string) =>
  `/verify/session/${toPath(kycUrl).slice('/verify/'.length).split('.')[0]}`

describe('a link', () => {
  test('is valid for a day, and changes no status', async () => {
    const { id } = await createCustomer()
    const link = await createKycLink(client, id)
    expect(link).toEqual({
      kycUrl: expect.stringMatching(/\/verify\/[\w.-]{80,}$/),
      expiresAt: expect.any(String),
      provider: 'COUNTERSIGN',
    })
    const { body } = await client.get(`/customers/${id}`)
    expect(body).toMatchObject({ kycStatus: 'PENDING', updatedAt: body.createdAt })
    expect((await client.get(`/verifications?customerId=${id}`)).body.data).toEqual([])
    expect((await createKycLink(client, id)).kycUrl).not.toBe(link.kycUrl)
  })

  test('is the same for the same key, and its stored response is sealed', async () => {
    const { id } = await createCustomer()
    const headers = { 'Idempotency-Key': `link of ${id}` }
    const path = `/customers/${id}/kyc-link`
    const [first, second] = [await client.post(path, {}, headers), await client.post(path, {}, headers)]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    const conflict = await client.post(path, { redirectUri: 'https://app.example.com/' }, headers)
    expectError(conflict, { code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example/',
    'http://example.com/',
    'http://localhost.example.com/',
    'http://127.0.0.1.example.com/',
    'https://user:secret@example.com/',
    'https://user@example.com/',
    'ftp://example.com/',
    'https://',
    'https://exa mple.com/',
    ' https://example.com/',
    'https://example.com/\u202e',
    `https://example.com/${'a'.repeat(2100)}`,
    '',
    7,
    null,
  ])('cannot redirect to %j', async (redirectUri) => {
    const { id } = await createCustomer()
    const reply = await client.post(`/customers/${id}/kyc-link`, { redirectUri })
    expectError(reply, { code: 'INVALID_INPUT', field: 'redirectUri' })
  })

  test.each([
    'https://app.example.com/a?b=c#d',
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]:8080/x',
  ])('redirects to %s', async (redirectUri) => {
    const { id } = await createCustomer()
    const visitor = await openNewLink(client, id, { redirectUri })
    await visitor.go(`${readSessionPath(visitor)}/review`)
    const { action, fields } = visitor.form('/review')
    expect(await visitor.request(action, { method: 'POST', body: fields })).toMatchObject({
      status: 303,
      location: redirectUri,
    })
  })

  test('is not created for a customer that is decided, deleted, unknown or of another platform', async () => {
    const createLink = (id: string, by = client) => by.post(`/customers/${id}/kyc-link`)
    const { id } = await createCustomer()
    const foreignReply = await createLink(id, await newPlatform())
    expectError(foreignReply, { code: 'USER_NOT_FOUND', field: 'customerId' })
    expectError(await createLink(buildUnknownId('Customer')), { code: 'USER_NOT_FOUND' })
    const verification = await send(client, 'POST', '/verifications', { customerId: id }, 200)
    const path = `/verifications/${verification.id}/decision`
    await send(client, 'POST', path, { decision: 'REJECT', reason: 'No.' }, 200)
    const rejected = await createLink(id)
    expectError(rejected, { code: 'CUSTOMER_ALREADY_DECIDED', field: 'customerId' })
    expect(rejected.body.details.status).toBe('REJECTED')
    const deletedCustomer = await createCustomer()
    await send(client, 'DELETE', `/customers/${deletedCustomer.id}`, undefined, 200)
    expectError(await createLink(deletedCustomer.id), { code: 'CUSTOMER_DELETED' })
  })

  test('is not created before the contacts of the customer are verified', async () => {
    const { id } = await createCustomer({ ...PERSON, region: 'DE', email: 'ada@example.com' })
    const reply = await client.post(`/customers/${id}/kyc-link`)
    expectError(reply, { code: 'CONTACT_NOT_VERIFIED', field: 'customerId' })
    expect(reply.body.details.contact).toBe('email')
    await send(client, 'POST', `/customers/${id}/verify-email`, undefined, 204)
    await send(client, 'POST', `/customers/${id}/verify-email/confirm`, { code: '123456' }, 200)
    await createKycLink(client, id)
  })
})

describe('opening a link', () => {
  test('succeeds once, even if fifty browsers try in parallel', async () => {
    const { kycUrl } = await createKycLink(client, (await createCustomer()).id)
    const visitors = Array.from({ length: 50 }, () => newVisitor(kycUrl))
    await Promise.all(visitors.map((visitor) => visitor.go(toPath(kycUrl))))
    const replies = await Promise.all(
      visitors.map((visitor) => {
        const { action, fields } = visitor.form(toPath(kycUrl))
        return visitor.request(action, { method: 'POST', body: fields })
      }),
    )
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([303, ...Array(49).fill(410)])
    const inside = await Promise.all(visitors.map((visitor) => visitor.go(toSessionPath(kycUrl))))
    expect(inside.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is not triggered by a preview, and can be repeated only by the same browser', async () => {
    const { kycUrl } = await createKycLink(client, (await createCustomer()).id)
    const path = toPath(kycUrl)
    for (let count = 0; count < 3; count++) expect((await newVisitor(kycUrl).go(path)).status).toBe(200)
    const visitor = newVisitor(kycUrl)
    await visitor.go(path)
    const { action, fields } = visitor.form(path)
    const send = () => visitor.request(action, { method: 'POST', body: fields })
    expect([(await send()).status, (await send()).status]).toEqual([303, 303])
    expect((await visitor.request(path)).location).toBe(toSessionPath(kycUrl))
    expect((await newVisitor(kycUrl).go(path)).status).toBe(410)
  })

  test('needs the cookie that came with the page, and its form', async () => {
    const { kycUrl } = await createKycLink(client, (await createCustomer()).id)
    const path = toPath(kycUrl)
    const visitor = newVisitor(kycUrl)
    await visitor.go(path)
    const { fields } = visitor.form(path)
    const otherVisitor = newVisitor(kycUrl)
    expect((await otherVisitor.go(path, { method: 'POST', body: fields })).status).toBe(403)
    expect((await visitor.go(path, { method: 'POST', body: new URLSearchParams() })).status).toBe(403)
    expect((await visitor.go(path, { method: 'POST', body: fields })).status).toBe(200)
  })

  test('is refused after a day, and for an altered link', async () => {
    const platform = await newManualPlatform()
    const { id } = await send(platform, 'POST', '/customers', PERSON, 201)
    const { kycUrl } = await createKycLink(platform, id)
    const [uuid, generation, mac] = toPath(kycUrl).slice('/verify/'.length).split('.') as [
      string,
      string,
      string,
    ]
    const [otherLinkId] = toPath((await createKycLink(platform, id)).kycUrl)
      .slice('/verify/'.length)
      .split('.')
    const flipped = mac.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    const alteredTokens = [
      `${uuid}.${generation}.${flipped}`,
      `${otherLinkId}.${generation}.${mac}`,
      `${uuid}.2.${mac}`,
      `${uuid}.${generation}`,
      `${uuid}`,
      'x',
      `${uuid}.${generation}.${mac}A`,
      'KycLink:x',
    ]
    for (const token of alteredTokens) {
      const reply = await newVisitor(kycUrl).go(`/verify/${token}`)
      expect(reply, token).toMatchObject({ status: 404 })
    }
    const earlyVisitor = newVisitor(kycUrl)
    await earlyVisitor.go(toPath(kycUrl))
    await platform.advance(24 * 3600 + 1)
    expect((await newVisitor(kycUrl).go(toPath(kycUrl))).status).toBe(410)
    expect((await earlyVisitor.submit(toPath(kycUrl))).status).toBe(410)
  })

  test('does not work for a customer that was deleted in the meantime', async () => {
    const { id } = await createCustomer()
    const [{ kycUrl }, visitor] = [await createKycLink(client, id), await openNewLink(client, id)]
    await send(client, 'DELETE', `/customers/${id}`, undefined, 200)
    expect((await newVisitor(kycUrl).go(toPath(kycUrl))).status).toBe(410)
    expect((await visitor.go(readSessionPath(visitor))).status).toBe(410)
  })
})

describe('the session of a page', () => {
  test('has a cookie that is hidden from scripts and other sites', async () => {
    const { kycUrl } = await createKycLink(client, (await createCustomer()).id, {
      redirectUri: 'https://app.example.com/',
    })
    const reply = await newVisitor(kycUrl).request(toPath(kycUrl))
    const [cookie = ''] = reply.headers.getSetCookie()
    expect(cookie).toMatch(
      /^verify-[0-9a-f-]{36}=[\w-]{43}; Path=\/verify\/; Max-Age=86400; HttpOnly; SameSite=Strict$/,
    )
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    const policy = reply.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(reply.text).not.toMatch(/<script|\son\w+=|\sstyle=|(?:src|href)="https?:/)
  })

  test('ends after half an hour without a request, and after an hour', async () => {
    const platform = await newManualPlatform()
    const person = { ...PERSON, nationality: undefined }
    const { id } = await send(platform, 'POST', '/customers', person, 201)
    const [idle, busy] = [await openNewLink(platform, id), await openNewLink(platform, id)]
    const readStatus = async (visitor: PageVisitor) => (await visitor.go(readSessionPath(visitor))).status
    await platform.advance(20 * 60)
    expect(await readStatus(busy)).toBe(200)
    await platform.advance(20 * 60)
    expect([await readStatus(idle), await readStatus(busy)]).toEqual([410, 200])
    await platform.advance(15 * 60)
    expect(await readStatus(busy)).toBe(200)
    await platform.advance(6 * 60)
    expect(await readStatus(busy)).toBe(410)
  })

  test('refuses forms of other sessions, and changes nothing', async () => {
    const [customer, otherCustomer] = [
      await createCustomer({ ...PERSON, nationality: undefined }),
      await createCustomer({ ...PERSON, nationality: undefined }),
    ]
    const [visitor, stranger] = [
      await openNewLink(client, customer.id),
      await openNewLink(client, otherCustomer.id),
    ]
    const { action, fields } = visitor.form('/details')
    fields.set('nationality', 'FR')
    const foreignForm = new URLSearchParams(fields)
    foreignForm.set('formToken', stranger.form('/details').fields.get('formToken')!)
    const formWithoutToken = new URLSearchParams(fields)
    formWithoutToken.delete('formToken')
    for (const body of [foreignForm, formWithoutToken])
      expect((await visitor.request(action, { method: 'POST', body })).status).toBe(403)
    // The session of another customer cannot send this form to either address.
    expect((await stranger.request(action, { method: 'POST', body: fields })).status).toBe(410)
    const strangerAction = stranger.form('/details').action
    expect((await stranger.request(strangerAction, { method: 'POST', body: fields })).status).toBe(403)
    const upload = new FormData()
    upload.set('documentHolder', customer.id)
    upload.set('file', new Blob(['%PDF-1.7 %%EOF']), 'a.pdf')
    const uploadReply = await visitor.request(`${readSessionPath(visitor)}/documents`, {
      method: 'POST',
      body: upload,
    })
    expect(uploadReply.status).toBe(403)
    expect((await client.get(`/documents?documentHolder=${customer.id}`)).body.data).toEqual([])
    for (const { id } of [customer, otherCustomer])
      expect((await client.get(`/customers/${id}`)).body).not.toHaveProperty('nationality')
  })

  test('cannot reach a record of another customer', async () => {
    const [customer, otherCustomer] = [
      await createCustomer({ ...PERSON, address: { ...PERSON.address, country: 'GB' } }),
      await createCustomer(),
    ]
    const visitor = await openNewLink(client, customer.id)
    const { action, fields } = visitor.form('/documents')
    const upload = (holder: string, query = '') => {
      const form = new FormData()
      for (const [name, value] of fields) form.set(name, value)
      form.set('documentType', 'PASSPORT')
      form.set('country', 'GB')
      form.set('documentHolder', holder)
      form.set('file', new Blob(['%PDF-1.7 %%EOF']), 'a.pdf')
      return visitor.request(action.replace(/key=.*/, `key=${Math.floor(performance.now() * 1e6)}${query}`), {
        method: 'POST',
        body: form,
      })
    }
    expect((await upload(otherCustomer.id)).status).toBe(404)
    expect((await client.get(`/documents?documentHolder=${otherCustomer.id}`)).body.data).toEqual([])
    const otherVisitor = await openNewLink(
      client,
      (await createCustomer({ ...PERSON, address: { ...PERSON.address, country: 'GB' } })).id,
    )
    await otherVisitor.sendFile(
      { documentType: 'PASSPORT', country: 'GB' },
      Buffer.from('%PDF-1.7 %%EOF'),
      'theirs.pdf',
    )
    const { data } = (await client.get('/documents?limit=100')).body
    const document = data.find(({ fileName }: { fileName: string }) => fileName === 'theirs.pdf')
    expect((await upload(customer.id, `&replaces=${document.id}`)).status).toBe(404)
    await visitor.request(`${readSessionPath(visitor)}/remove-document`, {
      method: 'POST',
      body: new URLSearchParams({ formToken: fields.get('formToken')!, documentId: document.id }),
    })
    expect((await client.get(`/documents/${document.id}`)).body).toMatchObject({ fileName: 'theirs.pdf' })
  })

  test('accepts only forms, and only up to a maximum length', async () => {
    const visitor = await openNewLink(
      client,
      (await createCustomer({ ...PERSON, nationality: undefined })).id,
    )
    const path = `${readSessionPath(visitor)}/details`
    const post = async (body: string, type: string) =>
      (await visitor.request(path, { method: 'POST', body, headers: { 'Content-Type': type } })).status
    expect(await post('{}', 'application/json')).toBe(415)
    expect(await post('x', 'text/plain')).toBe(415)
    expect(await post(`a=${'b'.repeat(70_000)}`, 'application/x-www-form-urlencoded')).toBe(413)
    expect(await post('__proto__=x&formToken=%ff&a=%', 'application/x-www-form-urlencoded')).toBe(403)
    expect((await visitor.request('/verify/session/..%2f..%2fetc/details')).status).toBe(410)
    expect((await visitor.request('/verify/session/%00')).status).toBe(410)
  })
})

test('two people with links of the same customer fill in one record', async () => {
  const { id } = await createCustomer({ ...PERSON, nationality: undefined })
  const links = [await createKycLink(client, id), await createKycLink(client, id)]
  const visitors = await Promise.all(links.map(({ kycUrl }) => opened(kycUrl)))
  await Promise.all(visitors.map((visitor) => visitor.submit('/details', { nationality: 'US' })))
  await Promise.all(visitors.map((visitor) => visitor.submit('/review')))
  const { data } = (await client.get(`/verifications?customerId=${id}`)).body
  expect(data).toMatchObject([{ verificationStatus: 'PENDING_MANUAL_REVIEW', submission: 1 }])
})
