import { type ExpressionBuilder, sql } from 'kysely'
import type { App, Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { lookupById } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import {
  type BankFileWorkerRow,
  type BankInboxFileRow,
  type BankPaymentRow,
  isOfKind,
  type QueuedPaymentRow,
  type ReversalRow,
} from '../../storage/rows/bank-file.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import type { Tables } from '../../storage/rows/tables.ts'

const WORKER_BY_ID = lookupById('bank_file_workers')

export async function selectWorker(op: Op, id: string): Promise<BankFileWorkerRow | undefined> {
  return op.find(WORKER_BY_ID, id)
}

/** Selects the worker state without an operation. */
export function selectWorkerById(
  read: Read,
  platformId: string,
  id: string,
): Promise<BankFileWorkerRow | undefined> {
  return read
    .selectFrom('bank_file_workers')
    .where('platform_id', '=', platformId)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
}

const PAYMENT_BY_ID = lookupById('bank_payments')

export async function selectBankPayment(op: Op, id: string): Promise<QueuedPaymentRow | undefined> {
  const row = await selectQueued(op, id)
  return row && isOfKind(row, 'PAYMENT') ? row : undefined
}

/** Selects a row of any kind. */
export async function selectQueued(op: Op, id: string): Promise<BankPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

/** Selects a row with the file that contains it, if any. */
export async function selectWithFile(read: Read, platformId: string, id: string) {
  return read
    .selectFrom('bank_payments as b')
    .leftJoin('bank_files as f', 'f.id', 'b.file_id')
    .where('b.platform_id', '=', platformId)
    .where('b.id', '=', id)
    .selectAll('b')
    .select(['f.executed_on', 'f.accepted_at', 'f.format'])
    .executeTakeFirst()
}

const INBOX_BY_ID = lookupById('bank_inbox_files')

export async function selectInboxFile(op: Op, id: string): Promise<BankInboxFileRow | undefined> {
  return op.find(INBOX_BY_ID, id)
}

/** Selects a rail's files that were refused or wait for another inspection. `name` limits the selection. */
export async function selectToRetry(
  { db }: Pick<App, 'db'>,
  platformId: string,
  rail: string,
  name?: string,
): Promise<BankInboxFileRow[]> {
  const { rows } = await db.query<BankInboxFileRow>(
    `SELECT * FROM bank_inbox_files
     WHERE platform_id = $1 AND rail = $2 AND ($3::text IS NULL OR name = $3)
       AND (state = 'REFUSED' OR state = 'READING' AND kind = 'UNKNOWN')
     ORDER BY created_at, id`,
    [extractUuid(platformId), rail, name ?? null],
  )
  return rows
}

/** Selects the payments of a file after a position, in order. */
export function selectPaymentsOfFile(
  op: Op,
  fileId: string,
  after: number,
  limit: number,
  batch?: string,
): Promise<BankPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments')
    .where('file_id', '=', fileId)
    .where('place', '>', after)
    .$call((q) => whereIfDefined(q, 'batch', '=', batch))
    .orderBy('place')
    .limit(limit)
    .selectAll()
    .execute()
}

/** Selects payments in files by reference. Usually one, unless a reference was used twice. */
export function selectByReference(
  op: Op,
  rail: string,
  references: readonly string[],
): Promise<QueuedPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('reference', 'in', references)
    .where('file_id', 'is not', null)
    .where('kind', '=', 'PAYMENT')
    .limit(3)
    .selectAll()
    .$narrowType<{ kind: 'PAYMENT' }>()
    .execute()
}

/** Ids by which a bank may name a reversal. */
export interface ReversalNames {
  readonly references: readonly string[]
  readonly ids: readonly string[]
  /** Full trace numbers of 15 digits, which count only together with the amount. */
  readonly traces: readonly string[]
  readonly amount: bigint
  /** True if references count only together with the amount. */
  readonly isIncoming: boolean
  readonly files: readonly string[]
}

