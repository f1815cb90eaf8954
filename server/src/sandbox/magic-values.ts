import type { Delivery } from '../rails/rail.ts'

/**
 * Everything that steers the sandbox, as tables (specification 4.16, 5.6). Whoever reads them asks for the mode first:
 * in production no value is magic.
 */

/** The one-time code of every challenge; none is sent. */
export const SANDBOX_OTP_CODE = '000000'

/** Legacy values that stand for a wallet signature and for the signature of a passkey assertion. */
export const SANDBOX_WALLET_SIGNATURE = 'sandbox-valid-signature'
export const SANDBOX_PASSKEY_SIGNATURE = 'sandbox-valid-passkey-signature'

type VerificationStatus = 'PENDING' | 'REJECTED' | 'APPROVED'

/** The check of a person (KYC) or a business (KYB); any other suffix is approved. */
const VERIFICATION_OUTCOMES: Readonly<Record<string, VerificationStatus>> = {
  '001': 'PENDING',
  '002': 'REJECTED',
}

export function verificationOutcome(suffix: string): VerificationStatus {
  return Object.hasOwn(VERIFICATION_OUTCOMES, suffix) ? VERIFICATION_OUTCOMES[suffix]! : 'APPROVED'
}

/** The check of an account holder's name; any other suffix matches. `INVALID` is refused at once. */
const BENEFICIARY_OUTCOMES = {
  '102': 'NOT_MATCHED',
  '103': 'PARTIAL_MATCH',
  '104': 'PENDING',
  '105': 'INVALID',
  '106': 'UNSUPPORTED',
  '107': 'CHECKED_BY_RECEIVING_FI',
} as const

type BeneficiaryOutcome = (typeof BENEFICIARY_OUTCOMES)[keyof typeof BENEFICIARY_OUTCOMES] | 'MATCHED'

export function beneficiaryOutcome(suffix: string): BeneficiaryOutcome {
  return isBeneficiarySuffix(suffix) ? BENEFICIARY_OUTCOMES[suffix] : 'MATCHED'
}

function isBeneficiarySuffix(suffix: string): suffix is keyof typeof BENEFICIARY_OUTCOMES {
  return Object.hasOwn(BENEFICIARY_OUTCOMES, suffix)
}

/** The last characters of an identifier, which select a scenario; of `name@domain` those of the name. */
export function suffixOf(identifier: string): string {
  const domain = identifier.indexOf('@')
  return (domain > 0 ? identifier.slice(0, domain) : identifier).slice(-3)
}

/** Whether a suffix selects a scenario. An identifier that has to end in one is not held to its check digits. */
export function isMagicSuffix(suffix: string): boolean {
  return /^00[1-7]$/.test(suffix) || isBeneficiarySuffix(suffix)
}

/** What comes of a payment to an external account under a quote; any other suffix is delivered. */
const QUOTE_OUTCOMES: Readonly<Record<string, Delivery>> = {
  '002': { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED' },
}

export function quoteOutcome(suffix: string): Delivery {
  return Object.hasOwn(QUOTE_OUTCOMES, suffix) ? QUOTE_OUTCOMES[suffix]! : { outcome: 'delivered' }
}
