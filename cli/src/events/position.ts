import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorSentence, isMissing } from '../terminal/thrown.ts'

/**
 * The position at which a listener resumes: after this event, or at the start of a feed that was empty
 * (null).
 */
export type Position = { readonly after: string | null }

/** Identifies a listener. Each combination of target and filter has its own position. */
export interface Listener {
  readonly platformId: string
  readonly target: string
  readonly types?: readonly string[]
}

/** The file with a listener's position, in the user's state folder (XDG). */
export function getPositionPath({ platformId, target, types }: Listener): string {
  const folder = io().env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
  const key = JSON.stringify([platformId, target, [...(types ?? [])].sort()])
  const name = createHash('sha256').update(key).digest('hex').slice(0, 32)
  return join(folder, 'countersign', `listen-${name}.json`)
}

/** Returns undefined if this listener has never run. Throws Failure if the file cannot be read. */
export async function readPosition(file: string): Promise<Position | undefined> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new Failure(`Cannot read ${file}: ${getErrorSentence(error)}`)
  }
  if (isObject(value) && (value.after === null || typeof value.after === 'string'))
    return { after: value.after }
  throw new Failure(`${file} contains no position. Delete it to start with the next event.`)
}

/** Replaces the whole file atomically, so that a crash leaves either the previous position or this one. */
export async function writePosition(file: string, position: Position): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporaryFile = `${file}.${process.pid}`
  await writeFile(temporaryFile, JSON.stringify(position), { mode: 0o600, flush: true })
  await rename(temporaryFile, file)
}
