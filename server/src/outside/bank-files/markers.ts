import type { MarkerValue } from '@countersign/contract/connectors/file-exchange'
import { parseDerivedName, readNameValue } from './file-names.ts'
import { isReady } from './stores/bank-folder.ts'

/** Marker files, each of which states that another file is complete. */

const DIGEST = /^\s*([0-9a-f]{64})(?![0-9a-f])/i

/** The name of a file's marker. */
export function toMarkerName({ name }: MarkerValue, file: string): string {
  const { before, placeholder, after } = parseDerivedName(name)
  return before + (placeholder === 'stem' ? toStem(file) : file) + after
}

/** A name without its last extension. */
function toStem(file: string): string {
  return file.replace(/(?<=.)\.[^.]*$/, '')
}

/** True for a name that only a marker can have. */
export function isMarker({ name }: MarkerValue, file: string): boolean {
  return readNameValue(name, file) !== undefined
}

/** Builds the content of a file's marker: the output format of `sha256sum`, or empty. */
export function buildMarkerContent({ content }: MarkerValue, file: string, digest: string): string {
  return content === 'SHA256' ? `${digest}  ${file}\n` : ''
}

/** Reads the checksum in a marker. Undefined if the marker has no complete checksum. */
export function readDigest(marker: string): string | undefined {
  return DIGEST.exec(marker)?.[1]?.toLowerCase()
}

/** Explains why names do not tell markers from other files. Undefined if they do. */
export function findMarkerFault(marker: MarkerValue): string | undefined {
  const { before, placeholder, after } = parseDerivedName(marker.name)
  if (placeholder === 'file' && before === '' && after === '')
    return `markers: ${marker.name} must differ from the name of the file`
  if (placeholder === 'stem' && before === '' && !/^\.[A-Za-z0-9]+$/.test(after))
    return `markers: ${marker.name} must have an extension, as in {stem}.ok`
  return isReady(toMarkerName(marker, 'file.xml'))
    ? undefined
    : `markers: ${marker.name} must not be hidden or end like incomplete files`
}
