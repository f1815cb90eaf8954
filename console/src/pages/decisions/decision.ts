import type { Currency } from '@countersign/contract/core/currencies'
import type {
  PaymentDecisionRequest,
  PaymentDecision as PaymentDecisionSchema,
  PaymentOutcome,
} from '@countersign/contract/operation/payment-decisions'
import type { Static } from 'typebox'
import { parseSmallestUnits } from '../../ui/money-format.ts'

export type PaymentDecision = Static<typeof PaymentDecisionSchema>
export type DecisionBody = Static<typeof PaymentDecisionRequest>

/** Each outcome's label and effect. */
export const OUTCOME_WORDS: Readonly<
  Record<PaymentOutcome, { readonly label: string; readonly effect: string }>
> = {
  DELIVERED: { label: 'Delivered', effect: 'The payment counts as paid.' },
  FAILED: { label: 'Failed: never sent', effect: 'The payer gets the money back.' },
  RETURNED: { label: 'Returned: sent, then returned', effect: 'The payer gets the money back.' },
  REVERSAL: {
    label: 'Reversal: sent in error',
    effect:
      'The bank of the payee is asked to return it by ACH. No money moves: decide RETURNED once it is back.',
  },
}

/** The form fields, as typed. */
export interface Draft {
  readonly outcome: PaymentOutcome
  readonly reason: string
  readonly note: string
  /** Ids of statement lines, separated by spaces or commas. */
  readonly lines: string
  readonly documentId: string
  readonly charge: string
}

export const EMPTY_DRAFT: Draft = {
  outcome: 'DELIVERED',
  reason: '',
  note: '',
  lines: '',
  documentId: '',
  charge: '',
}

/** False if no line of a statement books what is decided. */
export function hasMoney(outcome: PaymentOutcome): boolean {
  return outcome === 'DELIVERED' || outcome === 'RETURNED'
}

/** The call of a draft; undefined while something that it needs is missing or unreadable. */
export function buildBody(
  draft: Draft,
  currency: Static<typeof Currency>,
  railEventId: string | undefined,
): DecisionBody | undefined {
  const { outcome, documentId } = draft
  const [reason, note, charge] = [draft.reason.trim(), draft.note.trim(), draft.charge.trim()]
  const lines = draft.lines.split(/[\s,]+/).filter(Boolean)
  const units = charge === '' ? undefined : parseSmallestUnits(charge, currency.decimals ?? 0)
  const hasEvidence = note !== '' || lines.length > 0 || documentId !== ''
  if (reason === '' || !hasEvidence || (charge !== '' && !units)) return undefined
  return {
    outcome,
    reason,
    evidence: {
      ...(note === '' ? {} : { note }),
      ...(lines.length === 0 || !hasMoney(outcome) ? {} : { statementEntryIds: lines }),
      ...(documentId === '' ? {} : { documentId }),
    },
    ...(units && hasMoney(outcome) ? { charge: { amount: units, currency: currency.code } } : {}),
    ...(railEventId === undefined ? {} : { railEventId }),
  }
}
