import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

/** Creates and uses passkeys. Tests and apps with a native authenticator provide their own. */
export interface PasskeyAuthenticator {
  create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON>
  get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON>
}

/**
 * The browser's authenticator (`navigator.credentials`). Rejects as the browser does: with `NotAllowedError`
 * if the customer declines, takes too long, or has no matching passkey on this device.
 */
export const browserAuthenticator: PasskeyAuthenticator = {
  create: (optionsJSON) => startRegistration({ optionsJSON }),
  get: (optionsJSON) => startAuthentication({ optionsJSON }),
}
