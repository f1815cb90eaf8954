import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { getErrorSentence } from '../../base/formats/thrown-errors.ts'

const FILE = 'manifest.json'
const FORMAT = 1
const MODE = 0o600

/** The contents of a backup. */
export interface Manifest {
  readonly format: typeof FORMAT
  /** The release that created the backup, and its newest migration. */
  readonly version: string
  readonly schema: string
  readonly createdAt: string
  /** The server's public key as 130 hex characters. It identifies the server. */
  readonly quorumPublicKey: string
  /** The location of the uploaded files: in the backup, or in a bucket with its own backups. */
  readonly documents: 'HERE' | 'BUCKET'
  /** All files except the manifest, by path with forward slashes. */
  readonly files: Readonly<Record<string, FileFingerprint>>
}

interface FileFingerprint {
  readonly bytes: number
  /** The digest in hex. */
  readonly sha256: string
}

/** Writes the manifest for the files of a folder. */
export async function writeManifest(
  folder: string,
  fields: Omit<Manifest, 'format' | 'files'>,
): Promise<Manifest> {
  const manifest: Manifest = { format: FORMAT, ...fields, files: await hashFiles(folder) }
  await writeFile(join(folder, FILE), `${JSON.stringify(manifest, null, 1)}\n`, { mode: MODE, flush: true })
  return manifest
}

/**
 * Reads the manifest of a backup and compares the files with it. Throws a one-line error for the first
 * difference.
 */
export async function checkManifest(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const found = await hashFiles(folder)
  for (const [path, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const actual = found[path]
    if (!actual) throw new Error(`${join(folder, path)} is missing. The backup is incomplete.`)
    if (actual.bytes !== bytes || actual.sha256 !== sha256)
      throw new Error(`${join(folder, path)} has changed since the backup was made.`)
  }
  for (const path of Object.keys(found))
    if (!Object.hasOwn(manifest.files, path))
      throw new Error(`${join(folder, path)} does not belong to the backup. Remove it.`)
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  let manifest: Manifest
  try {
    manifest = JSON.parse(await readFile(join(folder, FILE), 'utf8'))
  } catch (error) {
    throw new Error(`${folder} is not a backup: ${getErrorSentence(error)}`)
  }
  if (manifest.format !== FORMAT)
    throw new Error(`${folder} is a backup of format ${manifest.format}, which this release cannot read.`)
  return manifest
}

async function hashFiles(folder: string): Promise<Record<string, FileFingerprint>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => path !== FILE)
    .sort()
  const files: Record<string, FileFingerprint> = {}
  for (const path of paths) files[path] = await inspectFile(join(folder, path))
  return files
}

async function inspectFile(path: string): Promise<FileFingerprint> {
  const hash = createHash('sha256')
  const { size } = await stat(path)
  await pipeline(createReadStream(path), hash)
  return { bytes: size, sha256: hash.digest('hex') }
}
