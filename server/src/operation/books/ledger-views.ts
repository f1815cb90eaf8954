import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { findTransaction, toMoney } from '../../kernel/transactions/transactions.ts'
import { findQuote } from '../../money/quotes/quotes.ts'
import type { LedgerTransferRow } from '../../storage/rows/ledger.ts'
import { findBalancesAt } from './balances.ts'
import { type ListedAccount, selectLedgerAccount } from './store.ts'

/** Ledger accounts as the API shows them, with their balances now or at the given time. */
export async function toLedgerAccountViews(op: Op, rows: readonly ListedAccount[], asOf: string | undefined) {
  const balancesThen =
    asOf === undefined
      ? undefined
      : await findBalancesAt(
          op,
          rows.map(({ id }) => id),
          new Date(asOf),
        )
  return rows.map((row) => {
    const { posted, held } = balancesThen?.get(row.id) ?? row
    return present({
      id: row.id,
      name: row.name,
      owner: row.owner,
      currency: toCurrencyRecord(row.currency),
      normalSide: row.normal_side,
      posted,
      held,
      isClosed: row.is_closed,
    })
  })
}

/** A transfer as the API shows it. System accounts are shown with their names. */
export async function toLedgerTransferView(op: Op, row: LedgerTransferRow) {
  const [debit, credit] = await Promise.all([
    toSide(op, row.debit_account_id),
    toSide(op, row.credit_account_id),
  ])
  return present({
    id: row.id,
    state: row.state,
    debit,
    credit,
    amount: toMoney(row.amount, row.currency),
    cause: { type: row.cause, id: row.cause_id },
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString(),
  })
}

async function toSide(op: Op, accountId: string) {
  const account = await selectLedgerAccount(op, accountId)
  return present({ accountId, name: account?.name })
}

/** The cause ids that a payment's transfers may have, from its transaction and its quote. */
export async function findCauses(op: Op, id: string): Promise<readonly string[]> {
  try {
    if (id.startsWith('Quote:')) return [id, (await findQuote(op, id)).transaction_id]
    if (!id.startsWith('Transaction:')) return [id]
    const { quote_id } = await findTransaction(op, id)
    return quote_id === null ? [id] : [id, quote_id]
  } catch (error) {
    // No payment has this id, so no transfer does either.
    if (error instanceof ApiError) return [id]
    throw error
  }
}
