import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { VERSION } from '../../base/settings/version.ts'
import type { App } from '../../kernel/operation/app.ts'
import { type BooksReport, verifyLedger } from '../../operation/proofs/verify.ts'
import { copyFolder, sync } from '../../storage/engine/copy-files.ts'
import { openEmbedded } from '../../storage/engine/embedded.ts'
import { SCHEMA_NAME } from '../../storage/schema/migrate.ts'
import { writeManifest } from './backup-manifest.ts'
import { checkArchiving } from './wal-archiving.ts'

export interface Backup {
  readonly backup: string
  readonly createdAt: string
  readonly files: number
  readonly bytes: number
  readonly documents: 'HERE' | 'BUCKET'
  /** The result of verifying the books in the backup. */
  readonly verified: BooksReport
}

/**
 * Copies the embedded database and the uploaded files, but never the master key, into the new folder `to`
 * while the server runs. Then opens the copy and verifies its books. Throws a one-line error.
 */
export async function makeBackup(app: App, to: string): Promise<Backup> {
  const { db, config, enclave } = app
  if (!db.copyFiles) throw new Error('PostgreSQL has its own backups. Omit the folder to check them.')
  if (!isAbsolute(to)) throw new Error(`${to} is not an absolute path.`)
  if (existsSync(to)) throw new Error(`${to} already exists. Choose a new folder for the backup.`)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const unfinished = await mkdtemp(`${to}.unfinished-`)
  try {
    const createdAt = app.clock().toISOString()
    await db.copyFiles(join(unfinished, 'db'))
    const verified = await verifyCopy(unfinished, enclave.quorumPublicKey)
    // Copied after the database: extra files are harmless, because the database copy does not refer to them.
    const documents = config.documents.bucket ? 'BUCKET' : 'HERE'
    if (documents === 'HERE')
      await copyFolder(join(config.dataDir, 'files'), join(unfinished, 'files'), () => false)
    const fields = { version: VERSION, schema: SCHEMA_NAME, createdAt, documents } as const
    const { quorumPublicKey } = enclave
    const { files } = await writeManifest(unfinished, { ...fields, quorumPublicKey })
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

/**
 * Opens the copy like a server at startup, verifies its books and closes it. After that the copy no longer
 * needs its log.
 */
async function verifyCopy(folder: string, quorumPublicKey: string): Promise<BooksReport> {
  const copy = await openEmbedded(folder)
  try {
    return await verifyLedger(copy, quorumPublicKey)
  } finally {
    await copy.close()
  }
}

/** Problems with backups that PostgreSQL itself reports. */
export async function checkBackups({ db, clock }: App): Promise<{ readonly findings: readonly string[] }> {
  if (db.copyFiles) throw new Error('A backup of the embedded database needs a folder.')
  return { findings: await checkArchiving(db, clock()) }
}
