import { randomFillSync } from 'node:crypto'
import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytesFromText, concatBytes } from '../src/crypto/bytes.ts'
import { open, seal } from '../src/crypto/hpke.ts'
import { generateRecipientKeyPair, uncompressedPublicKey } from '../src/crypto/p256.ts'
import { setCrypto } from '../src/crypto/port.ts'
import { DeviceKey } from '../src/wallet/device-key.ts'
import { nobleCrypto } from './noble-crypto.testing.ts'
import { makeClient, makeFundedCustomer, makeQuote } from './platform.testing.ts'

const noble = nobleCrypto((bytes) => randomFillSync(bytes))
const INFO = bytesFromText('turnkey_hpke')
const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
})

afterEach(() => {
  setCrypto(undefined)
  vi.unstubAllGlobals()
})

describe.each([
  ["the platform's own Web Crypto", undefined],
  ['an implementation in JavaScript', noble],
])('with %s', (_name, port) => {
  test('what is sealed here is opened by another implementation of HPKE', async () => {
    const { privateKey, publicKey } = await suite.kem.generateKeyPair()
    const raw = new Uint8Array(await suite.kem.serializePublicKey(publicKey))
    setCrypto(port)
    const { enc, ciphertext } = await seal(raw, bytesFromText('secret'))
    const context = await suite.createRecipientContext({ recipientKey: privateKey, enc, info: INFO })
    const opened = await context.open(ciphertext, concatBytes(enc, raw))
    expect(new TextDecoder().decode(opened)).toBe('secret')
  })

  test('what another implementation of HPKE seals is opened here, unless it was changed', async () => {
    setCrypto(port)
    const pair = await generateRecipientKeyPair()
    const raw = await uncompressedPublicKey(pair)
    const recipientPublicKey = await suite.kem.deserializePublicKey(raw)
    const context = await suite.createSenderContext({ recipientPublicKey, info: INFO })
    const enc = new Uint8Array(context.enc)
    const sealed = new Uint8Array(await context.seal(bytesFromText('secret'), concatBytes(enc, raw)))
    expect(await open(pair, enc, sealed)).toEqual(bytesFromText('secret'))
    sealed[0]! ^= 1
    expect(await open(pair, enc, sealed)).toBeUndefined()
  })

  test('what is sealed here is opened here', async () => {
    setCrypto(port)
    const pair = await generateRecipientKeyPair()
    const { enc, ciphertext } = await seal(await uncompressedPublicKey(pair), bytesFromText('secret'))
    expect(await open(pair, enc, ciphertext)).toEqual(bytesFromText('secret'))
    const other = await generateRecipientKeyPair()
    expect(await open(other, enc, ciphertext)).toBeUndefined()
  })
})

describe('where Web Crypto is missing', () => {
  test('one sentence says what to give', async () => {
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => randomFillSync(bytes) })
    await expect(DeviceKey.generate()).rejects.toThrow(
      /^Web Crypto is missing here .*: give the sdk an implementation with setCrypto\(\)\.$/,
    )
    vi.stubGlobal('crypto', undefined)
    await expect(DeviceKey.generate()).rejects.toThrow('setCrypto()')
  })

  test('a wallet signs in by code, pays, gets another session, and is exported', async () => {
    // Like React Native, which has randomness and no SubtleCrypto.
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => randomFillSync(bytes) })
    setCrypto(noble)
    const countersign = await makeClient()
    const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 50_000_000n })
    const wallet = countersign.wallet(customer.walletId, {
      confirm: () => true,
    })
    const session = await wallet.email.signIn({ code: '000000' })
    const quote = await makeQuote(countersign, { from: customer.walletId, to: customer.bankId, amount: 100n })
    const paid = await countersign.quotes.execute(quote.id, { signer: session })
    expect(paid.status).toBe('PROCESSING')
    expect((await session.refresh()).id).not.toBe(session.id)
    expect((await wallet.export(session)).split(' ')).toHaveLength(24)
  })
})
