import { DeviceKey, Session } from '@countersign/sdk/wallet'
import { Failure } from '../terminal/failure.ts'
import type { Demo } from './open-demo.ts'

/** The code that every sandbox sign-in accepts; the sandbox sends none. */
const SANDBOX_CODE = '000000'

/**
 * Signs in with an e-mail code, showing the steps of device and backend separately. `wallet.email.signIn`
 * does all of this in one call.
 */
export async function signIn({ countersign, script }: Demo, walletId: string): Promise<Session> {
  script.call('credential_list', 'lists the credentials of the wallet')
  const { body: credentials } = await countersign.call('credential_list', { query: { accountId: walletId } })
  const credential = credentials.data.find(({ type }) => type === 'EMAIL_OTP')
  if (!credential) throw new Failure('The wallet has no EMAIL_OTP credential.')
  script.show(credential.type, credential.nickname)

  script.call('credential_challenge', 'sends a code, and returns a key to seal it to')
  const { body: challenge } = await countersign.call('credential_challenge', {
    params: { id: credential.id },
  })
  if (challenge.type === 'PASSKEY' || !challenge.otpEncryptionTargetBundle)
    throw new Failure('The challenge contains no key to seal the code to.')
  script.show('code', `always ${SANDBOX_CODE}: a sandbox sends nothing`)

  script.step('device: makes a P-256 key and seals the code', 'so that only the enclave can read both')
  const key = await DeviceKey.generate()
  const expectedKey = { accountId: walletId, quorumPublicKey: await countersign.quorumPublicKey() }
  const encryptedOtpBundle = await key.sealCode(
    SANDBOX_CODE,
    challenge.otpEncryptionTargetBundle,
    expectedKey,
  )
  script.show('public key', key.publicKey)
  script.show('sealed', `${encryptedOtpBundle.slice(0, 50)}… (${encryptedOtpBundle.length} characters)`)

  const call = { params: { id: credential.id }, body: { type: 'EMAIL_OTP', encryptedOtpBundle } } as const
  script.call('credential_verify', 'first call: the enclave checks the code')
  const first = await countersign.call('credential_verify', call)
  if (first.status !== 202) throw new Failure(`The first call returned ${first.status}, not 202.`)
  const { payloadToSign, requestId } = first.body
  script.show('response', '202: prove that you hold the sealed key')
  script.show('request', requestId)

  script.step('device: stamps the verification token', 'which the enclave issued for this key')
  const signature = await key.approveSignIn(payloadToSign, expectedKey)
  script.show('stamp', `${signature.slice(0, 50)}… (${signature.length} characters)`)

  script.call('credential_verify', 'second call: the same body with the stamp')
  const second = await countersign.call('credential_verify', { ...call, signature, requestId })
  if (second.status !== 200) throw new Failure(`The second call returned ${second.status}, not 200.`)
  const { id, accountId, expiresAt } = second.body
  script.show('session', `${id}, until ${expiresAt}`)
  return Session.fromRecord(countersign, { id, accountId, expiresAt, keyPair: key.keyPair })
}