/** The full trace number of a row, which begins with the originating bank's number. */
const FULL_TRACE = sql<string>`((f.format->>'originatingBank') || lpad(b.trace::text, 7, '0'))`
const TRACE_DIGITS = 7

/** Selects a reversal in a file by one of these ids. */
export async function selectNamedReversal(
  op: Op,
  rail: string,
  { references, ids, traces, amount, isIncoming, files }: ReversalNames,
): Promise<ReversalRow | undefined> {
  if ([references, ids, traces, files].every((names) => names.length === 0)) return undefined
  const numbers = traces.map((trace) => BigInt(trace.slice(-TRACE_DIGITS)))
  return op.read
    .selectFrom('bank_payments as b')
    .innerJoin('bank_files as f', 'f.id', 'b.file_id')
    .where('b.rail', '=', rail)
    .where('b.platform_id', '=', op.platform.id)
    .where('b.kind', '=', 'REVERSAL')
    .where(({ or, and, eb }) =>
      or([
        ...(references.length > 0
          ? [and([eb('b.reference', 'in', references), ...(isIncoming ? [eb('b.amount', '=', amount)] : [])])]
          : []),
        ...(ids.length > 0 ? [eb('b.id', 'in', ids)] : []),
        ...(traces.length > 0
          ? [and([eb('b.trace', 'in', numbers), eb(FULL_TRACE, 'in', traces), eb('b.amount', '=', amount)])]
          : []),
        ...(files.length > 0 ? [eb('f.message_name', 'in', files)] : []),
      ]),
    )
    .orderBy('b.created_at', 'desc')
    .limit(1)
    .selectAll('b')
    .$narrowType<{ kind: 'REVERSAL' }>()
    .executeTakeFirst()
}

/** Selects the collections of a mandate in files of this day (`YYYY-MM-DD`). */
export function selectCollections(
  op: Op,
  rail: string,
  mandateReference: string,
  day: string,
): Promise<QueuedPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments as b')
    .innerJoin('bank_files as f', 'f.id', 'b.file_id')
    .where('b.rail', '=', rail)
    .where('b.platform_id', '=', op.platform.id)
    .where('b.kind', '=', 'PAYMENT')
    .where(sql<string>`b.details->'mandate'->>'reference'`, '=', mandateReference)
    .where('f.executed_on', '=', day)
    .orderBy('b.created_at')
    .orderBy('b.id')
    .limit(COLLECTIONS_MAX)
    .selectAll('b')
    .$narrowType<{ kind: 'PAYMENT' }>()
    .execute()
}

const COLLECTIONS_MAX = 100

/** A payment of a file that the bank may book. */
export type FilePayment = Pick<BankPaymentRow, 'payment_id' | 'direction' | 'amount' | 'place'>

/**
 * Selects the payments of a file that have not failed, in order: those in the sum that a bank books for the
 * file.
 */
export function selectPaymentsToBook(op: Op, fileId: string): Promise<FilePayment[]> {
  return op.read
    .selectFrom('bank_payments as b')
    .innerJoin('rail_payments as r', 'r.id', 'b.id')
    .where('b.file_id', '=', fileId)
    .where('r.state', 'not in', ['FAILED', 'CANCELLED'])
    .orderBy('b.place')
    .select(['b.payment_id', 'b.direction', 'b.amount', 'b.place'])
    .execute()
}

/**
 * Selects the open pulls of a file after a position, in order. `isBooked`: a statement has booked the pull.
 */
