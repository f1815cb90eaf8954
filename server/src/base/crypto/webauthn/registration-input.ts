import type { RelyingParty } from './client-data.ts'

export interface RegistrationInput extends RelyingParty {
  /** base64url, as are the next two. */
  readonly credentialId: string
  readonly clientDataJson: string
  readonly attestationObject: string
  readonly transports?: readonly string[]
  /**
   * The `challenge` of the request: the text that the platform's backend issued (specification 4.1). Either the backend
   * put this base64url into the browser's options, so that `clientDataJSON.challenge` is the same text, or its UTF-8
   * bytes were the challenge, so that `clientDataJSON.challenge` is their base64url.
   */
  readonly challenge: string
}
