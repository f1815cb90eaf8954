import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { EnvelopeError } from '../src/crypto/envelope.ts'
import { SoftwareAuthenticator } from '../src/testing/software-authenticator.ts'
import { RecipientKey } from '../src/wallet/recipient-key.ts'
import { Session } from '../src/wallet/session.ts'
import type { Wallet } from '../src/wallet/wallet.ts'
import {
  AmbiguousCredentialError,
  NoCredentialError,
  SessionRequiredError,
} from '../src/wallet/wallet-access.ts'
import { makeClient, makeFundedCustomer } from './platform.testing.ts'

const CODE = { code: '000000' }

async function makeWallet() {
  const countersign = await makeClient()
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
  const authenticator = new SoftwareAuthenticator({ origin: 'http://localhost:3000' })
  const wallet = countersign.wallet(customer.walletId, { authenticator })
  return { countersign, customer, wallet, authenticator }
}

async function makeSignedInWallet() {
  const world = await makeWallet()
  return { ...world, session: await world.wallet.email.signIn(CODE) }
}

const newChallenge = () => randomBytes(16).toString('base64url')

const addPasskey = (wallet: Wallet, session: Session, nickname = 'Phone') =>
  wallet.passkey.register({ nickname, challenge: newChallenge(), session })

/** Resolves to true if the session can sign. Tries it with a harmless call. */
async function canSign(
  world: Awaited<ReturnType<typeof makeSignedInWallet>>,
  session: Session,
): Promise<boolean> {
  const { countersign, wallet } = world
  const call = { params: { id: wallet.accountId }, body: { privateEnabled: true } }
  return countersign.signed('internal_account_update', call, session).then(
    () => true,
    () => false,
  )
}

