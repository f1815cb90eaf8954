import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { generateKeyPair, type KeyPair, signMessage } from '../../../src/base/crypto/p256.ts'
import {
  type Client,
  newCustomer,
  newPlatform,
  openSession,
  type SignedIn,
  signed,
  signIn,
} from '../client.testing.ts'

const FLAG_USER_PRESENT = 0x01
const FLAG_USER_VERIFIED = 0x04
const FLAG_ATTESTED = 0x40

/** A passkey as an authenticator and a browser make it: attestation `none`, ES256. */
export class Authenticator {
  readonly keys: KeyPair = generateKeyPair()
  readonly id = randomBytes(16)
  counter = 1
  readonly rpId: string
  readonly origin: string

  constructor(rpId = 'localhost', origin = 'http://localhost:3000') {
    this.rpId = rpId
    this.origin = origin
  }

  get credentialId(): string {
    return this.id.toString('base64url')
  }

  /** The response to `navigator.credentials.create` with these bytes as the challenge, base64url. */
  attest(challenge: string) {
    const { bytes } = this.keys.publicKey
    const cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      bytes.subarray(1, 33),
      Buffer.from('225820', 'hex'),
      bytes.subarray(33),
    ])
    const length = Buffer.from([0, this.id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose])
    const authData = Buffer.concat([
      this.#data(FLAG_ATTESTED | FLAG_USER_PRESENT | FLAG_USER_VERIFIED),
      attested,
    ])
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([authData.length]),
      authData,
    ])
    return {
      credentialId: this.credentialId,
      clientDataJson: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    }
  }

  /** The response to `navigator.credentials.get` for the challenge text of the API (formats 5). */
  assert(
    challenge: string,
    options: { userVerified?: boolean; counter?: number; isBase64url?: boolean } = {},
  ) {
    const flags = FLAG_USER_PRESENT | (options.userVerified === false ? 0 : FLAG_USER_VERIFIED)
    this.counter = options.counter ?? this.counter + 1
    const authenticatorData = this.#data(flags)
    const asked = options.isBase64url ? challenge : Buffer.from(challenge, 'utf8').toString('base64url')
    const clientData = this.#clientData('webauthn.get', asked)
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()])
    return {
      credentialId: this.credentialId,
      clientDataJson: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: Buffer.from(signMessage(this.keys, signed)).toString('base64url'),
    }
  }

  #data(flags: number): Buffer {
    const head = Buffer.alloc(5)
    head[0] = flags
    head.writeUInt32BE(this.counter, 1)
    return Buffer.concat([createHash('sha256').update(this.rpId).digest(), head])
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }))
  }
}

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
