import type { CheckedPayload } from './checked-payload.ts'

/**
 * Signs on behalf of a wallet, as `Session` does. Implement it yourself if the key is on another device, such
 * as the customer's phone. That device must check the payload itself (`Session.approve`,
 * `DeviceKey.approve`), because it cannot trust this program's check.
 */
export interface Signer {
  /** The account ID of the wallet. */
  readonly accountId: string
  /**
   * Signs `payload.text` and returns the value of the `Svc-Wallet-Signature` header. Show `payload.statement`
   * to the customer first.
   */
  sign(payload: CheckedPayload): Promise<string>
}
