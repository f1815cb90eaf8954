import type { Hex } from '../../base/formats/hex.ts'
import type { Write } from '../../storage/commit/writes.ts'

/**
 * The only holder of secrets that never leave: the quorum key, the targets that codes are sealed to, wallet
 * seeds. It returns only sealed bytes, which the database may store, and public results. Another process or a
 * hardware module can replace the in-process implementation.
 */
export interface Enclave {
  /**
   * The key that signs envelopes and tokens: 130 hex characters, uncompressed, lower case. Clients pin it.
   */
  readonly quorumPublicKey: string

  /** The key that signs webhooks, in the same form. */
  readonly webhookPublicKey: string

  /** The number of this process's data keys. Each rotation of the master key adds one. */
  readonly dataKeys: number

  /** The enclave as one operation uses it. */
  forOperation(): OperationEnclave

  /**
   * Opens a bundle that a client sealed to the target of a challenge. Undefined if it cannot be opened. Does
   * not throw for any bundle.
   */
  openOtpBundle(
    challengeId: string,
    sealedTargetKey: Uint8Array,
    bundle: string,
  ): { readonly code: string; readonly publicKey: string } | undefined

  /** The verification token that binds a signed-in contact to a key (formats 6). */
  signOtpToken(claims: OtpTokenClaims): string

  /**
   * Signs the chain transfers in a payload (`SignedChainTransfers`) with the wallet's own key: in order, 65
   * bytes each. Throws if the stamp is not that session key's over these exact characters, or the payload is
   * not a payment by this wallet. Nothing else uses that key.
   */
  signWalletTransfers(accountId: string, sealedSeed: Uint8Array, order: StampedPayload): Hex[]

  /** The EVM address of the key at a BIP-32 path of the enclave's own seed. */
  chainAddress(path: string): Hex

  /** Signs a 32-byte digest with the key at a path of the enclave's own seed: r, s and v, 65 bytes. */
  signOnChain(path: string, digest: Uint8Array): Hex

  /**
   * A new session key, sealed to the client's key (130 hex characters), and its public half (66). The key
   * itself is not stored.
   */
  newSessionKey(clientPublicKey: string): { readonly publicKey: string; readonly encryptedKey: string }

  /** The wallet's mnemonic, sealed to the client's key, in an envelope signed by the quorum key. */
  exportWallet(accountId: string, sealedSeed: Uint8Array, clientPublicKey: string): string

  /**
   * A DER signature, ECDSA with SHA-256, by a delegated key. Throws if the key is not sealed to this record.
   */
  signDelegated(id: string, sealedKey: Uint8Array, message: Uint8Array): Uint8Array

  /** Opens a value that `sealText` sealed to this record. Throws if it cannot be opened. */
  openText(purpose: SealedText, id: string, sealed: Uint8Array): string

  /** The key of a stored file. Throws if it is not sealed to this file. */
  openFileKey(id: string, sealedKey: Uint8Array): Uint8Array

  /** A DER signature, ECDSA with SHA-256, over the payload of a ledger checkpoint by the quorum key. */
  signCheckpoint(payload: string): Uint8Array

  /** A DER signature, ECDSA with SHA-256, over the body of a webhook by the webhook key. */
  signWebhook(body: Uint8Array): Promise<Uint8Array>

  /**
   * A keyed digest of 32 bytes. Each purpose has its own key for each data key, whose number is `generation`.
   */
  mac(purpose: MacPurpose, message: Uint8Array | string, generation: number): Uint8Array
}

/**
 * The enclave for one operation. It remembers whether it has sealed or derived anything with the newest data
 * key; `addGuard` then adds the guard that this key still is the newest, so a process that missed a rotation
 * of the master key commits none of it.
 */
export interface OperationEnclave extends Enclave {
  /** The number of the newest data key, from 1, to store with derived values. */
  readonly keyGeneration: number

  /** Makes an HPKE recipient for one code of one challenge, and the signed bundle that names it (specification 2.1). */
  newOtpTarget(challenge: OtpTargetOwner): OtpTarget

  /** Makes a wallet: its seed, sealed to the account's record, and its derived addresses on Spark and on EVM chains. */
  newWallet(accountId: string): NewWallet

  /**
   * Makes a key that may sign for one card, sealed to the record of its authorization. Public half in hex, 66
   * characters.
   */
  newDelegatedKey(id: string): { readonly sealedKey: Uint8Array; readonly publicKey: string }

  /** Seals a string for the database, to one record of one purpose. */
  sealText(purpose: SealedText, id: string, text: string): Uint8Array

  /** Makes the key of one stored file, 32 bytes, and its sealed form for the database. */
  newFileKey(id: string): { readonly key: Uint8Array; readonly sealedKey: Uint8Array }

  /** Registers data sealed before the operation began, such as the key of an uploaded file, for the guard. */
  adopt(sealed: Uint8Array): Uint8Array

  /** The digest of `Enclave.mac`; uses the newest data key if `generation` is absent. */
  mac(purpose: MacPurpose, message: Uint8Array | string, generation?: number): Uint8Array

  /**
   * The writes of the operation, with the guard if it has sealed or derived anything. No writes stay no
   * writes.
   */
  addGuard(writes: readonly Write[]): readonly Write[]
}

/** The data key that is never replaced: it keys digests that have to stay the same across rotations of the master key. */
export const FIRST_KEY = 1

export type MacPurpose =
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
 * Records with sealed strings: message contents, document numbers, owners' identifiers, credentials, and
 * secret responses stored for replays.
 */
export type SealedText = 'message' | 'document' | 'beneficialOwner' | 'stablecoinAccount' | 'keptAnswer'

export interface NewWallet {
  readonly sealedSeed: Uint8Array
  readonly sparkAddress: string
  readonly evmAddress: Hex
}

/** A payload stamped by a session of the wallet. The caller has checked the stamp. */
export interface StampedPayload {
  /** The exact stamped characters. */
  readonly payload: string
  /** The `Svc-Wallet-Signature` header. */
  readonly stamp: string
  /** The key of the session that stamped it: 66 hex characters. */
  readonly sessionPublicKey: string
}

export interface OtpTargetOwner {
  readonly challengeId: string
  /** The wallet's account. */
  readonly organizationId: string
  /** The wallet's holder. */
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
