import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Database } from '@countersign/server/db/engine/port'
import type { Cluster } from './server-process.ts'

/** What was written to one table and its indexes. `updated` includes `hot`, the updates that made no index entry. */
export interface Written {
  readonly inserted: number
  readonly updated: number
  readonly hot: number
  readonly deleted: number
  readonly locked: number
  readonly indexEntries: number
  readonly bytes: number
}

/** What the log has of one database. */
export interface LogFigures {
  readonly records: number
  readonly commits: number
  /** Of all records, without pages written in full. */
  readonly bytes: number
  /** Of pages written in full, because they were changed for the first time since a checkpoint. */
  readonly fullPageBytes: number
  /** By table, in the order of their names. */
  readonly tables: Readonly<Record<string, Written>>
}

/** A count of `Written` that records of a kind add to. */
type Count = Exclude<keyof Written, 'bytes'>
type Counts = { -readonly [Name in keyof Written]: number }

/** Kinds of records of rows, without `+INIT`, which says that the page is a new one. */
const ROWS: Readonly<Record<string, readonly Count[]>> = {
  INSERT: ['inserted'],
  UPDATE: ['updated'],
  HOT_UPDATE: ['updated', 'hot'],
  DELETE: ['deleted'],
  LOCK: ['locked'],
  LOCK_UPDATED: ['locked'],
}

/** pg_waldump prints one of them per record; blocks and their tables are at its end. */
const RECORD = /^rmgr: (\S+) +len \(rec\/tot\): *(\d+)\/ *(\d+), tx: *(\d+), .*?desc: (\S+)(.*)$/
const RELATION = /\brel \d+\/(\d+)\/(\d+)/

/** Files of the tables of a database, of their indexes, sequences and long values, each with the name of the table. */
const FILES = `
SELECT pg_relation_filenode(c.oid)::text AS file, coalesce(owner.relname, of_toast.relname, of_index.relname, c.relname)::text AS name
FROM pg_class c
LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN pg_class of_index ON of_index.oid = i.indrelid
LEFT JOIN pg_class of_toast ON of_toast.reltoastrelid = coalesce(i.indrelid, c.oid) AND of_toast.reltoastrelid <> 0
LEFT JOIN pg_depend d ON c.relkind = 'S' AND d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
LEFT JOIN pg_class owner ON owner.oid = d.refobjid
WHERE c.oid >= 16384 AND pg_relation_filenode(c.oid) IS NOT NULL`

/** The write-ahead log of a cluster, read by PostgreSQL's own program: what it has was written, by whomever. */
export class Log {
  readonly #db: Database
  readonly #program: string

  constructor(db: Database, cluster: Cluster) {
    this.#db = db
    this.#program = join(cluster.bin, 'pg_waldump')
  }

  /** The end of the log, for `between`. */
  async position(): Promise<string> {
    const { rows } = await this.#db.query<{ at: string }>('SELECT pg_current_wal_flush_lsn()::text AS at')
    return rows[0]!.at
  }

  /** All that was written in the meantime. Rejects where a checkpoint has removed some of it. */
  async between(start: string, end: string): Promise<LogFigures> {
    const { rows } = await this.#db.query<{ folder: string; database: string }>(
      `SELECT current_setting('data_directory') AS folder, oid::text AS database FROM pg_database
       WHERE datname = current_database()`,
    )
    const files = await this.#db.query<{ file: string; name: string }>(FILES)
    const { folder, database } = rows[0]!
    const sums = new Sums(database, new Map(files.rows.map(({ file, name }) => [file, name])))
    const args = [`--path=${join(folder, 'pg_wal')}`, `--start=${start}`, `--end=${end}`]
    await eachLine(this.#program, args, (line) => sums.add(line))
    return sums.figures()
  }

  /** Makes a checkpoint now where the log since the last one is so long that the next might fall into a part. */
  async checkpointIfNear(): Promise<void> {
    const { rows } = await this.#db.query<{ bytes: number }>(
      'SELECT (pg_current_wal_lsn() - redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()',
    )
    if (rows[0]!.bytes > BYTES_MAX) await this.#db.query('CHECKPOINT')
  }
}

/** Half of what PostgreSQL lets come together with the settings of `commit-bench.ts`. */
const BYTES_MAX = 1 << 30

class Sums {
  readonly #database: string
  readonly #names: ReadonlyMap<string, string>
  readonly #tables = new Map<string, Counts>()
  /** The transactions that have written in this database: a record of a commit names no database. */
  readonly #transactions = new Set<string>()
  #records = 0
  #commits = 0
  #bytes = 0
  #fullPageBytes = 0

