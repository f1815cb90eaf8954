import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  findCredentialId,
  newCustomer,
  newPlatform,
  sealCode,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import {
  Authenticator,
  addWalletPasskey,
  buildAttestationBody,
  passkeySignIn,
  signedIn,
} from '../../worlds/records/members.testing.ts'

describe('registering a credential', () => {
  test('needs the signature of a wallet session, and returns only the credential', async () => {
    const { client, customer, session } = await signedIn()
    const authenticator = new Authenticator()
    const first = await client.post('/auth/credentials', buildAttestationBody(customer.wallet, authenticator))
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
    const otherWallet = await signedIn()
    const duplicate = await otherWallet.client.post(
      '/auth/credentials',
      buildAttestationBody(otherWallet.customer.wallet, authenticator),
    )
    expect(duplicate.body).toMatchObject({ status: 400, code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS' })
  })

  test('accepts any transport names that a browser reports', async () => {
    const { client, customer, session } = await signedIn()
    const authenticator = new Authenticator()
    const body = buildAttestationBody(customer.wallet, authenticator)
    const withTransports = (transports: unknown) => ({
      ...body,
      attestation: { ...body.attestation, transports },
    })
    for (const transports of [Array(17).fill('usb'), ['x'.repeat(65)], [1], 'usb'])
      expect((await client.post('/auth/credentials', withTransports(transports))).body.code).toBe(
        'INVALID_INPUT',
      )
    const validRequest = withTransports(['smart-card', 'hybrid', 'one of tomorrow'])
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', validRequest)).status).toBe(201)
  })

  test('refuses an attestation for another challenge, origin or domain', async () => {
    const { client, customer } = await signedIn()
    const expectRefused = async (authenticator: Authenticator, challenge?: string) => {
      const body = buildAttestationBody(customer.wallet, authenticator)
      const reply = await client.post('/auth/credentials', challenge ? { ...body, challenge } : body)
      expect(reply.body).toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
        details: { field: 'attestation' },
      })
    }
    await expectRefused(new Authenticator(), randomBytes(16).toString('base64url'))
    await expectRefused(new Authenticator('localhost', 'https://evil.example'))
    await expectRefused(new Authenticator('evil.example'))
  })

  test('succeeds once if a passkey is registered on two wallets in parallel', async () => {
    const [firstWallet, secondWallet] = [await signedIn(), await signedIn()]
    const authenticator = new Authenticator()
    const replies = await Promise.all(
      [firstWallet, secondWallet].map(({ client, customer, session }) =>
        sendSigned(
          client,
          session,
          'POST',
          '/auth/credentials',
          buildAttestationBody(customer.wallet, authenticator),
        ),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400])
  })
})

describe('revoking a credential', () => {
  test('needs a session of another credential, ends the sessions of the revoked one, and is refused for the last', async () => {
    const { client, customer, session } = await signedIn()
    const email = await findCredentialId(client, customer.wallet)
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
    const openChallenge = await client.post(`/auth/credentials/${email}/challenge`)
    expect((await sendSigned(client, passkey, 'DELETE', `/auth/credentials/${email}`)).status).toBe(204)
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toHaveLength(1)
    const verification = {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: sealCode(openChallenge.body.otpEncryptionTargetBundle, generateKeyPair()),
    }
    expect((await client.post(`/auth/credentials/${email}/verify`, verification)).body.code).toBe(
      'CREDENTIAL_NOT_FOUND',
    )
    const newCredential = await sendSigned(client, passkey, 'POST', '/auth/credentials', {
      type: 'EMAIL_OTP',
      accountId: customer.wallet,
    })
    expect(newCredential).toMatchObject({ status: 201, body: { nickname: customer.email } })
  })

  test('leaves one of two credentials that revoke each other in parallel', async () => {
    const { client, customer, session } = await signedIn()
    const email = await findCredentialId(client, customer.wallet)
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
    const email = await findCredentialId(client, customer.wallet)
    expect((await client.send('DELETE', `/customers/${customer.id}`)).status).toBe(200)
    for (const body of [
      buildAttestationBody(customer.wallet, new Authenticator()),
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
  test("uses the customer's number if the registration names none", async () => {
    const client = await newPlatform()
    const customer = await newCustomer(client, { phoneNumber: '+14155552671' })
    expect((await client.get(`/customers/${customer.id}`)).body.phoneNumber).toBe('+14155552671')
    const session = await signIn(client, customer.wallet)
    const body = { type: 'SMS_OTP', accountId: customer.wallet }
    expect((await sendSigned(client, session, 'POST', '/auth/credentials', body)).body.nickname).toBe(
      '+14155552671',
    )
  })

  test('sends at most five codes within ten minutes, however often the credential is registered again', {
    tags: 'long',
  }, async () => {
    const { client, customer, session } = await signedIn()
    const body = { type: 'SMS_OTP', accountId: customer.wallet, phoneNumber: '+14155552671' }
    for (let count = 0; count < 5; count++) {
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

  test('works like a code by e-mail, with the code that the registration sent', async () => {
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
    const signer = { stamp: (payload: string) => makeStamp(keys, payload) }
    expect((await sendSigned(client, signer, 'POST', path, verify)).body).toMatchObject({
      type: 'SMS_OTP',
      nickname: '+447400123456',
    })
  })
})
