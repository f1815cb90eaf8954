import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { amountText } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findActionOf } from '../../kernel/transactions/agent-action.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import type { CardTransactionRow } from '../../storage/rows/card.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import type { DepositRow, PaymentDecisionRow } from '../../storage/rows/rail.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { agentSteps } from './explain-agents.ts'
import { cardSignatures, walletSignature } from './explain-signatures.ts'
import { describeParty, findPayee, findPayer, toSender } from './parties.ts'
import type { Step } from './steps.ts'
import { selectLedgerAccount, selectPaymentDecisions, selectPurchase } from './store.ts'

/**
 * Explains a transfer step by step, from the ledger entry back to the person who approved it, as far as the
 * steps are recorded.
 */
export async function explain(op: Op, transfer: LedgerTransferRow): Promise<Step[]> {
  const entry = await entryStep(op, transfer)
  switch (transfer.cause) {
    case 'quote': {
      const quote = await findQuote(op, transfer.cause_id)
      return [entry, ...(await paymentSteps(op, await findTransaction(op, quote.transaction_id), quote))]
    }
    case 'transaction': {
      const transaction = await findTransaction(op, transfer.cause_id)
      const { quote_id } = transaction
      const quote = quote_id === null ? undefined : await findQuote(op, quote_id)
      return [entry, ...(await paymentSteps(op, transaction, quote))]
    }
    case 'card_transaction': {
      const purchase = await selectPurchase(op, transfer.cause_id)
      return purchase ? [entry, purchaseStep(purchase), ...(await cardSignatures(op, purchase))] : [entry]
    }
    case 'deposit': {
      const deposit = await findDepositRow(op, transfer.cause_id)
      return [entry, deposit ? depositStep(deposit) : causeStep(transfer)]
    }
    default:
      return [entry, causeStep(transfer)]
  }
}

async function entryStep(op: Op, transfer: LedgerTransferRow): Promise<Step> {
  const { id, state, amount, currency, debit_account_id, credit_account_id, created_at, ended_at } = transfer
  const [from, to] = await Promise.all([
    describeLedgerAccount(op, debit_account_id),
    describeLedgerAccount(op, credit_account_id),
  ])
  const words = { pending: 'is held of', posted: 'went from', voided: 'was held of' }[state]
  const rest = { pending: `, to go to ${to}`, posted: ` to ${to}`, voided: ', and given back' }[state]
  return {
    step: 'ENTRY',
    id,
    state,
    at: (ended_at ?? created_at).toISOString(),
    summary: `${amountText(amount, currency)} ${words} ${from}${rest}.`,
  }
}

/** Describes a ledger account. */
async function describeLedgerAccount(op: Op, accountId: string): Promise<string> {
  const account = await selectLedgerAccount(op, accountId)
  return account?.name ? `the platform's account “${account.name}” in ${account.currency}` : accountId
}

/** A cause without further steps, such as sandbox money or an operator's booking. */
function causeStep({ cause, cause_id, created_at }: LedgerTransferRow): Step {
  const summary =
    cause === 'sandbox_fund'
      ? 'The sandbox put money on the account: POST /sandbox/internal-accounts/{accountId}/fund.'
      : cause === 'statement'
        ? 'An entry of the statement of a rail, such as a fee or interest.'
        : cause === 'match'
          ? 'The difference of a match of lines of statements with payments: GET /reconciliation-matches. Undone if it is here twice.'
          : cause === 'treasury_movement'
            ? 'Money between the treasury of a chain and cold storage: GET /platform/treasury-movements. Taken back if it is here twice.'
            : `Caused by a record of the kind ${cause}.`
  return { step: 'CAUSE', id: cause_id, at: created_at.toISOString(), summary }
}

function depositStep({ id, state, reason, rail, rail_reference, details, updated_at }: DepositRow): Step {
  const from = describeParty(toSender(details)) || 'somebody who is not named'
  const why = reason === null ? '' : ` (${reason})`
  return {
    step: 'CAUSE',
    id,
    state,
    at: updated_at.toISOString(),
    summary: `A deposit from ${from}, by the rail ${rail}, which calls it ${rail_reference}. It is ${state}${why}.`,
  }
}

async function paymentSteps(
  op: Op,
  transaction: TransactionWithCustomer,
  quote: QuoteRow | undefined,
): Promise<Step[]> {
  const action = await findActionOf(op, transaction)
  return [
    await transactionStep(op, transaction, quote),
    ...(await selectPaymentDecisions(op, transaction.id)).map(decisionStep),
    ...(quote ? [quoteStep(quote)] : []),
    ...(action ? await agentSteps(op, action) : []),
    ...(quote?.signing_request_id ? await walletSignature(op, quote.signing_request_id) : []),
  ]
}

async function transactionStep(
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
  const words = (amount: bigint | null, currency: KnownCurrency | null) =>
    amount === null || currency === null ? 'money' : amountText(amount, currency)
  const from = `from ${describeParty(await findPayer(op, transaction)) || 'outside'}`
  if (kind === 'RECEIPT') return `Receive ${words(received_amount, received_currency)} ${from}`
  if (kind === 'TRANSFER_IN') return `Pull ${words(received_amount, received_currency)} ${from}`
  const to = describeParty(await findPayee(op, transaction, quote)) || 'outside'
  const arrives = words(received_amount, received_currency)
  return quote
    ? `Pay ${words(sent_amount, sent_currency)} ${from}, so that ${to} receives ${arrives}`
    : `Send ${words(sent_amount, sent_currency)} ${from} to ${to}`
}

function decisionStep(row: PaymentDecisionRow): Step {
  const { id, outcome, amount, currency, charge, actor_name, actor_type, reason, created_at } = row
  const costs = charge === 0n ? '' : `, with a charge of ${amountText(charge, currency)}`
  const payment = `the payment of ${amountText(amount, currency)}`
  const decided =
    outcome === 'REVERSAL' ? `asked for ${payment} back` : `decided that ${payment} is ${outcome}${costs}`
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
  const sends = amountText(sending_amount, sending_currency)
  const receives = amountText(receiving_amount, receiving_currency)
  const rate =
    sending_currency === receiving_currency
      ? ''
      : `, ${quote.pricing.exchangeRate} smallest units sent for one received`
  return {
    step: 'QUOTE',
    id: quote.id,
    state: quote.state,
    at: quote.created_at.toISOString(),
    summary: `${sends} for ${receives}, of which ${amountText(fees, sending_currency)} are fees${rate}.`,
  }
}

function purchaseStep(purchase: CardTransactionRow): Step {
  const { id, state, merchant, currency, authorized_amount, settled_amount, refunded_amount } = purchase
  const words = (amount: bigint) => amountText(amount, currency)
  return present({
    step: 'CARD_TRANSACTION' as const,
    id,
    state,
    at: purchase.authorized_at.toISOString(),
    summary:
      `A purchase at ${merchant.descriptor} with the card ${purchase.card_id}: ${words(authorized_amount)} authorized, ` +
      `${words(settled_amount)} claimed, ${words(refunded_amount)} given back.`,
  })
}
