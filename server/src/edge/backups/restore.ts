import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../base/settings/config.ts'
import { findDataKeys } from '../../kernel/enclave/data-keys.ts'
import { findMasterKey } from '../../kernel/enclave/master-key.ts'
import { copyFolder, sync } from '../../storage/engine/copy-files.ts'
import { openEmbedded } from '../../storage/engine/embedded.ts'
import { checkManifest, type Manifest } from './backup-manifest.ts'

export interface Restored {
  readonly restored: string
  readonly createdAt: string
  readonly version: string
  readonly documents: Manifest['documents']
}

/**
 * Restores a backup into an empty data directory: first the files, then the database with one rename. Before
 * that, every file is compared with the manifest and the copy is opened with the master key. Throws a
 * one-line error.
 */
export async function restoreBackup(config: Config, from: string): Promise<Restored> {
  const { dataDir } = config
  if (config.databaseUrl)
    throw new Error(
      'restore only works with the embedded database, but DATABASE_URL is set. See docs/backups.md.',
    )
  for (const name of ['db', 'files'])
    if (existsSync(join(dataDir, name)))
      throw new Error(`${join(dataDir, name)} already exists. Restore into a new COUNTERSIGN_DATA_DIR.`)
  const manifest = await checkManifest(from)
  const masterKey = config.masterKey ?? (await findMasterKey(dataDir))
  if (!masterKey)
    throw new Error(
      `The master key is not part of a backup. Put it in ${join(dataDir, 'master.key')} or in COUNTERSIGN_MASTER_KEY.`,
    )
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = join(dataDir, 'restore.unfinished')
  await rm(unfinished, { recursive: true, force: true })
  try {
    await copyFolder(from, unfinished, (path) => path === 'manifest.json')
    await checkOpens(unfinished, masterKey)
    if (manifest.documents === 'HERE') await rename(join(unfinished, 'files'), join(dataDir, 'files'))
    await rename(join(unfinished, 'db'), join(dataDir, 'db'))
    await sync(dataDir)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
  const { createdAt, version, documents } = manifest
  return { restored: dataDir, createdAt, version, documents }
}

/** Throws MasterKeyError if the key does not match the copy. */
async function checkOpens(folder: string, masterKey: Uint8Array): Promise<void> {
  const copy = await openEmbedded(folder)
  try {
    if (!(await findDataKeys(copy, masterKey)))
      throw new Error('The backup has no keys because its server was never used.')
  } finally {
    await copy.close()
  }
}
