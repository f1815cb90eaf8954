import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'
import { findDataKeys } from '../../kernel/enclave/data-keys.ts'
import { openEnclave } from '../../kernel/enclave/in-process.ts'
import { findMasterKey } from '../../kernel/enclave/master-key.ts'
import { machineClock } from '../../kernel/operation/app.ts'
import { type BooksReport, verifyLedger } from '../../operation/proofs/verify.ts'
import { MOVED_FILE, openEmbedded } from '../../storage/engine/embedded.ts'
import { openPostgres } from '../../storage/engine/postgres.ts'
import { continueFeed } from '../../storage/schema/continue-feed.ts'
import { migrate } from '../../storage/schema/migrate.ts'
import { moveTables, type RowCounts } from '../../storage/schema/move-tables.ts'

export interface MovedDatabase {
  /** The number of rows by table. */
  readonly moved: RowCounts
  /** The result of verifying the books in PostgreSQL. */
  readonly verified: BooksReport
}

/**
 * Moves a data directory's embedded database to an empty PostgreSQL database: copies all rows in one
 * transaction, compares them, and verifies the books. No server may use the directory during the move, and
 * none can open its database afterwards. Throws a one-line error.
 */
export async function moveToPostgres(config: Config, from: string, url: string): Promise<MovedDatabase> {
  if (!existsSync(join(from, 'db'))) throw new Error(`${from} has no embedded database.`)
  const masterKey = config.masterKey ?? (await findMasterKey(from))
  if (!masterKey)
    throw new Error('The master key is required to verify the books. Set COUNTERSIGN_MASTER_KEY.')
  const marker = join(from, MOVED_FILE)
  const source = await openEmbedded(from)
  try {
    await migrate(source)
    const target = await openPostgres(url, { prepares: true, schema: config.databaseSchema })
    try {
      await migrate(target, { isLast: true })
      // Written just before the commit and never removed, so the two databases are never both in use, even if
      // the commit's response is lost.
      const moved = await moveTables(source, { url, schema: config.databaseSchema }, () =>
        writeFile(marker, `Moved to PostgreSQL at ${machineClock().toISOString()}.\n`, { flush: true }),
      )
      await continueFeed(target)
      const keys = await findDataKeys(target, masterKey)
      if (!keys) throw new Error('The database has no keys because its server was never used.')
      const { quorumPublicKey } = await openEnclave(target, keys, config.mode, machineClock())
      return { moved, verified: await verifyLedger(target, quorumPublicKey) }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
