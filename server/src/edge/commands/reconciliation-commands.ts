import type { App } from '../../kernel/operation/app.ts'
import { type Rail, withColdStorage } from '../../kernel/ports/rail.ts'
import { bookEntry } from '../../operation/reconciliations/book-entry.ts'
import { lastEnded } from '../../operation/reconciliations/days.ts'
import {
  listCurrencies,
  type Reconciled,
  reconcileNow,
} from '../../operation/reconciliations/statement-polling.ts'
import type { AdminCommands } from './admin-command.ts'
import { readBookedAs } from './forms.ts'

/** The maximum number of differences shown per day. */
const DIFFERENCES_SHOWN_MAX = 50

/** The operator's commands for rail statements. */
export const RECONCILIATION_COMMANDS = {
  'reconciliation run': async (app, { rail, date }) => {
    const rails = withColdStorage(app.rails.list()).filter(({ name }) => rail === undefined || name === rail)
    if (rail !== undefined && rails.length === 0) throw new Error(`Rail ${rail} not found in RAILS_FILE.`)
    const data: object[] = []
    for (const selectedRail of rails)
      data.push(...(await reconcileRail(app, selectedRail, date === undefined ? undefined : String(date))))
    return { data }
  },
  'reconciliation book': async (app, { entry, as }) =>
    bookEntry(app, String(entry), readBookedAs(String(as))),
} satisfies AdminCommands

async function reconcileRail(app: App, rail: Rail, date: string | undefined): Promise<object[]> {
  const day = date ?? lastEnded(app.clock(), rail)
  const reconciledDays: object[] = []
  for (const currency of listCurrencies(rail)) {
    const found = await reconcileNow(app, rail, currency, day)
    if (found) reconciledDays.push(toJsonRecord(found))
  }
  return reconciledDays
}

/** Formats amounts as strings of digits, so that any program can read the JSON. */
function toJsonRecord({
  id,
  rail,
  date,
  currency,
  status,
  statement,
  ledger,
  ...result
}: Reconciled): object {
  return {
    id,
    rail,
    date,
    currency: currency.code,
    status,
    closingBalance: statement ? String(statement.closingBalance) : null,
    ledgerBalance: ledger ? String(ledger.balance) : null,
    difference: result.difference === undefined ? null : String(result.difference),
    differenceCount: result.differenceCount,
    differences: result.differences
      .slice(0, DIFFERENCES_SHOWN_MAX)
      .map(({ reason, amount, ageDays, about }) => ({ reason, amount: String(amount), ageDays, about })),
  }
}
