import type { credential_challenge, credential_verify } from '@countersign/contract/auth/credentials'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import {
  ApiError,
  type Approval,
  createFieldError,
  type Outcome,
  type ToSign,
} from '../../kernel/operation/operation.ts'
import { SIGNING_SECONDS } from '../../kernel/signing/signing.ts'
import { update } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { CredentialRow, InternalAccountRow } from '../../storage/rows/tables.ts'
import { checkCodesNotLocked, clearCodeFailures, findCodeFailures } from '../credentials/code-failures.ts'
import {
  type DeliveryChannel,
  findCredentials,
  makeOtpCredential,
  toCredentialView,
} from '../credentials/credentials.ts'
import { findCustomer } from '../customers/customers.ts'
import { CHANNELS, canDeliver } from '../messages/channels.ts'
import { countMessage } from '../messages/message-limits.ts'
import { checkCodeRate } from './challenge-rate.ts'
import {
  type CreateBody,
  type CredentialKind,
  narrowBody,
  type Registration,
  type VerifyBody,
} from './credential-kind.ts'
import { type OtpCredential, openCode, replaceChallenge, sendOneTimeCode } from './one-time-codes.ts'
import { normalizePhoneNumber } from './phone-number.ts'
import { makeSession, toSessionView } from './sessions.ts'

const ALREADY_EXISTS = {
  EMAIL_OTP: 'EMAIL_OTP_CREDENTIAL_ALREADY_EXISTS',
  SMS_OTP: 'SMS_OTP_CREDENTIAL_ALREADY_EXISTS',
} as const

/**
 * Codes by e-mail or SMS. The first call checks the code and returns a token to sign with the key that was
 * encrypted together with the code. The second call creates the session and uses up the code.
 */
function createOtpKind(channel: DeliveryChannel): CredentialKind {
  return {
    register: (op, account, body) => register(op, channel, account, body),
    challenge: (op, credential) => challenge(op, toOtpCredential(credential)),
    toSign: (op, credential, body) => toSign(op, toOtpCredential(credential), body),
    signIn: (op, credential, _body, approval) => signIn(op, credential, approval),
  }
}

export const emailOtp = createOtpKind('EMAIL_OTP')
export const smsOtp = createOtpKind('SMS_OTP')

async function register(
  op: Op,
  channel: DeliveryChannel,
  account: InternalAccountRow,
  body: CreateBody,
): Promise<Registration> {
  const existing = await findCredentials(op, account.id)
  if (existing.some(({ type }) => type === channel)) throw new ApiError(ALREADY_EXISTS[channel])
  const credential = makeOtpCredential(op, account.id, channel, await findContact(op, account, body))
  checkDelivery(op, channel)
  await checkCodeRate(op, credential)
  const sentCode = sendOneTimeCode(op, credential, account)
  return {
    credential: { ...credential, current_challenge_id: sentCode.challengeId },
    writes: sentCode.writes,
    bundle: sentCode.bundle,
  }
}

async function challenge(op: Op, credential: OtpCredential): Promise<Outcome<typeof credential_challenge>> {
  await checkCodesNotLocked(op, credential)
  await checkCodeRate(op, credential)
  checkDelivery(op, credential.type)
  await countMessage(op, credential.contact)
  const account = await findInternalAccount(op, credential.account_id)
  const sentCode = sendOneTimeCode(op, credential, account)
  return {
    status: 200,
    body: {
      ...toCredentialView(credential),
      type: credential.type,
      otpEncryptionTargetBundle: sentCode.bundle,
    },
    writes: [...sentCode.writes, replaceChallenge(op, credential, sentCode.challengeId)],
  }
}

async function toSign(op: Op, credential: OtpCredential, body: VerifyBody): Promise<ToSign> {
  const { encryptedOtpBundle } = narrowBody(body, credential.type)
  const { challengeId, publicKey } = await openCode(op, credential, encryptedOtpBundle)
  const expiresAt = addSeconds(op.now, SIGNING_SECONDS)
  const payload = op.enclave.signOtpToken({
    id: challengeId,
    verificationType: credential.type,
    contact: credential.contact,
    organizationId: credential.account_id,
    publicKey,
    expiresAt,
  })
  return {
    accountId: credential.account_id,
    payload,
    signerPublicKey: publicKey,
    context: { challengeId },
    expiresAt,
    credentialType: credential.type,
  }
}

async function signIn(
  op: Op,
  credential: CredentialRow,
  approval: Approval | undefined,
): Promise<Outcome<typeof credential_verify>> {
  if (!approval) throw new Error('The code was verified without a signed retry')
  const { challengeId } = approval.context
  if (typeof challengeId !== 'string') throw new Error(`${approval.requestId} has no challenge`)
  if (credential.current_challenge_id !== challengeId)
    throw new ApiError('UNAUTHORIZED', {
      message: 'The code was already used or was replaced by a newer one. Request a new one.',
      reason: 'Code used or replaced',
    })
  const liveGuard = { current_challenge_id: challengeId, revoked_at: null }
  const { row, write } = makeSession(op, credential, approval.publicKey)
  const codeFailures = await findCodeFailures(op, credential.account_id)
  return {
    status: 200,
    body: toSessionView(row, credential),
    writes: [
      update('credentials', credential.id, liveGuard, { current_challenge_id: null }),
      update('otp_challenges', challengeId, { consumed_at: null }, { consumed_at: op.now }),
      ...(codeFailures ? [clearCodeFailures(codeFailures.id)] : []),
      write,
    ],
  }
}

/** Narrows a credential to one with a contact for codes. */
function toOtpCredential(credential: CredentialRow): OtpCredential {
  const { type, contact } = credential
  if ((type !== 'EMAIL_OTP' && type !== 'SMS_OTP') || contact === null)
    throw new Error(`${credential.id} is not a credential with delivered codes`)
  return { ...credential, type, contact }
}

/**
 * Finds the contact to which codes are sent. For SMS, the number in the body or else the customer's; for
 * e-mail, the customer's address.
 */
async function findContact(op: Op, account: InternalAccountRow, body: CreateBody): Promise<string> {
  const customer = await findCustomer(op, requireColumn(account, 'customer_id'), 'accountId')
  if (body.type === 'SMS_OTP') {
    const phoneNumber = body.phoneNumber ?? customer.details.phoneNumber
    if (!phoneNumber)
      throw createFieldError(
        'INVALID_INPUT',
        'phoneNumber',
        'phoneNumber is required because the customer has no phone number',
      )
    return normalizePhoneNumber(phoneNumber, 'phoneNumber')
  }
  if (!customer.email)
    throw createFieldError('INVALID_INPUT', 'accountId', 'The customer has no e-mail address.')
  return customer.email
}

/** Throws 501 if this server cannot deliver codes through this channel. */
function checkDelivery(op: Op, channel: DeliveryChannel): void {
  if (!canDeliver(op, CHANNELS[channel]))
    throw new ApiError('NOT_IMPLEMENTED', {
      message: `This server cannot deliver codes by ${channel === 'EMAIL_OTP' ? 'e-mail: SMTP_URL is not set' : 'SMS: SMS_URL is not set'}.`,
    })
}
