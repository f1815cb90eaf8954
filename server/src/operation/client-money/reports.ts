import { currencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { utcDay } from '../../base/formats/utc-day.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import { operate } from '../../people/platforms/operate.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { ClientMoneyReportRow, StoredClientMoney } from '../../storage/rows/accounting.ts'
import { clientMoneyOf } from './balances.ts'
import {
  type DuePlatform,
  findDuePlatforms,
  selectBalancesAt,
  selectLatestStatements,
  selectReport,
  selectReportOf,
} from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LOOK_MS = 60_000
/** The delay after a day's end, within which that day's operations are committed. */
const SETTLED_MS = 10 * 60 * 1000
/** The maximum number of missed days for which reports are made after the server was down. */
const MISSED_DAYS_MAX = 31

/** Creates the daily report of each platform, repeatedly in the background. */
export function startClientMoneyReports(app: App): Background {
  return inBackground(
    LOOK_MS,
    () => makeDueReports(app),
    (error) => app.log.error({ err: error }, 'failed to make client-money reports'),
  )
}

/** Creates the missing reports for all past days. Returns their ids. */
export async function makeDueReports(app: App): Promise<string[]> {
  const settled = new Date(app.clock().getTime() - SETTLED_MS)
  const ids: string[] = []
  for (const due of await findDuePlatforms(app.db, settled)) ids.push(...(await makeMissing(app, due)))
  return ids
}

async function makeMissing(app: App, { platform_id, last_date, created_at }: DuePlatform): Promise<string[]> {
  const { now } = await operate(app, platform_id)
  const last = lastEnded(new Date(now.getTime() - SETTLED_MS))
  const ids: string[] = []
  for (const date of missingDays(last_date ?? lastEnded(created_at), last)) {
    const op = await operate(app, platform_id)
    const row = await newReport(op, date)
    const result = await app.commit(op, [insert('client_money_reports', row)])
    // Otherwise another process was faster.
    if (result.done) ids.push(row.id)
  }
  return ids
}

/** The days after another one up to `last`, at most the last `MISSED_DAYS_MAX` of them. */
function missingDays(after: string, last: string): string[] {
  const end = Date.parse(last)
  const first = Date.parse(after) + DAY_MS
  const days: string[] = []
  for (let at = Math.max(first, end - (MISSED_DAYS_MAX - 1) * DAY_MS); at <= end; at += DAY_MS)
    days.push(utcDay(new Date(at)))
  return days
}

/** The last complete day in UTC. */
export function lastEnded(now: Date): string {
  return utcDay(new Date(now.getTime() - DAY_MS))
}

/** Error: 400 `INVALID_INPUT` for an unfinished day, or one before the platform's creation. */
export function checkDate(op: Op, date: string): void {
  if (date > lastEnded(op.now)) throw fieldError('INVALID_INPUT', 'date', `${date} has not ended, in UTC`)
  if (date < lastEnded(op.platform.created_at))
    throw fieldError('INVALID_INPUT', 'date', `${date} is before the platform was created`)
}

/** Error: 404 `CLIENT_MONEY_REPORT_NOT_FOUND`. */
export async function findReport(op: Op, id: string): Promise<ClientMoneyReportRow> {
  const row = await selectReport(op, id)
  if (!row) throw new ApiError('CLIENT_MONEY_REPORT_NOT_FOUND', { details: { field: 'clientMoneyReportId' } })
  return row
}

/** A day's report; undefined if not made yet. */
export async function findReportOf(op: Op, date: string): Promise<ClientMoneyReportRow | undefined> {
  return selectReportOf(op, date)
}

/** A day's signed report. Guard: the day has no report. */
export async function newReport(op: Op, date: string): Promise<ClientMoneyReportRow> {
  const currencies = await currenciesAt(op, date)
  const unsigned = {
    id: op.newId('ClientMoneyReport'),
    platform_id: op.platform.id,
    date,
    currencies,
    created_at: op.now,
  }
  const payload = payloadOf(unsigned)
  return { ...unsigned, payload, signature: op.enclave.signCheckpoint(payload) }
}

/** The balances at the end of a day by the current ledger, with the latest statements up to that day. */
export async function currenciesAt(op: Op, date: string): Promise<StoredClientMoney[]> {
  const [balances, statements] = await Promise.all([
    selectBalancesAt(op, endOf(date)),
    selectLatestStatements(op, date),
  ])
  return clientMoneyOf(balances, statements)
}

/** A report's signed text: JSON, its fields in this order, without spaces. */
export function payloadOf(row: Omit<ClientMoneyReportRow, 'payload' | 'signature'>): string {
  return JSON.stringify({
    type: 'COUNTERSIGN_CLIENT_MONEY_REPORT_1',
    id: row.id,
    platformId: row.platform_id,
    date: row.date,
    currencies: row.currencies.map(({ currency, owed, onHold, held, difference, reasons, rails }) => ({
      currency,
      owed,
      onHold,
      held,
      difference,
      reasons: reasons.map(({ reason, amount, rail }) => ({ reason, amount, rail })),
      rails: rails.map(({ rail, ledgerBalance, held: ofRail, statement }) => ({
        rail,
        ledgerBalance,
        held: ofRail,
        statement: statement && {
          date: statement.date,
          closingBalance: statement.closingBalance,
          difference: statement.difference,
        },
      })),
    })),
    createdAt: row.created_at.toISOString(),
  })
}

/** A report as the API shows it. */
export function reportView(row: ClientMoneyReportRow) {
  return {
    id: row.id,
    date: row.date,
    asOf: endOf(row.date).toISOString(),
    currencies: row.currencies.map((one) => ({
      currency: currencyRecord(one.currency),
      owed: BigInt(one.owed),
      onHold: BigInt(one.onHold),
      held: BigInt(one.held),
      difference: BigInt(one.difference),
      reasons: one.reasons.map(({ reason, amount, rail }) => ({
        reason,
        amount: BigInt(amount),
        ...present({ rail }),
      })),
      rails: one.rails.map(({ rail, ledgerBalance, held, statement }) => ({
        rail,
        ledgerBalance: BigInt(ledgerBalance),
        held: BigInt(held),
        ...present({
          statement: statement && {
            date: statement.date,
            closingBalance: BigInt(statement.closingBalance),
            difference: BigInt(statement.difference),
          },
        }),
      })),
    })),
    payload: row.payload,
    signature: Buffer.from(row.signature).toString('base64'),
    createdAt: row.created_at.toISOString(),
  }
}

function endOf(date: string): Date {
  return new Date(Date.parse(date) + DAY_MS)
}
