import type { customerImports } from '@countersign/contract/customers/customer-imports'
import { IMPORT_INITIAL } from '@countersign/contract/states/customer-states'
import { storeFile } from '../../../kernel/files/stored-files.ts'
import { createFieldError, type Handlers } from '../../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../../kernel/operation/uploaded-file.ts'
import { insert } from '../../../storage/commit/writes.ts'
import { findImport, makeImport, readImportWithErrors, scheduleImportRun } from './imports.ts'

export const customerImportHandlers: Handlers<typeof customerImports> = {
  customer_import_create: async (op, { file }) => {
    checkIsText(file)
    const row = makeImport(op, file)
    return {
      status: 202,
      body: { jobId: row.id, status: IMPORT_INITIAL },
      writes: [storeFile(op, file), insert('customer_imports', row), scheduleImportRun(op, row)],
    }
  },

  customer_import_get: async (op, { params }) => ({
    status: 200,
    body: await readImportWithErrors(op, await findImport(op, params.jobId)),
  }),
}

/**
 * Throws 400 naming `file` if it is empty or does not begin like UTF-8 text. The import job checks the rest.
 */
export function checkIsText({ bytes, head }: UploadedFile): void {
  if (bytes === 0) throw createFieldError('INVALID_INPUT', 'file', 'file is empty')
  const isUtf16 = (head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0xff && head[1] === 0xfe)
  if (isUtf16 || head.includes(0))
    throw createFieldError('INVALID_INPUT', 'file', 'file must be text in UTF-8')
}
