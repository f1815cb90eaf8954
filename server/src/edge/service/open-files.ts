import { readFile } from 'node:fs/promises'

/**
 * Files and connections that a server needs in addition to its callers' connections: the database, served
 * files, webhooks and rails.
 */
const OTHERS = 96
const LEAST = 16

/** The system's limit on open files and connections for this process. Undefined without a limit. */
export async function findOpenFilesMax(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/**
 * The maximum number of caller connections. Beyond the system's limit, the system would silently reset
 * connections, including the server's own.
 */
export function connectionsWithin(connectionsMax: number, openFilesMax: number | undefined): number {
  return openFilesMax === undefined
    ? connectionsMax
    : Math.min(connectionsMax, Math.max(LEAST, openFilesMax - OTHERS))
}
