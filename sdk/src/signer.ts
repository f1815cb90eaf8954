import type { CheckedPayload } from './checked-payload.ts'

/**
 * Who signs for a wallet. `Session` is one; an app makes its own where the key is elsewhere, on the customer's device
 * as seen from the backend. What it is given was held against the call that was made here. Where the key is on a device,
 * the device holds it against what the customer asked for once more (`Session.approve`, `DeviceKey.approve`): it cannot
 * take this side's word for it.
 */
export interface Signer {
  /** The wallet that it signs for. */
  readonly accountId: string
  /** The stamp over `payload.text`: the value of `Svc-Wallet-Signature`. `payload.statement` is for showing it before. */
  sign(payload: CheckedPayload): Promise<string>
}
