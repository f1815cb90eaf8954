import type { App } from '../op/app.ts'
import type { Rail } from '../ports/rail.ts'
import { currenciesOf, type Reconciled, reconcileNow } from '../reconciliations/ask.ts'
import { BOOKED_AS, type BookedAs, bookEntry } from '../reconciliations/book-entry.ts'
import { isDate, lastEnded } from '../reconciliations/days.ts'
import type { AdminCommand } from './commands.ts'

/** Differences of one day that the command shows: the socket of a running server takes short answers. */
const DIFFERENCES_SHOWN_MAX = 50

/** The operator's commands about statements of rails. */
export const RECONCILIATION_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'reconciliation run': {
    usage: 'reconciliation run [--rail NAME] [--date YYYY-MM-DD]',
    options: { rail: { type: 'string' }, date: { type: 'string' } },
    required: [],
    check: ({ date }) => {
      if (date !== undefined && !isDate(String(date))) throw new Error('--date must be like 2026-03-01')
    },
    run: async (app, { rail, date }) => {
      const rails = app.rails.list().filter(({ name }) => rail === undefined || name === rail)
      if (rail !== undefined && rails.length === 0) throw new Error(`There is no rail ${rail} in RAILS_FILE.`)
      const data: object[] = []
      for (const one of rails)
        data.push(...(await run(app, one, date === undefined ? undefined : String(date))))
      return { data }
    },
  },
  'reconciliation book': {
    usage: 'reconciliation book --entry ID --as fx|costs',
    options: { entry: { type: 'string' }, as: { type: 'string' } },
    required: ['entry', 'as'],
    check: ({ as }) => void bookedAs(String(as)),
    run: async (app, { entry, as }) => bookEntry(app, String(entry), bookedAs(String(as))),
  },
}

async function run(app: App, rail: Rail, date: string | undefined): Promise<object[]> {
  const day = date ?? lastEnded(app.clock(), rail)
  const shown: object[] = []
  for (const currency of currenciesOf(rail)) {
    const found = await reconcileNow(app, rail, currency, day)
    if (found) shown.push(inJson(found))
  }
  return shown
}

/** Reads what an entry is booked as. */
function bookedAs(text: string): BookedAs {
  const found = BOOKED_AS.find((one) => one === text)
  if (!found) throw new Error(`--as takes ${BOOKED_AS.join(' or ')}, not ${text}`)
  return found
}

/** Amounts as texts of digits: the command's JSON is read by any program. */
function inJson({ id, rail, date, currency, status, statement, ledger, ...rest }: Reconciled): object {
  return {
    id,
    rail,
    date,
    currency: currency.code,
    status,
    closingBalance: statement ? String(statement.closingBalance) : null,
    ledgerBalance: ledger ? String(ledger.balance) : null,
    difference: rest.difference === undefined ? null : String(rest.difference),
    differenceCount: rest.differenceCount,
    differences: rest.differences
      .slice(0, DIFFERENCES_SHOWN_MAX)
      .map(({ reason, amount, ageDays, about }) => ({ reason, amount: String(amount), ageDays, about })),
  }
}
