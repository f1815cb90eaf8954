import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'

const CODE = '123456'
const PERSON = { customerType: 'INDIVIDUAL', fullName: 'Ada 001', region: 'DE' } as const
const BOTH = { ...PERSON, email: 'Ada@Example.com', phoneNumber: '+4930123456' }

const address = (country: string) => ({ line1: 'Ring 1', postalCode: '10115', country })

async function create(client: Client, body: object): Promise<Reply['body']> {
  const reply = await client.post('/customers', body)
  expect(reply.status).toBe(201)
  return reply.body
}

const change = async (client: Client, id: string, body: object) =>
  (await client.send('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', ...body })).body

const send = (client: Client, id: string, what = 'email') => client.post(`/customers/${id}/verify-${what}`)
const confirm = (client: Client, id: string, code = CODE, what = 'email') =>
  client.post(`/customers/${id}/verify-${what}/confirm`, { code })

function refusal({ status, body }: Reply) {
  return [status, body?.code, body?.details?.code ?? body?.details?.field]
}

const WRONG = [400, 'INVALID_INPUT', 'INVALID_OTP_CODE']
const NOT_REQUIRED = [409, 'CONTACT_VERIFICATION_NOT_REQUIRED', undefined]
const VERIFIED = [409, 'CONTACT_ALREADY_VERIFIED', undefined]

describe('a contact has to be verified', () => {
  const client = newPlatform()

  test.each([
    ['where the customer is served in the Union', BOTH, { email: 'PENDING', phone: 'PENDING' }],
    [
      'if its customer lives in the Area',
      { ...BOTH, region: 'US', address: address('NO') },
      { email: 'PENDING', phone: 'PENDING' },
    ],
    ['of those that are given', { ...PERSON, email: 'a@example.com' }, { email: 'PENDING' }],
    [
      'of a business too',
      { customerType: 'BUSINESS', region: 'FR', phoneNumber: '+33123456789' },
      { phone: 'PENDING' },
    ],
    ['nowhere else', { ...BOTH, region: 'US', address: address('GB') }, undefined],
    ['if there is none', PERSON, undefined],
    ['of no country', { ...BOTH, region: undefined }, undefined],
  ])('%s', async (_, body, expected) => {
    const created = await create(await client, body)
    expect(created.contactVerification).toEqual(expected)
    expect((await (await client).get(`/customers/${created.id}`)).body).toEqual(created)
  })

  test('as soon as it is given, and again after a change', async () => {
    const of = await client
    const { id } = await create(of, { ...PERSON, email: 'first@example.com' })
    await send(of, id)
    const { status, body } = await confirm(of, id)
    expect([status, body.contactVerification]).toEqual([200, { email: 'VERIFIED' }])
    expect((await of.get(`/customers/${id}`)).body).toEqual(body)

    expect((await change(of, id, { fullName: 'Ada King001' })).contactVerification).toEqual({
      email: 'VERIFIED',
    })
    const phone = { phoneNumber: '+4930123456' }
    expect((await change(of, id, phone)).contactVerification).toEqual({ email: 'VERIFIED', phone: 'PENDING' })
    // Another spelling of the same mailbox.
    expect((await change(of, id, { email: 'FIRST@example.com' })).contactVerification.email).toBe('VERIFIED')
    expect((await change(of, id, { email: 'second@example.com' })).contactVerification).toEqual({
      email: 'PENDING',
      phone: 'PENDING',
    })
  })

  test('once its customer moves to a country that requires it, and no longer without such a country', async () => {
    const of = await client
    const { id } = await create(of, { ...BOTH, region: undefined })
    expect((await change(of, id, { address: address('FR') })).contactVerification).toEqual({
      email: 'PENDING',
      phone: 'PENDING',
    })
    expect(await change(of, id, { address: address('US') })).not.toHaveProperty('contactVerification')
    expect(refusal(await send(of, id))).toEqual(NOT_REQUIRED)
  })
})

