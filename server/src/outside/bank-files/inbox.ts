import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StatementFormat } from '@countersign/contract/connectors/bank-formats'
import { newRequestId, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { recordReport } from '../../money/rail-events/rail-events.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_INBOX_INITIAL, BANK_INBOX_REFUSED, BANK_INBOX_TRANSITIONS } from '../../storage/rows/states.ts'
import { applyAcknowledgement, findAcknowledgedFile, readAcknowledgement } from './acknowledgements.ts'
import { applyRecords } from './file-records.ts'
import { quoteForMessage } from './formats/decimal-amounts.ts'
import { type FileRecord, NO_KNOWN_FORMAT } from './formats/file-formats.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'
import { toInboxFileId } from './ids.ts'
import { listComplete } from './inbox-markers.ts'
import { toMarkerName } from './markers.ts'
import { type BankFilesRail, type BankFileWorker, hasDebits } from './rail.ts'
import { detectKind, readRecords } from './read-records.ts'
import { type Spooled, spool } from './spool.ts'
import { selectInboxFile } from './store.ts'
import { FileAlreadyExists, FileNotFound, type FolderFile } from './stores/bank-folder.ts'

const HEAD_BYTES = 4_096

/** Reads the files in the inbox, each exactly once. An unreadable file does not block the others. */
export async function readInbox(worker: BankFileWorker, renew: () => Promise<void>): Promise<void> {
  for (const file of await listComplete(worker.rail)) {
    await renew()
    const path = join(worker.app.spool.folder, `bank-${newRequestId(worker.app.clock())}`)
    try {
      await readFile(worker, file, path, renew)
    } catch (error) {
      // The file stays in the inbox and is retried. An error in one file must not delay the others.
      worker.app.log.error(
        { err: error, rail: worker.rail.name, file: file.name },
        'failed to read a bank file',
      )
    } finally {
      await rm(path, { force: true })
    }
  }
}

async function readFile(
  worker: BankFileWorker,
  file: FolderFile,
  path: string,
  renew: () => Promise<void>,
): Promise<void> {
  const spooled = await spool(worker, file, path)
  if (!spooled) return
  const found = await selectInboxFile(
    await createRailOp(worker),
    toInboxFileId(worker.rail.name, spooled.digest),
  )
  const row = found ? await inspectAgain(worker, found, spooled) : await recordFile(worker, spooled)
  if (row.state === BANK_INBOX_INITIAL) await applyFile(worker, row, spooled, renew)
  await moveWithMarker(worker, spooled, row.state === BANK_INBOX_REFUSED ? 'refused' : 'done')
}

/** Inspects a new file and records it: accepted for reading, or refused and reported for manual review. */
async function recordFile(worker: BankFileWorker, spooled: Spooled): Promise<BankInboxFileRow> {
  const { kind, reason } = await inspectFile(worker, spooled)
  const op = await createRailOp(worker)
  const row: BankInboxFileRow = {
    id: toInboxFileId(worker.rail.name, spooled.digest),
    platform_id: worker.platformId,
    rail: worker.rail.name,
    name: spooled.name,
    sha256: Buffer.from(spooled.digest, 'hex'),
    bytes: BigInt(spooled.bytes),
    kind,
    state: reason === undefined ? BANK_INBOX_INITIAL : BANK_INBOX_REFUSED,
    records: 0,
    reason: reason ?? null,
    created_at: op.now,
    updated_at: op.now,
  }
  const refusalWrites = reason === undefined ? [] : recordRefusal(op, worker, spooled, reason)
  if (reason !== undefined)
    op.log.error({ rail: worker.rail.name, file: spooled.name, reason }, 'refused an unreadable bank file')
  const { done } = await worker.app.commit(op, [insert('bank_inbox_files', row), ...refusalWrites])
  if (!done) throw new Error(`Another process is reading ${spooled.name}`)
  return row
}

/** Inspects a file again if the operator requested a retry. */
async function inspectAgain(
  worker: BankFileWorker,
  found: BankInboxFileRow,
  spooled: Spooled,
): Promise<BankInboxFileRow> {
  if (found.state !== BANK_INBOX_INITIAL || found.kind !== 'UNKNOWN') return found
  const { kind, reason } = await inspectFile(worker, spooled)
  const op = await createRailOp(worker)
  const guard = { state: found.state, kind: found.kind }
  const { row, write } =
    reason === undefined
      ? { row: { ...found, kind }, write: update('bank_inbox_files', found.id, guard, { kind }) }
      : transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, found, 'refuse', { kind, reason })
  if (!(await worker.app.commit(op, [write])).done)
    throw new Error(`Another process is reading ${found.name}`)
  return row
}

