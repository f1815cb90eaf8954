import type { CheckedPayload } from './checked-payload.ts'

/**
 * Signs for a wallet. `Session` is one; an app implements its own where the key is on another machine, such as the
 * customer's device. Its input was checked against the call of this side. A device that holds the key checks it again
 * against the customer's request (`Session.approve`, `DeviceKey.approve`), because it cannot trust this side.
 */
export interface Signer {
  /** The wallet that it signs for. */
  readonly accountId: string
  /** The stamp over `payload.text`: the value of `Svc-Wallet-Signature`. `payload.statement` is for showing it before. */
  sign(payload: CheckedPayload): Promise<string>
}
