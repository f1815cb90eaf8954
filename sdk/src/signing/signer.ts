import type { CheckedPayload } from './checked-payload.ts'

/**
 * Signs on behalf of a wallet. `Session` implements it; an app has its own implementation if the key is on
 * another machine, such as the customer's device. That device must check the payload itself
 * (`Session.approve`, `DeviceKey.approve`), because it cannot trust this program's check.
 */
export interface Signer {
  /** The wallet on whose behalf it signs. */
  readonly accountId: string
  /**
   * Returns the stamp over `payload.text`, the value of `Svc-Wallet-Signature`. Show `payload.statement`
   * first.
   */
  sign(payload: CheckedPayload): Promise<string>
}
