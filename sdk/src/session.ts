import { DeviceKey } from './device-key.ts'
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

/** A signed-in wallet: signs payloads until it expires (specification 2.2). */
export class Session implements Signer {
  readonly id: string
  readonly accountId: string
  readonly expiresAt: Date
  readonly key: DeviceKey

  private constructor(record: SessionRecord, key: DeviceKey) {
    this.id = record.id
    this.accountId = record.accountId
    this.expiresAt = new Date(record.expiresAt)
    this.key = key
  }

  /** A session from its record: after the second leg of a verify call, or out of storage. */
  static async fromKeys(record: SessionRecord): Promise<Session> {
    return new Session(record, await DeviceKey.fromKeyPair(record.keyPair))
  }

  /** What `fromKeys` takes. */
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
}
