import { describe, expect, test } from 'vitest'
import {
  findCredentialId,
  newCustomer,
  newPlatform,
  type Reply,
  signIn,
  toRefusal,
} from '../../worlds/client.testing.ts'

const ada = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' } as const

describe('changing the e-mail address of sign-in codes', () => {
  const buildChange = (email: string) => ({ customerType: 'INDIVIDUAL', email })

  test('needs a signature, and then changes customer and credential together, once', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const session = await signIn(client, customer.wallet)
    const path = `/customers/${customer.id}`
    const first = await client.send('PATCH', path, buildChange('new@example.com'))
    expect(first.status).toBe(202)
    expect(JSON.parse(first.body.payloadToSign)).toMatchObject({
      operation: 'customer_update',
      customer: customer.id,
      newEmail: 'new@example.com',
      account: customer.wallet,
      requestId: first.body.requestId,
    })
    expect((await client.get(path)).body.email).toBe(customer.email)
    const credential = await findCredentialId(client, customer.wallet)
    // This code goes to the old address.
    await client.post(`/auth/credentials/${credential}/challenge`)
    const headers = {
      'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
      'Request-Id': first.body.requestId,
    }
    const second = await client.send('PATCH', path, buildChange('new@example.com'), headers)
    expect(second).toMatchObject({ status: 200, body: { email: 'new@example.com' } })
    const credentials = await client.get(`/auth/credentials?accountId=${customer.wallet}`)
    expect(credentials.body.data).toMatchObject([{ id: credential, nickname: 'new@example.com' }])
    // The code that went to the old address is no longer valid.
    const lateReply = await client.post(`/auth/credentials/${credential}/verify`, {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: '{}',
    })
    expect(lateReply.status).toBe(401)
    expect((await client.send('PATCH', path, buildChange('new@example.com'), headers)).status).toBe(401)
  })

  test('is refused if the credential has changed since the first call', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const session = await signIn(client, customer.wallet)
    const path = `/customers/${customer.id}`
    const [firstCall, secondCall] = [
      await client.send('PATCH', path, buildChange('one@example.com')),
      await client.send('PATCH', path, buildChange('two@example.com')),
    ]
    const retry = (first: Reply, email: string) =>
      client.send('PATCH', path, buildChange(email), {
        'Svc-Wallet-Signature': session.stamp(first.body.payloadToSign),
        'Request-Id': first.body.requestId,
      })
    expect((await retry(firstCall, 'one@example.com')).status).toBe(200)
    expect(toRefusal(await retry(secondCall, 'two@example.com'))).toEqual({
      status: 409,
      code: 'EMAIL_OTP_CREDENTIAL_SET_CHANGED',
      field: 'email',
    })
    expect((await client.get(path)).body.email).toBe('one@example.com')
  })

  test('is refused if another wallet uses the new address', async () => {
    const client = await newPlatform()
    const otherCustomer = await newCustomer(client)
    const customer = await newCustomer(client)
    const path = `/customers/${customer.id}`
    expect(
      toRefusal(await client.send('PATCH', path, buildChange(otherCustomer.email.toUpperCase()))),
    ).toEqual({
      status: 409,
      code: 'EMAIL_OTP_EMAIL_ALREADY_EXISTS',
      field: 'email',
    })
    await client.send('DELETE', `/customers/${otherCustomer.id}`)
    expect((await client.send('PATCH', path, buildChange(otherCustomer.email))).status).toBe(202)
  })

  test('needs no signature for another spelling of the same address, or without a wallet', async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client)
    const rewritten = await client.send(
      'PATCH',
      `/customers/${customer.id}`,
      buildChange(customer.email.toUpperCase()),
    )
    expect(rewritten).toMatchObject({ status: 200, body: { email: customer.email.toUpperCase() } })
    const pendingCustomer = await client.post('/customers', {
      ...ada,
      fullName: 'Ada 001',
      email: 'ada@example.com',
    })
    const moved = await client.send(
      'PATCH',
      `/customers/${pendingCustomer.body.id}`,
      buildChange('new@example.com'),
    )
    expect(moved).toMatchObject({ status: 200, body: { email: 'new@example.com' } })
  })
})
