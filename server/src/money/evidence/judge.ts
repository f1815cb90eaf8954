import { amountOfDigits } from '@countersign/contract/connectors/protocol'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { DepositRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { RAIL_PAYMENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { amountBooked, amountReported } from '../rails/booked-amount.ts'
import { isContradiction } from '../rails/settlement-table.ts'
import {
  type AccountEvidence,
  type DepositEvidence,
  type Evidence,
  isBooking,
  type MandateEvidence,
  type PaymentEvidence,
  type ReversalEvidence,
} from './evidence.ts'

/**
 * Compares an external claim with its subject, and decides whether it takes effect. Pure. No external claim
 * moves money without this comparison.
 */
export type Verdict =
  | { readonly effect: 'apply' }
  /** It is known already, or late. */
  | { readonly effect: 'none' }
  /** It has no effect, and a person must review it. */
  | { readonly effect: 'hold'; readonly reason: RailEventReason }

/** The server's own records of a claim's subject. */
export interface Expected {
  readonly rail: ExpectedRail
  /** The payment record named by the claim. */
  readonly payment?: ExpectedPayment | undefined
  /** The identifier of the account at the other end of that payment. Null: it had none. */
  readonly identifier?: string | null | undefined
  /** The deposit record named by the claim. */
  readonly deposit?: ExpectedDeposit | undefined
  /** The mandate that the claim names. */
  readonly mandate?: ExpectedMandate | undefined
}

export interface ExpectedRail {
  readonly name: string
  /** The account at the bank, by every number that the bank has for it. Undefined: the rail names none. */
  readonly accounts: readonly string[] | undefined
  /** The currencies that it carries. Undefined: any. */
  readonly currencies: readonly string[] | undefined
  /** True if a booked pull may still come back. */
  readonly arePullsProvisional: boolean
}

export type ExpectedPayment = Pick<
  RailPaymentRow,
  'rail' | 'direction' | 'payment_id' | 'amount' | 'currency' | 'state'
>
export type ExpectedMandate = Pick<MandateRow, 'rail' | 'debtor_account' | 'debtor_sort_code'>
export type ExpectedDeposit = Pick<DepositRow, 'rail' | 'rail_reference' | 'amount' | 'currency' | 'details'>

const APPLY: Verdict = { effect: 'apply' }
const NONE: Verdict = { effect: 'none' }

export function judge(evidence: Evidence, expected: Expected): Verdict {
  if (!isOurAccount(evidence, expected.rail)) return hold('OTHER_ACCOUNT')
  switch (evidence.kind) {
    case 'payment':
      return judgePayment(evidence, expected)
    case 'deposit':
      return judgeDeposit(evidence, expected)
    case 'reversal':
      return judgeReversal(evidence, expected)
    case 'account':
      return judgeAccount(evidence, expected)
    case 'mandate':
      return judgeMandate(evidence, expected)
  }
}

/** True if the claim is about the rail's account, in a currency that the rail carries. */
function isOurAccount({ account, currency }: Evidence, rail: ExpectedRail): boolean {
  const isOurs = account === null || rail.accounts === undefined || isAccount(rail.accounts, account)
  return isOurs && (currency === null || rail.currencies === undefined || rail.currencies.includes(currency))
}

/** True if a number is one of these accounts, regardless of grouping and leading zeros. */
export function isAccount(accounts: readonly string[], number: string): boolean {
  return accounts.some((one) => plainNumber(one) === plainNumber(number))
}

function plainNumber(number: string): string {
  return number
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replace(/^0+(?=.)/, '')
}

function judgePayment(evidence: PaymentEvidence, { rail, payment }: Expected): Verdict {
  const { subject, event, source, amount } = evidence
  if (!payment || !isSubject(subject, rail, payment)) return hold('UNKNOWN_PAYMENT')
  if (isBooking(source) && amount === null) return hold('OTHER_AMOUNT')
  if (!isSameMoney(evidence, payment)) return hold('OTHER_AMOUNT')
  if (RAIL_PAYMENT_TRANSITIONS[payment.state][event] !== null)
    return isProvisional(evidence, rail) ? NONE : APPLY
  return isContradiction(payment.state, event) ? hold('CONTRADICTION') : NONE
}

function isSubject(
  { direction, id }: PaymentEvidence['subject'],
  rail: ExpectedRail,
  payment: ExpectedPayment,
): boolean {
  return payment.rail === rail.name && payment.direction === direction && payment.payment_id === id
}

/** Other details are proposed only for the account that the payment had, and none of its money moves. */
function judgeAccount(evidence: AccountEvidence, { rail, payment, identifier }: Expected): Verdict {
  if (!payment || !isSubject(evidence.subject, rail, payment)) return hold('UNKNOWN_PAYMENT')
  if (!isSameMoney(evidence, payment)) return hold('OTHER_AMOUNT')
  return identifier && isAccount([identifier], evidence.sentTo) ? APPLY : hold('OTHER_ACCOUNT')
}

/**
 * The bank knows a mandate through the rail that has sent its instruction, and the account must equal the
 * bank's.
 */
function judgeMandate({ debtor }: MandateEvidence, { rail, mandate }: Expected): Verdict {
  if (mandate?.rail !== rail.name || mandate.debtor_sort_code === null) return hold('UNKNOWN_MANDATE')
  const isSame =
    isAccount([mandate.debtor_account], debtor.account) &&
    isAccount([mandate.debtor_sort_code], debtor.sortCode)
  return isSame ? APPLY : hold('OTHER_ACCOUNT')
}

/** True for a booked pull that the other bank may take back: it counts by time, not by its booking. */
function isProvisional({ subject, event, source }: PaymentEvidence, rail: ExpectedRail): boolean {
  return rail.arePullsProvisional && subject.direction === 'PULL' && event === 'deliver' && isBooking(source)
}

function judgeDeposit(evidence: DepositEvidence, { rail, deposit }: Expected): Verdict {
  if (evidence.amount <= 0n) return hold('UNREADABLE')
  if (!isAsStated(evidence)) return hold('OTHER_AMOUNT')
  if (!deposit) return APPLY
  const isSubject = deposit.rail === rail.name && deposit.rail_reference === evidence.deposit.depositId
  return isSubject && isSameDeposit(evidence, deposit) ? NONE : hold('SAME_NAME')
}

/** True if the booking equals the record of the deposit: a line of a statement may carry both. */
function isAsStated({ amount, currency, deposit }: DepositEvidence): boolean {
  return amountOfDigits(deposit.amount.value) === amount && deposit.amount.currency === currency
}

/**
 * True if a deposit that has the same name is the same money: everything that both sides state must agree.
 */
function isSameDeposit({ amount, currency, deposit }: DepositEvidence, known: ExpectedDeposit): boolean {
  const { details } = known
  return (
    (amount === amountBooked(known) || amount === amountReported(known)) &&
    currency === known.currency &&
    deposit.depositAccountId === details.depositAccount &&
    isSameText(deposit.endToEndId, details.endToEndId) &&
    isSameText(deposit.traceNumber, details.traceNumber) &&
    isSameText(deposit.sender?.accountIdentifier, details.sender?.accountIdentifier)
  )
}

/** A missing value does not contradict the other side. */
function isSameText(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one.trim() === other.trim()
}

function judgeReversal(evidence: ReversalEvidence, { rail, deposit }: Expected): Verdict {
  if (deposit?.rail !== rail.name || deposit.rail_reference !== evidence.subject)
    return hold('UNKNOWN_DEPOSIT')
  return isSameMoney(evidence, { ...deposit, amount: amountBooked(deposit) }) ? APPLY : hold('OTHER_AMOUNT')
}

/** True if the claim has the amount and currency of the record, or leaves them out and names only its subject. */
function isSameMoney(
  { amount, currency }: Pick<Evidence, 'amount' | 'currency'>,
  record: { readonly amount: bigint; readonly currency: string },
): boolean {
  return (amount === null || amount === record.amount) && (currency === null || currency === record.currency)
}

function hold(reason: RailEventReason): Verdict {
  return { effect: 'hold', reason }
}
