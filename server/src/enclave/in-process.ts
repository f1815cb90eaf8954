import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { makeOtpTargetBundle, openOtpBundle, sealSessionKey, sealWalletExport } from '../crypto/otp/bundle.ts'
import { signOtpToken } from '../crypto/otp/token.ts'
import { generateKeyPair, type KeyPair, keyPairFromPrivateKey, signMessage } from '../crypto/p256.ts'
import type { Database } from '../db/engine/port.ts'
import type { Enclave } from '../ports/enclave.ts'
import { KEY_BYTES, type KEY_PAIRS } from './data-keys.ts'
import type { Keyring } from './keyring.ts'
import { mnemonicOf, seedFromEntropy, sparkAddress } from './wallet.ts'

const WALLET_ENTROPY_BYTES = 32

/**
 * The enclave within the server's own process. Its secrets are in the database, sealed: the data keys under the master
 * key, everything else under the newest data key, each bound to its record by associated data. Processes that share a
 * database share them. `createdAt` is written beside secrets that this call makes.
 */
export async function openEnclave(
  db: Database,
  keyring: Keyring,
  mode: 'sandbox' | 'production',
  createdAt: Date,
): Promise<Enclave> {
  const keyPair = async (name: (typeof KEY_PAIRS)[number]) =>
    keyPairFromPrivateKey(
      await findOrMakeSecret(db, name, keyring, () => generateKeyPair().privateKey, createdAt),
    )
  const keys = { quorum: await keyPair('quorum_key'), webhook: await keyPair('webhook_key') }
  return createEnclave(keyring, keys, mode)
}

function createEnclave(
  keyring: Keyring,
  keys: { readonly quorum: KeyPair; readonly webhook: KeyPair },
  mode: 'sandbox' | 'production',
): Enclave {
  const quorumKey = keys.quorum
  const macKeys = new Map<string, Uint8Array>()
  return {
    quorumPublicKey: quorumKey.publicKey.uncompressedHex,
    webhookPublicKey: keys.webhook.publicKey.uncompressedHex,
    keyGeneration: keyring.generation,

    newOtpTarget({ challengeId, organizationId, userId }) {
      const target = generateKeyPair()
      return {
        publicKey: target.publicKey.uncompressedHex,
        sealedKey: keyring.seal(target.privateKey, `otp_target ${challengeId}`),
        bundle: makeOtpTargetBundle({ targetPublicKey: target.publicKey, organizationId, userId }, quorumKey),
      }
    },

    openOtpBundle(challengeId, sealedTargetKey, bundle) {
      const targetKey = keyring.open(sealedTargetKey, `otp_target ${challengeId}`)
      if (!targetKey) throw new Error(`The target key of ${challengeId} does not open`)
      const opened = openOtpBundle(bundle, targetKey)
      targetKey.fill(0)
      return 'failure' in opened
        ? undefined
        : { code: opened.otpCode, publicKey: opened.publicKeyCompressedHex }
    },

    signOtpToken({ expiresAt, ...claims }) {
      return signOtpToken({ ...claims, expiresAtMs: expiresAt.getTime() }, quorumKey)
    },

    newWallet(accountId) {
      const entropy = randomBytes(WALLET_ENTROPY_BYTES)
      const seed = seedFromEntropy(entropy)
      const wallet = {
        sealedSeed: keyring.seal(entropy, `wallet_seed ${accountId}`),
        sparkAddress: sparkAddress(seed, mode === 'production' ? 'spark' : 'sparkrt'),
      }
      entropy.fill(0)
      seed.fill(0)
      return wallet
    },

    newSessionKey(clientPublicKey) {
      const { privateKey, publicKey } = generateKeyPair()
      const encryptedKey = sealSessionKey(privateKey, clientPublicKey)
      privateKey.fill(0)
      return { publicKey: publicKey.compressedHex, encryptedKey }
    },

    exportWallet(accountId, sealedSeed, clientPublicKey) {
      const entropy = keyring.open(sealedSeed, `wallet_seed ${accountId}`)
      if (!entropy) throw new Error(`The seed of ${accountId} does not open`)
      const mnemonic = mnemonicOf(entropy)
      entropy.fill(0)
      return sealWalletExport(
        { mnemonic, clientPublicKeyHex: clientPublicKey, organizationId: accountId },
        quorumKey,
      )
    },

    newDelegatedKey(id) {
      const { privateKey, publicKey } = generateKeyPair()
      const sealedKey = keyring.seal(privateKey, `delegated_key ${id}`)
      privateKey.fill(0)
      return { sealedKey, publicKey: publicKey.compressedHex }
    },

    signDelegated(id, sealedKey, message) {
      const privateKey = keyring.open(sealedKey, `delegated_key ${id}`)
      if (!privateKey) throw new Error(`The key ${id} does not open`)
      const signature = signMessage(keyPairFromPrivateKey(privateKey), message)
      privateKey.fill(0)
      return signature
    },

    sealText(purpose, id, text) {
      return keyring.seal(Buffer.from(text), `text ${purpose} ${id}`)
    },

    openText(purpose, id, sealed) {
      const bytes = keyring.open(sealed, `text ${purpose} ${id}`)
      if (!bytes) throw new Error(`The text of ${id} does not open`)
      return Buffer.from(bytes).toString()
    },

    signWebhook(body) {
      return signMessage(keys.webhook, body)
    },

    mac(purpose, message, generation = keyring.generation) {
      const name = `${generation} ${purpose}`
      const known = macKeys.get(name)
      const key = known ?? deriveKey(keyring.key(generation), `mac ${purpose}`)
      if (!known) macKeys.set(name, key)
      return createHmac('sha256', key).update(message).digest()
    },
  }
}

/** The secret of that name. Of processes that make it at the same time, the first one's stands. */
async function findOrMakeSecret(
  db: Database,
  name: string,
  keyring: Keyring,
  make: () => Uint8Array,
  createdAt: Date,
): Promise<Uint8Array> {
  const select = 'SELECT sealed FROM enclave_secrets WHERE name = $1'
  let found = (await db.query<{ sealed: Uint8Array }>(select, [name])).rows[0]
  if (!found) {
    await db.query('INSERT INTO enclave_secrets VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      name,
      keyring.seal(make(), name),
      createdAt,
    ])
    found = (await db.query<{ sealed: Uint8Array }>(select, [name])).rows[0]!
  }
  const secret = keyring.open(found.sealed, name)
  if (!secret) throw new Error(`The ${name} of this database does not open`)
  return secret
}

function deriveKey(dataKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(), purpose, KEY_BYTES))
}
