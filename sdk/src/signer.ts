/**
 * Who signs for a wallet. `Session` is one; an app makes its own where the key is elsewhere, on the customer's device
 * as seen from the backend, or to show what is being signed before it is.
 */
export interface Signer {
  /** The stamp over `payloadToSign`: the value of `Svc-Wallet-Signature`. */
  sign(payloadToSign: string): Promise<string>
}
