import { readFile } from 'node:fs/promises'

/**
 * Files and connections that a server needs in addition to its callers': the database, served files,
 * webhooks, rails.
 */
const OTHERS = 96
const LEAST = 16

/** The system's limit of open files and connections for this process; undefined if it has no limit. */
export async function findOpenFilesMax(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/**
 * The maximum number of caller connections. Beyond the system's limit it would silently reset them and also
 * the server's own.
 */
export function connectionsWithin(connectionsMax: number, openFilesMax: number | undefined): number {
  return openFilesMax === undefined
    ? connectionsMax
    : Math.min(connectionsMax, Math.max(LEAST, openFilesMax - OTHERS))
}
