import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  credentialOf,
  newCustomer,
  newPlatform,
  sealCode,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import {
  Authenticator,
  addWalletPasskey,
  attestationBody,
  passkeySignIn,
  signedIn,
} from '../../worlds/records/members.testing.ts'

describe('registering a credential', () => {
  test('takes the signature of a session of the wallet, and returns only the credential', async () => {
    const { client, customer, session } = await signedIn()
    const authenticator = new Authenticator()
    const first = await client.post('/auth/credentials', attestationBody(customer.wallet, authenticator))
    expect(first).toMatchObject({ status: 202, body: { type: 'PASSKEY', requestId: expect.any(String) } })
    const { body } = await addWalletPasskey(client, customer.wallet, session, authenticator)
    expect(body).toEqual({
      id: expect.stringMatching(/^AuthMethod:/),
      accountId: customer.wallet,
      type: 'PASSKEY',
      nickname: 'Phone',
      credentialId: authenticator.credentialId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    const listed = (await client.get(`/auth/credentials?accountId=${customer.wallet}`)).body.data
    expect(listed.map((one: { type: string }) => one.type)).toEqual(['EMAIL_OTP', 'PASSKEY'])
  })

  test('refuses a second e-mail or SMS credential, and a passkey that anyone on the server has', async () => {
    const { client, customer, session } = await signedIn()
    const post = (body: Record<string, unknown>) =>
      sendSigned(client, session, 'POST', '/auth/credentials', { accountId: customer.wallet, ...body })
    expect((await post({ type: 'EMAIL_OTP' })).body.code).toBe('EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS')
    expect((await post({ type: 'SMS_OTP' })).body).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'phoneNumber' },
    })
    const sms = await post({ type: 'SMS_OTP', phoneNumber: '+14155552671' })
    expect(sms).toMatchObject({
      status: 201,
      body: { nickname: '+14155552671', otpEncryptionTargetBundle: expect.any(String) },
    })
    expect((await post({ type: 'SMS_OTP', phoneNumber: '+14155552672' })).body.code).toBe(
      'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
    )
    const { authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const elsewhere = await signedIn()
    const again = await elsewhere.client.post(
      '/auth/credentials',
      attestationBody(elsewhere.customer.wallet, authenticator),
    )
    expect(again.body).toMatchObject({ status: 400, code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS' })
  })

  test('accepts any names of transports that a browser reports', async () => {
    const { client, customer, session } = await signedIn()
    const authenticator = new Authenticator()
    const body = attestationBody(customer.wallet, authenticator)
    const withTransports = (transports: unknown) => ({
      ...body,
      attestation: { ...body.attestation, transports },
    })
    for (const transports of [Array(17).fill('usb'), ['x'.repeat(65)], [1], 'usb'])
      expect((await client.post('/auth/credentials', withTransports(transports))).body.code).toBe(
        'INVALID_INPUT',
      )
    const taken = withTransports(['smart-card', 'hybrid', 'one of tomorrow'])
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', taken)).status).toBe(201)
  })

  test('refuses an attestation for another challenge, origin or domain', async () => {
    const { client, customer } = await signedIn()
    const refused = async (authenticator: Authenticator, challenge?: string) => {
      const body = attestationBody(customer.wallet, authenticator)
      const reply = await client.post('/auth/credentials', challenge ? { ...body, challenge } : body)
      expect(reply.body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        details: { field: 'attestation' },
      })
    }
    await refused(new Authenticator(), randomBytes(16).toString('base64url'))
    await refused(new Authenticator('localhost', 'https://evil.example'))
    await refused(new Authenticator('evil.example'))
  })

  test('of one passkey registered in parallel on two wallets, one succeeds', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const authenticator = new Authenticator()
    const replies = await Promise.all(
      [one, other].map(({ client, customer, session }) =>
        sendSigned(
          client,
          session,
          'POST',
          '/auth/credentials',
          attestationBody(customer.wallet, authenticator),
        ),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400])
  })
})

