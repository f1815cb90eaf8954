import type { documents } from '@countersign/contract/customers/documents'
import { removeFile, storeFile } from '../../kernel/files/stored-files.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { expectRow, insert, update } from '../../storage/commit/writes.ts'
import { scheduleVerificationCheck, scheduleVerificationCheckById } from '../customers/verification.ts'
import {
  buildDeletionWrites,
  buildReplacementColumns,
  checkIsOpen,
  findDocument,
  findHolder,
  makeDocument,
  toDocumentView,
} from './documents.ts'
import { makeLink } from './links.ts'
import { selectDocuments } from './store.ts'

export const documentHandlers: Handlers<typeof documents> = {
  document_create: async (op, { body, file }) => {
    const holder = await findHolder(op, body.documentHolder)
    const document = makeDocument(op, holder, body, file)
    return {
      status: 201,
      body: toDocumentView(document),
      writes: [
        storeFile(op, file),
        insert('documents', document),
        // Without this guard, a document added while its customer is being deleted would never be deleted.
        expectRow('customers', holder.customer.id, { deleted_at: null }),
        ...scheduleVerificationCheck(op, holder.customer),
      ],
    }
  },

  document_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectDocuments(op, query.documentHolder),
      table: 'documents',
      view: (rows) => rows.map(toDocumentView),
    }),
  }),

  document_get: async (op, { params }) => ({
    status: 200,
    body: toDocumentView(await findDocument(op, params.documentId)),
  }),

  document_replace: async (op, { params, body, file }) => {
    const document = await findDocument(op, params.documentId)
    checkIsOpen(document)
    const change = buildReplacementColumns(op, document, body, file)
    const { id, version, file_id } = document
    return {
      status: 200,
      body: toDocumentView({ ...document, ...change }),
      writes: [
        storeFile(op, file),
        update('documents', id, { version, submitted_at: null, deleted_at: null }, change),
        ...(await removeFile(op, file_id)),
        ...(await scheduleVerificationCheckById(op, document.customer_id)),
      ],
    }
  },

  document_delete: async (op, { params }) => {
    const document = await findDocument(op, params.documentId)
    checkIsOpen(document)
    const writes = [
      ...(await buildDeletionWrites(op, document)),
      ...(await scheduleVerificationCheckById(op, document.customer_id)),
    ]
    return { status: 204, body: undefined, writes }
  },

  /**
   * The link's row records who received the link. It is committed with the response that contains the link.
   */
  document_link: async (op, { params }) => {
    const document = await findDocument(op, params.documentId)
    const { url, expiresAt, writes } = makeLink(op, document)
    return { status: 201, body: { url, expiresAt: expiresAt.toISOString() }, writes }
  },
}
