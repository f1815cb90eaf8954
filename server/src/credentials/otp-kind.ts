import { findInternalAccount } from '../accounts/accounts.ts'
import { type Op, plusSeconds } from '../app.ts'
import { findCustomer } from '../customers/customers.ts'
import type { InternalAccountRow } from '../db/schema/tables.ts'
import { update } from '../db/writes.ts'
import { canDeliver } from '../delivery/delivery.ts'
import { countMessage } from '../delivery/message-limits.ts'
import { makeOtpMessage } from '../delivery/messages.ts'
import { ApiError, fieldError } from '../operation.ts'
import { makeSession, sessionView } from '../sessions/sessions.ts'
import { SIGNING_SECONDS } from '../signing/signing.ts'
import { checkCodeRate } from './challenge-rate.ts'
import { checkCodesNotLocked, clearCodeFailures } from './code-failures.ts'
import { credentialView, makeOtpCredential } from './credentials.ts'
import type { CreateBody, CredentialKind, VerifyBody } from './kind.ts'
import {
  type DeliveryChannel,
  makeOtpChallenge,
  type OtpCredential,
  openCode,
  replaceChallenge,
} from './otp.ts'
import { normalPhoneNumber } from './phone.ts'
import { selectCodeFailures, selectCredentials } from './store.ts'

const ALREADY_EXISTS = {
  EMAIL_OTP: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
  SMS_OTP: 'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
} as const

/**
 * Codes by e-mail and SMS. Two legs: the code is checked at the first, which gives a token to sign with the key that
 * was sealed beside the code; the session is made at the second, and only then is the code used up.
 */
function otpKind(channel: DeliveryChannel): CredentialKind {
  return {
    async register(op, account, body) {
      const existing = await selectCredentials(op, account.id)
      if (existing.some(({ type }) => type === channel)) throw new ApiError(ALREADY_EXISTS[channel])
      const credential = makeOtpCredential(op, account.id, channel, await contactFor(op, account, body))
      checkDelivery(op, channel)
      await checkCodeRate(op, credential)
      const challenge = makeOtpChallenge(op, credential, account)
      return {
        credential: { ...credential, current_challenge_id: challenge.challengeId },
        writes: [challenge.write, ...makeOtpMessage(op, credential, account, challenge)],
        bundle: challenge.bundle,
      }
    },

    async challenge(op, credential) {
      await checkCodesNotLocked(op, credential)
      await checkCodeRate(op, credential)
      checkDelivery(op, channel)
      await countMessage(op, (credential as OtpCredential).contact)
      const account = await findInternalAccount(op, credential.account_id)
      const challenge = makeOtpChallenge(op, credential, account)
      return {
        status: 200,
        body: { ...credentialView(credential), type: channel, otpEncryptionTargetBundle: challenge.bundle },
        writes: [
          challenge.write,
          replaceChallenge(op, credential, challenge.challengeId),
          ...makeOtpMessage(op, credential, account, challenge),
        ],
      }
    },

    async authorize(op, credential, body) {
      const { encryptedOtpBundle } = body as Extract<VerifyBody, { type: DeliveryChannel }>
      const { challengeId, publicKey } = await openCode(op, credential, encryptedOtpBundle)
      const expiresAt = plusSeconds(op.now, SIGNING_SECONDS)
      const payload = op.enclave.signOtpToken({
        id: challengeId,
        verificationType: channel,
        contact: (credential as OtpCredential).contact,
        organizationId: credential.account_id,
        publicKey,
        expiresAt,
      })
      const context = { challengeId }
      return {
        accountId: credential.account_id,
        payload,
        signerPublicKey: publicKey,
        context,
        expiresAt,
        credentialType: channel,
      }
    },

    async signIn(op, credential, _body, approval) {
      if (!approval) throw new Error('A code verified without its second leg')
      const { challengeId } = approval.context as { challengeId: string }
      if (credential.current_challenge_id !== challengeId)
        throw new ApiError('UNAUTHORIZED', {
          message: 'The code was used, or replaced by a later one. Ask for a new one.',
          reason: 'Code used or replaced',
        })
      const live = { current_challenge_id: challengeId, revoked_at: null }
      const { row, write } = makeSession(op, credential, approval.publicKey)
      const failed = await selectCodeFailures(op, credential.account_id)
      return {
        status: 200,
        body: sessionView(row, credential),
        writes: [
          update('credentials', credential.id, live, { current_challenge_id: null }),
          update('otp_challenges', challengeId, { consumed_at: null }, { consumed_at: op.now }),
          ...(failed ? [clearCodeFailures(failed.id)] : []),
          write,
        ],
      }
    },
  }
}

export const emailOtp = otpKind('EMAIL_OTP')
export const smsOtp = otpKind('SMS_OTP')

/** Where codes go: for SMS a number in the body or else the customer's, for e-mail the customer's address. */
async function contactFor(op: Op, account: InternalAccountRow, body: CreateBody): Promise<string> {
  const customer = await findCustomer(op, account.customer_id!, 'accountId')
  if (body.type === 'SMS_OTP') {
    const phoneNumber = body.phoneNumber ?? (customer.details as { phoneNumber?: string }).phoneNumber
    if (!phoneNumber)
      throw fieldError('INVALID_INPUT', 'phoneNumber', 'phoneNumber is required: the customer has none')
    return normalPhoneNumber(phoneNumber, 'phoneNumber')
  }
  if (!customer.email) throw fieldError('INVALID_INPUT', 'accountId', 'The customer has no e-mail address')
  return customer.email
}

/** Error: 501 where this server has no way to deliver codes of this kind. */
function checkDelivery(op: Op, channel: DeliveryChannel): void {
  if (!canDeliver(op, channel))
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `This server has no way to deliver codes by ${channel === 'EMAIL_OTP' ? 'e-mail: SMTP_URL is not set' : 'SMS: SMS_URL is not set'}.`,
    })
}
