import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deriveEvmAddress, deriveEvmKey, signEvmDigest, WALLET_PATH } from '../../base/crypto/evm/keys.ts'
import {
  makeOtpTargetBundle,
  openOtpBundle,
  sealSessionKey,
  sealWalletExport,
} from '../../base/crypto/otp/bundle.ts'
import { signOtpToken } from '../../base/crypto/otp/token.ts'
import {
  generateKeyPair,
  type KeyPair,
  signMessage,
  signMessageInPool,
  toKeyPair,
} from '../../base/crypto/p256.ts'
import type { Hex } from '../../base/formats/hex.ts'
import type { NewestKeyWrite, Write } from '../../storage/commit/writes.ts'
import type { Database } from '../../storage/engine/port.ts'
import { getOnlyRow } from '../../storage/engine/port.ts'
import type {
  Enclave,
  MacPurpose,
  NewWallet,
  OperationEnclave,
  OtpTarget,
  OtpTargetOwner,
  OtpTokenClaims,
  SealedText,
  StampedPayload,
} from '../ports/enclave.ts'
import { KEY_BYTES, type KEY_PAIRS } from './data-keys.ts'
import type { Keyring } from './keyring.ts'
import { deriveSeed, sparkAddress, toMnemonic } from './wallet.ts'
import { signStampedTransfers } from './wallet-transfers.ts'

const WALLET_ENTROPY_BYTES = 32
const CHAIN_SEED_BYTES = 64

interface EnclaveKeys {
  readonly quorum: KeyPair
  readonly webhook: KeyPair
  /** The seed of the keys that hold the platform's money on chains. */
  readonly chainSeed: Uint8Array
}

/**
 * Opens the enclave within the server's own process. Its secrets are sealed in the database, and bound to
 * their records by associated data: data keys are sealed with the master key, everything else with the newest
 * data key. `createdAt` is the time of secrets created by this call.
 */
export async function openEnclave(
  db: Database,
  keyring: Keyring,
  mode: 'sandbox' | 'production',
  createdAt: Date,
): Promise<Enclave> {
  const keyPair = async (name: (typeof KEY_PAIRS)[number]) =>
    toKeyPair(await findOrMakeSecret(db, name, keyring, () => generateKeyPair().privateKey, createdAt))
  const keys = {
    quorum: await keyPair('quorum_key'),
    webhook: await keyPair('webhook_key'),
    chainSeed: await findOrMakeSecret(
      db,
      'chain_seed',
      keyring,
      () => randomBytes(CHAIN_SEED_BYTES),
      createdAt,
    ),
  }
  return new InProcessEnclave(keyring, keys, mode, new Map())
}

/** The only secrets kept in memory between calls are two key pairs, the chain seed and the digest keys. */
class InProcessEnclave implements OperationEnclave {
  readonly quorumPublicKey: string
  readonly webhookPublicKey: string
  readonly dataKeys: number
  /** True once something was sealed or derived with the newest data key. */
  #hasUsedNewest = false
  readonly #keyring: Keyring
  readonly #keys: EnclaveKeys
  readonly #mode: 'sandbox' | 'production'
  /** Digest keys, by generation and purpose. */
  readonly #macKeys: Map<string, Uint8Array>

  constructor(
    keyring: Keyring,
    keys: EnclaveKeys,
    mode: 'sandbox' | 'production',
    macKeys: Map<string, Uint8Array>,
  ) {
    this.quorumPublicKey = keys.quorum.publicKey.uncompressedHex
    this.webhookPublicKey = keys.webhook.publicKey.uncompressedHex
    this.dataKeys = keyring.generation
    this.#keyring = keyring
    this.#keys = keys
    this.#mode = mode
    this.#macKeys = macKeys
  }

