import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import { idOfKind, uuidOfText } from '../src/db/engine/ids.ts'

/** An id of this kind that follows from a name: the same one for the same name. */
export function testId(kind: IdKind | InternalIdKind, name: string | number): string {
  return idOfKind(kind, uuidOfText(String(name)))
}

/** An id of this kind that no record has. */
export function noId(kind: IdKind | InternalIdKind): string {
  return testId(kind, 'nobody has it')
}
