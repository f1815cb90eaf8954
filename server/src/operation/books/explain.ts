import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findAgentAction } from '../../kernel/transactions/agent-action.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import type { DepositRow, PaymentDecisionRow } from '../../storage/rows/rail.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { buildAgentSteps } from './explain-agents.ts'
import { explainCardSignatures, explainWalletSignature } from './explain-signatures.ts'
import { describeParty, findPayee, findPayer, toSender } from './parties.ts'
import type { Step } from './steps.ts'
import { selectLedgerAccount, selectPaymentDecisions, selectPurchase } from './store.ts'

/**
 * Explains a transfer step by step, from the ledger entry back to the person who approved it. Steps that were
 * not recorded are left out.
 */
export async function explain(op: Op, transfer: LedgerTransferRow): Promise<Step[]> {
  const entry = await buildEntryStep(op, transfer)
  switch (transfer.cause) {
    case 'quote': {
      const quote = await findQuote(op, transfer.cause_id)
      return [entry, ...(await buildPaymentSteps(op, await findTransaction(op, quote.transaction_id), quote))]
    }
    case 'transaction': {
      const transaction = await findTransaction(op, transfer.cause_id)
      const { quote_id } = transaction
      const quote = quote_id === null ? undefined : await findQuote(op, quote_id)
      return [entry, ...(await buildPaymentSteps(op, transaction, quote))]
    }
    case 'card_transaction': {
      const purchase = await selectPurchase(op, transfer.cause_id)
      return purchase
        ? [entry, buildPurchaseStep(purchase), ...(await explainCardSignatures(op, purchase))]
        : [entry]
    }
    case 'deposit': {
      const deposit = await findDepositRow(op, transfer.cause_id)
      return [entry, deposit ? buildDepositStep(deposit) : buildCauseStep(transfer)]
    }
    default:
      return [entry, buildCauseStep(transfer)]
  }
}

async function buildEntryStep(op: Op, transfer: LedgerTransferRow): Promise<Step> {
  const { id, state, amount, currency, debit_account_id, credit_account_id, created_at, ended_at } = transfer
  const [from, to] = await Promise.all([
    describeLedgerAccount(op, debit_account_id),
    describeLedgerAccount(op, credit_account_id),
  ])
  const verb = { pending: 'is held on', posted: 'moved from', voided: 'was held on' }[state]
  const purpose = { pending: ` for ${to}`, posted: ` to ${to}`, voided: ' and then released' }[state]
  return {
    step: 'ENTRY',
    id,
    state,
    at: (ended_at ?? created_at).toISOString(),
    summary: `${formatCurrencyAmount(amount, currency)} ${verb} ${from}${purpose}.`,
  }
}

async function describeLedgerAccount(op: Op, accountId: string): Promise<string> {
  const account = await selectLedgerAccount(op, accountId)
  return account?.name ? `the platform's account “${account.name}” in ${account.currency}` : accountId
}

/** A cause without further steps, such as sandbox funding or an operator's booking. */
function buildCauseStep({ cause, cause_id, created_at }: LedgerTransferRow): Step {
  const summary =
    cause === 'sandbox_fund'
      ? 'The account was funded in the sandbox: POST /sandbox/internal-accounts/{accountId}/fund.'
      : cause === 'statement'
        ? 'A rail statement entry, such as a fee or interest.'
        : cause === 'match'
          ? 'The difference of a reconciliation match: GET /reconciliation-matches. If it is listed twice, the match was undone.'
          : cause === 'treasury_movement'
            ? "A movement between a chain's treasury and cold storage: GET /platform/treasury-movements. If it is listed twice, it was reversed."
            : `Caused by a record of kind ${cause}.`
  return { step: 'CAUSE', id: cause_id, at: created_at.toISOString(), summary }
}

function buildDepositStep({
  id,
  state,
  reason,
  rail,
  rail_reference,
  details,
  updated_at,
}: DepositRow): Step {
  const from = describeParty(toSender(details)) || 'an unnamed sender'
  const why = reason === null ? '' : ` (${reason})`
  return {
    step: 'CAUSE',
    id,
    state,
    at: updated_at.toISOString(),
    summary: `A deposit from ${from} on rail ${rail}, with rail reference ${rail_reference}. It is ${state}${why}.`,
  }
}

