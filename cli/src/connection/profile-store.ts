import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Profiles, profilesFile } from '@countersign/sdk'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorSentence } from '../terminal/thrown.ts'

/**
 * Replaces the whole file atomically, so that a crash leaves the previous one. Only its owner can read it.
 */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const file = profilesFile(io().env)
  const temporaryFile = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(temporaryFile, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(temporaryFile, file)
  } catch (error) {
    await rm(temporaryFile, { force: true })
    throw new Failure(`Cannot write ${file}: ${getErrorSentence(error)}`)
  }
}
