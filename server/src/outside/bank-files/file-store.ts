import { sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import type { Read } from '../../storage/read/read.ts'
import type { BankFileRow } from '../../storage/rows/bank-file.ts'

/**
 * Selects a rail's unfinished files in order: files not written yet, and files whose payments have no result
 * yet. With `needsAcknowledgement`, a written file first waits for the bank's acknowledgement.
 */
export function selectOpenFiles(op: Op, rail: string, needsAcknowledgement: boolean): Promise<BankFileRow[]> {
  return selectFiles(op, rail)
    .where('accepted_at', 'is', null)
    .$if(needsAcknowledgement, (q) => q.where('state', '<>', 'WRITTEN'))
    .orderBy('number')
    .selectAll()
    .execute()
}

/** Selects the files whose payments count as delivered by now, in order. */
export function selectSettlingFiles(op: Op, rail: string): Promise<BankFileRow[]> {
  return selectFiles(op, rail)
    .where('settles_at', '<=', op.now)
    .where('settled_at', 'is', null)
    .orderBy('number')
    .selectAll()
    .execute()
}

/**
 * Selects an originator's files for a bank on a day (`YYYY-MM-DD` in the bank's time zone), across all rails.
 */
export function selectFilesOfDay(
  read: Read,
  platformId: string,
  { destination, origin }: { readonly destination: string; readonly origin: string },
  day: string,
): Promise<Pick<BankFileRow, 'modifier' | 'number' | 'batches'>[]> {
  return read
    .selectFrom('bank_files')
    .where('platform_id', '=', platformId)
    .where(sql<string>`format->>'destination'`, '=', destination)
    .where(sql<string>`format->>'origin'`, '=', origin)
    .where(sql<string>`left(made_on, 10)`, '=', day)
    .select(['modifier', 'number', 'batches'])
    .execute()
}

/** Counts a rail's files on a day (`YYYY-MM-DD` in the bank's time zone). */
export async function countFilesOfDay(op: Op, rail: string, day: string): Promise<number> {
  const { count } = await selectFiles(op, rail)
    .where(sql<string>`left(made_on, 10)`, '=', day)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export function selectFileById(op: Op, rail: string, id: string): Promise<BankFileRow | undefined> {
  return selectFiles(op, rail).where('id', '=', id).selectAll().executeTakeFirst()
}

export function selectFileByName(op: Op, rail: string, name: string): Promise<BankFileRow | undefined> {
  return selectFiles(op, rail).where('name', '=', name).selectAll().executeTakeFirst()
}

export function selectFileByMessage(
  op: Op,
  rail: string,
  messageName: string,
): Promise<BankFileRow | undefined> {
  return selectFiles(op, rail).where('message_name', '=', messageName).selectAll().executeTakeFirst()
}

function selectFiles(op: Op, rail: string) {
  return op.read.selectFrom('bank_files').where('rail', '=', rail).where('platform_id', '=', op.platform.id)
}
