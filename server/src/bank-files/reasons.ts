import type { PaymentFailure } from '../ports/rail.ts'

/** Why a bank sent a payment back, in the words of specification 2.11: the other end's account, or the payment itself. */

/** What the receiver's bank says of the receiver's account (ISO 20022, external status reason codes). */
const COUNTERPARTY_ISO: ReadonlySet<string> = new Set([
  ...[
    'AC01',
    'AC03',
    'AC04',
    'AC05',
    'AC06',
    'AC07',
    'AC13',
    'AC14',
    'AG01',
    'AG02',
    'BE01',
    'BE04',
    'BE06',
    'BE07',
  ],
  ...[
    'CNOR',
    'DNOR',
    'ERIN',
    'MD07',
    'MS02',
    'MS03',
    'NOAS',
    'RC01',
    'RC04',
    'RR01',
    'RR02',
    'RR03',
    'RR04',
    'SL01',
  ],
])

/** The same of ACH, and what its codes say. */
const ACH_RETURNS: Readonly<Record<string, string>> = {
  R01: 'Insufficient funds',
  R02: 'The account is closed',
  R03: 'There is no account, or not of this name',
  R04: 'The account number is not valid',
  R05: 'A debit of a business to a consumer account was not authorized',
  R06: 'Returned as the originating bank asked',
  R07: 'The authorization was revoked',
  R08: 'The payment was stopped',
  R09: 'The funds are not collected',
  R10: 'The receiver says that it was not authorized',
  R11: 'The entry is not in accordance with its authorization',
  R12: 'The account was sold to another bank',
  R13: 'The receiving bank is not qualified to participate',
  R14: 'The representative payee has died',
  R15: 'The beneficiary or the account holder has died',
  R16: 'The account is frozen',
  R17: 'The entry has a wrong date or account',
  R20: 'The account takes no such payments',
  R21: 'The company identification is not valid',
  R22: 'The individual number is not valid',
  R23: 'The receiver refused the credit',
  R24: 'The entry is a duplicate',
  R29: 'The business says that it was not authorized',
  R31: 'The entry is permitted to be returned late',
}
const PAYMENT_ACH: ReadonlySet<string> = new Set(['R06', 'R11', 'R13', 'R17', 'R21', 'R22', 'R24'])

/** Returns of our own payments. Others are about returns, or about entries that are not ours: a person has to look. */
export function isReturnOfPayment(reason: string): boolean {
  return /^R(?:[0-2]\d|3[0-9])$/.test(reason)
}

export interface Failure {
  readonly code: PaymentFailure
  readonly message: string
}

/** A failure by a code of ISO 20022, with the words of the bank. */
export function isoFailure(
  reason: { readonly code: string | null; readonly text: string | null } | null,
): Failure {
  const code = reason?.code ?? null
  const message = [code, reason?.text].filter(Boolean).join(': ') || 'The bank gave no reason'
  return {
    code:
      code !== null && COUNTERPARTY_ISO.has(code) ? 'COUNTERPARTY_POST_TX_FAILED' : 'QUOTE_EXECUTION_FAILED',
    message: message.slice(0, 500),
  }
}

/** A failure by a return reason code of ACH. */
export function achFailure(reason: string, information: string | null): Failure {
  const said = [ACH_RETURNS[reason] ?? 'The bank gave no known reason', information]
    .filter(Boolean)
    .join('; ')
  return {
    code: PAYMENT_ACH.has(reason) ? 'QUOTE_EXECUTION_FAILED' : 'COUNTERPARTY_POST_TX_FAILED',
    message: `${reason}: ${said}`.slice(0, 500),
  }
}
