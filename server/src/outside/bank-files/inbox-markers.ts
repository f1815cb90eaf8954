import { readAcknowledgement } from './acknowledgements.ts'
import { limitBytes } from './formats/read-twice.ts'
import { isMarker, readDigest, toMarkerName } from './markers.ts'
import type { BankFilesRail } from './rail.ts'
import { FileAlreadyExists, FileNotFound, type FolderFile } from './stores/bank-folder.ts'

const MARKER_BYTES_MAX = 4_096

/**
 * Lists the inbox files that may be read. If the bank uses markers, these are the files with a marker, and
 * acknowledgements. Also moves orphaned markers away, so that a later file with the same name cannot match
 * one.
 */
export async function listComplete(rail: BankFilesRail): Promise<readonly FolderFile[]> {
  const list = () => rail.folder.list(rail.entry.place.inbox)
  const files = await list()
  const orphans = listOrphans(rail, files)
  // A bank writes markers last, so a marker without a file in both lists is an orphan.
  const stillOrphans = orphans.length === 0 ? [] : listOrphans(rail, await list())
  for (const name of stillOrphans.filter((marker) => orphans.includes(marker)))
    await moveOrphanAway(rail, name)
  return filterComplete(rail, files)
}

/** Lists the files that wait for their marker. */
export function listWithoutMarker(rail: BankFilesRail, files: readonly FolderFile[]): readonly string[] {
  const complete = new Set(filterComplete(rail, files))
  const { theirs } = rail.entry.markers ?? {}
  return files
    .filter((file) => theirs && !complete.has(file) && !isMarker(theirs, file.name))
    .map(({ name }) => name)
}

function filterComplete({ entry }: BankFilesRail, files: readonly FolderFile[]): readonly FolderFile[] {
  const { theirs } = entry.markers ?? {}
  if (!theirs) return files
  const names = new Set(files.map(({ name }) => name))
  return files.filter(
    ({ name }) =>
      readAcknowledgement(entry, name) !== undefined ||
      (!isMarker(theirs, name) && names.has(toMarkerName(theirs, name))),
  )
}

function listOrphans({ entry }: BankFilesRail, files: readonly FolderFile[]): readonly string[] {
  const { theirs } = entry.markers ?? {}
  if (!theirs) return []
  const names = files.map(({ name }) => name)
  const expected = new Set(
    names.filter((name) => !isMarker(theirs, name)).map((name) => toMarkerName(theirs, name)),
  )
  return names.filter(
    (name) => isMarker(theirs, name) && !expected.has(name) && readAcknowledgement(entry, name) === undefined,
  )
}

/**
 * Compares a file with the checksum in its marker. Returns undefined if they match, INCOMPLETE if the marker
 * has no checksum yet, and otherwise the reason for refusing the file.
 */
export async function checkMarker(
  { folder, entry }: BankFilesRail,
  name: string,
  digest: string,
): Promise<string | undefined> {
  const { theirs } = entry.markers ?? {}
  if (theirs?.content !== 'SHA256' || readAcknowledgement(entry, name)) return undefined
  const marker = toMarkerName(theirs, name)
  const stream = await folder.open({ folder: entry.place.inbox, name: marker })
  if (!stream) return 'INCOMPLETE'
  const pieces: Uint8Array[] = []
  const tooLarge = () => new Error(`The marker ${marker} is larger than ${MARKER_BYTES_MAX} bytes`)
  for await (const piece of limitBytes(stream, MARKER_BYTES_MAX, tooLarge)) pieces.push(piece)
  const stated = readDigest(Buffer.concat(pieces).toString('latin1'))
  if (stated === undefined) return 'INCOMPLETE'
  return stated === digest ? undefined : `has the checksum ${digest}, but its marker states ${stated}`
}

async function moveOrphanAway({ folder, entry }: BankFilesRail, name: string): Promise<void> {
  const from = { folder: entry.place.inbox, name }
  try {
    await folder.rename(from, { folder: entry.place.done, name })
  } catch (error) {
    if (error instanceof FileNotFound) return
    if (!(error instanceof FileAlreadyExists)) throw error
    await folder.remove(from)
  }
}
