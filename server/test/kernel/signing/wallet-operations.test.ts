import { mnemonicToEntropy } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { describe, expect, test } from 'vitest'
import { verifyEnvelope } from '../../../src/base/crypto/envelope.ts'
import { open } from '../../../src/base/crypto/hpke.ts'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { deriveSeed, sparkAddress } from '../../../src/kernel/enclave/wallet.ts'
import { openSession, sendSigned, signIn } from '../../worlds/client.testing.ts'
import { signedIn } from '../../worlds/records/members.testing.ts'

describe('a session', () => {
  test('is refreshed by its own signature, with a new key sealed to the device', async () => {
    const { client, customer, session } = await signedIn()
    const device = generateKeyPair()
    const body = { clientPublicKey: device.publicKey.uncompressedHex }
    const reply = await sendSigned(
      client,
      session,
      'POST',
      `/auth/sessions/${session.sessionId}/refresh`,
      body,
    )
    expect(reply.status).toBe(200)
    expect(reply.body.id).not.toBe(session.sessionId)
    const newSession = openSession(reply.body, device)
    const sessionList = await client.get(`/auth/sessions?accountId=${customer.wallet}`)
    expect(sessionList.body.data).toHaveLength(2)
    for (const listedSession of sessionList.body.data)
      expect(listedSession).not.toHaveProperty('encryptedSessionSigningKey')
    expect(
      (await sendSigned(client, newSession, 'DELETE', `/auth/sessions/${session.sessionId}`)).status,
    ).toBe(204)
    const remaining = (await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data
    expect(remaining.map((listedSession: { id: string }) => listedSession.id)).toEqual([reply.body.id])
  })

  test('is not refreshed by another session, with a different key than in the first call, or after its end', async () => {
    const { client, customer, session } = await signedIn()
    const otherSession = await signIn(client, customer.wallet)
    const path = `/auth/sessions/${session.sessionId}/refresh`
    const body = { clientPublicKey: generateKeyPair().publicKey.uncompressedHex }
    expect((await sendSigned(client, otherSession, 'POST', path, body)).body.code).toBe(
      'WALLET_SIGNATURE_INVALID',
    )
    const challenge = await client.post(path, body)
    const reply = await client.post(
      path,
      { clientPublicKey: generateKeyPair().publicKey.uncompressedHex },
      {
        'Svc-Wallet-Signature': session.stamp(challenge.body.payloadToSign),
        'Request-Id': challenge.body.requestId,
      },
    )
    expect(reply.body.code).toBe('WALLET_SIGNATURE_BODY_MISMATCH')
    await client.advance(15 * 60 + 1)
    expect((await client.post(path, body)).body.code).toBe('SESSION_NOT_FOUND')
  })

  test('may revoke itself, and signs nothing from then on', async () => {
    const { client, customer, session } = await signedIn()
    expect((await sendSigned(client, session, 'DELETE', `/auth/sessions/${session.sessionId}`)).status).toBe(
      204,
    )
    expect((await client.get(`/auth/sessions?accountId=${customer.wallet}`)).body.data).toEqual([])
    const path = `/internal-accounts/${customer.wallet}`
    expect((await sendSigned(client, session, 'PATCH', path, { privateEnabled: true })).body.code).toBe(
      'WALLET_SIGNATURE_INVALID',
    )
  })
})

describe('a wallet', () => {
  test('is hidden and shown only by its holder', async () => {
    const { client, customer, session } = await signedIn()
    const path = `/internal-accounts/${customer.wallet}`
    expect((await sendSigned(client, session, 'PATCH', path, { privateEnabled: true })).body).toMatchObject({
      id: customer.wallet,
      privateEnabled: true,
    })
    expect((await client.send('PATCH', path, {})).body).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'privateEnabled' },
    })
    expect(
      (await client.send('PATCH', `/internal-accounts/${customer.usd}`, { privateEnabled: true })).body,
    ).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'id' },
    })
  })

  test('is exported as the mnemonic that derives its address, sealed to the device', async () => {
    const { client, customer, session } = await signedIn()
    const device = generateKeyPair()
    const body = { clientPublicKey: device.publicKey.uncompressedHex }
    const reply = await sendSigned(
      client,
      session,
      'POST',
      `/internal-accounts/${customer.wallet}/export`,
      body,
    )
    expect(reply.body.id).toBe(customer.wallet)
    const keys = await (await fetch(new URL('/.well-known/countersign.json', client.baseUrl))).json()
    const envelope = verifyEnvelope(reply.body.encryptedWalletCredentials, keys.enclaveQuorumPublic)
    if (!('data' in envelope)) throw new Error('The envelope does not verify')
    const { encappedPublic, ciphertext, organizationId } = envelope.data as Record<string, string>
    expect(organizationId).toBe(customer.wallet)
    const plaintext = open({
      privateKey: device,
      enc: Buffer.from(encappedPublic!, 'hex'),
      ciphertext: Buffer.from(ciphertext!, 'hex'),
    })
    const mnemonic = Buffer.from(plaintext!).toString('ascii')
    expect(mnemonic.split(' ')).toHaveLength(24)
    const account = (
      await client.get(`/customers/internal-accounts?customerId=${customer.id}&type=EMBEDDED_WALLET`)
    ).body.data[0]
    const address = sparkAddress(deriveSeed(mnemonicToEntropy(mnemonic, wordlist)), 'sparkrt')
    expect(account.fundingPaymentInstructions[0].accountOrWalletInfo.address).toBe(address)
  })

  test('is not exported to a key that is not on the curve', async () => {
    const { client, customer } = await signedIn()
    const reply = await client.post(`/internal-accounts/${customer.wallet}/export`, {
      clientPublicKey: `04${'11'.repeat(64)}`,
    })
    expect(reply.body).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'clientPublicKey' } })
  })
})

describe('the legacy signature of the sandbox', () => {
  test('replaces a signature, but not its Request-Id', async () => {
    const { client, customer } = await signedIn()
    const path = `/internal-accounts/${customer.wallet}`
    const magic = { 'Svc-Wallet-Signature': 'sandbox-valid-signature' }
    expect((await client.send('PATCH', path, { privateEnabled: true }, magic)).body.code).toBe(
      'REQUEST_ID_MISSING',
    )
    const challenge = await client.send('PATCH', path, { privateEnabled: true })
    const headers = { ...magic, 'Request-Id': challenge.body.requestId }
    expect((await client.send('PATCH', path, { privateEnabled: true }, headers)).status).toBe(200)
    expect((await client.send('PATCH', path, { privateEnabled: true }, headers)).body.reason).toBe(
      'Request already used',
    )
  })
})
