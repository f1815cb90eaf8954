import { parseDigits } from '@countersign/contract/connectors/protocol'
import type { RailEventReason } from '@countersign/contract/connectors/rail-events'
import type { MandateRow } from '../../storage/rows/mandate.ts'
import type { DepositRow, RailPaymentRow } from '../../storage/rows/rail.ts'
import { RAIL_PAYMENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { getBookedAmount, getReportedAmount } from '../rails/booked-amount.ts'
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
 * Compares a claim from outside with its subject, and decides whether it takes effect. Pure. Claims never
 * move money without this comparison.
 */
export type Verdict =
  | { readonly effect: 'apply' }
  /** No effect: the claim is already known or out of date. */
  | { readonly effect: 'none' }
  /** No effect until an operator has reviewed the claim. */
  | { readonly effect: 'hold'; readonly reason: RailEventReason }

/** This server's own records of a claim's subject. */
export interface Expected {
  readonly rail: ExpectedRail
  /** The payment that the claim is about. */
  readonly payment?: ExpectedPayment | undefined
  /** The identifier of the other party's account in that payment. Null if it had none. */
  readonly identifier?: string | null | undefined
  /** The deposit that the claim is about. */
  readonly deposit?: ExpectedDeposit | undefined
  /** The mandate that the claim is about. */
  readonly mandate?: ExpectedMandate | undefined
}

export interface ExpectedRail {
  readonly name: string
  /**
   * The rail's bank account, in every form of its number. Undefined if the rail has no configured account.
   */
  readonly accounts: readonly string[] | undefined
  /** The currencies that the rail carries. Undefined for all. */
  readonly currencies: readonly string[] | undefined
  /** True if a pull can still be returned after it was booked. */
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
  if (!isOurAccount(evidence, expected.rail)) return toHeld('OTHER_ACCOUNT')
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

/** True if the claim is about the rail's own account, in a currency that the rail carries. */
function isOurAccount({ account, currency }: Evidence, rail: ExpectedRail): boolean {
  const isOwnAccount = account === null || rail.accounts === undefined || isAccount(rail.accounts, account)
  return (
    isOwnAccount && (currency === null || rail.currencies === undefined || rail.currencies.includes(currency))
  )
}

/** True if the number denotes one of these accounts, ignoring grouping and leading zeros. */
export function isAccount(accounts: readonly string[], number: string): boolean {
  return accounts.some((first) => normalizeNumber(first) === normalizeNumber(number))
}

function normalizeNumber(number: string): string {
  return number
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .replace(/^0+(?=.)/, '')
}

function judgePayment(evidence: PaymentEvidence, { rail, payment }: Expected): Verdict {
  const { subject, event, source, amount } = evidence
  if (!payment || !isSubject(subject, rail, payment)) return toHeld('UNKNOWN_PAYMENT')
  if (isBooking(source) && amount === null) return toHeld('OTHER_AMOUNT')
  if (!isSameMoney(evidence, payment)) return toHeld('OTHER_AMOUNT')
  if (RAIL_PAYMENT_TRANSITIONS[payment.state][event] !== null)
    return isProvisional(evidence, rail) ? NONE : APPLY
  return isContradiction(payment.state, event) ? toHeld('CONTRADICTION') : NONE
}

function isSubject(
  { direction, id }: PaymentEvidence['subject'],
  rail: ExpectedRail,
  payment: ExpectedPayment,
): boolean {
  return payment.rail === rail.name && payment.direction === direction && payment.payment_id === id
}

/** Corrected details are accepted only for the account that the payment used. They never move money. */
function judgeAccount(evidence: AccountEvidence, { rail, payment, identifier }: Expected): Verdict {
  if (!payment || !isSubject(evidence.subject, rail, payment)) return toHeld('UNKNOWN_PAYMENT')
  if (!isSameMoney(evidence, payment)) return toHeld('OTHER_AMOUNT')
  return identifier && isAccount([identifier], evidence.sentTo) ? APPLY : toHeld('OTHER_ACCOUNT')
}

/** The bank knows only mandates that this rail has instructed, and the debtor's account must match. */
function judgeMandate({ debtor }: MandateEvidence, { rail, mandate }: Expected): Verdict {
  if (mandate?.rail !== rail.name || mandate.debtor_sort_code === null) return toHeld('UNKNOWN_MANDATE')
  const isSame =
    isAccount([mandate.debtor_account], debtor.account) &&
    isAccount([mandate.debtor_sort_code], debtor.sortCode)
  return isSame ? APPLY : toHeld('OTHER_ACCOUNT')
}

/**
 * True if the report only says that a pull was booked. The other bank may still return it, so the pull counts
 * as delivered only after a period.
 */
function isProvisional({ subject, event, source }: PaymentEvidence, rail: ExpectedRail): boolean {
  return rail.arePullsProvisional && subject.direction === 'PULL' && event === 'deliver' && isBooking(source)
}

function judgeDeposit(evidence: DepositEvidence, { rail, deposit }: Expected): Verdict {
  if (evidence.amount <= 0n) return toHeld('UNREADABLE')
  if (!hasConsistentAmount(evidence)) return toHeld('OTHER_AMOUNT')
  if (!deposit) return APPLY
  const isSubject = deposit.rail === rail.name && deposit.rail_reference === evidence.deposit.depositId
  return isSubject && isSameDeposit(evidence, deposit) ? NONE : toHeld('SAME_NAME')
}

/**
 * True if the claim's amount equals the amount in the deposit's details: a statement line may contain both.
 */
function hasConsistentAmount({ amount, currency, deposit }: DepositEvidence): boolean {
  return parseDigits(deposit.amount.value) === amount && deposit.amount.currency === currency
}

/** True if a known deposit with the same id is the same money. All values that both state must be equal. */
function isSameDeposit({ amount, currency, deposit }: DepositEvidence, known: ExpectedDeposit): boolean {
  const { details } = known
  return (
    (amount === getBookedAmount(known) || amount === getReportedAmount(known)) &&
    currency === known.currency &&
    deposit.depositAccountId === details.depositAccount &&
    isSameText(deposit.endToEndId, details.endToEndId) &&
    isSameText(deposit.traceNumber, details.traceNumber) &&
    isSameText(deposit.sender?.accountIdentifier, details.sender?.accountIdentifier)
  )
}

/** A value that is missing on one side does not contradict the other. */
function isSameText(first: string | undefined, second: string | undefined): boolean {
  return first === undefined || second === undefined || first.trim() === second.trim()
}

function judgeReversal(evidence: ReversalEvidence, { rail, deposit }: Expected): Verdict {
  if (deposit?.rail !== rail.name || deposit.rail_reference !== evidence.subject)
    return toHeld('UNKNOWN_DEPOSIT')
  return isSameMoney(evidence, { ...deposit, amount: getBookedAmount(deposit) })
    ? APPLY
    : toHeld('OTHER_AMOUNT')
}

/** True if the claim states the amount and currency of the record, or omits them. */
function isSameMoney(
  { amount, currency }: Pick<Evidence, 'amount' | 'currency'>,
  record: { readonly amount: bigint; readonly currency: string },
): boolean {
  return (amount === null || amount === record.amount) && (currency === null || currency === record.currency)
}

function toHeld(reason: RailEventReason): Verdict {
  return { effect: 'hold', reason }
}
