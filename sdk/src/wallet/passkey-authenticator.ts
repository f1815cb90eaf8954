import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

/** Makes and uses passkeys. Tests and apps with a native authenticator implement their own. */
export interface PasskeyAuthenticator {
  create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON>
  get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON>
}

/**
 * The browser's authenticator, by `navigator.credentials`. Rejects as the browser does: `NotAllowedError` if
 * the customer declines, is too slow, or has no matching passkey on this device.
 */
export const browserAuthenticator: PasskeyAuthenticator = {
  create: (optionsJSON) => startRegistration({ optionsJSON }),
  get: (optionsJSON) => startAuthentication({ optionsJSON }),
}
