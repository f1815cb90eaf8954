import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getErrorCode } from '../../base/formats/thrown-errors.ts'
import { MasterKeyError } from './data-keys.ts'

const MASTER_KEY_BYTES = 32

/**
 * The sandbox's own master key, created once and readable only by its owner. Production gets its key from the
 * settings.
 */
export async function findOrMakeMasterKey(dataDir: string): Promise<Uint8Array> {
  return (
    (await findMasterKey(dataDir)) ??
    parseMasterKey(await makeMasterKey(dataDir, getKeyPath(dataDir)), getKeyPath(dataDir))
  )
}

/**
 * Returns the key in the data directory's key file, if it exists. Throws MasterKeyError if the file does not
 * contain a valid key.
 */
export async function findMasterKey(dataDir: string): Promise<Uint8Array | undefined> {
  const text = await readIfThere(getKeyPath(dataDir))
  return text === undefined ? undefined : parseMasterKey(text, getKeyPath(dataDir))
}

function parseMasterKey(text: string, path: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new MasterKeyError(`${path} does not contain a key (64 hex digits). Restore the original file.`)
  return Buffer.from(text.trim(), 'hex')
}

/**
 * Creates the key. If several processes do this in parallel, the first one wins. The file appears with its
 * whole content, and is on disk before anything is sealed with the key: without it the database is lost.
 */
async function makeMasterKey(dataDir: string, path: string): Promise<string> {
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, randomBytes(MASTER_KEY_BYTES).toString('hex'), { mode: 0o600, flush: true })
  try {
    await link(temporary, path)
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dataDir)
  return readFile(path, 'utf8')
}

/** Replaces the key in the file atomically. */
export async function replaceMasterKey(dataDir: string, key: Uint8Array): Promise<void> {
  const path = getKeyPath(dataDir)
  const temporary = `${path}.${process.pid}.new`
  await writeFile(temporary, Buffer.from(key).toString('hex'), { mode: 0o600, flush: true })
  await rename(temporary, path)
  await syncFolder(dataDir)
}

function getKeyPath(dataDir: string): string {
  return join(dataDir, 'master.key')
}

/** Flushes a folder to disk. */
async function syncFolder(folder: string): Promise<void> {
  const entries = await open(folder, 'r')
  await entries.sync()
  await entries.close()
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
