import type { CustomerImportErrorRow, CustomerImportRow } from '../db/schema/import-tables.ts'
import type { Op } from '../op/app.ts'

export async function selectImport(op: Op, id: string): Promise<CustomerImportRow | undefined> {
  return op.read
    .selectFrom('customer_imports')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** The row errors of an import, in the order of its file. */
export async function selectImportErrors(op: Op, importId: string): Promise<CustomerImportErrorRow[]> {
  return op.read
    .selectFrom('customer_import_errors')
    .selectAll()
    .where('import_id', '=', importId)
    .where('platform_id', '=', op.platform.id)
    .orderBy('row_number')
    .execute()
}
