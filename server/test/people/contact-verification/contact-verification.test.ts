import { describe, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'

const CODE = '123456'
const PERSON = { customerType: 'INDIVIDUAL', fullName: 'Ada 001', region: 'DE' } as const
const BOTH = { ...PERSON, email: 'Ada@Example.com', phoneNumber: '+4930123456' }

const buildAddress = (country: string) => ({ line1: 'Ring 1', postalCode: '10115', country })

async function createCustomer(client: Client, body: object): Promise<Reply['body']> {
  const reply = await client.post('/customers', body)
  expect(reply.status).toBe(201)
  return reply.body
}

const changeCustomer = async (client: Client, id: string, body: object) =>
  (await client.send('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', ...body })).body

const sendCode = (client: Client, id: string, contact = 'email') =>
  client.post(`/customers/${id}/verify-${contact}`)
const confirmCode = (client: Client, id: string, code = CODE, contact = 'email') =>
  client.post(`/customers/${id}/verify-${contact}/confirm`, { code })

function toRefusal({ status, body }: Reply) {
  return [status, body?.code, body?.details?.code ?? body?.details?.field]
}

const WRONG = [400, 'INVALID_INPUT', 'INVALID_OTP_CODE']
const NOT_REQUIRED = [409, 'CONTACT_VERIFICATION_NOT_REQUIRED', undefined]
const VERIFIED = [409, 'CONTACT_ALREADY_VERIFIED', undefined]

describe('the verification of a contact', () => {
  const client = newPlatform()

  test.each([
    [
      'is required if the customer is served in the European Union',
      BOTH,
      { email: 'PENDING', phone: 'PENDING' },
    ],
    [
      'is required if the customer lives in the European Economic Area',
      { ...BOTH, region: 'US', address: buildAddress('NO') },
      { email: 'PENDING', phone: 'PENDING' },
    ],
    [
      'is required only for contacts that the customer has',
      { ...PERSON, email: 'a@example.com' },
      { email: 'PENDING' },
    ],
    [
      'is required for a business too',
      { customerType: 'BUSINESS', region: 'FR', phoneNumber: '+33123456789' },
      { phone: 'PENDING' },
    ],
    ['is not required in other countries', { ...BOTH, region: 'US', address: buildAddress('GB') }, undefined],
    ['is not required without a contact', PERSON, undefined],
    ['is not required without a country', { ...BOTH, region: undefined }, undefined],
  ])('%s', async (_, body, expected) => {
    const created = await createCustomer(await client, body)
    expect(created.contactVerification).toEqual(expected)
    expect((await (await client).get(`/customers/${created.id}`)).body).toEqual(created)
  })

  test('is required as soon as the contact is set, and again after a change', async () => {
    const platform = await client
    const { id } = await createCustomer(platform, { ...PERSON, email: 'first@example.com' })
    await sendCode(platform, id)
    const { status, body } = await confirmCode(platform, id)
    expect([status, body.contactVerification]).toEqual([200, { email: 'VERIFIED' }])
    expect((await platform.get(`/customers/${id}`)).body).toEqual(body)

    expect((await changeCustomer(platform, id, { fullName: 'Ada King001' })).contactVerification).toEqual({
      email: 'VERIFIED',
    })
    const phone = { phoneNumber: '+4930123456' }
    expect((await changeCustomer(platform, id, phone)).contactVerification).toEqual({
      email: 'VERIFIED',
      phone: 'PENDING',
    })
    // Another spelling of the same mailbox.
    expect(
      (await changeCustomer(platform, id, { email: 'FIRST@example.com' })).contactVerification.email,
    ).toBe('VERIFIED')
    expect((await changeCustomer(platform, id, { email: 'second@example.com' })).contactVerification).toEqual(
      {
        email: 'PENDING',
        phone: 'PENDING',
      },
    )
  })

  test('is required after the customer moves to a country that requires it, and no longer after a move away', async () => {
    const platform = await client
    const { id } = await createCustomer(platform, { ...BOTH, region: undefined })
    expect((await changeCustomer(platform, id, { address: buildAddress('FR') })).contactVerification).toEqual(
      {
        email: 'PENDING',
        phone: 'PENDING',
      },
    )
    expect(await changeCustomer(platform, id, { address: buildAddress('US') })).not.toHaveProperty(
      'contactVerification',
    )
    expect(toRefusal(await sendCode(platform, id))).toEqual(NOT_REQUIRED)
  })
})

