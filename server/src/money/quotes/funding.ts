import { present } from '@countersign/contract/core/objects'
import type { OUTGOING_FAILURE_REASONS } from '@countersign/contract/payments/transactions'
import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { checkFitsBalance, fitsBalance } from '../../kernel/ledger/balances.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { announceRefund, moveTransaction, newRefund } from '../../kernel/transactions/moves.ts'
import type { TransactionWithCustomer } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { checkPosition } from '../prices/positions.ts'
import { beginSettlement, checkParties } from './execute-quote.ts'
import { refundJob } from './jobs.ts'
import { buildFundingLegs } from './settlement.ts'

/**
 * Handles the payment of a quote with real-time funding. Executes the quote if the amount is exact, payer and
 * payee exist, and the platform's position limit allows it; otherwise fails it and refunds the payment.
 * `amount` is in the sending currency; throws 400 `AMOUNT_OUT_OF_RANGE`, naming `field`.
 */
export async function receiveFunding(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionWithCustomer,
  amount: bigint,
  field: string,
  deposit?: string,
): Promise<{ readonly transaction: TransactionWithCustomer; readonly writes: readonly Write[] }> {
  const { failureReason, guards } = await findFailure(op, quote, amount)
  const ledgerSystem = failureReason === undefined ? 'clearing' : 'refunds'
  const legs = buildFundingLegs(quote, ledgerSystem, amount)
  await checkFitsBalance(op, legs, field)
  const arrivalWrites = post(op, { cause: 'quote', causeId: quote.id }, legs)
  if (failureReason === undefined) {
    const details = { ...transaction.details, ...present({ deposit }) }
    const beginResult = beginSettlement(op, quote, transaction, { details })
    return {
      transaction: beginResult.transaction,
      writes: [...guards, ...arrivalWrites, ...beginResult.writes],
    }
  }
  const failed = moveTransaction(op, transaction, 'fail', {
    failure_reason: failureReason,
    refund: newRefund(op, 'TRANSACTION_FAILED'),
    details: { ...transaction.details, ...present({ deposit }), fundedAmount: amount },
  })
  return {
    transaction: failed.row,
    writes: [
      ...arrivalWrites,
      transition(op, 'quotes', QUOTE_TRANSITIONS, quote, 'fail').write,
      ...failed.writes,
      announceRefund(op, failed.row),
      refundJob(op, failed.row),
    ],
  }
}

/** True if the platform's balances stay in range whether the payment executes the quote or is refunded. */
export async function fitsFunding(op: Op, quote: QuoteRow, amount: bigint): Promise<boolean> {
  const [fitsPayment, fitsRefund] = await Promise.all([
    fitsBalance(op, buildFundingLegs(quote, 'clearing', amount)),
    fitsBalance(op, buildFundingLegs(quote, 'refunds', amount)),
  ])
  return fitsPayment && fitsRefund
}

/**
 * Finds the reason why a payment that arrived cannot execute its quote, if any, and the guards of the checks.
 */
async function findFailure(
  op: Op,
  quote: QuoteRow,
  amount: bigint,
): Promise<{
  readonly failureReason?: (typeof OUTGOING_FAILURE_REASONS)[number]
  readonly guards: readonly Write[]
}> {
  if (amount !== quote.sending_amount) return { failureReason: 'FUNDING_AMOUNT_MISMATCH', guards: [] }
  try {
    const guards = await checkParties(op, quote)
    await checkPosition(op, quote)
    return { guards }
  } catch (error) {
    if (error instanceof ApiError) return { failureReason: 'QUOTE_EXECUTION_FAILED', guards: [] }
    throw error
  }
}
