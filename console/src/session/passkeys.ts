import type { MemberPasskeyOptions } from '@countersign/contract/platforms/member-passkeys'
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { Static } from 'typebox'
import { countersign } from '../data/client.ts'

type Options = Static<typeof MemberPasskeyOptions>

/** Signs in with a passkey, which also identifies the member. */
export async function signInByPasskey() {
  const { challenge, rpId } = await countersign.memberSessions.challenge()
  if (rpId === undefined) throw new Error(NO_PASSKEYS)
  const { id, response } = await startAuthentication({
    optionsJSON: { challenge, rpId, allowCredentials: [], userVerification: 'preferred' },
  })
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return countersign.memberSessions.create({
    type: 'PASSKEY',
    challenge,
    assertion: {
      credentialId: id,
      clientDataJson: clientDataJSON,
      authenticatorData,
      signature,
      ...(userHandle === undefined ? {} : { userHandle }),
    },
  })
}

const NO_PASSKEYS =
  'Passkeys do not work at this address, because it is an IP address or has no TLS. Open the console at the server’s host name; on this machine that is localhost.'

/** Creates a passkey in the browser and returns the data for the server to store. */
export async function createPasskey(options: Options, name?: string) {
  const { challenge } = options
  const { id, response } = await startRegistration({ optionsJSON: options })
  return {
    ...(name ? { name } : {}),
    challenge,
    attestation: {
      credentialId: id,
      clientDataJson: response.clientDataJSON,
      attestationObject: response.attestationObject,
      ...(response.transports ? { transports: [...response.transports] } : {}),
    },
  }
}
