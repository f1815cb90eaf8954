import type { RelyingParty } from './client-data.ts'

export interface RegistrationInput extends RelyingParty {
  /** base64url, as are the next two. */
  readonly credentialId: string
  readonly clientDataJson: string
  readonly attestationObject: string
  readonly transports?: readonly string[]
  /**
   * The `challenge` of the request: the string that the platform's backend issued (specification 4.1).
   * `clientDataJSON.challenge` is either this string, if the backend put it into the browser's options as
   * base64url, or the base64url of its UTF-8 bytes.
   */
  readonly challenge: string
}