describe('the code of a contact', () => {
  test('is sent, shown by the inbox, and verifies only this contact, once', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    expect(refusal(await confirm(client, id))).toEqual(WRONG)
    for (const [what, verified] of [
      ['phone', { email: 'PENDING', phone: 'VERIFIED' }],
      ['email', { email: 'VERIFIED', phone: 'VERIFIED' }],
    ] as const) {
      const sent = await send(client, id, what)
      expect([sent.status, sent.body]).toEqual([204, undefined])
      const { status, body } = await confirm(client, id, CODE, what)
      expect([status, body.contactVerification]).toEqual([200, verified])
      expect(refusal(await confirm(client, id, CODE, what))).toEqual(VERIFIED)
      expect(refusal(await send(client, id, what))).toEqual(VERIFIED)
    }
    const inbox = (await client.get('/sandbox/inbox')).body.data
    expect(inbox).toMatchObject([
      { channel: 'EMAIL', recipient: 'Ada@Example.com', customerId: id, status: 'DELIVERED' },
      { channel: 'SMS', recipient: '+4930123456', customerId: id, status: 'DELIVERED' },
    ])
    for (const message of inbox) {
      expect(message.text).toContain(CODE)
      expect(`${message.subject} ${message.text} ${message.html}`).not.toMatch(/sign.?in/i)
      expect(message).not.toHaveProperty('credentialId')
      expect(message).not.toHaveProperty('accountId')
    }
  })

  test('is refused after ten minutes, and is replaced by a later one', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    await send(client, id)
    await client.advance(601)
    expect(refusal(await confirm(client, id))).toEqual(WRONG)
    await send(client, id)
    expect(refusal(await confirm(client, id, '654321'))).toEqual(WRONG)
    await send(client, id)
    expect((await confirm(client, id)).status).toBe(200)
  })

  test('has five attempts, however many come in parallel', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    await send(client, id)
    const many = await Promise.all(Array.from({ length: 30 }, () => confirm(client, id, '000000')))
    expect(new Set(many.map((reply) => String(refusal(reply))))).toEqual(new Set([String(WRONG)]))
    expect(refusal(await confirm(client, id))).toEqual(WRONG)
    // The next code has five separate attempts: four wrong ones leave one.
    await send(client, id)
    for (let attempt = 0; attempt < 4; attempt++) await confirm(client, id, '000000')
    expect((await confirm(client, id)).status).toBe(200)
  })

  test('of the right ones in parallel, one verifies', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    await send(client, id)
    const replies = await Promise.all(Array.from({ length: 4 }, () => confirm(client, id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  test('that was sent to the former address does not verify the new one', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    await send(client, id)
    await change(client, id, { email: 'other@example.com' })
    expect(refusal(await confirm(client, id))).toEqual(WRONG)
    expect((await client.get(`/customers/${id}`)).body.contactVerification.email).toBe('PENDING')
    // Nor when both happen at the same time: either the former address was verified, and then changed.
    await send(client, id)
    const [confirmed] = await Promise.all([
      confirm(client, id),
      change(client, id, { email: 'third@example.com' }),
    ])
    expect([200, 400]).toContain(confirmed.status)
    const { email, contactVerification } = (await client.get(`/customers/${id}`)).body
    expect([email, contactVerification.email]).toEqual(['third@example.com', 'PENDING'])
  })

  test('is sent five times in ten minutes and twenty times a day, also in parallel', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    const burst = () => Promise.all(Array.from({ length: 7 }, () => send(client, id)))
    const first = await burst()
    expect(first.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 204, 429, 429])
    const late = Number(first.find(({ status }) => status === 429)!.headers.get('retry-after'))
    expect(late).toBeGreaterThan(600 - timeLimit(10_000) / 1000)
    expect(late).toBeLessThanOrEqual(600)
    // The other contact has its own.
    expect((await send(client, id, 'phone')).status).toBe(204)
    for (let time = 0; time < 3; time++) {
      await client.advance(601)
      expect((await burst()).filter(({ status }) => status === 204)).toHaveLength(5)
    }
    await client.advance(601)
    const day = await send(client, id)
    expect(day.status).toBe(429)
    expect(Number(day.headers.get('retry-after'))).toBeGreaterThan(80_000)
    await client.advance(86_400)
    expect((await send(client, id)).status).toBe(204)
  })

  test('has six digits, and is valid for its customer only', async () => {
    const client = await newPlatform()
    const { id } = await create(client, BOTH)
    await send(client, id)
    for (const code of ['12345', '1234567', 'abcdef', 123456, '１２３４５６', null])
      expect(refusal(await client.post(`/customers/${id}/verify-email/confirm`, { code }))).toEqual([
        400,
        'INVALID_INPUT',
        'code',
      ])
    const other = await newPlatform()
    const missing = [404, 'USER_NOT_FOUND', 'customerId']
    for (const what of ['email', 'phone']) {
      expect(refusal(await send(other, id, what))).toEqual(missing)
      expect(refusal(await confirm(other, id, CODE, what))).toEqual(missing)
    }
    expect((await client.send('DELETE', `/customers/${id}`)).status).toBe(200)
    expect(refusal(await send(client, id))).toEqual([410, 'CUSTOMER_DELETED', 'customerId'])
    expect(refusal(await confirm(client, id))).toEqual([410, 'CUSTOMER_DELETED', 'customerId'])
  })
})
