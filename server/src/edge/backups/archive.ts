import { mkdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { App } from '../../kernel/operation/app.ts'
import type { Database } from '../../storage/engine/port.ts'
import { retryOnLock } from '../../storage/schema/migrate.ts'
import { findParts, type Part } from '../../storage/schema/months.ts'
import { checkFile, writeRows } from './archive-file.ts'
import {
  type ArchiveRow,
  countDue,
  countRows,
  type Detached,
  detach,
  dropWritten,
  findUnwritten,
  findWritten,
  readRows,
  storeLastSequences,
} from './archive-store.ts'

/** The number of latest months that always stay in the database, so that API calls can find their data. */
const MONTHS_KEPT_MIN = 3

/** A month of one table. The first one also includes everything before it. */
export interface Archived {
  readonly table: string
  readonly part: string
  readonly file: string
  readonly rows: number
  /** The digest of the file in hex. */
  readonly sha256: string
}

/**
 * Detaches the months before `before` (such as 2026-03) from all partitioned tables, writes their rows to
 * files in the folder `to`, and drops them after verifying each file. The next call continues an interrupted
 * run. Throws a one-line error.
 */
export async function archive(
  { db, clock }: App,
  before: string,
  to: string,
): Promise<{ readonly archived: readonly Archived[] }> {
  if (!isAbsolute(to)) throw new Error(`${to} is not an absolute path.`)
  const end = parsePartEnd(before, clock())
  const due = await countDue(db, end)
  if (due > 0) throw new Error(`${due} events from before ${before} are not delivered yet. Try again later.`)
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const part of await findParts(db)) if (part.until <= end) await detachPart(db, part, clock())
  const archived: Archived[] = []
  for (const part of await findUnwritten(db)) archived.push(await movePartToFile(db, part, to, clock()))
  return { archived }
}

/** The time before which rows are archived. Throws a one-line error if the month is invalid or too recent. */
function parsePartEnd(before: string, now: Date): Date {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(before))
    throw new Error(`--before must be a month like 2026-03, not ${before}.`)
  const end = new Date(`${before}-01T00:00:00.000Z`)
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_KEPT_MIN))
  if (end > last)
    throw new Error(
      `--before must be ${last.toISOString().slice(0, 7)} or earlier, because ${MONTHS_KEPT_MIN} whole months are kept.`,
    )
  return end
}

async function detachPart(db: Database, part: Part, now: Date): Promise<void> {
  if (part.table === 'events') await storeLastSequences(db, part)
  await retryOnLock(() => detach(db, part, now))
}

async function movePartToFile(db: Database, part: Detached, folder: string, now: Date): Promise<Archived> {
  const written = await writeRows(folder, `${part.name}.jsonl.gz`, readRows(db, part))
  await checkFile(folder, written)
  const rows = await countRows(db, part)
  if (rows !== written.rows)
    throw new Error(`${part.name} has ${rows} rows, but its file has ${written.rows}. Nothing was removed.`)
  await dropWritten(db, part, written, now)
  return { table: part.of_table, part: part.name, ...written }
}

/** Compares the archive files in a folder with their records in the database, and returns the differences. */
export async function checkArchives(
  { db }: App,
  folder: string,
): Promise<{ readonly files: number; readonly findings: readonly string[] }> {
  if (!isAbsolute(folder)) throw new Error(`${folder} is not an absolute path.`)
  const archives = await findWritten(db)
  const findings: string[] = []
  for (const { file, row_count, sha256 } of archives)
    await checkFile(folder, { file, rows: Number(row_count), sha256 }).catch((error: Error) =>
      findings.push(error.message),
    )
  return { files: archives.length, findings }
}

/** The written archives, oldest first. */
export async function listArchives({ db }: App): Promise<{ readonly data: readonly object[] }> {
  const toView = ({ of_table, name, file, row_count, sha256, written_at }: ArchiveRow) => ({
    table: of_table,
    part: name,
    file,
    rows: Number(row_count),
    sha256,
    writtenAt: written_at.toISOString(),
  })
  return { data: (await findWritten(db)).map(toView) }
}
