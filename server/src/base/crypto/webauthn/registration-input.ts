import type { RelyingParty } from './client-data.ts'

export interface RegistrationInput extends RelyingParty {
  /** base64url, like the next two. */
  readonly credentialId: string
  readonly clientDataJson: string
  readonly attestationObject: string
  readonly transports?: readonly string[]
  /**
   * The `challenge` of the request, which is a string issued by the platform's backend (specification 4.1).
   * `clientDataJSON.challenge` is either the same string, if the backend passed it to the browser as
   * base64url, or the base64url of its UTF-8 bytes.
   */
  readonly challenge: string
}