  constructor(database: string, names: ReadonlyMap<string, string>) {
    this.#database = database
    this.#names = names
  }

  add(line: string): void {
    const record = RECORD.exec(line)
    if (!record) return
    const [, manager, length, total, transaction, kind, rest] = record as unknown as string[]
    const isCommit = manager === 'Transaction' && kind === 'COMMIT'
    const [, database, file] = RELATION.exec(rest!) ?? []
    if (isCommit ? !this.#isOurs(transaction!, rest!) : database !== this.#database) return
    const bytes = Number(length)
    if (isCommit) this.#commits += 1
    else if (!this.#addTo(file!, manager!, kind!, rest!, bytes)) return
    if (transaction !== '0') this.#transactions.add(transaction!)
    this.#records += 1
    this.#bytes += bytes
    this.#fullPageBytes += Number(total) - bytes
  }

  /** A transaction whose rows were all written by its subtransactions counts too. */
  #isOurs(transaction: string, rest: string): boolean {
    const inner = /subxacts: ([\d ]+)/.exec(rest)?.[1]?.trim().split(' ') ?? []
    return [transaction, ...inner].some((one) => this.#transactions.has(one))
  }

  /** False for PostgreSQL's own tables, which statistics are written to. */
  #addTo(file: string, manager: string, kind: string, rest: string, bytes: number): boolean {
    const name = this.#names.get(file)
    if (name === undefined) return false
    const counts = this.#tables.get(name) ?? { ...NOTHING }
    this.#tables.set(name, counts)
    counts.bytes += bytes
    if (manager.startsWith('Heap')) {
      const what = kind.replace('+INIT', '')
      if (what === 'MULTI_INSERT') counts.inserted += Number(/^ (\d+) tuples/.exec(rest)?.[1] ?? 0)
      for (const count of ROWS[what] ?? []) counts[count] += 1
    } else if (isIndexEntry(manager, kind, rest)) counts.indexEntries += 1
    return true
  }

  figures(): LogFigures {
    const byName = [...this.#tables].sort(([one], [other]) => (one < other ? -1 : 1))
    return {
      records: this.#records,
      commits: this.#commits,
      bytes: this.#bytes,
      fullPageBytes: this.#fullPageBytes,
      tables: Object.fromEntries(byName),
    }
  }
}

const NOTHING: Written = {
  inserted: 0,
  updated: 0,
  hot: 0,
  deleted: 0,
  locked: 0,
  indexEntries: 0,
  bytes: 0,
}

/** A split of a leaf is the insertion of an entry that had no room. Indexes of ranges get an entry per range, not per row. */
function isIndexEntry(manager: string, kind: string, rest: string): boolean {
  if (manager !== 'Btree') return ['Hash', 'Gin', 'Gist', 'BRIN'].includes(manager) && /^INSERT/.test(kind)
  if (kind === 'INSERT_LEAF' || kind === 'INSERT_POST') return true
  return /^SPLIT_[LR]/.test(kind) && /^ level:? 0\b/.test(rest)
}

/** Runs a program to its end. Rejects with what it complains of. */
function eachLine(program: string, args: readonly string[], take: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let [begun, complaint] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (begun + text).split('\n')
      begun = lines.pop()!
      for (const line of lines) take(line)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`pg_waldump cannot read the log: ${complaint.trim()}`)),
    )
  })
}

/** What one of `pieces` pieces of work has written. */
export function perPiece(figures: LogFigures, pieces: number): LogFigures {
  const shared = <Counted extends object>(counted: Counted): Counted =>
    Object.fromEntries(
      Object.entries(counted).map(([name, value]) => [name, (value as number) / pieces]),
    ) as Counted
  const { tables, ...sums } = figures
  return {
    ...shared(sums),
    tables: Object.fromEntries(Object.entries(tables).map(([name, written]) => [name, shared(written)])),
  }
}

/** The sum over all tables. */
export function ofAllTables({ tables }: LogFigures, what: keyof Written): number {
  return Object.values(tables).reduce((sum, written) => sum + written[what], 0)
}

/** Rows that were written in any way: inserted, updated, deleted or locked. */
export function rowsWritten(figures: LogFigures): number {
  return (['inserted', 'updated', 'deleted', 'locked'] as const).reduce(
    (sum, what) => sum + ofAllTables(figures, what),
    0,
  )
}