describe('a passkey', () => {
  test('is registered with a session and signs in on its own', async () => {
    const world = await makeSignedInWallet()
    const { wallet, session } = world
    const credential = await addPasskey(wallet, session)
    expect(credential).toMatchObject({ type: 'PASSKEY', nickname: 'Phone', accountId: wallet.accountId })
    const mine = await wallet.passkey.signIn()
    expect(mine.key.keyPair.privateKey.extractable).toBe(false)
    expect(await canSign(world, mine)).toBe(true)
    expect((await wallet.sessions()).map(({ type }) => type).sort()).toEqual(['EMAIL_OTP', 'PASSKEY'])
    expect(await wallet.passkey.signIn({ credentialId: credential.id })).toBeInstanceOf(Session)
  })

  test('needs a session, and is limited to one per authenticator', async () => {
    const { wallet, session } = await makeSignedInWallet()
    await expect(wallet.passkey.register({ nickname: 'Phone', challenge: newChallenge() })).rejects.toThrow(
      SessionRequiredError,
    )
    const { wallet: again, session: mine } = await makeSignedInWallet()
    await addPasskey(again, mine)
    await expect(addPasskey(again, mine)).rejects.toMatchObject({ name: 'InvalidStateError' })
    await expect(wallet.passkey.signIn()).rejects.toThrow(NoCredentialError)
    expect(session.isExpired(session.expiresAt)).toBe(true)
  })

  test('must be named if there are several', async () => {
    const { countersign, wallet, session } = await makeSignedInWallet()
    const first = await addPasskey(wallet, session)
    const other = new SoftwareAuthenticator({ origin: 'http://localhost:3000' })
    const elsewhere = countersign.wallet(wallet.accountId, { authenticator: other })
    const second = await addPasskey(elsewhere, session, 'Laptop')
    const error = await wallet.passkey.signIn().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AmbiguousCredentialError)
    expect((error as AmbiguousCredentialError).credentials.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(await elsewhere.passkey.signIn({ credentialId: second.id })).toBeInstanceOf(Session)
    await expect(wallet.passkey.signIn({ credentialId: second.id })).rejects.toMatchObject({
      name: 'NotAllowedError',
    })
  })

  test('of another domain is refused by the server', async () => {
    const { countersign, wallet, session } = await makeSignedInWallet()
    const authenticator = new SoftwareAuthenticator({ origin: 'https://evil.example' })
    const evil = countersign.wallet(wallet.accountId, { authenticator })
    await expect(addPasskey(evil, session)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    const misled = countersign.wallet(wallet.accountId, { authenticator, relyingParty: { id: 'localhost' } })
    await expect(addPasskey(misled, session)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('an identity', () => {
  const makeToken = async (nonce: string) => makeOidcToken({ nonce, jti: newChallenge() })

  test('is registered and signs in, bound to the key of this device', async () => {
    const world = await makeSignedInWallet()
    const { wallet, session } = world
    const credential = await wallet.oauth.register({ oidcToken: makeToken, session })
    expect(credential).toMatchObject({ type: 'OAUTH', nickname: 'ada@example.com' })
    expect(await canSign(world, await wallet.oauth.signIn({ oidcToken: makeToken }))).toBe(true)
    const keyPair = structuredClone((await RecipientKey.generate()).keyPair)
    const key = await RecipientKey.fromKeyPair(keyPair)
    expect(await canSign(world, await wallet.oauth.signIn({ oidcToken: makeToken, key }))).toBe(true)
  })

  test('does not sign in with a token for another key or of another person', async () => {
    const { wallet, session } = await makeSignedInWallet()
    await wallet.oauth.register({ oidcToken: makeToken, session })
    const refused = { status: 401, code: 'UNAUTHORIZED', reason: expect.any(String) }
    await expect(
      wallet.oauth.signIn({ oidcToken: async () => makeToken('another key') }),
    ).rejects.toMatchObject(refused)
    await expect(
      wallet.oauth.signIn({ oidcToken: async (nonce) => makeOidcToken({ nonce, sub: 'eve' }) }),
    ).rejects.toMatchObject(refused)
  })
})

describe('a code by SMS', () => {
  test('signs in with the code of the registration, and with a later one', async () => {
    const world = await makeSignedInWallet()
    const { wallet, session } = world
    const credential = await wallet.sms.register({ phoneNumber: '+14155552671', session })
    const { otpEncryptionTargetBundle } = credential
    const first = await wallet.sms.signIn({
      ...CODE,
      credentialId: credential.id,
      otpEncryptionTargetBundle: otpEncryptionTargetBundle!,
    })
    expect(await canSign(world, first)).toBe(true)
    expect(await canSign(world, await wallet.sms.signIn(CODE))).toBe(true)
  })
})

describe('a session', () => {
  test('is refreshed into another, and ends when it is revoked', async () => {
    const world = await makeSignedInWallet()
    const { wallet, session } = world
    const fresh = await session.refresh()
    expect(fresh).toMatchObject({ accountId: wallet.accountId })
    expect([fresh.id, fresh.publicKey]).not.toEqual([session.id, session.publicKey])
    await session.revoke()
    expect((await wallet.sessions()).map(({ id }) => id)).toEqual([fresh.id])
    expect([await canSign(world, session), await canSign(world, fresh)]).toEqual([false, true])
    await expect(session.refresh()).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' })
  })

  test('revokes another one', async () => {
    const { wallet, session } = await makeSignedInWallet()
    const other = await wallet.email.signIn(CODE)
    await wallet.revokeSession(other.id, session)
    expect((await wallet.sessions()).map(({ id }) => id)).toEqual([session.id])
  })

  test('is restored from storage with the same key, still not exportable', async () => {
    const world = await makeSignedInWallet()
    const again = await world.wallet.session(structuredClone(world.session.record))
    expect(again.record).toEqual({ ...world.session.record, keyPair: again.key.keyPair })
    expect(again.publicKey).toBe(world.session.publicKey)
    expect(again.key.keyPair.privateKey.extractable).toBe(false)
    expect(await canSign(world, again)).toBe(true)
  })

  test('has expired from its last moment on', async () => {
    const { session } = await makeSignedInWallet()
    const end = session.expiresAt.getTime()
    expect([-1, 0].map((ms) => session.isExpired(new Date(end + ms)))).toEqual([false, true])
  })
})

describe('a wallet', () => {
  test('is exported as 24 words, the same each time, only under the pinned key', async () => {
    const { countersign, wallet, session } = await makeSignedInWallet()
    const phrase = await wallet.export(session)
    expect(phrase.split(' ')).toHaveLength(24)
    expect(await wallet.export(await session.refresh())).toBe(phrase)
    const misled = countersign.wallet(wallet.accountId, { quorumPublicKey: `04${'11'.repeat(64)}` })
    await expect(misled.export(session)).rejects.toThrow(EnvelopeError)
  })

  test("revokes a credential with another credential's session, and registers the address again", async () => {
    const world = await makeSignedInWallet()
    const { wallet, session } = world
    const [email] = await wallet.credentials()
    await expect(wallet.revokeCredential(email!.id, session)).rejects.toMatchObject({ status: 400 })
    const passkey = await addPasskey(wallet, session)
    const mine = await wallet.passkey.signIn()
    await wallet.revokeCredential(email!.id, mine)
    expect((await wallet.credentials()).map(({ id }) => id)).toEqual([passkey.id])
    expect(await canSign(world, session)).toBe(false)
    await wallet.email.register({ session: mine })
    expect(await canSign(world, await wallet.email.signIn(CODE))).toBe(true)
  })
})

/** Builds an ID token of valid shape and age. The sandbox ignores its signature (specification 5.5). */
function makeOidcToken(claims: Readonly<Record<string, unknown>>, now = new Date()): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const encodePart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = { alg: 'RS256', typ: 'JWT', kid: 'sandbox' }
  const payload = {
    iss: 'https://accounts.google.com',
    aud: 'app.example.com',
    sub: '1234567890',
    email: 'ada@example.com',
    iat: seconds,
    exp: seconds + 300,
    ...claims,
  }
  return `${encodePart(header)}.${encodePart(payload)}.${Buffer.from('unchecked').toString('base64url')}`
}
