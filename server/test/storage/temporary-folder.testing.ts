import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for the database of one test file, which removes it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'countersign-db-'))
}
