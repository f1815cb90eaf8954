import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { VERSION } from '../../base/settings/version.ts'
import type { App } from '../../kernel/operation/app.ts'
import { type Verified, verifyLedger } from '../../operation/proofs/verify.ts'
import { copyFolder, sync } from '../../storage/engine/copy-files.ts'
import { openEmbedded } from '../../storage/engine/embedded.ts'
import { SCHEMA_NAME } from '../../storage/schema/migrate.ts'
import { writeManifest } from './backup-manifest.ts'
import { checkArchiving } from './wal-archiving.ts'

/** A backup that was made. */
export interface Backup {
  readonly backup: string
  readonly createdAt: string
  readonly files: number
  readonly bytes: number
  readonly documents: 'HERE' | 'BUCKET'
  /** The books in the backup itself. */
  readonly verified: Verified
}

/**
 * Copies the embedded database and the uploaded files into the new folder `to`, while the server goes on. The copy is opened and
 * its books are checked, so what is in the folder is known to open. The master key is never part of it. Throws an error of one line.
 */
export async function makeBackup(app: App, to: string): Promise<Backup> {
  const { db, config, enclave } = app
  if (!db.copyFiles) throw new Error('PostgreSQL has backups of its own: leave the folder out to check them')
  if (!isAbsolute(to)) throw new Error(`${to} is not the whole path of a folder`)
  if (existsSync(to)) throw new Error(`${to} is there already: a backup goes into a new folder`)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const unfinished = await mkdtemp(`${to}.unfinished-`)
  try {
    const createdAt = app.clock().toISOString()
    await db.copyFiles(join(unfinished, 'db'))
    const verified = await verifyCopy(unfinished, enclave.quorumPublicKey)
    // After the database: a file that is newer than it cannot be opened and does no harm.
    const documents = config.documents.bucket ? 'BUCKET' : 'HERE'
    if (documents === 'HERE')
      await copyFolder(join(config.dataDir, 'files'), join(unfinished, 'files'), () => false)
    const about = { version: VERSION, schema: SCHEMA_NAME, createdAt, documents } as const
    const { quorumPublicKey } = enclave
    const { files } = await writeManifest(unfinished, { ...about, quorumPublicKey })
    await sync(unfinished)
    await rename(unfinished, to)
    await sync(dirname(to))
    const sizes = Object.values(files)
    const bytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    return { backup: to, createdAt, files: sizes.length, bytes, documents, verified }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** Opens the copy as a start would, checks its books, and closes it: then it needs nothing of its log any more. */
async function verifyCopy(folder: string, quorumPublicKey: string): Promise<Verified> {
  const copy = await openEmbedded(folder)
  try {
    return await verifyLedger(copy, quorumPublicKey)
  } finally {
    await copy.close()
  }
}

/** What PostgreSQL says of its own backups. */
export async function checkBackups({ db, clock }: App): Promise<{ readonly findings: readonly string[] }> {
  if (db.copyFiles) throw new Error('a backup of the embedded database needs a folder to go to')
  return { findings: await checkArchiving(db, clock()) }
}
