import type { MarkerValue } from '@countersign/contract/connectors/file-exchange'
import { derivedName, valueInName } from './file-names.ts'
import { isReady } from './stores/bank-folder.ts'

/** Marker files, each of which says that another file is complete. */

const DIGEST = /^\s*([0-9a-f]{64})(?![0-9a-f])/i

/** The name of a file's marker. */
export function markerOf({ name }: MarkerValue, file: string): string {
  const { before, what, after } = derivedName(name)
  return before + (what === 'stem' ? stemOf(file) : file) + after
}

/** A name without its last extension. */
function stemOf(file: string): string {
  return file.replace(/(?<=.)\.[^.]*$/, '')
}

/** True for a name that only a marker can have. */
export function isMarker({ name }: MarkerValue, file: string): boolean {
  return valueInName(name, file) !== undefined
}

/** The content of a file's marker: the output of `sha256sum`, or nothing. */
export function markerContent({ content }: MarkerValue, file: string, digest: string): string {
  return content === 'SHA256' ? `${digest}  ${file}\n` : ''
}

/** The checksum stated in a marker. Undefined if the marker states no checksum or is itself incomplete. */
export function digestIn(marker: string): string | undefined {
  return DIGEST.exec(marker)?.[1]?.toLowerCase()
}

/** Explains why markers cannot be told apart from other files. Undefined if they can. */
export function faultOfMarker(marker: MarkerValue): string | undefined {
  const { before, what, after } = derivedName(marker.name)
  if (what === 'file' && before === '' && after === '')
    return `markers: ${marker.name} is the name of the file itself`
  if (what === 'stem' && before === '' && !/^\.[A-Za-z0-9]+$/.test(after))
    return `markers: ${marker.name} needs an ending such as {stem}.ok`
  return isReady(markerOf(marker, 'file.xml')) ? undefined : `markers: ${marker.name} is hidden`
}
