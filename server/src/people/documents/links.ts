import type { Readable } from 'node:stream'
import { openStoredFile } from '../../kernel/files/stored-files.ts'
import { type App, addSeconds, createOp, type Op } from '../../kernel/operation/app.ts'
import { createLinkToken, readLinkToken } from '../../kernel/operation/link-token.ts'
import type { Log } from '../../kernel/ports/log.ts'
import { expectRow, insert, type Write } from '../../storage/commit/writes.ts'
import { BARE_PLATFORM_BY_ID } from '../../storage/read/bare-platform.ts'
import type { DocumentReadRow, DocumentRow } from '../../storage/rows/document.ts'
import { selectDocument, selectLink, selectLinksRequestedBy } from './store.ts'

const LINK_SECONDS = 10 * 60
/** Longer, because providers may fetch documents hours later. */
const PROVIDER_LINK_SECONDS = 24 * 60 * 60
export const FILES_PATH = '/files/'

type Link = DocumentReadRow & { readonly expires_at: Date }

/** Creates a link to a document's file for the caller, with the write that records it. */
export function makeLink(
  op: Op,
  document: DocumentRow,
): { readonly url: string; readonly expiresAt: Date; readonly writes: readonly Write[] } {
  const requestedBy = getCallerName(op)
  const link = createLink(op, document, requestedBy, LINK_SECONDS)
  return { url: buildUrl(op, link), expiresAt: link.expires_at, writes: [insert('document_reads', link)] }
}

function getCallerName({ actor }: Op): string {
  if (actor.kind === 'token') return actor.tokenId
  return actor.kind === 'member' ? actor.memberId : actor.kind
}

/** Creates links for a verification provider. `askedBy` names the submission; the links expire at `until`. */
export function makeProviderLinks(
  op: Op,
  documents: readonly DocumentRow[],
  requestedBy: string,
): { readonly until: Date; readonly writes: readonly Write[] } {
  const links = documents.map((document) => createLink(op, document, requestedBy, PROVIDER_LINK_SECONDS))
  return {
    until: addSeconds(op.now, PROVIDER_LINK_SECONDS),
    writes: links.map((link) => insert('document_reads', link)),
  }
}

/** Finds the URLs of a submission's valid links, by document id. */
export async function findProviderLinks(op: Op, requestedBy: string): Promise<ReadonlyMap<string, string>> {
  const links = await selectLinksRequestedBy(op, requestedBy, op.now)
  return new Map(
    links.map(({ expires_at, ...link }) => [
      link.document_id,
      buildUrl(op, { ...link, expires_at: expires_at ?? op.now }),
    ]),
  )
}

function createLink(op: Op, document: DocumentRow, requestedBy: string, seconds: number): Link {
  const link: Link = {
    id: op.newId('DocumentRead'),
    platform_id: op.platform.id,
    kind: 'LINK',
    document_id: document.id,
    file_id: document.file_id,
    asked_by: requestedBy,
    link_id: null,
    address: null,
    created_at: op.now,
    expires_at: addSeconds(op.now, seconds),
  }
  op.log.info({ document: document.id, link: link.id, by: requestedBy }, 'created document link')
  return link
}

function buildUrl(op: Op, link: Link): string {
  const uuid = link.id.slice('DocumentRead:'.length)
  return `${op.origin()}${FILES_PATH}${createLinkToken(op.enclave, 'documentLink', uuid, toTokenData(link))}`
}

/** Lists the data that a link's token authenticates. */
function toTokenData({ id, document_id, file_id, asked_by, expires_at }: Link): (string | number)[] {
  return [id, document_id, file_id, asked_by, expires_at.getTime()]
}

/** The document and the content behind a link. */
export interface LinkedFile {
  readonly document: DocumentRow
  readonly bytes: Readable
}

/**
 * Records the access, then opens the file of a link. Undefined if the link was tampered with or has expired,
 * or if the document was deleted or now has another file.
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
  const op = createOp(app, await app.withConfig(platform), { kind: 'fileLink', linkId: link.id }, { log })
  if (link.expires_at <= op.now) return undefined
  const document = await selectDocument(op, link.document_id)
  if (document?.file_id !== link.file_id) return undefined
  const { done } = await app.commit(op, [
    expectRow('documents', document.id, { file_id: link.file_id, deleted_at: null }),
    insert('document_reads', toReadRow(op, link, address)),
  ])
  if (!done) return undefined
  log.info({ document: document.id, link: link.id, by: link.asked_by }, 'document read')
  const bytes = await openStoredFile(op, link.file_id)
  return bytes && { document, bytes }
}

async function findLink(app: App, token: string): Promise<Link | undefined> {
  const read = readLinkToken(app.enclave, 'documentLink', token)
  const link = read && (await selectLink(app, `DocumentRead:${read.uuid}`))
  if (!link?.expires_at) return undefined
  const linkWithExpiry = { ...link, expires_at: link.expires_at }
  return read?.matches(toTokenData(linkWithExpiry)) ? linkWithExpiry : undefined
}

function toReadRow(op: Op, link: Link, address: string): DocumentReadRow {
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
