import { readFile } from 'node:fs/promises'

/** Files and connections that a server needs next to its callers': the database, files that are served, webhooks, rails. */
const OTHERS = 96
const LEAST = 16

/** The most files and connections that the system lets this process have open; undefined if it names no number. */
export async function findOpenFilesMax(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}

/** The connections that callers may have. Beyond the system's limit it would reset them silently, and the server's own too. */
export function connectionsWithin(connectionsMax: number, openFilesMax: number | undefined): number {
  return openFilesMax === undefined
    ? connectionsMax
    : Math.min(connectionsMax, Math.max(LEAST, openFilesMax - OTHERS))
}
