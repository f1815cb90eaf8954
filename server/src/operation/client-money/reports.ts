import { toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import type { App, Op } from '../../kernel/operation/app.ts'
import { type Background, runInBackground } from '../../kernel/operation/background.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { operate } from '../../people/platforms/operate.ts'
import { insert } from '../../storage/commit/writes.ts'
import type { ClientMoneyReportRow, StoredClientMoney } from '../../storage/rows/accounting.ts'
import { buildClientMoney } from './balances.ts'
import {
  type DuePlatform,
  findDuePlatforms,
  selectBalancesAt,
  selectLatestStatements,
  selectReport,
  selectReportByDate,
} from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const INTERVAL_MS = 60_000
/** The delay between the end of a day and its report. By then all of the day's operations are committed. */
const SETTLED_MS = 10 * 60 * 1000
/** After an outage, at most this many missed days get a report. */
const MISSED_DAYS_MAX = 31

/** Starts the worker that creates each platform's daily report. */
export function startClientMoneyReports(app: App): Background {
  return runInBackground(
    INTERVAL_MS,
    () => makeDueReports(app),
    (error) => app.log.error({ err: error }, 'failed to create client-money reports'),
  )
}

/** Creates the missing reports of past days and returns their ids. */
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
  for (const date of listMissingDays(last_date ?? lastEnded(created_at), last)) {
    const op = await operate(app, platform_id)
    const row = await newReport(op, date)
    const result = await app.commit(op, [insert('client_money_reports', row)])
    // If not done, another process has created the report.
    if (result.done) ids.push(row.id)
  }
  return ids
}

/** The days after `after` up to `last`, but only the last `MISSED_DAYS_MAX` of them. */
function listMissingDays(after: string, last: string): string[] {
  const end = Date.parse(last)
  const first = Date.parse(after) + DAY_MS
  const days: string[] = []
  for (let at = Math.max(first, end - (MISSED_DAYS_MAX - 1) * DAY_MS); at <= end; at += DAY_MS)
    days.push(toUtcDay(new Date(at)))
  return days
}

/** The last complete day in UTC. */
export function lastEnded(now: Date): string {
  return toUtcDay(new Date(now.getTime() - DAY_MS))
}

/** Throws 400 `INVALID_INPUT` if the day has not ended, or was before the creation of the platform. */
export function checkDate(op: Op, date: string): void {
  if (date > lastEnded(op.now))
    throw createFieldError('INVALID_INPUT', 'date', `${date} has not ended in UTC.`)
  if (date < lastEnded(op.platform.created_at))
    throw createFieldError('INVALID_INPUT', 'date', `${date} is before the platform was created.`)
}

/** Throws 404 `CLIENT_MONEY_REPORT_NOT_FOUND`. */
export async function findReport(op: Op, id: string): Promise<ClientMoneyReportRow> {
  const row = await selectReport(op, id)
  if (!row) throw new ApiError('CLIENT_MONEY_REPORT_NOT_FOUND', { details: { field: 'clientMoneyReportId' } })
  return row
}

/** The report of a day; undefined if the day has no report. */
export async function findReportByDate(op: Op, date: string): Promise<ClientMoneyReportRow | undefined> {
  return selectReportByDate(op, date)
}

/** Creates and signs the report of a day. Guard: the day has no report. */
export async function newReport(op: Op, date: string): Promise<ClientMoneyReportRow> {
  const currencies = await buildReportCurrencies(op, date)
  const unsigned = {
    id: op.newId('ClientMoneyReport'),
    platform_id: op.platform.id,
    date,
    currencies,
    created_at: op.now,
  }
  const payload = buildPayload(unsigned)
  return { ...unsigned, payload, signature: op.enclave.signCheckpoint(payload) }
}

/**
 * The currencies of a day's report, from the end-of-day balances in the current ledger and the latest
 * statements up to that day.
 */
export async function buildReportCurrencies(op: Op, date: string): Promise<StoredClientMoney[]> {
  const [balances, statements] = await Promise.all([
    selectBalancesAt(op, endOfDay(date)),
    selectLatestStatements(op, date),
  ])
  return buildClientMoney(balances, statements)
}

/** The signed text of a report: JSON without whitespace, with the fields in this order. */
export function buildPayload(row: Omit<ClientMoneyReportRow, 'payload' | 'signature'>): string {
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
      rails: rails.map(({ rail, ledgerBalance, held: railHeld, statement }) => ({
        rail,
        ledgerBalance,
        held: railHeld,
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

/** A report in its API form. */
export function reportView(row: ClientMoneyReportRow) {
  return {
    id: row.id,
    date: row.date,
    asOf: endOfDay(row.date).toISOString(),
    currencies: row.currencies.map((entry) => ({
      currency: toCurrencyRecord(entry.currency),
      owed: BigInt(entry.owed),
      onHold: BigInt(entry.onHold),
      held: BigInt(entry.held),
      difference: BigInt(entry.difference),
      reasons: entry.reasons.map(({ reason, amount, rail }) => ({
        reason,
        amount: BigInt(amount),
        ...present({ rail }),
      })),
      rails: entry.rails.map(({ rail, ledgerBalance, held, statement }) => ({
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

function endOfDay(date: string): Date {
  return new Date(Date.parse(date) + DAY_MS)
}
