import { readFile } from 'node:fs/promises'

/** File descriptors reserved for the database, served files, webhooks and rails. */
const RESERVED_FILES = 96
const CONNECTIONS_MIN = 16

/** The system's limit on open files and connections for this process. Undefined without a limit. */
export async function findOpenFilesMax(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/**
 * The maximum number of caller connections. Beyond its limit, the system would silently reset connections,
 * including the server's outgoing ones.
 */
export function computeConnectionsMax(connectionsMax: number, openFilesMax: number | undefined): number {
  return openFilesMax === undefined
    ? connectionsMax
    : Math.min(connectionsMax, Math.max(CONNECTIONS_MIN, openFilesMax - RESERVED_FILES))
}