describe('revoking a credential', () => {
  test('takes a session of another credential, revokes the sessions it issued, and is refused for the last one', async () => {
    const { client, customer, session } = await signedIn()
    const email = await credentialOf(client, customer.wallet)
    expect((await sendSigned(client, session, 'DELETE', `/auth/credentials/${email}`)).body).toMatchObject({
      status: 400,
      details: { field: 'id' },
    })
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const passkey = await passkeySignIn(client, id, authenticator)
    expect((await sendSigned(client, session, 'DELETE', `/auth/credentials/${email}`)).body).toMatchObject({
      code: 'WALLET_SIGNATURE_INVALID',
      reason: 'A credential cannot revoke itself',
    })
    const pending = await client.post(`/auth/credentials/${email}/challenge`)
    expect((await sendSigned(client, passkey, 'DELETE', `/auth/credentials/${email}`)).status).toBe(204)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
    const late = {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: sealCode(pending.body.otpEncryptionTargetBundle, generateKeyPair()),
    }
    expect((await client.post(`/auth/credentials/${email}/verify`, late)).body.code).toBe(
      'CREDENTIAL_NOT_FOUND',
    )
    const again = await sendSigned(client, passkey, 'POST', '/auth/credentials', {
      type: 'EMAIL_OTP',
      accountId: customer.wallet,
    })
    expect(again).toMatchObject({ status: 201, body: { nickname: customer.email } })
  })

  test('of two credentials that revoke each other at the same time, one stays', async () => {
    const { client, customer, session } = await signedIn()
    const email = await credentialOf(client, customer.wallet)
    const { id, authenticator } = await addWalletPasskey(client, customer.wallet, session)
    const passkey = await passkeySignIn(client, id, authenticator)
    await Promise.all([
      sendSigned(client, session, 'DELETE', `/auth/credentials/${id}`),
      sendSigned(client, passkey, 'DELETE', `/auth/credentials/${email}`),
    ])
    expect((await client.get(`/auth/credentials?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
  })
})

describe('a wallet whose customer was deleted', () => {
  test('accepts no new credential, signed or not, and no sign-in', async () => {
    const { client, customer, session } = await signedIn()
    const email = await credentialOf(client, customer.wallet)
    expect((await client.send('DELETE', `/customers/${customer.id}`)).status).toBe(200)
    for (const body of [
      attestationBody(customer.wallet, new Authenticator()),
      { type: 'EMAIL_OTP', accountId: customer.wallet },
    ])
      expect((await sendSigned(client, session, 'POST', '/auth/credentials', body)).body.code).toBe(
        'CUSTOMER_DELETED',
      )
    expect((await client.post(`/auth/credentials/${email}/challenge`)).body.code).toBe('CREDENTIAL_NOT_FOUND')
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toEqual([])
  })
})

describe('signing in with a code by SMS', () => {
  test("goes to the customer's number if the registration names none", async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client, { phoneNumber: '+14155552671' })
    expect((await client.get(`/customers/${customer.id}`)).body.phoneNumber).toBe('+14155552671')
    const session = await signIn(client, customer.wallet)
    const body = { type: 'SMS_OTP', accountId: customer.wallet }
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', body)).body.nickname).toBe(
      '+14155552671',
    )
  })

  test('sends five codes within ten minutes, however often the credential is registered again', {
    tags: 'long',
  }, async () => {
    const { client, customer, session } = await signedIn()
    const body = { type: 'SMS_OTP', accountId: customer.wallet, phoneNumber: '+14155552671' }
    for (let registered = 0; registered < 5; registered++) {
      const { status, body: credential } = await sendSigned(
        client,
        session,
        'POST',
        '/auth/credentials',
        body,
      )
      expect(status).toBe(201)
      expect((await sendSigned(client, session, 'DELETE', `/auth/credentials/${credential.id}`)).status).toBe(
        204,
      )
    }
    expect((await client.post('/auth/credentials', body)).body.code).toBe('RATE_LIMITED')
  })

  test('works like the code by e-mail, with the code that the registration sent', async () => {
    const { client, customer, session } = await signedIn()
    const body = {
      type: 'SMS_OTP',
      accountId: customer.wallet,
      phoneNumber: '+44 7400 123456'.replaceAll(' ', ''),
    }
    const { body: credential } = await sendSigned(client, session, 'POST', '/auth/credentials', body)
    const keys = generateKeyPair()
    const verify = {
      type: 'SMS_OTP',
      encryptedOtpBundle: sealCode(credential.otpEncryptionTargetBundle, keys),
    }
    const path = `/auth/credentials/${credential.id}/verify`
    const stamped = { stamp: (payload: string) => makeStamp(keys, payload) }
    expect((await sendSigned(client, stamped, 'POST', path, verify)).body).toMatchObject({
      type: 'SMS_OTP',
      nickname: '+447400123456',
    })
  })
})
