import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction, type TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import { getPayingAccountId } from '../../money/quotes/settlement.ts'
import { findDepositRow } from '../../money/rails/deposit-rows.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { findPayee, findPayer, type Party, toSender } from './parties.ts'
import { selectPurchase } from './store.ts'

/** The kind of a movement from the point of view of the account's owner. */
export type MovementKind =
  | 'DEPOSIT'
  | 'PAYMENT_IN'
  | 'PAYMENT_OUT'
  | 'REFUND'
  | 'CARD_PURCHASE'
  | 'CARD_REFUND'
  | 'OTHER'

/** The origin of a movement, as the owner of the account sees it. */
export interface Origin {
  readonly kind: MovementKind
  /** The fee contained in the movement, always positive. */
  readonly fee: bigint
  readonly transactionId?: string
  readonly counterparty?: Party
  readonly reference?: string
  readonly description?: string | null
}

/** A posted or held movement on an account. */
export interface AccountMovement {
  readonly accountId: string
  /** Positive if it adds money to the account. */
  readonly change: bigint
  readonly cause: string
  readonly causeId: string
}

/** The origin of a movement. For causes without details it has only a kind. */
export async function findOrigin(op: Op, movement: AccountMovement): Promise<Origin> {
  const find = ORIGINS[movement.cause]
  return find ? find(op, movement) : { kind: movement.change > 0n ? 'DEPOSIT' : 'OTHER', fee: 0n }
}

const ORIGINS: Readonly<Record<string, (op: Op, movement: AccountMovement) => Promise<Origin>>> = {
  quote: quoteOrigin,
  transaction: findTransactionOrigin,
  card_transaction: findPurchaseOrigin,
  deposit: depositOrigin,
  sandbox_fund: async () => ({ kind: 'DEPOSIT', fee: 0n, counterparty: { name: 'Sandbox' } }),
}

async function quoteOrigin(op: Op, movement: AccountMovement): Promise<Origin> {
  const quote = await findQuote(op, movement.causeId)
  const transaction = await findTransaction(op, quote.transaction_id)
  const isPayer = getPayingAccountId(quote) === movement.accountId
  const counterparty = isPayer ? await findPayee(op, transaction, quote) : await findPayer(op, transaction)
  // Money that returns to the payer or leaves the payee reverses the payment.
  const isReversal = isPayer === movement.change > 0n
  const kind = isReversal ? 'REFUND' : isPayer ? 'PAYMENT_OUT' : 'PAYMENT_IN'
  return {
    kind,
    fee: isPayer ? feeIn(quote, movement.change) : 0n,
    counterparty,
    ...findReferences(transaction),
  }
}

/** The fee if the movement is the full payment or its full refund, otherwise 0. */
function feeIn(quote: QuoteRow, change: bigint): bigint {
  const amount = change < 0n ? -change : change
  return amount === quote.sending_amount ? quote.fees : 0n
}

async function findTransactionOrigin(op: Op, movement: AccountMovement): Promise<Origin> {
  const transaction = await findTransaction(op, movement.causeId)
  if (transaction.quote_id !== null)
    return quoteOrigin(op, { ...movement, cause: 'quote', causeId: transaction.quote_id })
  const isOutgoing = transaction.kind === 'TRANSFER_OUT'
  const isReversal = isOutgoing === movement.change > 0n
  const counterparty = isOutgoing ? await findPayee(op, transaction) : await findPayer(op, transaction)
  const kind = isReversal ? 'REFUND' : isOutgoing ? 'PAYMENT_OUT' : 'PAYMENT_IN'
  return { kind, fee: 0n, counterparty, ...findReferences(transaction) }
}

function findReferences(transaction: TransactionWithCustomer) {
  return {
    transactionId: transaction.id,
    reference: transaction.reference,
    description: transaction.remittance_information ?? transaction.description,
  }
}

/** Money that arrived over a rail, or that the bank reversed. */
async function depositOrigin(op: Op, { causeId, change }: AccountMovement): Promise<Origin> {
  const kind = change > 0n ? 'DEPOSIT' : 'REFUND'
  const deposit = await findDepositRow(op, causeId)
  if (!deposit) return { kind, fee: 0n }
  const { details, rail_reference: reference, transaction_id } = deposit
  return {
    kind,
    fee: 0n,
    ...(transaction_id === null ? {} : { transactionId: transaction_id }),
    counterparty: toSender(details),
    reference,
    description: details.remittanceInformation ?? null,
  }
}

async function findPurchaseOrigin(op: Op, { causeId, change }: AccountMovement): Promise<Origin> {
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
