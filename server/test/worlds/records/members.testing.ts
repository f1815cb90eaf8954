import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { generateKeyPair, type KeyPair, signMessage } from '../../../src/base/crypto/p256.ts'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  newCustomer,
  newPlatform,
  openSession,
  type Reply,
  type SignedIn,
  sendJson,
  sendSigned,
  signIn,
} from '../client.testing.ts'

/**
 * A browser that calls the API from a page of the server, with a team member's cookie and the headers that
 * browsers send.
 */
export class Browser {
  /** Empty, because a browser sends its cookie instead of a token. */
  readonly authorization = ''
  readonly baseUrl: string
  /** The origin of the calling page. */
  readonly origin: string
  #cookie: string | undefined

  /** Uses this machine's host name, because passkeys do not work on IP addresses. */
  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace('//127.0.0.1:', '//localhost:')
    this.origin = new URL(this.baseUrl).origin
  }

  get cookie(): string | undefined {
    return this.#cookie
  }

  /** Returns the headers that a browser adds to a page's request. */
  headersOf(method: string): Record<string, string> {
    return {
      'Sec-Fetch-Site': 'same-origin',
      ...(method === 'GET' ? {} : { Origin: this.origin }),
      ...(this.#cookie ? { Cookie: `theme=dark; countersign_session=${this.#cookie}` } : {}),
    }
  }

  /** Creates another browser with the same cookie. */
  copy(): Browser {
    const other = new Browser(this.baseUrl)
    other.#cookie = this.#cookie
    return other
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const reply = await sendJson(this.baseUrl + path, method, { ...this.headersOf(method), ...headers }, body)
    const [, secret] = /^countersign_session=([^;]*)/.exec(reply.headers.get('set-cookie') ?? '') ?? []
    if (secret !== undefined) this.#cookie = secret || undefined
    return reply
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
    this.send('POST', path, body, headers)
}

/** Creates a role with these permissions and returns its id. */
export async function newRole(
  client: Pick<Client, 'post'>,
  name: string,
  permissions: readonly string[] = ['VIEW'],
): Promise<string> {
  const { status, body } = await client.post('/member-roles', { name, permissions })
  if (status !== 201) throw new Error(toJson(body))
  return body.id
}

/** Returns the secret in a link. */
export function secretOf(url: string): string {
  return url.slice(url.indexOf('=') + 1)
}

/**
 * Creates a team member with these permissions or this role, who signs in with the invitation. A server that
 * sends no codes needs `hasPasskey`.
 */
export async function newMember(
  client: Client,
  rights: readonly string[] | { readonly roleId: string },
  name = 'Grace Hopper',
  { hasPasskey = false } = {},
) {
  const email = `member-${crypto.randomUUID()}@example.com`
  const invited = await client.post('/members', {
    name,
    email,
    ...('roleId' in rights ? rights : { permissions: rights }),
  })
  if (invited.status !== 201) throw new Error(toJson(invited.body))
  const browser = new Browser(client.baseUrl)
  const token = secretOf(invited.body.invitationUrl)
  const passkey = hasPasskey ? { passkey: await newPasskey(browser, token) } : {}
  const accepted = await browser.post('/member-invitations/accept', { token, ...passkey })
  if (accepted.status !== 201) throw new Error(toJson(accepted.body))
  return { browser, id: invited.body.member.id as string, email, session: accepted.body.session.id as string }
}

/** Creates the passkey that an invitation requires. */
async function newPasskey(browser: Browser, token: string) {
  const { challenge } = (await browser.post('/member-invitations/read', { token })).body.passkey
  return { challenge, attestation: createAuthenticator(browser).attest(challenge) }
}

/** Adds a passkey for the signed-in team member. Returns its id. */
export async function addPasskey(
  browser: Browser,
  authenticator = createAuthenticator(browser),
): Promise<string> {
  const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
  const attestation = authenticator.attest(challenge)
  const added = await browser.post('/members/me/passkeys', { name: 'Laptop', challenge, attestation })
  if (added.status !== 201) throw new Error(toJson(added.body))
  return added.body.id
}

/** Creates an authenticator for pages with this browser's origin. */
export function createAuthenticator({ origin }: Browser): Authenticator {
  return new Authenticator(new URL(origin).hostname, origin)
}

/** Builds the request body of a passkey sign-in. */
export async function buildPasskeyBody(browser: Browser, authenticator: Authenticator) {
  const { challenge } = (await browser.post('/member-sessions/challenge')).body
  return { type: 'PASSKEY', challenge, assertion: authenticator.assert(challenge, { isBase64url: true }) }
}

/** A customer's own device or page, which uses only a customer token. */
export class CustomerClient {
  readonly #client: Client
  readonly token: Reply['body']

  constructor(client: Client, token: Reply['body']) {
    this.#client = client
    this.token = token
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const Authorization = `Bearer ${this.token.accessToken}`
    return this.#client.send(method, path, body, { Authorization, ...headers })
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers)
}

/** Creates a customer token with these permissions, or with every permission that it can have. */
export async function newCustomerClient(
  client: Client,
  customerId: string,
  more: object = {},
): Promise<CustomerClient> {
  const permissions = ['VIEW', 'TRANSACT', 'MANAGE']
  const { status, body } = await client.post('/customer-tokens', { customerId, permissions, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return new CustomerClient(client, body)
}

const FLAG_USER_PRESENT = 0x01
const FLAG_USER_VERIFIED = 0x04
const FLAG_ATTESTED = 0x40

/** A passkey as created by an authenticator and a browser: attestation `none`, ES256. */
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

  /** Builds the response of `navigator.credentials.create`, with these bytes (base64url) as the challenge. */
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

  /** Builds the response of `navigator.credentials.get` for the API's challenge text (formats 5). */
  assert(
    challenge: string,
    options: { userVerified?: boolean; counter?: number; isBase64url?: boolean } = {},
  ) {
    const flags = FLAG_USER_PRESENT | (options.userVerified === false ? 0 : FLAG_USER_VERIFIED)
    this.counter = options.counter ?? this.counter + 1
    const authenticatorData = this.#data(flags)
    const encodedChallenge = options.isBase64url
      ? challenge
      : Buffer.from(challenge, 'utf8').toString('base64url')
    const clientData = this.#clientData('webauthn.get', encodedChallenge)
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

export function buildAttestationBody(
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

export async function addWalletPasskey(
  client: Client,
  wallet: string,
  session: SignedIn,
  authenticator = new Authenticator(),
) {
  const reply = await sendSigned(
    client,
    session,
    'POST',
    '/auth/credentials',
    buildAttestationBody(wallet, authenticator),
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