export function selectOpenPulls(
  op: Op,
  fileId: string,
  after: number,
  limit: number,
): Promise<(BankPaymentRow & { isBooked: boolean })[]> {
  return op.read
    .selectFrom('bank_payments as b')
    .innerJoin('rail_payments as r', 'r.id', 'b.id')
    .where('b.file_id', '=', fileId)
    .where('b.place', '>', after)
    .where('r.state', 'in', ['GIVEN', 'ACCEPTED'])
    .orderBy('b.place')
    .limit(limit)
    .selectAll('b')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('rail_statement_entries as e')
          .select('e.id')
          .whereRef('e.item_id', '=', 'b.payment_id')
          .where('e.kind', '=', 'PULL'),
      )
        .$castTo<boolean>()
        .as('isBooked'),
    )
    .execute()
}

const DEPOSITS_MAX = 100
const DEPOSITS_OF_ENTRY_MAX = 1_000

/** Selects up to two deposits that the bank's files reported with this entry reference. */
export function selectByEntryReference(op: Op, rail: string, reference: string): Promise<DepositRow[]> {
  return selectBankDeposits(op, rail)
    .where(sql<string>`details->>'entryReference'`, '=', reference)
    .limit(2)
    .execute()
}

/** Selects deposits that advices or ACH files reported and no statement has confirmed. */
export function selectCounted(
  op: Op,
  rail: string,
  currency: string,
  days: readonly [Date, Date],
  amount: bigint | undefined,
): Promise<DepositRow[]> {
  return selectBankDeposits(op, rail)
    .where('currency', '=', currency)
    .where(sql<string>`details->>'from'`, '<>', 'STATEMENT')
    .where('received_at', '>=', days[0])
    .where('received_at', '<=', days[1])
    .$call((q) => whereIfDefined(q, 'amount', '=', amount))
    .where(isUnconfirmed)
    .limit(DEPOSITS_MAX)
    .execute()
}

/** Selects unconfirmed deposits with this entry reference that advices or ACH files reported. */
export function selectCountedOfEntry(op: Op, rail: string, reference: string): Promise<DepositRow[]> {
  return selectBankDeposits(op, rail)
    .where(sql<string>`details->>'entryReference'`, '=', reference)
    .where(sql<string>`details->>'from'`, '<>', 'STATEMENT')
    .where(isUnconfirmed)
    .limit(DEPOSITS_OF_ENTRY_MAX)
    .execute()
}

function isUnconfirmed({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'deposits'>) {
  return not(
    exists(
      selectFrom('rail_statement_entries')
        .select('rail_statement_entries.id')
        .whereRef('rail_statement_entries.item_id', '=', 'deposits.id'),
    ),
  )
}

/** True if a statement has an entry for this deposit. */
export async function isConfirmed(op: Op, depositId: string): Promise<boolean> {
  const row = await op.read
    .selectFrom('rail_statement_entries')
    .select('id')
    .where('item_id', '=', depositId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Selects deposits of this amount that only statements have reported. */
export function selectStatedOnly(
  op: Op,
  rail: string,
  currency: string,
  days: readonly [Date, Date],
  amount: bigint,
): Promise<DepositRow[]> {
  return selectBankDeposits(op, rail)
    .where('currency', '=', currency)
    .where('amount', '=', amount)
    .where(sql<string>`details->>'from'`, '=', 'STATEMENT')
    .where(sql<string | null>`details->>'confirmedBy'`, 'is', null)
    .where('received_at', '>=', days[0])
    .where('received_at', '<=', days[1])
    .limit(DEPOSITS_MAX)
    .execute()
}

function selectBankDeposits(op: Op, rail: string) {
  return op.read
    .selectFrom('deposits')
    .where('platform_id', '=', op.platform.id)
    .where('rail', '=', rail)
    .where(sql<boolean>`details ? 'from'`, '=', true)
    .selectAll()
    .orderBy('received_at')
    .orderBy('id')
}

/** Selects rows of any kind by trace number, newest first. Trace numbers restart after ten million. */
export function selectByTrace(op: Op, rail: string, trace: bigint): Promise<BankPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('trace', '=', trace)
    .orderBy('created_at', 'desc')
    .limit(10)
    .selectAll()
    .execute()
}
