import { execFile } from 'node:child_process'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const WORKER = fileURLToPath(new URL('../server/src/db/embedded-worker.mjs', import.meta.url))

/** The files of a new embedded database, in a folder of their own: making them is most of a first start. */
export async function makeEmptyDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  await promisify(execFile)(process.execPath, [WORKER, folder])
  return folder
}

/** Puts a copy of them where a server looks for its own. */
export async function copyEmptyDatabase(emptyDatabase: string, dataDir: string): Promise<void> {
  await cp(emptyDatabase, join(dataDir, 'db'), { recursive: true })
}
