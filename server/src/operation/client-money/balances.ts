import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { ClientMoneyReason, LEDGER_REASONS } from '@countersign/contract/operation/client-money'
import type { StoredClientMoney, StoredRail } from '../../storage/rows/accounting.ts'
import type { ComparedStatement, KindBalance } from './store.ts'

type LedgerReason = keyof typeof LEDGER_REASONS

/**
 * Ledger accounts whose balances explain a difference between held and owed money, by name. Amounts that
 * customers owe the platform reduce the money held at the rails.
 */
const REASONS_BY_NAME: Readonly<Record<string, { readonly reason: LedgerReason; readonly sign: 1n | -1n }>> =
  {
    clearing: { reason: 'PAYMENTS_IN_PROGRESS', sign: 1n },
    refunds: { reason: 'REFUNDS_IN_PROGRESS', sign: 1n },
    suspense: { reason: 'UNASSIGNED_DEPOSITS', sign: 1n },
    fees: { reason: 'FEES_EARNED', sign: 1n },
    fx: { reason: 'CONVERSIONS', sign: 1n },
    receivables: { reason: 'RECEIVABLES', sign: -1n },
    costs: { reason: 'RAIL_COSTS', sign: -1n },
  }

interface Reason {
  readonly reason: ClientMoneyReason
  readonly amount: bigint
  readonly rail?: string
}

/** Builds the report of each currency from the balances at a time and the latest statement of each rail. */
export function buildClientMoney(
  balances: readonly KindBalance[],
  statements: readonly ComparedStatement[],
): StoredClientMoney[] {
  const currencies = [...new Set(balances.map(({ currency }) => currency))]
  return currencies.flatMap((currency) => {
    const report = buildCurrencyReport(
      currency,
      balances.filter((one) => one.currency === currency),
      statements.filter((one) => one.currency === currency),
    )
    return isEmpty(report) ? [] : [report]
  })
}

function buildCurrencyReport(
  currency: KnownCurrency,
  balances: readonly KindBalance[],
  statements: readonly ComparedStatement[],
): StoredClientMoney {
  const customers = balances.filter(({ name, isOwn }) => name === null && !isOwn)
  const owed = sum(customers.map(({ posted }) => posted))
  const rails = balances.filter(({ name }) => name !== null && isRail(name))
  const statementDifferences = statements.flatMap(listStatementReasons)
  const held = sum(rails.map(({ posted }) => posted)) + sum(statementDifferences.map(({ amount }) => amount))
  const reasons = [...listLedgerReasons(balances), ...statementDifferences]
  const unexplained = held - owed - sum(reasons.map(({ amount }) => amount))
  const all: readonly Reason[] =
    unexplained === 0n ? reasons : [...reasons, { reason: 'UNACCOUNTED', amount: unexplained }]
  return {
    currency,
    owed: String(owed),
    onHold: String(sum(customers.map((one) => one.held))),
    held: String(held),
    difference: String(held - owed),
    reasons: all.map(({ amount, ...reason }) => ({ ...reason, amount: String(amount) })),
    rails: rails.map((one) => buildRailReport(one, statements)),
  }
}

/** The balances in the ledger that are not owed to customers. */
function listLedgerReasons(balances: readonly KindBalance[]): Reason[] {
  return balances.flatMap(({ name, isOwn, posted }): Reason[] => {
    if (posted === 0n) return []
    if (name === null) return isOwn ? [{ reason: 'PLATFORM_MONEY', amount: posted }] : []
    const found = REASONS_BY_NAME[name]
    return found ? [{ reason: found.reason, amount: found.sign * posted }] : []
  })
}

/** The open differences of a statement, summed up per reason. */
function listStatementReasons({ rail, differences }: ComparedStatement): Reason[] {
  const byReason = new Map<ClientMoneyReason, bigint>()
  for (const { reason, amount } of differences)
    byReason.set(reason, (byReason.get(reason) ?? 0n) + BigInt(amount))
  return [...byReason].flatMap(([reason, amount]) => (amount === 0n ? [] : [{ reason, amount, rail }]))
}

function buildRailReport(
  { name, posted }: KindBalance,
  statements: readonly ComparedStatement[],
): StoredRail {
  const rail = (name ?? '').replace(/^rail:/, '')
  const found = statements.find((one) => one.rail === rail)
  const difference = found ? sum(listStatementReasons(found).map(({ amount }) => amount)) : 0n
  return {
    rail,
    ledgerBalance: String(posted),
    held: String(posted + difference),
    ...present({ statement: found && buildStatementReport(found) }),
  }
}

function buildStatementReport({ date, closing, balance }: ComparedStatement) {
  const closingBalance = closing ?? 0n
  return {
    date,
    closingBalance: String(closingBalance),
    difference: String(closingBalance - (balance ?? 0n)),
  }
}

function isRail(name: string): boolean {
  return name === 'rail' || name.startsWith('rail:')
}

function isEmpty({ owed, held, reasons, rails }: StoredClientMoney): boolean {
  return owed === '0' && held === '0' && reasons.length === 0 && rails.length === 0
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
