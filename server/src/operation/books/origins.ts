import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { payingAccountId } from '../../money/quotes/settlement.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { type Party, payeeOf, payerOf, senderOf } from './parties.ts'
import { selectPurchase } from './store.ts'

/** The meaning of a movement for the account's owner. */
export type MovementKind =
  | 'DEPOSIT'
  | 'PAYMENT_IN'
  | 'PAYMENT_OUT'
  | 'REFUND'
  | 'CARD_PURCHASE'
  | 'CARD_REFUND'
  | 'OTHER'

/** The origin of a movement, as its account's owner sees it. */
export interface Origin {
  readonly kind: MovementKind
  /** The part of the movement that is a fee, without a sign. */
  readonly fee: bigint
  readonly transactionId?: string
  readonly counterparty?: Party
  readonly reference?: string
  readonly description?: string | null
}

/** A movement of an account, posted or held. */
export interface AccountMovement {
  readonly accountId: string
  /** Positive if it adds money. */
  readonly change: bigint
  readonly cause: string
  readonly causeId: string
}

/** A movement's origin. One caused by any other record has only a kind. */
export async function originOf(op: Op, moved: AccountMovement): Promise<Origin> {
  const find = ORIGINS[moved.cause]
  return find ? find(op, moved) : { kind: moved.change > 0n ? 'DEPOSIT' : 'OTHER', fee: 0n }
}

const ORIGINS: Readonly<Record<string, (op: Op, moved: AccountMovement) => Promise<Origin>>> = {
  quote: ofQuote,
  transaction: ofTransaction,
  card_transaction: ofPurchase,
  deposit: ofDeposit,
  sandbox_fund: async () => ({ kind: 'DEPOSIT', fee: 0n, counterparty: { name: 'Sandbox' } }),
}

async function ofQuote(op: Op, moved: AccountMovement): Promise<Origin> {
  const quote = await findQuote(op, moved.causeId)
  const transaction = await findTransaction(op, quote.transaction_id)
  const isPayer = payingAccountId(quote) === moved.accountId
  const counterparty = isPayer ? await payeeOf(op, transaction, quote) : await payerOf(op, transaction)
  // Money that returns to a payer, or is taken back from a payee, undoes the payment.
  const isUndone = isPayer === moved.change > 0n
  const kind = isUndone ? 'REFUND' : isPayer ? 'PAYMENT_OUT' : 'PAYMENT_IN'
  return { kind, fee: isPayer ? feeIn(quote, moved.change) : 0n, counterparty, ...namesOf(transaction) }
}

/** The fee of a payment that left an account whole, or came back whole. */
function feeIn(quote: QuoteRow, change: bigint): bigint {
  const amount = change < 0n ? -change : change
  return amount === quote.sending_amount ? quote.fees : 0n
}

async function ofTransaction(op: Op, moved: AccountMovement): Promise<Origin> {
  const transaction = await findTransaction(op, moved.causeId)
  if (transaction.quote_id !== null)
    return ofQuote(op, { ...moved, cause: 'quote', causeId: transaction.quote_id })
  const isOut = transaction.kind === 'TRANSFER_OUT'
  const isUndone = isOut === moved.change > 0n
  const counterparty = isOut ? await payeeOf(op, transaction) : await payerOf(op, transaction)
  const kind = isUndone ? 'REFUND' : isOut ? 'PAYMENT_OUT' : 'PAYMENT_IN'
  return { kind, fee: 0n, counterparty, ...namesOf(transaction) }
}

function namesOf(transaction: TransactionWithCustomer) {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    description: transaction.remittance_information ?? transaction.description,
  }
}

/** Money that a rail brought in, or that its bank has taken back. */
async function ofDeposit(op: Op, { causeId, change }: AccountMovement): Promise<Origin> {
  const kind = change > 0n ? 'DEPOSIT' : 'REFUND'
  const deposit = await findDepositRow(op, causeId)
  if (!deposit) return { kind, fee: 0n }
  const { details, rail_reference: reference, transaction_id } = deposit
  return {
    kind,
    fee: 0n,
    ...(transaction_id === null ? {} : { transactionId: transaction_id }),
    counterparty: senderOf(details),
    reference,
    description: details.remittanceInformation ?? null,
  }
}

async function ofPurchase(op: Op, { causeId, change }: AccountMovement): Promise<Origin> {
  const kind = change < 0n ? 'CARD_PURCHASE' : 'CARD_REFUND'
  const purchase = await selectPurchase(op, causeId)
  if (!purchase) return { kind, fee: 0n }
  return {
    kind,
    fee: 0n,
    counterparty: { name: purchase.merchant.descriptor },
    reference: purchase.issuer_transaction_token,
  }
}