  forOperation(): OperationEnclave {
    return new InProcessEnclave(this.#keyring, this.#keys, this.#mode, this.#macKeys)
  }

  get keyGeneration(): number {
    this.#hasUsedNewest = true
    return this.#keyring.generation
  }

  addGuard(writes: readonly Write[]): readonly Write[] {
    if (!this.#hasUsedNewest || writes.length === 0) return writes
    const guard: NewestKeyWrite = { write: 'newestKey', generation: this.#keyring.generation }
    return [...writes, guard]
  }

  newOtpTarget({ challengeId, organizationId, userId }: OtpTargetOwner): OtpTarget {
    const target = generateKeyPair()
    return {
      publicKey: target.publicKey.uncompressedHex,
      sealedKey: this.#seal(target.privateKey, `otp_target ${challengeId}`),
      bundle: makeOtpTargetBundle(
        { targetPublicKey: target.publicKey, organizationId, userId },
        this.#keys.quorum,
      ),
    }
  }

  openOtpBundle(
    challengeId: string,
    sealedTargetKey: Uint8Array,
    bundle: string,
  ): { readonly code: string; readonly publicKey: string } | undefined {
    const targetKey = this.#open(sealedTargetKey, `otp_target ${challengeId}`, `target key of ${challengeId}`)
    const opened = openOtpBundle(bundle, targetKey)
    targetKey.fill(0)
    return 'failure' in opened
      ? undefined
      : { code: opened.otpCode, publicKey: opened.publicKeyCompressedHex }
  }

  signOtpToken({ expiresAt, ...claims }: OtpTokenClaims): string {
    return signOtpToken({ ...claims, expiresAtMs: expiresAt.getTime() }, this.#keys.quorum)
  }

  newWallet(accountId: string): NewWallet {
    const entropy = randomBytes(WALLET_ENTROPY_BYTES)
    const seed = deriveSeed(entropy)
    const key = deriveEvmKey(seed, WALLET_PATH)
    const wallet = {
      sealedSeed: this.#seal(entropy, `wallet_seed ${accountId}`),
      sparkAddress: sparkAddress(seed, this.#mode === 'production' ? 'spark' : 'sparkrt'),
      evmAddress: deriveEvmAddress(key),
    }
    for (const secret of [entropy, seed, key]) secret.fill(0)
    return wallet
  }

  signWalletTransfers(accountId: string, sealedSeed: Uint8Array, order: StampedPayload): Hex[] {
    const entropy = this.#open(sealedSeed, `wallet_seed ${accountId}`, `seed of ${accountId}`)
    const seed = deriveSeed(entropy)
    const key = deriveEvmKey(seed, WALLET_PATH)
    try {
      return signStampedTransfers(accountId, key, order)
    } finally {
      for (const secret of [entropy, seed, key]) secret.fill(0)
    }
  }

  chainAddress(path: string): Hex {
    return this.#withChainKey(path, deriveEvmAddress)
  }

  signOnChain(path: string, digest: Uint8Array): Hex {
    return this.#withChainKey(path, (key) => signEvmDigest(digest, key))
  }

  #withChainKey<T>(path: string, use: (key: Uint8Array) => T): T {
    const key = deriveEvmKey(this.#keys.chainSeed, path)
    try {
      return use(key)
    } finally {
      key.fill(0)
    }
  }

  newSessionKey(clientPublicKey: string): { readonly publicKey: string; readonly encryptedKey: string } {
    const { privateKey, publicKey } = generateKeyPair()
    const encryptedKey = sealSessionKey(privateKey, clientPublicKey)
    privateKey.fill(0)
    return { publicKey: publicKey.compressedHex, encryptedKey }
  }

  exportWallet(accountId: string, sealedSeed: Uint8Array, clientPublicKey: string): string {
    const entropy = this.#open(sealedSeed, `wallet_seed ${accountId}`, `seed of ${accountId}`)
    const mnemonic = toMnemonic(entropy)
    entropy.fill(0)
    return sealWalletExport(
      { mnemonic, clientPublicKeyHex: clientPublicKey, organizationId: accountId },
      this.#keys.quorum,
    )
  }

  newDelegatedKey(id: string): { readonly sealedKey: Uint8Array; readonly publicKey: string } {
    const { privateKey, publicKey } = generateKeyPair()
    const sealedKey = this.#seal(privateKey, `delegated_key ${id}`)
    privateKey.fill(0)
    return { sealedKey, publicKey: publicKey.compressedHex }
  }

  signDelegated(id: string, sealedKey: Uint8Array, message: Uint8Array): Uint8Array {
    const privateKey = this.#open(sealedKey, `delegated_key ${id}`, `key ${id}`)
    const signature = signMessage(toKeyPair(privateKey), message)
    privateKey.fill(0)
    return signature
  }

  sealText(purpose: SealedText, id: string, text: string): Uint8Array {
    return this.#seal(Buffer.from(text), `text ${purpose} ${id}`)
  }

  openText(purpose: SealedText, id: string, sealed: Uint8Array): string {
    return Buffer.from(this.#open(sealed, `text ${purpose} ${id}`, `text of ${id}`)).toString()
  }

  newFileKey(id: string): { readonly key: Uint8Array; readonly sealedKey: Uint8Array } {
    const key = randomBytes(KEY_BYTES)
    return { key, sealedKey: this.#seal(key, `file_key ${id}`) }
  }

  openFileKey(id: string, sealedKey: Uint8Array): Uint8Array {
    return this.#open(sealedKey, `file_key ${id}`, `key of ${id}`)
  }

  signCheckpoint(payload: string): Uint8Array {
    return signMessage(this.#keys.quorum, Buffer.from(payload))
  }

  async signWebhook(body: Uint8Array): Promise<Uint8Array> {
    return signMessageInPool(this.#keys.webhook, body)
  }

  adopt(sealed: Uint8Array): Uint8Array {
    this.#hasUsedNewest = true
    return sealed
  }

  mac(purpose: MacPurpose, message: Uint8Array | string, generation = this.keyGeneration): Uint8Array {
    return createHmac('sha256', this.#macKey(purpose, generation)).update(message).digest()
  }

  #macKey(purpose: string, generation: number): Uint8Array {
    const name = `${generation} ${purpose}`
    const cachedKey = this.#macKeys.get(name)
    if (cachedKey) return cachedKey
    const key = deriveKey(this.#keyring.key(generation), `mac ${purpose}`)
    this.#macKeys.set(name, key)
    return key
  }

  #seal(secret: Uint8Array, name: string): Uint8Array {
    this.#hasUsedNewest = true
    return this.#keyring.seal(secret, name)
  }

  #open(sealed: Uint8Array, name: string, description: string): Uint8Array {
    return openSecret(this.#keyring, sealed, name, description)
  }
}

/**
 * Returns the secret with this name, creating it if needed. If several processes do this in parallel, the
 * first one wins.
 */
async function findOrMakeSecret(
  db: Database,
  name: string,
  keyring: Keyring,
  make: () => Uint8Array,
  createdAt: Date,
): Promise<Uint8Array> {
  const select = 'SELECT sealed FROM enclave_secrets WHERE name = $1'
  let stored = (await db.query<{ sealed: Uint8Array }>(select, [name])).rows[0]
  if (!stored) {
    await db.query('INSERT INTO enclave_secrets VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      name,
      keyring.seal(make(), name),
      createdAt,
    ])
    stored = getOnlyRow((await db.query<{ sealed: Uint8Array }>(select, [name])).rows)
  }
  return openSecret(keyring, stored.sealed, name, `${name} of this database`)
}

/**
 * Opens a secret sealed to the record with this name. Throws if it does not open; `description` identifies it
 * in the error.
 */
function openSecret(keyring: Keyring, sealed: Uint8Array, name: string, description: string): Uint8Array {
  const secret = keyring.open(sealed, name)
  if (!secret) throw new Error(`The ${description} cannot be opened`)
  return secret
}

function deriveKey(dataKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(), purpose, KEY_BYTES))
}
