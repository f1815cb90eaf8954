import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

/** What makes and uses passkeys. Tests, and apps with a native one, bring their own. */
export interface PasskeyAuthenticator {
  create(options: PublicKeyCredentialCreationOptionsJSON): Promise<RegistrationResponseJSON>
  get(options: PublicKeyCredentialRequestOptionsJSON): Promise<AuthenticationResponseJSON>
}

/**
 * The browser's, by `navigator.credentials`. Rejects with what the browser rejects with: `NotAllowedError` where the
 * customer declines or is too slow, and the same for a passkey that is not on this device.
 */
export const browserAuthenticator: PasskeyAuthenticator = {
  create: (optionsJSON) => startRegistration({ optionsJSON }),
  get: (optionsJSON) => startAuthentication({ optionsJSON }),
}