type Inspection = Pick<BankInboxFileRow, 'kind'> & { readonly reason?: string }

async function inspectFile(worker: BankFileWorker, { path, name, fault }: Spooled): Promise<Inspection> {
  const { entry, statementFormats } = worker.rail
  if (fault !== undefined) return { kind: 'UNKNOWN', reason: fault }
  const acknowledgement = readAcknowledgement(entry, name)
  if (acknowledgement)
    return (await findAcknowledgedFile(await createRailOp(worker), worker.rail.name, acknowledgement))
      ? { kind: 'ACKNOWLEDGEMENT' }
      : {
          kind: 'UNKNOWN',
          reason: `acknowledges ${quoteForMessage(acknowledgement.value)}, but this server has not written a file with that name`,
        }
  const kind = detectKind(await readHead(path))
  if (kind === 'UNKNOWN') return { kind, reason: NO_KNOWN_FORMAT }
  try {
    for await (const file of readRecords(kind, path))
      if (isStatement(file) && !statementFormats.includes(file.format))
        return { kind, reason: `has a statement in ${file.format}; ${suggestFormat(file.format, entry)}` }
    return { kind }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { kind, reason: error.message.slice(0, 500) }
  }
}

function suggestFormat(statement: StatementFormat, { format }: BankFilesRail['entry']): string {
  return statement === 'BAI2' && hasDebits(format)
    ? 'a rail with debits needs camt.053 or MT940, because BAI2 does not tell a collection from a deposit'
    : 'set statementFormat if the bank sends only this format'
}

/** True for a record of a statement. Intraday reports and advices are read in every format. */
function isStatement(file: FileRecord): file is Extract<FileRecord, { of: 'ACCOUNT' }> {
  return (
    file.of === 'ACCOUNT' && file.record.type === 'statement' && file.record.statement.kind === 'STATEMENT'
  )
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function recordRefusal(
  op: Op,
  { rail }: BankFileWorker,
  { name, digest, bytes }: Spooled,
  reason: string,
): Write[] {
  const event = {
    id: `file-${digest.slice(0, 32)}`,
    type: 'file.refused',
    data: { name: quoteForMessage(name), digest, bytes, reason },
  }
  return recordReport(op, rail.name, event, 'UNREADABLE')
}

/** Applies a file's records, then marks the file as read. */
async function applyFile(
  worker: BankFileWorker,
  row: BankInboxFileRow,
  { path, name, digest, contentDigest }: Spooled,
  renew: () => Promise<void>,
): Promise<void> {
  const acknowledgement = row.kind === 'ACKNOWLEDGEMENT' && readAcknowledgement(worker.rail.entry, name)
  if (acknowledgement) await applyAcknowledgement(worker, acknowledgement, { path, digest })
  else await applyRecords(worker, row.id, contentDigest, readRecords(row.kind, path), renew)
  await decide(worker, async (op) => {
    const current = await selectInboxFile(op, row.id)
    if (current?.state !== BANK_INBOX_INITIAL) return []
    return [transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, current, 'read').write]
  })
}

/** Moves a file out of the inbox, followed by its marker. */
async function moveWithMarker(
  { rail }: BankFileWorker,
  spooled: Spooled,
  target: 'done' | 'refused',
): Promise<void> {
  await moveFile(rail, spooled, target)
  const { theirs } = rail.entry.markers ?? {}
  if (theirs) await moveFile(rail, { ...spooled, name: toMarkerName(theirs, spooled.name) }, target)
}

/** Moves a file. If the name is taken, appends the file's digest. */
async function moveFile(
  rail: BankFilesRail,
  { name, digest }: Pick<Spooled, 'name' | 'digest'>,
  target: 'done' | 'refused',
): Promise<void> {
  const from = { folder: rail.entry.place.inbox, name }
  const folder = rail.entry.place[target]
  for (const to of [name, `${digest.slice(0, 12)}-${name}`])
    try {
      await rail.folder.rename(from, { folder, name: to })
      return
    } catch (error) {
      if (error instanceof FileNotFound) return
      if (!(error instanceof FileAlreadyExists)) throw error
    }
  // The name with the digest is taken too, so the same file or marker has already been moved.
  await rail.folder.remove(from)
}
