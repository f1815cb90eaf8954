import { acknowledgementIn } from './acknowledgements.ts'
import { atMost } from './formats/read-twice.ts'
import { digestIn, isMarker, markerOf } from './markers.ts'
import type { BankFilesRail } from './rail.ts'
import { FileIsMissing, FileIsThere, type FolderFile } from './stores/bank-folder.ts'

const MARKER_BYTES_MAX = 4_096

/**
 * Lists the inbox files that may be read: those with a marker, if the bank uses markers. Acknowledgements
 * need no marker. The marker of a file that has been moved away is moved too, so that it cannot be taken for
 * the marker of a later file with the same name.
 */
export async function listComplete(rail: BankFilesRail): Promise<readonly FolderFile[]> {
  const list = () => rail.folder.list(rail.entry.place.inbox)
  const files = await list()
  const orphans = orphansAmong(rail, files)
  // A bank writes markers last, so if a marker's file is missing from the second list too, it was moved away.
  const stillOrphans = orphans.length === 0 ? [] : orphansAmong(rail, await list())
  for (const name of stillOrphans.filter((one) => orphans.includes(one))) await putOrphanAway(rail, name)
  return completeAmong(rail, files)
}

/** Lists the files that wait for their marker. */
export function listWithoutMarker(rail: BankFilesRail, files: readonly FolderFile[]): readonly string[] {
  const complete = new Set(completeAmong(rail, files))
  const { theirs } = rail.entry.markers ?? {}
  return files
    .filter((file) => theirs && !complete.has(file) && !isMarker(theirs, file.name))
    .map(({ name }) => name)
}

function completeAmong({ entry }: BankFilesRail, files: readonly FolderFile[]): readonly FolderFile[] {
  const { theirs } = entry.markers ?? {}
  if (!theirs) return files
  const names = new Set(files.map(({ name }) => name))
  return files.filter(
    ({ name }) =>
      acknowledgementIn(entry, name) !== undefined ||
      (!isMarker(theirs, name) && names.has(markerOf(theirs, name))),
  )
}

function orphansAmong({ entry }: BankFilesRail, files: readonly FolderFile[]): readonly string[] {
  const { theirs } = entry.markers ?? {}
  if (!theirs) return []
  const names = files.map(({ name }) => name)
  const expected = new Set(
    names.filter((name) => !isMarker(theirs, name)).map((name) => markerOf(theirs, name)),
  )
  return names.filter(
    (name) => isMarker(theirs, name) && !expected.has(name) && acknowledgementIn(entry, name) === undefined,
  )
}

/**
 * Compares a file with its marker. Returns why the file is incomplete, INCOMPLETE if the marker has no
 * checksum yet, or undefined if they match.
 */
export async function checkMarker(
  { folder, entry }: BankFilesRail,
  name: string,
  digest: string,
): Promise<string | undefined> {
  const { theirs } = entry.markers ?? {}
  if (theirs?.content !== 'SHA256' || acknowledgementIn(entry, name)) return undefined
  const marker = markerOf(theirs, name)
  const stream = await folder.open({ folder: entry.place.inbox, name: marker })
  if (!stream) return 'INCOMPLETE'
  const pieces: Uint8Array[] = []
  const tooLarge = () => new Error(`The marker ${marker} is larger than ${MARKER_BYTES_MAX} bytes`)
  for await (const piece of atMost(stream, MARKER_BYTES_MAX, tooLarge)) pieces.push(piece)
  const stated = digestIn(Buffer.concat(pieces).toString('latin1'))
  if (stated === undefined) return 'INCOMPLETE'
  return stated === digest ? undefined : `has the checksum ${digest}, but its marker states ${stated}`
}

async function putOrphanAway({ folder, entry }: BankFilesRail, name: string): Promise<void> {
  const from = { folder: entry.place.inbox, name }
  try {
    await folder.rename(from, { folder: entry.place.done, name })
  } catch (error) {
    if (error instanceof FileIsMissing) return
    if (!(error instanceof FileIsThere)) throw error
    await folder.remove(from)
  }
}
