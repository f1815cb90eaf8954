import { PERMISSIONS } from '@countersign/contract/core/endpoint'
import { Failure } from './failure.ts'

/** Reads `VIEW,TRANSACT`. Throws Failure for an unknown permission. */
export function readPermissions(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !PERMISSIONS.some((permission) => permission === word))
  if (unknown !== undefined)
    throw new Failure(`--permissions takes ${PERMISSIONS.join(', ')}, separated by commas; not "${unknown}".`)
  return words
}
