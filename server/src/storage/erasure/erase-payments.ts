import { buildId, deriveUuid, extractUuid } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import { eraseOtherCustomersEvents, eraseRecordEvents } from './erase-events.ts'
import type { Walked } from './erase-logs.ts'
import { buildEraseStatement, eraseAllRows, isNeededByFiles, ROWS_STATEMENTS } from './erase-rows.ts'
import type { Side } from './redacted.ts'
import { ERASED_UMA_ADDRESS, type ErasedRows, OWN_DEPOSITS, replaceIdentifier } from './table-columns.ts'

/** The customer whose payments are erased. */
export interface PaymentsOf {
  /** The uuids of the customer and of its accounts. */
  readonly customer: string
  readonly accounts: readonly string[]
}

/** The maximum number of payments scanned per step. */
const PAYMENTS_MAX = 200

/** A position in the scan: the list, and the last payment scanned. */
interface Place {
  readonly list: number
  readonly at?: string
  readonly id?: string
}

interface Listed {
  readonly id: string
  readonly quote_id: string | null
  readonly customer_id: string | null
  readonly created_at: Date
}

/**
 * Lists of payments, each served by an index: the customer's own payments, and others' payments by account.
 */
function listPaymentLists({ customer, accounts }: PaymentsOf) {
  const byAccount = (side: Side) =>
    accounts.map((account) => ({
      where: `${side}_account_id = $1 AND kind IN ('QUOTE', 'RECEIPT')`,
      of: account,
      side,
    }))
  return [
    { where: 'customer_id = $1', of: customer, side: undefined },
    { where: `id IN ${OWN_DEPOSITS}`, of: customer, side: undefined },
    ...byAccount('source'),
    ...byAccount('destination'),
  ]
}

/**
 * Erases what payments reveal about the customer: their rows, their events, and records about them from
 * rails, banks and lists. Processes some payments per step, newest first; in payments of others, only the
 * customer's side is erased. `after` is where the step ended; undefined once nothing is left.
 */
export async function erasePayments(
  db: Database,
  of: PaymentsOf,
  after: string | undefined,
): Promise<Walked> {
  const place: Place = after === undefined ? { list: 0 } : JSON.parse(after)
  const lists = listPaymentLists(of)
  const list = lists[place.list]
  if (!list) return { found: 0 }
  const { rows } = await db.query<Listed>(
    `SELECT id, quote_id, customer_id, created_at FROM transactions
     WHERE ${list.where} AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [list.of, place.at ?? null, place.id ?? null, PAYMENTS_MAX],
  )
  // The lists by account also include the customer's own payments.
  const others = rows.filter(
    ({ customer_id }) => customer_id === null || extractUuid(customer_id) !== of.customer,
  )
  const erased = await (list.side ? eraseOthers(db, others, list.side) : eraseOwn(db, rows))
  const last = rows.at(-1)
  const next: Place =
    rows.length < PAYMENTS_MAX || !last
      ? { list: place.list + 1 }
      : { list: place.list, at: last.created_at.toISOString(), id: extractUuid(last.id) }
  return lists[next.list] ? { ...erased, after: JSON.stringify(next) } : erased
}

/**
 * The deposits of payments, the deposits they were split from, and other parts of these without a payment.
 */
const DEPOSITS = `
WITH RECURSIVE own AS (
  SELECT id, parent_id FROM deposits WHERE transaction_id = ANY ($1::uuid[])
  UNION SELECT d.id, d.parent_id FROM own JOIN deposits AS d ON d.id = own.parent_id)
SELECT id FROM own UNION
SELECT d.id FROM own JOIN deposits AS d ON d.parent_id = own.id WHERE d.transaction_id IS NULL`

async function eraseOwn(db: Database, payments: readonly Listed[]): Promise<Walked> {
  if (payments.length === 0) return { found: 0 }
  const deposits = await db.query<{ id: string }>(DEPOSITS, [payments.map(({ id }) => extractUuid(id))])
  const paymentIds = [
    ...payments.flatMap(({ id, quote_id }) => (quote_id === null ? [id] : [id, quote_id])),
    ...deposits.rows.map(({ id }) => id),
  ]
  // The ids of rail records, prenotes and screenings are derived from the payment.
  const records = paymentIds
    .flatMap((id) => [
      id,
      ...listRailRecords(id, 'OUT'),
      ...listRailRecords(id, 'PULL'),
      buildId('Screening', deriveUuid(`Screening PAY ${id}`)),
      buildId('Screening', deriveUuid(`Screening CREDIT ${id}`)),
    ])
    .map(extractUuid)
  let found = await eraseRecordEvents(db, records)
  for (const statement of ROWS_STATEMENTS)
    if (statement.by === 'payments') found += await eraseAllRows(db, statement, records)
  const isWaiting = (await isNeededByFiles(db, OF_RECORDS, records)) || (await isSendingBack(db, records))
  return { found, isWaiting }
}

const OF_RECORDS = 'id = ANY ($1)'

/** True if deposits among these records are being sent back. Their senders are not erased until then. */
async function isSendingBack(db: Database, records: readonly string[]): Promise<boolean> {
  const found = await db.query(
    `SELECT id FROM deposits WHERE ${OF_RECORDS} AND state = 'RETURNING' LIMIT 1`,
    [records],
  )
  return found.rows.length > 0
}

/** The record of a payment at its rail, and its prenote. */
function listRailRecords(id: string, direction: 'OUT' | 'PULL'): readonly string[] {
  const record = buildId('RailPayment', deriveUuid(`RailPayment ${direction} ${id}`))
  return [record, buildId('RailPayment', deriveUuid(`Prenote ${record}`))]
}

/** New values for the columns about the customer's side in payments of others. */
const OTHERS = {
  source: {
    transactions: {
      source_identifier: replaceIdentifier('source_identifier'),
      // The payer wrote both columns.
      description: 'NULL',
      remittance_information: 'NULL',
      details: "details - 'counterparty' - 'sender'",
    },
  },
  destination: {
    transactions: {
      destination_identifier: replaceIdentifier('destination_identifier'),
      details: `CASE WHEN details ? 'uma' THEN details || '{"uma": "${ERASED_UMA_ADDRESS}"}' ELSE details END - 'counterparty'`,
    },
    quotes: { destination_uma: replaceIdentifier('destination_uma'), request: "request - 'counterparty'" },
  },
} as const satisfies Readonly<Record<Side, Readonly<Record<string, ErasedRows['set']>>>>

async function eraseOthers(db: Database, payments: readonly Listed[], side: Side): Promise<Walked> {
  if (payments.length === 0) return { found: 0 }
  const ids = payments
    .flatMap(({ id, quote_id }) => (quote_id === null ? [id] : [id, quote_id]))
    .map(extractUuid)
  let found = await eraseOtherCustomersEvents(db, ids, side)
  for (const [table, set] of Object.entries(OTHERS[side]))
    found += await eraseAllRows(db, { sql: buildEraseStatement(table, { rows: 'id = ANY ($1)', set }) }, ids)
  return { found }
}
