import { DeviceKey } from '@countersign/sdk/device-key'
import { Session } from '@countersign/sdk/session'
import { Failure } from '../terminal/failure.ts'
import type { Demo } from './demo.ts'

/** In sandbox no code is sent, and it is always this one. */
const SANDBOX_CODE = '000000'

/** Signs in by e-mail code, the two sides of it apart (`wallet.email.signIn` does all of this in one call). */
export async function signIn({ countersign, script }: Demo, walletId: string): Promise<Session> {
  script.call('credential_list', 'how the wallet can be signed in to')
  const { body: credentials } = await countersign.call('credential_list', { query: { accountId: walletId } })
  const credential = credentials.data.find(({ type }) => type === 'EMAIL_OTP')
  if (!credential) throw new Failure('The wallet has no EMAIL_OTP credential.')
  script.show(credential.type, credential.nickname)

  script.call('credential_challenge', 'sends a code, and a key to seal it to')
  const { body: challenge } = await countersign.call('credential_challenge', {
    params: { id: credential.id },
  })
  if (challenge.type === 'PASSKEY' || !challenge.otpEncryptionTargetBundle)
    throw new Failure('The challenge gave no key to seal the code to.')
  script.show('code', `${SANDBOX_CODE}, always: this is a sandbox, so nothing is sent`)

  script.step('device: makes a P-256 key and seals the code', 'so that only the enclave can read the two')
  const key = await DeviceKey.generate()
  const pinned = { accountId: walletId, quorumPublicKey: await countersign.quorumPublicKey() }
  const encryptedOtpBundle = await key.sealCode(SANDBOX_CODE, challenge.otpEncryptionTargetBundle, pinned)
  script.show('public key', key.publicKey)
  script.show('sealed', `${encryptedOtpBundle.slice(0, 50)}… (${encryptedOtpBundle.length} characters)`)

  const call = { params: { id: credential.id }, body: { type: 'EMAIL_OTP', encryptedOtpBundle } } as const
  script.call('credential_verify', 'first leg: is the code right?')
  const first = await countersign.call('credential_verify', call)
  if (first.status !== 202) throw new Failure(`The first leg answered ${first.status}, not 202.`)
  const { payloadToSign, requestId } = first.body
  script.show('answer', '202: prove that the sealed key is yours')
  script.show('request', requestId)

  script.step('device: stamps the verification token', "which is the enclave's word on this key")
  const signature = await key.approveSignIn(payloadToSign, pinned)
  script.show('stamp', `${signature.slice(0, 50)}… (${signature.length} characters)`)

  script.call('credential_verify', 'second leg: the same body with the stamp')
  const second = await countersign.call('credential_verify', { ...call, signature, requestId })
  if (second.status !== 200) throw new Failure(`The second leg answered ${second.status}, not 200.`)
  const { id, accountId, expiresAt } = second.body
  script.show('session', `${id}, until ${expiresAt}`)
  return Session.fromRecord(countersign, { id, accountId, expiresAt, keyPair: key.keyPair })
}
