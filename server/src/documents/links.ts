import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import { expectRow, insert, type Write } from '../db/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../db/read/bare-platform.ts'
import type { DocumentReadRow, DocumentRow } from '../db/schema/document-tables.ts'
import { type App, createOp, type Op, plusSeconds } from '../op/app.ts'
import type { Log } from '../ports/log.ts'
import { openStoredFile } from '../stored-files/stored-files.ts'
import { selectDocument, selectLink } from './store.ts'

const LINK_SECONDS = 10 * 60
export const FILES_PATH = '/files/'

type Link = DocumentReadRow & { readonly expires_at: Date }

/** A link to the file of a document, and its record. */
export function makeLink(
  op: Op,
  document: DocumentRow,
): { readonly url: string; readonly expiresAt: Date; readonly writes: readonly Write[] } {
  const link: Link = {
    id: op.newId('DocumentRead'),
    platform_id: op.platform.id,
    kind: 'LINK',
    document_id: document.id,
    file_id: document.file_id,
    asked_by: op.actor.kind === 'token' ? op.actor.tokenId : op.actor.kind,
    link_id: null,
    address: null,
    created_at: op.now,
    expires_at: plusSeconds(op.now, LINK_SECONDS),
  }
  op.log.info({ document: document.id, link: link.id, by: link.asked_by }, 'link to a document')
  return {
    url: `${op.origin()}${FILES_PATH}${tokenOf(op, link)}`,
    expiresAt: link.expires_at,
    writes: [insert('document_reads', link)],
  }
}

/** `<UUID of the link>.<generation of the key>.<keyed digest of the link>` */
function tokenOf({ enclave }: Pick<Op, 'enclave'>, link: Link, generation = enclave.keyGeneration): string {
  const { id, document_id, file_id, asked_by, expires_at } = link
  const said = [id, document_id, file_id, asked_by, expires_at.getTime()].join('\n')
  const mac = Buffer.from(enclave.mac('documentLink', said, generation)).toString('base64url')
  return `${id.slice('DocumentRead:'.length)}.${generation}.${mac}`
}

const TOKEN = /^([0-9a-f-]{36})\.([1-9][0-9]{0,8})\.[\w-]{43}$/

/** The file that a link leads to. */
export interface LinkedFile {
  readonly document: DocumentRow
  readonly bytes: Readable
}

/**
 * Opens the file of a link, and records the reading before it. Undefined where the link was changed or has expired, and
 * where the document has another file now or none.
 */
export async function openLink(
  app: App,
  token: string,
  address: string,
  log: Log,
): Promise<LinkedFile | undefined> {
  const link = await findLink(app, token)
  const platform = link && (await app.lookup(BARE_PLATFORM_BY_ID, link.platform_id))
  if (!platform || platform.closed_at) return undefined
  const op = createOp(app, await app.withConfig(platform), { kind: 'fileLink', linkId: link.id }, log)
  if (link.expires_at <= op.now) return undefined
  const document = await selectDocument(op, link.document_id)
  if (document?.file_id !== link.file_id) return undefined
  const { done } = await app.commit(op, [
    expectRow('documents', document.id, { file_id: link.file_id, deleted_at: null }),
    insert('document_reads', readingOf(op, link, address)),
  ])
  if (!done) return undefined
  log.info({ document: document.id, link: link.id, by: link.asked_by }, 'document read')
  const bytes = await openStoredFile(op, link.file_id)
  return bytes && { document, bytes }
}

async function findLink(app: App, token: string): Promise<Link | undefined> {
  const [, uuid, digits] = TOKEN.exec(token) ?? []
  const generation = Number(digits)
  if (!uuid || generation > app.enclave.keyGeneration) return undefined
  const link = await selectLink(app, `DocumentRead:${uuid}`)
  if (!link?.expires_at) return undefined
  const found = { ...link, expires_at: link.expires_at }
  const [given, own] = [Buffer.from(token), Buffer.from(tokenOf(app, found, generation))]
  return given.length === own.length && timingSafeEqual(given, own) ? found : undefined
}

function readingOf(op: Op, link: Link, address: string): DocumentReadRow {
  return {
    ...link,
    id: op.newId('DocumentRead'),
    kind: 'READ',
    link_id: link.id,
    address,
    created_at: op.now,
    expires_at: null,
  }
}
