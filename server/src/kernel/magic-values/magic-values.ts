import { getOwnValue, isKeyOf } from '@countersign/contract/core/objects'
/**
 * Tables of the sandbox's magic values (specification 4.16, 5.6). Outcomes of payments are in
 * `payment-outcomes.ts`. Callers must check the mode first, because no value is magic in production.
 */

/** The one-time code for every challenge, because the sandbox sends no codes. */
export const SANDBOX_OTP_CODE = '000000'

/** The code that verifies a customer's email address or phone number, because the sandbox sends no codes. */
export const SANDBOX_CONTACT_CODE = '123456'

/** Legacy values accepted as the signature of a wallet or of a passkey assertion. */
export const SANDBOX_WALLET_SIGNATURE = 'sandbox-valid-signature'
export const SANDBOX_PASSKEY_SIGNATURE = 'sandbox-valid-passkey-signature'

/** The outcome selected by a suffix, and its description for `GET /sandbox/magic-values`. */
export interface Scenario<Outcome extends string = string> {
  readonly outcome: Outcome
  readonly meaning: string
}

type VerificationStatus = 'PENDING' | 'REJECTED' | 'APPROVED'

/** The outcome of verifying a person (KYC) or business (KYB). All other suffixes are approved. */
export const VERIFICATION_SCENARIOS: Readonly<Record<string, Scenario<VerificationStatus>>> = {
  '001': { outcome: 'PENDING', meaning: 'The check stays pending' },
  '002': { outcome: 'REJECTED', meaning: 'The check fails' },
}

export function findVerificationOutcome(suffix: string): VerificationStatus {
  return getOwnValue(VERIFICATION_SCENARIOS, suffix)?.outcome ?? 'APPROVED'
}

/**
 * The outcome of checking the name of an account's holder. All other suffixes match. `INVALID` is rejected
 * immediately.
 */
export const BENEFICIARY_SCENARIOS = {
  '102': { outcome: 'NOT_MATCHED', meaning: 'The account is held under another name' },
  '103': { outcome: 'PARTIAL_MATCH', meaning: 'The name is similar' },
  '104': { outcome: 'PENDING', meaning: 'The check stays pending' },
  '105': { outcome: 'INVALID', meaning: 'The account does not exist: refused with 400 INVALID_BANK_ACCOUNT' },
  '106': { outcome: 'UNSUPPORTED', meaning: 'The name cannot be checked' },
  '107': { outcome: 'CHECKED_BY_RECEIVING_FI', meaning: 'The receiving bank checks the name' },
} as const satisfies Readonly<Record<string, Scenario>>

type BeneficiaryOutcome =
  | (typeof BENEFICIARY_SCENARIOS)[keyof typeof BENEFICIARY_SCENARIOS]['outcome']
  | 'MATCHED'

export function findBeneficiaryOutcome(suffix: string): BeneficiaryOutcome {
  return isKeyOf(BENEFICIARY_SCENARIOS, suffix) ? BENEFICIARY_SCENARIOS[suffix].outcome : 'MATCHED'
}

/**
 * The last characters of an identifier, which select a scenario. For `name@domain`, the last characters of
 * the name.
 */
export function takeSuffix(identifier: string): string {
  const domain = identifier.indexOf('@')
  return (domain > 0 ? identifier.slice(0, domain) : identifier).slice(-3)
}

/** True if a suffix selects an account scenario. The check digits of such identifiers are not validated. */
export function isMagicSuffix(suffix: string): boolean {
  return /^00[2-7]$/.test(suffix) || isKeyOf(BENEFICIARY_SCENARIOS, suffix)
}
