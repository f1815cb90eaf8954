import type { documents } from '@countersign/contract/customers/documents'
import { expectRow, insert, update } from '../db/commit/writes.ts'
import type { Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { keepFile, removeFile } from '../stored-files/stored-files.ts'
import {
  checkIsOpen,
  deletionOf,
  documentView,
  findDocument,
  findHolder,
  makeDocument,
  replacementOf,
} from './documents.ts'
import { makeLink } from './links.ts'
import { selectDocuments } from './store.ts'

export const documentHandlers: Handlers<typeof documents> = {
  document_create: async (op, { body, file }) => {
    const holder = await findHolder(op, body.documentHolder)
    const document = makeDocument(op, holder, body, file)
    return {
      status: 201,
      body: documentView(document),
      writes: [
        keepFile(op, file),
        insert('documents', document),
        // Otherwise the document of a customer that is deleted meanwhile would be kept for ever.
        expectRow('customers', holder.customerId, { deleted_at: null }),
      ],
    }
  },

  document_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectDocuments(op, query.documentHolder),
      table: 'documents',
      view: (rows) => rows.map(documentView),
    }),
  }),

  document_get: async (op, { params }) => ({
    status: 200,
    body: documentView(await findDocument(op, params.documentId)),
  }),

  document_replace: async (op, { params, body, file }) => {
    const document = await findDocument(op, params.documentId)
    checkIsOpen(document)
    const change = replacementOf(op, document, body, file)
    const { id, version, file_id } = document
    return {
      status: 200,
      body: documentView({ ...document, ...change }),
      writes: [
        keepFile(op, file),
        update('documents', id, { version, submitted_at: null, deleted_at: null }, change),
        ...(await removeFile(op, file_id)),
      ],
    }
  },

  document_delete: async (op, { params }) => {
    const document = await findDocument(op, params.documentId)
    checkIsOpen(document)
    return { status: 204, body: undefined, writes: await deletionOf(op, document) }
  },

  /** The row of the link is its record: it is written with the answer that gives it out. */
  document_link: async (op, { params }) => {
    const document = await findDocument(op, params.documentId)
    const { url, expiresAt, writes } = makeLink(op, document)
    return { status: 201, body: { url, expiresAt: expiresAt.toISOString() }, writes }
  },
}
