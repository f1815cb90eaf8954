import type { PaymentFailure } from '../../kernel/ports/rail.ts'
import { ACH_CHANGE_REASONS, ACH_RETURN_REASONS } from './ach-reasons.ts'
import { ISO_REASONS } from './iso-reasons.ts'

/**
 * Classifies the reasons for returned payments as in specification 2.11: they concern the counterparty's
 * account or the payment itself.
 */

const MESSAGE_CHARACTERS_MAX = 500

/** ISO 20022 codes that concern the receiver's account. */
const COUNTERPARTY_ISO: ReadonlySet<string> = new Set(
  `
  AC01 AC03 AC04 AC05 AC06 AC07 AC13 AC14 AC15 AC16 AC17 AG01 AG02 BE01 BE04 BE06 BE07 BE22 BE23 CNOR CNPC DNOR ERIN MD07
  MS02 MS03 NOAS NOCM RC01 RC04 RC07 RC10 RR01 RR02 RR03 RR04 SL01 SL02 UCRD
  `
    .trim()
    .split(/\s+/),
)

/** ACH return codes that concern the payment rather than the receiver's account. */
const PAYMENT_ACH: ReadonlySet<string> = new Set(
  'R06 R11 R13 R17 R18 R19 R21 R22 R24 R25 R26 R27 R28 R30 R31 R32 R34 R35 R36 R80 R81 R82 R83 R84 R85'.split(
    ' ',
  ),
)

/**
 * True for a return of a payment that we sent. False for R61 to R77, which concern returns, and for unlisted
 * codes.
 */
export function isReturnOfPayment(reason: string): boolean {
  return findDescription(ACH_RETURN_REASONS, reason) !== undefined && !/^R[67]/.test(reason)
}

export interface Failure {
  readonly code: PaymentFailure
  readonly message: string
}

/** The failure for an ISO 20022 code, with its description and the bank's text. */
export function toIsoFailure(
  reason: { readonly code: string | null; readonly text: string | null } | null,
): Failure {
  const code = reason?.code ?? null
  return {
    code:
      code !== null && COUNTERPARTY_ISO.has(code) ? 'COUNTERPARTY_POST_TX_FAILED' : 'QUOTE_EXECUTION_FAILED',
    message: formatReason(
      code,
      code === null ? undefined : findDescription(ISO_REASONS, code),
      reason?.text ?? null,
    ),
  }
}

/** The failure for an ISO 20022 code, or for an ACH return code, which US banks use instead. */
export function toFailure(reason: Parameters<typeof toIsoFailure>[0]): Failure {
  const code = reason?.code ?? ''
  return isReturnOfPayment(code) ? toAchFailure(code, reason?.text ?? null) : toIsoFailure(reason)
}

/** The failure for an ACH return code. */
export function toAchFailure(reason: string, information: string | null): Failure {
  return {
    code: PAYMENT_ACH.has(reason) ? 'QUOTE_EXECUTION_FAILED' : 'COUNTERPARTY_POST_TX_FAILED',
    message: formatReason(
      reason,
      findDescription(ACH_RETURN_REASONS, reason) ?? 'The bank gave no known reason',
      information,
    ),
  }
}

/**
 * Describes the code of an ACH return or notification of change: `C01: The account number is wrong;
 * 1918171614`.
 */
export function describeAchReason(reason: string, information: string | null): string {
  return formatReason(
    reason,
    findDescription({ ...ACH_RETURN_REASONS, ...ACH_CHANGE_REASONS }, reason),
    information,
  )
}

/** Codes come from files, so a code may equal the name of an Object method. */
function findDescription(table: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(table, code) ? table[code] : undefined
}

/** Joins the code, its description, and the bank's additional information. */
function formatReason(
  code: string | null,
  description: string | undefined,
  information: string | null,
): string {
  const explanation = [description, information].filter(Boolean).join('; ')
  const message = [code, explanation].filter(Boolean).join(': ') || 'The bank gave no reason'
  return message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()
}
