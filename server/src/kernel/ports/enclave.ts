import type { Hex } from '../../base/formats/hex.ts'
import type { Write } from '../../storage/commit/writes.ts'

/**
 * The only holder of secrets that must never leave it: the quorum key, the targets to which codes are sealed,
 * and wallet seeds. It returns only sealed bytes, which may be stored in the database, and public results.
 * The in-process implementation can be replaced with another process or a hardware module.
 */
export interface Enclave {
  /** The key that signs envelopes and tokens: 130 lower-case hex characters, uncompressed. Clients pin it. */
  readonly quorumPublicKey: string

  /** The key that signs webhooks, in the same format. */
  readonly webhookPublicKey: string

  /** The number of data keys that this process has. Each rotation of the master key adds one. */
  readonly dataKeys: number

  /** The enclave for use by one operation. */
  forOperation(): OperationEnclave

  /**
   * Opens a bundle that a client sealed to the target of a challenge. Undefined if it cannot be opened. Never
   * throws because of the bundle.
   */
  openOtpBundle(
    challengeId: string,
    sealedTargetKey: Uint8Array,
    bundle: string,
  ): { readonly code: string; readonly publicKey: string } | undefined

  /** The verification token that binds a verified contact to a key (formats 6). */
  signOtpToken(claims: OtpTokenClaims): string

  /**
   * Signs the chain transfers in a payload (`SignedChainTransfers`) with the wallet's key: 65 bytes each, in
   * order. Throws if the session key has not signed exactly these characters, or if the payload is not a
   * payment from this wallet. That key is used for nothing else.
   */
  signWalletTransfers(accountId: string, sealedSeed: Uint8Array, order: StampedPayload): Hex[]

  /** The EVM address of the key at a BIP-32 path of the enclave's seed. */
  chainAddress(path: string): Hex

  /** Signs a 32-byte digest with the key at a path of the enclave's seed. Returns r, s and v, 65 bytes. */
  signOnChain(path: string, digest: Uint8Array): Hex

  /**
   * Creates a session key: sealed to the client's key (130 hex characters), and its public half (66). The
   * private key is not stored.
   */
  newSessionKey(clientPublicKey: string): { readonly publicKey: string; readonly encryptedKey: string }

  /** The wallet's mnemonic, sealed to the client's key in an envelope signed by the quorum key. */
  exportWallet(accountId: string, sealedSeed: Uint8Array, clientPublicKey: string): string

  /** Signs with a delegated key (DER, ECDSA with SHA-256). Throws if the key is not sealed to this record. */
  signDelegated(id: string, sealedKey: Uint8Array, message: Uint8Array): Uint8Array

  /** Opens a value that `sealText` has sealed to this record. Throws if it cannot be opened. */
  openText(purpose: SealedText, id: string, sealed: Uint8Array): string

  /** The encryption key of a stored file. Throws if it is not sealed to this file. */
  openFileKey(id: string, sealedKey: Uint8Array): Uint8Array

  /** The quorum key's signature over the payload of a ledger checkpoint (DER, ECDSA with SHA-256). */
  signCheckpoint(payload: string): Uint8Array

  /** The webhook key's signature over the body of a webhook (DER, ECDSA with SHA-256). */
  signWebhook(body: Uint8Array): Promise<Uint8Array>

  /**
   * A keyed digest of 32 bytes. `generation` is the number of the data key, from which each purpose derives
   * its own key.
   */
  mac(purpose: MacPurpose, message: Uint8Array | string, generation: number): Uint8Array
}

/**
 * The enclave for one operation. It remembers whether it has sealed or derived anything with the newest data
 * key. If so, `addGuard` adds a guard that this key is still the newest, so that a process which missed a
 * rotation of the master key cannot commit.
 */
export interface OperationEnclave extends Enclave {
  /** The number of the newest data key, starting at 1, to be stored with derived values. */
  readonly keyGeneration: number

  /**
   * Creates an HPKE recipient for one code of one challenge, and the signed bundle that names it
   * (specification 2.1).
   */
  newOtpTarget(challenge: OtpTargetOwner): OtpTarget

  /**
   * Creates a wallet: a seed, sealed to the record of the account, and the addresses derived from it on Spark
   * and on EVM chains.
   */
  newWallet(accountId: string): NewWallet

  /**
   * Creates a key that may sign for one card, sealed to the record of its authorization. The public key is 66
   * hex characters.
   */
  newDelegatedKey(id: string): { readonly sealedKey: Uint8Array; readonly publicKey: string }

  /** Seals a string for the database, bound to one record and purpose. */
  sealText(purpose: SealedText, id: string, text: string): Uint8Array

  /** Creates the 32-byte key of one stored file, and seals it for the database. */
  newFileKey(id: string): { readonly key: Uint8Array; readonly sealedKey: Uint8Array }

  /**
   * Makes the guard cover data sealed before the operation started, such as the key of an uploaded
   * file.
   */
  adopt(sealed: Uint8Array): Uint8Array

  /** Like `Enclave.mac`, with the newest data key by default. */
  mac(purpose: MacPurpose, message: Uint8Array | string, generation?: number): Uint8Array

  /**
   * Returns the writes, with the guard if the operation has sealed or derived anything. An empty set stays
   * empty.
   */
  addGuard(writes: readonly Write[]): readonly Write[]
}

/** The data key that is never replaced. Digests that must survive rotations of the master key use it. */
export const FIRST_KEY = 1

export type MacPurpose =
  | 'accountVerification'
  | 'card'
  | 'contact'
  | 'cursor'
  | 'deviceCode'
  | 'documentLink'
  | 'idempotency'
  | 'kycLink'
  | 'lookup'
  | 'memberChallenge'
  | 'memberCode'
  | 'otp'
  | 'velocity'
  | 'verification'
  | 'webhook'

/**
 * Purposes of sealed strings: message contents, document numbers, identifiers of beneficial owners,
 * credentials, and secret responses stored for replays.
 */
export type SealedText = 'message' | 'document' | 'beneficialOwner' | 'stablecoinAccount' | 'keptAnswer'

export interface NewWallet {
  readonly sealedSeed: Uint8Array
  readonly sparkAddress: string
  readonly evmAddress: Hex
}

/** A payload signed by a session of the wallet. The caller has checked the signature. */
export interface StampedPayload {
  /** The exact characters signed. */
  readonly payload: string
  /** The value of the `Svc-Wallet-Signature` header. */
  readonly stamp: string
  /** The key of the session that signed, as 66 hex characters. */
  readonly sessionPublicKey: string
}

export interface OtpTargetOwner {
  readonly challengeId: string
  /** The wallet's account id. */
  readonly organizationId: string
  /** The id of the wallet's holder. */
  readonly userId: string
}

export interface OtpTarget {
  /** 130 hex characters. */
  readonly publicKey: string
  readonly sealedKey: Uint8Array
  readonly bundle: string
}

export interface OtpTokenClaims {
  readonly id: string
  readonly verificationType: string
  readonly contact: string
  readonly organizationId: string
  /** 66 hex characters, compressed. */
  readonly publicKey: string
  readonly expiresAt: Date
}
