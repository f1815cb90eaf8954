import type { Op } from '../../../kernel/operation/app.ts'
import type { CustomerImportErrorRow, CustomerImportRow } from '../../../storage/rows/import.ts'

export async function selectImport(op: Op, id: string): Promise<CustomerImportRow | undefined> {
  return op.read
    .selectFrom('customer_imports')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', op.platform.id)
    .executeTakeFirst()
}

/** The row errors of an import in file order. */
export async function selectImportErrors(op: Op, importId: string): Promise<CustomerImportErrorRow[]> {
  return op.read
    .selectFrom('customer_import_errors')
    .selectAll()
    .where('import_id', '=', importId)
    .where('platform_id', '=', op.platform.id)
    .orderBy('row_number')
    .execute()
}
