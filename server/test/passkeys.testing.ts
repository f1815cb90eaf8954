import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { generateKeyPair } from '../src/crypto/p256.ts'
import { Authenticator } from './authenticator.testing.ts'
import {
  type Client,
  newCustomer,
  newPlatform,
  openSession,
  type SignedIn,
  signed,
  signIn,
} from './client.testing.ts'

export async function signedIn() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  return { client, customer, session: await signIn(client, customer.wallet) }
}

export function attestationBody(
  accountId: string,
  authenticator: Authenticator,
  challenge = randomBytes(16).toString('base64url'),
) {
  return {
    type: 'PASSKEY',
    accountId,
    nickname: 'Phone',
    challenge,
    attestation: authenticator.attest(challenge),
  }
}

export async function addPasskey(
  client: Client,
  wallet: string,
  session: SignedIn,
  authenticator = new Authenticator(),
) {
  const reply = await signed(
    client,
    session,
    'POST',
    '/auth/credentials',
    attestationBody(wallet, authenticator),
  )
  expect(reply.status).toBe(201)
  return { id: reply.body.id as string, authenticator, body: reply.body }
}

export async function passkeyChallenge(client: Client, id: string) {
  const device = generateKeyPair()
  const reply = await client.post(`/auth/credentials/${id}/challenge`, {
    clientPublicKey: device.publicKey.uncompressedHex,
  })
  expect(reply.status).toBe(200)
  return { device, challenge: reply.body }
}

export const verifyPasskey = (client: Client, id: string, requestId: string, assertion: unknown) =>
  client.post(`/auth/credentials/${id}/verify`, { type: 'PASSKEY', assertion }, { 'Request-Id': requestId })

export async function passkeySignIn(
  client: Client,
  id: string,
  authenticator: Authenticator,
): Promise<SignedIn> {
  const { device, challenge } = await passkeyChallenge(client, id)
  const reply = await verifyPasskey(
    client,
    id,
    challenge.requestId,
    authenticator.assert(challenge.challenge),
  )
  expect(reply.status).toBe(200)
  return openSession(reply.body, device)
}
