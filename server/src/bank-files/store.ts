import { rowById } from '../db/read/lookup.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type {
  BankDeskRow,
  BankFileRow,
  BankInboxFileRow,
  BankPaymentRow,
} from '../db/schema/bank-file-tables.ts'
import type { Op } from '../op/app.ts'

const DESK_BY_ID = rowById('bank_desks')

export async function selectDesk(op: Op, id: string): Promise<BankDeskRow | undefined> {
  return op.find(DESK_BY_ID, id)
}

const PAYMENT_BY_ID = rowById('bank_payments')

export async function selectBankPayment(op: Op, id: string): Promise<BankPaymentRow | undefined> {
  return op.find(PAYMENT_BY_ID, id)
}

const INBOX_BY_ID = rowById('bank_inbox_files')

export async function selectInboxFile(op: Op, id: string): Promise<BankInboxFileRow | undefined> {
  return op.find(INBOX_BY_ID, id)
}

/** What waits for a file since before `until`, oldest first; of one batch, or all. */
export function selectWaiting(
  op: Op,
  rail: string,
  until: Date,
  limit: number,
  batch?: string,
): Promise<BankPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('file_id', 'is', null)
    .where('created_at', '<=', until)
    .$call((q) => whereGiven(q, 'batch', '=', batch))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute()
}

/** The payments of a file after a place, in their order. */
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
    .$call((q) => whereGiven(q, 'batch', '=', batch))
    .orderBy('place')
    .limit(limit)
    .selectAll()
    .execute()
}

/** The files of a rail that are not written, or whose payments have not heard of it, in their order. */
export function selectOpenFiles(op: Op, rail: string): Promise<BankFileRow[]> {
  return op.read
    .selectFrom('bank_files')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('accepted_at', 'is', null)
    .orderBy('number')
    .selectAll()
    .execute()
}

/** Files whose payments count as delivered by now. */
export function selectSettling(op: Op, rail: string): Promise<BankFileRow[]> {
  return op.read
    .selectFrom('bank_files')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('settles_at', '<=', op.now)
    .where('settled_at', 'is', null)
    .selectAll()
    .execute()
}

export async function selectFileByMessage(
  op: Op,
  rail: string,
  messageName: string,
): Promise<BankFileRow | undefined> {
  return op.read
    .selectFrom('bank_files')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('message_name', '=', messageName)
    .selectAll()
    .executeTakeFirst()
}

/** Payments in files under a reference: one, unless the bank or we were asked for the same twice. */
export function selectByReference(op: Op, rail: string, reference: string): Promise<BankPaymentRow[]> {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('reference', '=', reference)
    .where('file_id', 'is not', null)
    .limit(3)
    .selectAll()
    .execute()
}

/** The last payment under a trace number, which begins again after ten million. */
export function selectByTrace(op: Op, rail: string, trace: bigint): Promise<BankPaymentRow | undefined> {
  return op.read
    .selectFrom('bank_payments')
    .where('rail', '=', rail)
    .where('platform_id', '=', op.platform.id)
    .where('trace', '=', trace)
    .orderBy('created_at', 'desc')
    .selectAll()
    .executeTakeFirst()
}
