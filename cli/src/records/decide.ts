import { isObject } from '@countersign/contract/core/decode'
import { PAYMENT_OUTCOMES, type PaymentOutcome } from '@countersign/contract/operation/payment-decisions'
import type { Answer, ItemOf } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { findCurrency, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { type Column, printRecords } from '../terminal/records.ts'
import { toPlainText } from '../terminal/table.ts'

export interface DecideOptions {
  readonly outcome: PaymentOutcome
  readonly reason: string
  readonly note?: string
  readonly line?: readonly string[]
  readonly document?: string
  /** In whole units, such as 2.50. */
  readonly charge?: string
  readonly report?: string
  readonly yes?: boolean
}

type Decision = ItemOf<'transaction_decision_list'>
type Payment = Answer<'transaction_get'>['body']

/** Describes each outcome's effect in the confirmation. */
const EFFECTS: Readonly<Record<PaymentOutcome, string>> = {
  DELIVERED: 'It counts as paid to',
  FAILED: 'The payer gets the money back. Nothing was paid to',
  RETURNED: 'The payer gets the money back. It was returned from',
  REVERSAL: 'The bank of the payee is asked to return it by ACH, and no money moves yet. It was paid to',
}

/** Reads an outcome, ignoring case. Throws Failure if it is unknown. */
export function readOutcome(text: string): PaymentOutcome {
  const outcome = PAYMENT_OUTCOMES.find((candidate) => candidate === text.toUpperCase())
  if (!outcome) throw new Failure(`--outcome must be one of ${PAYMENT_OUTCOMES.join(', ')}, not "${text}".`)
  return outcome
}

/** `countersign transactions decide` */
export async function decidePayment(shell: Shell, id: string, options: DecideOptions): Promise<void> {
  const { countersign } = shell
  const { outcome, reason, note, line, document, report, yes } = options
  if (note === undefined && line === undefined && document === undefined)
    throw new Failure('Evidence is required: --note, --line or --document.')
  const payment = await countersign.transactions.get(id)
  const amount = payment.receivedAmount ?? payment.sentAmount
  if (!amount) throw new Failure(`${id} has no amount.`)
  const charge = options.charge === undefined ? undefined : readCharge(options.charge, amount.currency.code)
  const costs = charge
    ? ` Costs of ${formatAmount(charge.amount, findCurrency(charge.currency))} are booked.`
    : ''
  const amountText = formatAmount(amount.amount, findCurrency(amount.currency.code))
  const payee = await describePayee(shell, payment)
  await confirmAction(`Decide ${amountText} ${outcome}? ${EFFECTS[outcome]} ${payee}.${costs}`, yes)
  const result = await countersign.transactions.decide(id, {
    outcome,
    reason,
    evidence: {
      ...(note === undefined ? {} : { note }),
      ...(line === undefined ? {} : { statementEntryIds: [...line] }),
      ...(document === undefined ? {} : { documentId: document }),
    },
    ...(charge ? { charge } : {}),
    ...(report === undefined ? {} : { railEventId: report }),
  })
  printResult(shell, result, [
    result.decision?.status === 'DECIDED'
      ? `${amountText} to ${payee}: decided ${outcome} with ${result.decision.id}`
      : 'Your vote is recorded. The decision takes effect once enough members agree.',
  ])
}

function readCharge(text: string, code: string) {
  const currency = findCurrency(code)
  const amount = parseAmount(text, currency)
  if (amount === undefined || amount === 0n)
    throw new Failure(`--charge must be an amount in ${code}, such as 2.50, not "${text}".`)
  return { amount, currency: code }
}

/** Describes the payee as far as the platform knows it. */
async function describePayee({ countersign }: Shell, { destination }: Payment): Promise<string> {
  if ('umaAddress' in destination) return toPlainText(destination.umaAddress)
  if (!('accountId' in destination)) return 'the payee'
  const { accountId } = destination
  if (!accountId.startsWith('ExternalAccount:')) return accountId
  const { accountInfo } = await countersign.externalAccounts.get(accountId)
  const beneficiary = 'beneficiary' in accountInfo ? accountInfo.beneficiary : undefined
  const name = isObject(beneficiary) ? (beneficiary.fullName ?? beneficiary.legalName) : undefined
  return typeof name === 'string' ? `${toPlainText(name)} (${accountId})` : accountId
}

const COLUMNS: readonly Column<Decision>[] = [
  ['DECIDED', ({ createdAt }) => createdAt],
  ['STATUS', ({ status }) => status],
  ['OUTCOME', ({ outcome }) => outcome],
  ['CHARGE', ({ charge }) => (charge ? formatAmount(charge.amount, findCurrency(charge.currency.code)) : '')],
  ['REVERSAL', ({ reversal }) => [reversal?.status, reversal?.failure].filter(Boolean).join(': ')],
  ['BY', ({ decidedBy }) => decidedBy.name ?? decidedBy.type],
  ['REASON', ({ reason }) => reason],
]

/** `countersign transactions decisions` */
export async function listDecisions(shell: Shell, id: string): Promise<void> {
  const data: Decision[] = []
  for await (const decision of shell.countersign.transactions.decisions(id)) data.push(decision)
  const none = 'No decisions about this payment were found.'
  printRecords({ data, hasMore: false }, COLUMNS, { isJson: shell.isJson, none })
}