async function buildPaymentSteps(
  op: Op,
  transaction: TransactionWithCustomer,
  quote: QuoteRow | undefined,
): Promise<Step[]> {
  const action = await findAgentAction(op, transaction)
  return [
    await buildTransactionStep(op, transaction, quote),
    ...(await selectPaymentDecisions(op, transaction.id)).map(buildDecisionStep),
    ...(quote ? [quoteStep(quote)] : []),
    ...(action ? await buildAgentSteps(op, action) : []),
    ...(quote?.signing_request_id ? await explainWalletSignature(op, quote.signing_request_id) : []),
  ]
}

async function buildTransactionStep(
  op: Op,
  transaction: TransactionWithCustomer,
  quote: QuoteRow | undefined,
): Promise<Step> {
  const { id, state, settled_at, updated_at, reference, failure_reason } = transaction
  const ending = failure_reason === null ? '' : ` It failed: ${failure_reason}.`
  return {
    step: 'TRANSACTION',
    id,
    state,
    at: (settled_at ?? updated_at).toISOString(),
    summary: `${await describePayment(op, transaction, quote)}. Reference ${reference}.${ending}`,
  }
}

/** Describes a payment, even if one of its accounts was deleted later. */
async function describePayment(
  op: Op,
  transaction: TransactionWithCustomer,
  quote: QuoteRow | undefined,
): Promise<string> {
  const { kind, sent_amount, sent_currency, received_amount, received_currency } = transaction
  const formatMoney = (amount: bigint | null, currency: KnownCurrency | null) =>
    amount === null || currency === null ? 'money' : formatCurrencyAmount(amount, currency)
  const from = `from ${describeParty(await findPayer(op, transaction)) || 'outside'}`
  if (kind === 'RECEIPT') return `Receive ${formatMoney(received_amount, received_currency)} ${from}`
  if (kind === 'TRANSFER_IN') return `Pull ${formatMoney(received_amount, received_currency)} ${from}`
  const to = describeParty(await findPayee(op, transaction, quote)) || 'outside'
  const arrives = formatMoney(received_amount, received_currency)
  return quote
    ? `Pay ${formatMoney(sent_amount, sent_currency)} ${from}, so that ${to} receives ${arrives}`
    : `Send ${formatMoney(sent_amount, sent_currency)} ${from} to ${to}`
}

function buildDecisionStep(row: PaymentDecisionRow): Step {
  const { id, outcome, amount, currency, charge, actor_name, actor_type, reason, created_at } = row
  const costs = charge === 0n ? '' : ` with a charge of ${formatCurrencyAmount(charge, currency)}`
  const payment = `the payment of ${formatCurrencyAmount(amount, currency)}`
  const decided =
    outcome === 'REVERSAL'
      ? `requested the reversal of ${payment}`
      : `decided that ${payment} is ${outcome}${costs}`
  return {
    step: 'DECISION',
    id,
    state: outcome,
    at: created_at.toISOString(),
    summary: `${actor_name ?? actor_type} ${decided}: ${reason}`,
  }
}

function quoteStep(quote: QuoteRow): Step {
  const { sending_currency, receiving_currency, sending_amount, receiving_amount, fees } = quote
  const sends = formatCurrencyAmount(sending_amount, sending_currency)
  const receives = formatCurrencyAmount(receiving_amount, receiving_currency)
  const rate =
    sending_currency === receiving_currency
      ? ''
      : `, at a rate of ${quote.pricing.exchangeRate} smallest units sent per unit received`
  return {
    step: 'QUOTE',
    id: quote.id,
    state: quote.state,
    at: quote.created_at.toISOString(),
    summary: `${sends} for ${receives}, including ${formatCurrencyAmount(fees, sending_currency)} in fees${rate}.`,
  }
}

function buildPurchaseStep(purchase: CardTransactionRow): Step {
  const { id, state, merchant, currency, authorized_amount, settled_amount, refunded_amount } = purchase
  const format = (amount: bigint) => formatCurrencyAmount(amount, currency)
  return present({
    step: 'CARD_TRANSACTION' as const,
    id,
    state,
    at: purchase.authorized_at.toISOString(),
    summary:
      `A purchase at ${merchant.descriptor} with ${purchase.card_id}: ${format(authorized_amount)} authorized, ` +
      `${format(settled_amount)} settled, ${format(refunded_amount)} refunded.`,
  })
}
