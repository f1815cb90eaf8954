import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StatementFormat } from '@countersign/contract/connectors/bank-formats'
import { newRequestId, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { recordReport } from '../../money/rail-events/rail-events.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { BankInboxFileRow } from '../../storage/rows/bank-file.ts'
import { BANK_INBOX_INITIAL, BANK_INBOX_REFUSED, BANK_INBOX_TRANSITIONS } from '../../storage/rows/states.ts'
import { acknowledgementIn, applyAcknowledgement, findAcknowledged } from './acknowledgements.ts'
import { applyRecords } from './file-records.ts'
import { quoteForMessage } from './formats/decimal-amounts.ts'
import { type FileRecord, NO_KNOWN_FORMAT } from './formats/file-formats.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'
import { inboxFileIdOf } from './ids.ts'
import { listComplete } from './inbox-markers.ts'
import { markerOf } from './markers.ts'
import { type BankFilesRail, type BankFileWorker, hasDebits } from './rail.ts'
import { kindOf, readRecords } from './read-records.ts'
import { type Spooled, spool } from './spool.ts'
import { selectInboxFile } from './store.ts'
import { FileIsMissing, FileIsThere, type FolderFile } from './stores/bank-folder.ts'

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
  const found = await selectInboxFile(await opOf(worker), inboxFileIdOf(worker.rail.name, spooled.digest))
  const row = found ? await lookAgain(worker, found, spooled) : await begin(worker, spooled)
  if (row.state === BANK_INBOX_INITIAL) await takeEffect(worker, row, spooled, renew)
  await putAway(worker, spooled, row.state === BANK_INBOX_REFUSED ? 'refused' : 'done')
}

/** Inspects a file and records it, either to be read or as refused, with a report for a person. */
async function begin(worker: BankFileWorker, spooled: Spooled): Promise<BankInboxFileRow> {
  const { kind, reason } = await lookThrough(worker, spooled)
  const op = await opOf(worker)
  const row: BankInboxFileRow = {
    id: inboxFileIdOf(worker.rail.name, spooled.digest),
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
  const refusalWrites = reason === undefined ? [] : refusalOf(op, worker, spooled, reason)
  if (reason !== undefined)
    op.log.error({ rail: worker.rail.name, file: spooled.name, reason }, 'refused an unreadable bank file')
  const { done } = await worker.app.commit(op, [insert('bank_inbox_files', row), ...refusalWrites])
  if (!done) throw new Error(`Another process is reading ${spooled.name}`)
  return row
}

/** Inspects a refused file again, because the operator wants to retry it. */
async function lookAgain(
  worker: BankFileWorker,
  found: BankInboxFileRow,
  spooled: Spooled,
): Promise<BankInboxFileRow> {
  if (found.state !== BANK_INBOX_INITIAL || found.kind !== 'UNKNOWN') return found
  const { kind, reason } = await lookThrough(worker, spooled)
  const op = await opOf(worker)
  const guard = { state: found.state, kind: found.kind }
  const { row, write } =
    reason === undefined
      ? { row: { ...found, kind }, write: update('bank_inbox_files', found.id, guard, { kind }) }
      : transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, found, 'refuse', { kind, reason })
  if (!(await worker.app.commit(op, [write])).done)
    throw new Error(`Another process is reading ${found.name}`)
  return row
}

type Looked = Pick<BankInboxFileRow, 'kind'> & { readonly reason?: string }

async function lookThrough(worker: BankFileWorker, { path, name, fault }: Spooled): Promise<Looked> {
  const { entry, statementFormats } = worker.rail
  if (fault !== undefined) return { kind: 'UNKNOWN', reason: fault }
  const said = acknowledgementIn(entry, name)
  if (said)
    return (await findAcknowledged(await opOf(worker), worker.rail.name, said))
      ? { kind: 'ACKNOWLEDGEMENT' }
      : {
          kind: 'UNKNOWN',
          reason: `acknowledges ${quoteForMessage(said.value)}, and we have written no file of this name`,
        }
  const kind = kindOf(await headOf(path))
  if (kind === 'UNKNOWN') return { kind, reason: NO_KNOWN_FORMAT }
  try {
    for await (const file of readRecords(kind, path))
      if (isStatement(file) && !statementFormats.includes(file.format))
        return { kind, reason: `has a statement in ${file.format}; ${adviceOn(file.format, entry)}` }
    return { kind }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return { kind, reason: error.message.slice(0, 500) }
  }
}

function adviceOn(statement: StatementFormat, { format }: BankFilesRail['entry']): string {
  return statement === 'BAI2' && hasDebits(format)
    ? 'a rail with debits needs camt.053 or MT940, which tell a collection from a deposit'
    : 'set statementFormat if the bank sends no others'
}

/** True for a record of a statement. Intraday reports and advices are read in every format. */
function isStatement(file: FileRecord): file is Extract<FileRecord, { of: 'ACCOUNT' }> {
  return (
    file.of === 'ACCOUNT' && file.record.type === 'statement' && file.record.statement.kind === 'STATEMENT'
  )
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function refusalOf(
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
async function takeEffect(
  worker: BankFileWorker,
  row: BankInboxFileRow,
  { path, name, digest, contentDigest }: Spooled,
  renew: () => Promise<void>,
): Promise<void> {
  const said = row.kind === 'ACKNOWLEDGEMENT' && acknowledgementIn(worker.rail.entry, name)
  if (said) await applyAcknowledgement(worker, said, { path, digest })
  else await applyRecords(worker, row.id, contentDigest, readRecords(row.kind, path), renew)
  await decide(worker, async (op) => {
    const now = await selectInboxFile(op, row.id)
    if (now?.state !== BANK_INBOX_INITIAL) return []
    return [transition(op, 'bank_inbox_files', BANK_INBOX_TRANSITIONS, now, 'read').write]
  })
}

/** Moves a file out of the inbox, followed by its marker. */
async function putAway({ rail }: BankFileWorker, spooled: Spooled, where: 'done' | 'refused'): Promise<void> {
  await moveAway(rail, spooled, where)
  const { theirs } = rail.entry.markers ?? {}
  if (theirs) await moveAway(rail, { ...spooled, name: markerOf(theirs, spooled.name) }, where)
}

/** Moves a file. If the name is taken, appends the file's digest. */
async function moveAway(
  rail: BankFilesRail,
  { name, digest }: Pick<Spooled, 'name' | 'digest'>,
  where: 'done' | 'refused',
): Promise<void> {
  const from = { folder: rail.entry.place.inbox, name }
  const folder = rail.entry.place[where]
  for (const to of [name, `${digest.slice(0, 12)}-${name}`])
    try {
      await rail.folder.rename(from, { folder, name: to })
      return
    } catch (error) {
      if (error instanceof FileIsMissing) return
      if (!(error instanceof FileIsThere)) throw error
    }
  // The name with the digest is taken too, so it is the same file or its marker.
  await rail.folder.remove(from)
}
