import type { Caller } from './calls.ts'
import { SealedKeyError } from './crypto/session-key.ts'
import { DeviceKey } from './device-key.ts'
import { RecipientKey } from './recipient-key.ts'
import { signed } from './signed.ts'
import type { Signer } from './signer.ts'

/** All there is to a session. A browser can keep it in IndexedDB: the keys in it are cloned, never read. */
export interface SessionRecord {
  readonly id: string
  /** The wallet it signs for. */
  readonly accountId: string
  /** ISO 8601. */
  readonly expiresAt: string
  readonly keyPair: CryptoKeyPair
}

/** What the answers that issue a session have in common. */
interface IssuedSession {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: string
  readonly encryptedSessionSigningKey?: string
}

/** A signed-in wallet: signs payloads until it expires (specification 2.2). */
export class Session implements Signer {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: Date
  readonly key: DeviceKey
  readonly #caller: Caller

  private constructor(caller: Caller, issued: IssuedSession, key: DeviceKey) {
    this.#caller = caller
    this.id = issued.id
    this.accountId = issued.accountId
    this.expiresAt = new Date(issued.expiresAt)
    this.key = key
  }

  /** A session out of storage. */
  static async fromRecord(caller: Caller, record: SessionRecord): Promise<Session> {
    return new Session(caller, record, await DeviceKey.fromKeyPair(record.keyPair))
  }

  /** A session by code: its key was made on the device. */
  static ofDeviceKey(caller: Caller, issued: IssuedSession, key: DeviceKey): Session {
    return new Session(caller, issued, key)
  }

  /** A session whose key the server made and sealed to `key`. Rejects with SealedKeyError where that does not open. */
  static async ofSealedKey(caller: Caller, issued: IssuedSession, key: RecipientKey): Promise<Session> {
    const { encryptedSessionSigningKey } = issued
    if (encryptedSessionSigningKey === undefined)
      throw new SealedKeyError(
        'The answer holds no session key: it is given once, when the session is issued.',
      )
    return new Session(caller, issued, await key.openSessionKey(encryptedSessionSigningKey))
  }

  /** What `fromRecord` takes. */
  get record(): SessionRecord {
    const { id, accountId, expiresAt, key } = this
    return { id, accountId, expiresAt: expiresAt.toISOString(), keyPair: key.keyPair }
  }

  /** 66 hex characters, compressed. */
  get publicKey(): string {
    return this.key.publicKey
  }

  async sign(payloadToSign: string): Promise<string> {
    return this.key.sign(payloadToSign)
  }

  /** Whether its time is over at `now`. The server's clock decides: in the sandbox that one can be moved. */
  isExpired(now: Date): boolean {
    return now >= this.expiresAt
  }

  /**
   * A new session with a key of its own, while this one is active (specification 4.6); this one keeps its own expiry.
   * Rejects with CountersignError: 404 `SESSION_NOT_FOUND` once it has ended, and then it takes a new sign-in.
   */
  async refresh(): Promise<Session> {
    const key = await RecipientKey.generate()
    const { clientPublicKey } = key
    const input = { params: { id: this.id }, body: { clientPublicKey } }
    const { body } = await signed(this.#caller, 'session_refresh', input, this)
    return Session.ofSealedKey(this.#caller, body, key)
  }

  /** Ends it now, on the server: signs out (specification 4.7). */
  async revoke(): Promise<void> {
    await signed(this.#caller, 'session_delete', { params: { id: this.id } }, this)
  }
}
