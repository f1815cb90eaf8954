import type { CheckedPayload } from './checked-payload.ts'

/**
 * Signs for a wallet. `Session` is one; an app implements its own if the key is on another machine, such as
 * the customer's device. That device checks the payload again (`Session.approve`, `DeviceKey.approve`),
 * because it cannot trust the check of this side.
 */
export interface Signer {
  /** The wallet that it signs for. */
  readonly accountId: string
  /** The stamp over `payload.text`: the value of `Svc-Wallet-Signature`. Show `payload.statement` before. */
  sign(payload: CheckedPayload): Promise<string>
}
