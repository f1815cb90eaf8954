import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { sync } from '../../storage/engine/copy-files.ts'
import type { Written } from './archive-store.ts'

const MODE = 0o600
const LINE_FEED = 10

/**
 * Writes a line per row to a compressed file and flushes it to disk. The file appears complete or not at all.
 * Throws a one-line error if a different file with this name exists, because it may be another server's
 * archive.
 */
export async function writeRows(
  folder: string,
  file: string,
  pages: AsyncGenerator<string[]>,
): Promise<Written> {
  const path = join(folder, file)
  const unfinished = `${path}.unfinished`
  let rows = 0
  async function* lines() {
    for await (const page of pages) {
      rows += page.length
      yield `${page.join('\n')}\n`
    }
  }
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(unfinished, { mode: MODE }))
    await sync(unfinished)
    const sha256 = await hashFile(unfinished)
    if (existsSync(path) && (await hashFile(path)) !== sha256)
      throw new Error(`${path} already exists with different content. Choose another folder.`)
    await rename(unfinished, path)
    await sync(folder)
    return { file, rows, sha256 }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Checks a file's digest and rows. Throws a one-line error if it is missing or was changed. */
export async function checkFile(folder: string, { file, rows, sha256 }: Written): Promise<void> {
  const path = join(folder, file)
  let rowCount = 0
  const count = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) for (const byte of chunk) if (byte === LINE_FEED) rowCount += 1
  }
  try {
    if ((await hashFile(path)) !== sha256) throw new Error('its content has changed since it was written')
    await pipeline(createReadStream(path), createGunzip(), count)
  } catch (error) {
    throw new Error(`${path} is damaged: ${getErrorSentence(error)}`)
  }
  if (rowCount !== rows) throw new Error(`${path} has ${rowCount} rows instead of ${rows}.`)
}