describe('the code of a contact', () => {
  test('is sent, shown by the inbox, and verifies only this contact, once', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    expect(toRefusal(await confirmCode(client, id))).toEqual(WRONG)
    for (const [contact, verified] of [
      ['phone', { email: 'PENDING', phone: 'VERIFIED' }],
      ['email', { email: 'VERIFIED', phone: 'VERIFIED' }],
    ] as const) {
      const reply = await sendCode(client, id, contact)
      expect([reply.status, reply.body]).toEqual([204, undefined])
      const { status, body } = await confirmCode(client, id, CODE, contact)
      expect([status, body.contactVerification]).toEqual([200, verified])
      expect(toRefusal(await confirmCode(client, id, CODE, contact))).toEqual(VERIFIED)
      expect(toRefusal(await sendCode(client, id, contact))).toEqual(VERIFIED)
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
    const { id } = await createCustomer(client, BOTH)
    await sendCode(client, id)
    await client.advance(601)
    expect(toRefusal(await confirmCode(client, id))).toEqual(WRONG)
    await sendCode(client, id)
    expect(toRefusal(await confirmCode(client, id, '654321'))).toEqual(WRONG)
    await sendCode(client, id)
    expect((await confirmCode(client, id)).status).toBe(200)
  })

  test('allows five attempts, also in parallel', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    await sendCode(client, id)
    const replies = await Promise.all(Array.from({ length: 30 }, () => confirmCode(client, id, '000000')))
    expect(new Set(replies.map((reply) => String(toRefusal(reply))))).toEqual(new Set([String(WRONG)]))
    expect(toRefusal(await confirmCode(client, id))).toEqual(WRONG)
    // The next code allows five new attempts, so four wrong ones leave one.
    await sendCode(client, id)
    for (let attempt = 0; attempt < 4; attempt++) await confirmCode(client, id, '000000')
    expect((await confirmCode(client, id)).status).toBe(200)
  })

  test('verifies the contact once if it is confirmed in parallel', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    await sendCode(client, id)
    const replies = await Promise.all(Array.from({ length: 4 }, () => confirmCode(client, id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  test('that was sent to the former address does not verify the new one', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    await sendCode(client, id)
    await changeCustomer(client, id, { email: 'other@example.com' })
    expect(toRefusal(await confirmCode(client, id))).toEqual(WRONG)
    expect((await client.get(`/customers/${id}`)).body.contactVerification.email).toBe('PENDING')
    // In parallel, the former address may be verified before it is changed.
    await sendCode(client, id)
    const [confirmed] = await Promise.all([
      confirmCode(client, id),
      changeCustomer(client, id, { email: 'third@example.com' }),
    ])
    expect([200, 400]).toContain(confirmed.status)
    const { email, contactVerification } = (await client.get(`/customers/${id}`)).body
    expect([email, contactVerification.email]).toEqual(['third@example.com', 'PENDING'])
  })

  test('is sent at most five times in ten minutes and twenty times a day, also in parallel', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    const sendBurst = () => Promise.all(Array.from({ length: 7 }, () => sendCode(client, id)))
    const first = await sendBurst()
    expect(first.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 204, 429, 429])
    const retryAfter = Number(first.find(({ status }) => status === 429)!.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(600 - timeLimit(10_000) / 1000)
    expect(retryAfter).toBeLessThanOrEqual(600)
    // The other contact has a separate limit.
    expect((await sendCode(client, id, 'phone')).status).toBe(204)
    for (let time = 0; time < 3; time++) {
      await client.advance(601)
      expect((await sendBurst()).filter(({ status }) => status === 204)).toHaveLength(5)
    }
    await client.advance(601)
    const limited = await sendCode(client, id)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(80_000)
    await client.advance(86_400)
    expect((await sendCode(client, id)).status).toBe(204)
  })

  test('has six digits, and is valid for its customer only', async () => {
    const client = await newPlatform()
    const { id } = await createCustomer(client, BOTH)
    await sendCode(client, id)
    for (const code of ['12345', '1234567', 'abcdef', 123456, '１２３４５６', null])
      expect(toRefusal(await client.post(`/customers/${id}/verify-email/confirm`, { code }))).toEqual([
        400,
        'INVALID_INPUT',
        'code',
      ])
    const otherPlatform = await newPlatform()
    const missing = [404, 'USER_NOT_FOUND', 'customerId']
    for (const contact of ['email', 'phone']) {
      expect(toRefusal(await sendCode(otherPlatform, id, contact))).toEqual(missing)
      expect(toRefusal(await confirmCode(otherPlatform, id, CODE, contact))).toEqual(missing)
    }
    expect((await client.send('DELETE', `/customers/${id}`)).status).toBe(200)
    expect(toRefusal(await sendCode(client, id))).toEqual([410, 'CUSTOMER_DELETED', 'customerId'])
    expect(toRefusal(await confirmCode(client, id))).toEqual([410, 'CUSTOMER_DELETED', 'customerId'])
  })
})
