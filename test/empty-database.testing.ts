import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../server/src/db/embedded.ts'
import { migrate } from '../server/src/db/migrate.ts'

/** A migrated embedded database that nothing was written to: making it is most of a first start. */
export async function makeEmptyDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  const db = await openEmbedded(folder)
  await migrate(db)
  await db.close()
  return folder
}

/** Puts a copy of its files where a server looks for its own. */
export async function copyEmptyDatabase(emptyDatabase: string, dataDir: string): Promise<void> {
  await cp(join(emptyDatabase, 'db'), join(dataDir, 'db'), { recursive: true })
}
